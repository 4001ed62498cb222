// SPDX-License-Identifier: BSD-3-Clause
// Laws that are one row on measures: springs, dampers, drives, couplers.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "acting.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/body.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "gyroscopic_rotor.hpp"
#include "law_keys.hpp"
#include "point_spring.hpp"

namespace ancora::joints {

/// One row on measures m_i of the attachments, whose scalars lie one measure behind the other:
///
///   pi = sum k_i (m_i - c_i) - d(t) - y                                                  (1)
///
/// as a constraint (drive, coupler), as a condition on its rate, or with an elastic law (spring,
/// damper). A = sum k_i dm_i/du, in a step with the exact discrete gradients, which are made of
/// invariants: the effort -s changes neither momentum nor angular momentum, and its work is effort
/// times change of the measure to rounding. Whole turns of angles are state of the kernel. y is a
/// coordinate of the row's own, if it has one (rotor). With a stiffness k(t) there are two rows,
///
///   pi_1 = g (m - c),  g = sqrt(k / k(0)),   pi_2 = m - c                                (2)
///
/// of which the first has the energy k (m - c)^2 / 2, whose change with k is work from outside, the
/// second damping and preload.
class MeasureRow : public Constraint, private EffortFactors {
public:
    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_factors = is_stiffening_ ? this : nullptr;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override { return start_state_; }

protected:
    MeasureRow() = default;
    MeasureRow(const MeasureRow&) = delete;
    MeasureRow& operator=(const MeasureRow&) = delete;

    // EffortFactors
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;

    // --- [assembly]

    /// The one measure of a law; c is the value without effort.
    void act_on(const Acting& on, double c);
    /// One of several measures, asked for by its text.
    void add(const Arguments& arguments, std::string_view text, const char* key, double factor);
    void finish(const char* row_name, const RowLaw& law);

    TimeFunction motion_;  ///< d, or its rate where the row is a condition on rates
    bool is_driven_ = false;
    bool has_own_coordinate_ = false;  ///< y, behind the measures
    TimeFunction stiffness_;           ///< k
    bool is_stiffening_ = false;       ///< k is given over time: the rows are (2)
    bool has_second_row_ = false;      ///< which has something to bear
    RowLaw law_;
    RowLaw beside_;  ///< of the second row

private:
    struct Term {
        MeasureFunction function;
        double factor;
        double reference;  ///< c
        double start;      ///< value at the start
    };
    bool is_rate_row() const { return law_.kind == RowKind::velocity_constraint; }
    double sum(const RowPoint& at) const;
    StiffnessScale scale(double t) const {
        return StiffnessScale::at(stiffness_, law_.compliance, t);
    }
    void evaluate_stiffening(const RowPoint& at, const RowValues& out) const;
    void step_stiffening(const RowStep& step, const RowStepValues& out) const;

    AttachmentTexts requests_;
    std::vector<Term> terms_;
    std::vector<double> start_state_;  ///< values of the measures at the start
    std::vector<std::int32_t> stencil_;
    std::array<RowLaw, 2> laws_;
    RowBlock block_;
};

/// effort = -k (m - free) + preload - c m', k constant or over time, or with a table of the first
/// part. On a distance without free value and preload its rows are those of a PointSpring.
class Spring : public MeasureRow {
public:
    std::span<const RowBlock> row_blocks() const override {
        return between_ ? between_->row_blocks() : MeasureRow::row_blocks();
    }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override {
        if (between_) return {};
        return MeasureRow::start_state();
    }
    void facets(ConstraintFacets& out) const override {
        MeasureRow::facets(out);
        if (between_) out.effort_factors = between_.get();
    }

protected:
    using MeasureRow::evaluate;
    Spring(const Arguments& arguments, double damping);

private:
    /// Straight between the rows of a table.
    class Table final : public PotentialLaw {
    public:
        explicit Table(const Arguments& arguments, double preload);
        Potential potential(double x) const override;
        double stiffest() const;

    private:
        std::vector<double> x_, stress_, energy_;
    };
    /// The same effort everywhere.
    class Preload final : public PotentialLaw {
    public:
        explicit Preload(double effort) : effort_(effort) {}
        Potential potential(double x) const override { return {-effort_ * x, -effort_, 0.0}; }

    private:
        double effort_;
    };
    std::unique_ptr<PotentialLaw> table_;
    std::unique_ptr<PointSpring> between_;
};

class SpringAlone final : public Spring {
public:
    explicit SpringAlone(const Arguments& arguments) : Spring(arguments, 0.0) {}
};
class SpringDamper final : public Spring {
public:
    explicit SpringDamper(const Arguments& arguments)
        : Spring(arguments, arguments.has("damping") ? arguments.number("damping") : 0.0) {}
};

/// effort = -c m'; on the distance of two points along LineOfTwo.
class Damper final : public MeasureRow {
public:
    explicit Damper(const Arguments& arguments);
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;

private:
    using MeasureRow::evaluate;

    bool has_line_ = false;
};

/// A rotor that turns with a measure, by a ratio n: its inertia J is felt as n^2 J. Its coordinate
/// y is the change of the measure, its kinetic energy n^2 J y'^2 / 2; the effort is what it takes
/// from the measure. It has no place and no attitude: its mass and inertia as a part of a body are
/// the body's. With what a base that turns does to it, and it to the base, it is a GyroscopicRotor.
class Rotor final : public MeasureRow {
public:
    explicit Rotor(const Arguments& arguments);
    std::span<const RowBlock> row_blocks() const override {
        return carried_ ? carried_->row_blocks() : MeasureRow::row_blocks();
    }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override {
        if (carried_) return {};
        return MeasureRow::start_state();
    }
    void facets(ConstraintFacets& out) const override {
        MeasureRow::facets(out);
        out.own_body = carried_ ? &carried_->body() : &turning_;
        if (carried_) out.effort_factors = &carried_->effort_factors();
    }

private:
    using MeasureRow::evaluate;

    class Turning final : public Body {
    public:
        std::span<const Coordinate> coordinates() const override { return {&coordinate_, 1}; }
        void start(std::span<double> q, std::span<double> v) const override {
            q[0] = 0.0;
            v[0] = rate;
        }
        void mass(MassSink& M) const override { M.add(0, 0, inertia); }
        void attach(const Locator&, AttachmentSink&) const override {
            throw std::invalid_argument("a rotor has no points");
        }

        double inertia = 0.0;  ///< n^2 J
        double rate = 0.0;     ///< at the start

    private:
        Coordinate coordinate_;
    };
    Turning turning_;
    std::unique_ptr<GyroscopicRotor> carried_;
};

/// m = d(t), or m' = its rate; the effort that this takes is the row's.
class Drive final : public MeasureRow {
public:
    explicit Drive(const Arguments& arguments);
};

inline constexpr Parameter kBacklash =
    parameter::number("backlash",
                      "m or rad",
                      "play: how far the last measure moves, from one side to the other, while the "
                      "first stands; half of it to each side at the start")
        .positive();
inline constexpr Parameter kTeethRestitution =
    parameter::number("restitution",
                      "-",
                      "with backlash: impulse of expansion per impulse of compression where the "
                      "sides meet, 0 to 1")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.0")
        .sensitive();
inline constexpr Parameter kCouplerKeys[] = {
    parameter::make("on", "", "the measures", Shape::texts).required(),
    parameter::vector("ratios", 0, "", "k_i: sum k_i dm_i = 0; as many as measures")
        .required()
        .sensitive(),
    kBacklash,
    kTeethRestitution,
};
inline constexpr Parameter kGearKeys[] = {
    parameter::make("on", "", "the two angles", Shape::texts).required(),
    parameter::vector("teeth", 2, "", "of the two wheels, or their radii").positive().required(),
    parameter::boolean("internal", "one wheel runs inside the other: they turn alike")
        .otherwise("false"),
    kBacklash,
    kTeethRestitution,
};
inline constexpr Parameter kRackKeys[] = {
    parameter::make(
        "on", "", "the angle of the pinion and the displacement of the rack", Shape::texts)
        .required(),
    parameter::number("radius", "m", "of the pinion; negative: the other way")
        .required()
        .sensitive(),
    kBacklash,
    kTeethRestitution,
};
inline constexpr Parameter kBeltKeys[] = {
    parameter::make("on", "", "the two angles", Shape::texts).required(),
    parameter::vector("radii", 2, "m", "of the two pulleys").positive().required(),
    parameter::boolean("crossed", "they turn against each other").otherwise("false"),
};
inline constexpr Parameter kDifferentialKeys[] = {
    parameter::make(
        "on", "", "the angles of the two sides and of the cage, in one direction", Shape::texts)
        .required(),
};

/// x = sum k_i (m_i - m_i at the start) = 0; with a backlash c, of the last measure, two unilateral
/// rows
///
///   c |k| / 2 + x >= 0,   c |k| / 2 - x >= 0                                              (3)
enum class Coupling { coupler, gear, rack_pinion, belt, differential };
class CouplerRow : public MeasureRow {
public:
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void facets(ConstraintFacets& out) const override {
        MeasureRow::facets(out);
        out.effort_unit = unit_;
        if (half_play_ > 0.0) out.effort_factors = &sides_;
    }

protected:
    using MeasureRow::evaluate;
    CouplerRow(Coupling kind, const Arguments& arguments);

private:
    struct Sides final : ::ancora::EffortFactors {
        void evaluate(const RowPoint&, double, std::span<double> factors) const override {
            factors[0] = 1.0;
            factors[1] = -1.0;
        }
    };
    const char* unit_ = "";
    double half_play_ = 0.0;  ///< c |k| / 2
    Sides sides_;
};
template <Coupling kKind>
class Coupler final : public CouplerRow {
public:
    explicit Coupler(const Arguments& arguments) : CouplerRow(kKind, arguments) {}
};

}  // namespace ancora::joints
