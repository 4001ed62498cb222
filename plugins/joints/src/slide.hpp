// SPDX-License-Identifier: BSD-3-Clause
// What slides in a joint, for friction: the rate of a measure.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {

/// One row on the attachments of a joint: its measure m, as a condition m' = 0 that friction works
/// on. Its A is dm/du, over a step the exact discrete gradient.
class Slide final : public RowSource {
public:
    void set(MeasureFunction function, const std::array<int, 3>& attachments) {
        function_ = function;
        stencil_.clear();
        for (std::size_t i = 0; i < function.num_scalars(); ++i)
            stencil_.push_back(3 * attachments[i / 3] + static_cast<int>(i % 3));
        block_.name = "sliding";
        block_.num_items = 1;
        block_.rows_per_item = 1;
        block_.scalars_per_item = static_cast<std::int32_t>(stencil_.size());
        block_.stencil = stencil_;
        block_.laws = {&law_, 1};
        block_.degree = Degree::general;
        block_.tangent = TangentForm::none;
    }
    bool has_rows() const { return !stencil_.empty(); }

    std::span<const RowBlock> row_blocks() const override {
        return {&block_, has_rows() ? 1u : 0u};
    }
    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        const Scalars u = gather(at.u);
        std::ranges::fill(out.pi, 0.0);
        std::ranges::fill(out.pi_t, 0.0);
        if (!out.A.empty()) function_.gradient(u.data(), out.A.data());
        if (!out.b.empty()) out.b[0] = function_.bias(u.data(), gather(at.du).data());
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        function_.step_gradient(
            gather(step.u0).data(), gather(step.mid).data(), gather(step.u1).data(), out.B.data());
        std::ranges::fill(out.tau, 0.0);
    }

private:
    using Scalars = std::array<double, MeasureFunction::kMostScalars>;
    Scalars gather(std::span<const double> u) const {
        Scalars out{};
        for (std::size_t i = 0; i < stencil_.size(); ++i)
            out[i] = u[static_cast<std::size_t>(stencil_[i])];
        return out;
    }

    MeasureFunction function_;
    std::vector<std::int32_t> stencil_;
    RowLaw law_{.kind = RowKind::velocity_constraint};
    RowBlock block_;
};

}  // namespace ancora::joints
