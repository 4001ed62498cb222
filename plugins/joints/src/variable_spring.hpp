// SPDX-License-Identifier: BSD-3-Clause
// A spring whose numbers are inputs.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "acting.hpp"
#include "ancora/sdk/constraint.hpp"
#include "law_keys.hpp"
#include "point_spring.hpp"

namespace ancora::joints {

inline constexpr Parameter kVariableSpringKeys[] = {
    kOn,
    kEndA,
    kEndB,
    parameter::signal("stiffness", "N/m or N m/rad", "k, effort per change of the measure; >= 0")
        .required(),
    parameter::signal(
        "free", "m or rad", "value of the measure without effort; left out: that at the start"),
    parameter::signal("damping", "N s/m or N m s/rad", "c, effort against the rate; >= 0"),
};

/// effort = -k (m - free) - c m', with k, free and c as inputs: formulas, tables, outputs
/// of other objects, an embedding program. Two rows, of which the second is there with a damping:
///
///   pi_1 = g (m - free),  g = sqrt(k / k_0),  compliance 1 / k_0                         (1)
///   psi  = sqrt(c) m',                        viscosity 1                                (2)
///
/// On a distance that begins at zero and has no `free`, (1) is a row that carries the potential,
/// with the difference d of both points, and (2) is along LineOfTwo:
///
///   pi = k / k_0 d.d / 2,     stress k_0                                                 (3)
///
/// The first has the energy k (m - free)^2 / 2. What it changes by as k and free change, at once
/// or over a step, is work from outside.
class VariableSpring final : public Constraint, public Signals, private EffortFactors {
public:
    explicit VariableSpring(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return on_.attachments(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_factors = this;
        out.signals = this;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override { return {&on_.value, 1}; }

    std::span<const char* const> inputs() const override { return inputs_; }

private:
    struct Numbers {
        double scale = 1.0;  ///< g
        double free = 0.0;
        double damping = 0.0;  ///< sqrt(c)
    };
    Numbers numbers(const OwnValues& own) const;
    double value(const double* u, std::span<const double> state) const;
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;
    void put_points(const RowPoint& at, const RowValues& out) const;
    void step_points(const RowStep& step, const RowStepValues& out) const;

    Acting on_;
    std::vector<const char*> inputs_;
    int free_ = -1, damping_ = -1;  ///< their inputs, or none
    double compliance_ = 1.0;       ///< 1 / k_0
    bool is_point_ = false;         ///< (3) in place of (1)
    std::unique_ptr<ConstantStress> stress_;
    std::vector<std::int32_t> stencil_;
    std::array<RowLaw, 2> laws_;
    RowBlock block_;
};

}  // namespace ancora::joints
