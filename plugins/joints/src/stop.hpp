// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `stop`: a measure stays within limits, which it meets with restitution.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "acting.hpp"
#include "ancora/sdk/constraint.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// Gaps of a measure m between its limits, unilateral rows:
///
///   g_1 = m - lower >= 0,   g_2 = upper - m >= 0                                         (1)
///
/// of which either may be missing. Over a step B is the exact discrete gradient of m, so the effort
/// l_1 - l_2 on the measure changes neither momentum nor angular momentum. Whole turns of angles
/// are state of the kernel. On the distance of two points an upper limit is a rope that only pulls.
class Stop final : public Constraint, private EffortFactors {
public:
    explicit Stop(const Arguments& arguments);
    Stop(const Stop&) = delete;
    Stop& operator=(const Stop&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return on_.attachments(); }
    void facets(ConstraintFacets& out) const override {
        out.reaction = ReactionKind::effort;
        out.effort_factors = this;
    }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    std::span<const double> start_state() const override { return {&on_.value, 1}; }

private:
    // EffortFactors
    void evaluate(const RowPoint& at, double h, std::span<double> factors) const override;

    std::size_t num_rows() const { return static_cast<std::size_t>(block_.rows_per_item); }

    Acting on_;
    std::array<double, 2> sign_{}, limit_{};  // of the rows: g = sign (m - limit)
    std::array<std::int32_t, MeasureFunction::kMostScalars> stencil_{};
    RowLaw law_;
    RowBlock block_;
};

}  // namespace ancora::joints
