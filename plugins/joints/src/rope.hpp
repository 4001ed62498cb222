// SPDX-License-Identifier: BSD-3-Clause
// The type `rope`: over any number of points, pulls and never pushes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/stress_laws.hpp"
#include "ancora/sdk/helpers/time_function.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

inline constexpr Parameter kRopeKeys[] = {
    parameter::point("points",
                     "from end to end, two or more; over those between the ends it slides without "
                     "friction, as over pulleys without size")
        .or_texts()
        .required(),
    parameter::number("length",
                      "m",
                      "L, without tension: a number, a formula of t (a winch), a table with rows "
                      "[t, length], or a file with such rows; left out: that at the start")
        .or_text()
        .or_matrix(0, 2)
        .or_file()
        .sensitive(),
    parameter::number(
        "stiffness", "N/m", "k, of the whole rope at its length; left out or inf: it does not give")
        .positive()
        .or_infinite()
        .sensitive(),
    parameter::number("young", "Pa", "with area, instead of stiffness: k = young area / length")
        .positive()
        .or_infinite()
        .sensitive(),
    parameter::number("area", "m^2", "of the rope's section").positive().sensitive(),
    parameter::number("damping", "N s/m", "c, while it is taut; with a stiffness")
        .nonnegative()
        .sensitive(),
    parameter::number("restitution",
                      "-",
                      "of a rope that does not give: impulse of expansion per impulse of "
                      "compression where it becomes taut, 0 to 1")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.0")
        .sensitive(),
    kInterpolation,
    kOutside,
};

/// One row over N points, d_i = r_i+1 - r_i:
///
///   pi = sum |d_i| - L(t),   s = <k pi + c pi'>                                          (1)
///   g = L(t) - sum |d_i| >= 0,   with restitution                                        (2)
///
/// of which the second is that of a rope that does not give. Over a step each |d_i| has its exact
/// quotient, which keeps energy and both momenta:
///
///   B_i = (d_i0 + d_i1) / (|d_i0| + |d_i1|)                                              (3)
class Rope final : public Constraint, private EffortFactors {
public:
    explicit Rope(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return points_.list(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_unit = "N";
        out.effort_factors = this;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    // EffortFactors: the effort on the rope's length
    void evaluate(const RowPoint&, double, std::span<double> factors) const override {
        factors[0] = sign_;
    }
    void read_length(const Arguments& arguments, double path);
    double read_stiffness(const Arguments& arguments) const;

    AttachmentTexts points_;
    double length_ = 0.0;
    TimeFunction winch_;  ///< in place of it
    bool has_winch_ = false;
    double sign_ = 1.0;  ///< of (1); -1 of (2)
    std::vector<std::int32_t> stencil_;
    RowLaw law_;
    RowBlock block_;
};

}  // namespace ancora::joints
