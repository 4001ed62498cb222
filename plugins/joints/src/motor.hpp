// SPDX-License-Identifier: BSD-3-Clause
// Efforts on measures: motors, of time and of the state, and servos.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "acting.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/formula/formula.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/nonideal_force.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// A force f = effort dm/du on the attachments of a measure m; over a step on its exact discrete
/// gradient, so that the work is effort times change of the measure and momenta are kept. What an
/// effort depends on - other measures, coordinates - stands behind it in u.
class Effort : public NonidealForce {
public:
    std::span<const char* const> attachments() const override { return keys_; }
    std::span<const AttachmentRequest> more_attachments() const override {
        return requests_.list();
    }
    WorkKind work() const override { return WorkKind::nonideal; }
    const Measure* effort_on() const override { return &measure_; }
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;
    void evaluate_step(const RowStep& step,
                       std::span<const double> mean_velocity,
                       const ForceValues& out) const override;
    bool has_tangent() const override { return true; }
    void differentiate_step(const RowStep& step,
                            std::span<const double> mean_velocity,
                            std::span<double> D) const override;
    int num_state() const override;
    void start_state(std::span<double> state) const override;

protected:
    explicit Effort(const Arguments& arguments);

    /// A measure that is acted on or read, at an instant or as mean over a step.
    struct Reading {
        double value = 0.0;
        double rate = 0.0;
    };
    /// [assembly] Reads a measure as well; its number.
    int read_measure(const Arguments& arguments, std::string_view text, const char* key);
    /// [assembly] Reads a coordinate, "box.x"; its number among those.
    int read_coordinate(std::string_view text, const char* key);

    /// What an effort is computed from: measures (the one acted on first), coordinates with rates.
    struct Sensed {
        std::span<const Reading> measures;
        std::span<const Reading> coordinates;
        double t = 0.0;
        double h = 0.0;  ///< length of the step whose mean is asked for; 0: an instant
        std::span<const double> state0;  ///< the law's own
        std::span<double> state1;        ///< empty: not wanted
    };
    /// Partial derivatives by values and rates; all entries are zero at first.
    struct Slopes {
        std::span<Reading> measures;
        std::span<Reading> coordinates;
    };
    virtual double effort(const Sensed& at, const Slopes* slopes) const = 0;
    virtual int num_own_state() const { return 0; }

private:
    static constexpr std::size_t kMostMeasures = 24;
    static constexpr std::size_t kMostScalars =
        kMostMeasures * MeasureFunction::kMostScalars + 3 * Formula::kMaxVariables;
    struct Measured {
        MeasureFunction function;
        double start;
    };
    std::size_t num_scalars() const;
    double effort_over(const RowStep& step, std::span<double> D, const Slopes* slopes) const;

    std::vector<const char*> keys_;
    AttachmentTexts requests_;
    std::vector<Measured> measures_;
    Measure measure_;  ///< that it acts on
    std::size_t num_coordinates_ = 0;
};

/// effort = a number, a table over time, or a formula of t, measures and coordinates.
class Motor final : public Effort {
public:
    explicit Motor(const Arguments& arguments);

private:
    double effort(const Sensed& at, const Slopes* slopes) const override;

    struct Variable {
        bool is_measure;
        int index;
        bool is_rate;
    };
    class Scope;
    TimeFunction given_;
    std::vector<Formula> formula_;  ///< one or none
    std::vector<Variable> variables_;
    double limit_;
};

/// effort = kp e + kd e' + ki (integral of e), e = target(t) - m, within the limit; the integral
/// is state of the kernel and stands still while the effort is at its limit.
class Servo final : public Effort {
public:
    explicit Servo(const Arguments& arguments);

private:
    double effort(const Sensed& at, const Slopes* slopes) const override;
    int num_own_state() const override { return ki_ > 0.0 ? 1 : 0; }

    TimeFunction target_;
    double kp_, kd_, ki_, limit_;
};

}  // namespace ancora::joints
