// SPDX-License-Identifier: BSD-3-Clause
// What slides in a joint, for friction: rates of measures, and the spin in a ball joint.
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"

namespace ancora::joints {

/// Rows on the attachments of a joint, as conditions that friction works on: one per measure m that
/// slides, m' = 0, or in a ball joint three,
///
///   A u' = e_k . (w_b - w_a) = 0,   w_b = T_b^-1 1/2 sum b_i x b_i',
///                                   T_b = 1/2 (tr G I - G),  G = sum b_i b_i^T                (1)
///
/// with inertial axes e_k and the frames' axes a_i, b_i. Over a step A is the exact discrete
/// gradient of a measure, and that of (1) at the middle, where the axes are shorter than one and T
/// is not I: the moments on both bodies are then s e_k and opposite, and A du = 0 means that both
/// have turned alike.
class Slide final : public RowSource {
public:
    // --- [assembly] either measures or a ball, then finish()

    void add(MeasureFunction function, const std::array<int, 3>& attachments) {
        measures_.push_back(function);
        for (std::size_t i = 0; i < function.num_scalars(); ++i)
            stencil_.push_back(3 * attachments[i / 3] + static_cast<int>(i % 3));
    }
    void add_ball(const std::array<int, 3>& axes_a, const std::array<int, 3>& axes_b) {
        for (const std::array<int, 3>& axes : {axes_a, axes_b})
            for (const int axis : axes)
                for (int k = 0; k < 3; ++k) stencil_.push_back(3 * axis + k);
    }
    void finish() {
        block_.name = "sliding";
        block_.num_items = 1;
        block_.rows_per_item = measures_.empty() ? 3 : static_cast<std::int32_t>(measures_.size());
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
        std::ranges::fill(out.A, 0.0);
        const Scalars du = out.b.empty() ? Scalars{} : gather(at.du);
        if (measures_.empty()) {
            if (!out.A.empty()) put_ball(u, out.A);
            if (!out.b.empty())
                vec3(out.b) = Triad(u, 1).bias(Triad::columns(du, 1)) -
                              Triad(u, 0).bias(Triad::columns(du, 0));
            return;
        }
        std::size_t first = 0;
        for (std::size_t k = 0; k < measures_.size(); ++k) {
            const MeasureFunction& function = measures_[k];
            if (!out.A.empty())
                function.gradient(u.data() + first, out.A.data() + k * stencil_.size() + first);
            if (!out.b.empty()) out.b[k] = function.bias(u.data() + first, du.data() + first);
            first += function.num_scalars();
        }
    }
    void evaluate_step(int, const RowStep& step, const RowStepValues& out) const override {
        std::ranges::fill(out.tau, 0.0);
        std::ranges::fill(out.B, 0.0);
        const Scalars mid = gather(step.mid);
        if (measures_.empty()) {
            put_ball(mid, out.B);
            return;
        }
        const Scalars u0 = gather(step.u0), u1 = gather(step.u1);
        std::size_t first = 0;
        for (std::size_t k = 0; k < measures_.size(); ++k) {
            measures_[k].step_gradient(u0.data() + first,
                                       mid.data() + first,
                                       u1.data() + first,
                                       out.B.data() + k * stencil_.size() + first);
            first += measures_[k].num_scalars();
        }
    }

private:
    static constexpr std::size_t kOfBall = 18;  // three axes of each body
    using Scalars = std::array<double, kOfBall>;
    static_assert(kOfBall >= 2 * MeasureFunction::kMostScalars);

    Scalars gather(std::span<const double> u) const {
        Scalars out{};
        for (std::size_t i = 0; i < stencil_.size(); ++i) out[i] = u[stencil_[i]];
        return out;
    }

    /// The axes of one side as columns, and what makes up for their lengths.
    struct Triad {
        Triad(const Scalars& u, std::size_t side) : axes(columns(u, side)) {
            T_inverse = lever(axes * axes.transpose()).inverse();
        }
        static Mat3 columns(const Scalars& u, std::size_t side) {
            return Eigen::Map<const Mat3>(u.data() + 9 * side);
        }
        static Mat3 lever(const Mat3& G) { return 0.5 * (G.trace() * Mat3::Identity() - G); }

        /// T^-1 of T' T^-1 sum a_i x a_i' / 2: what the rate of T adds to the bias.
        Vec3 bias(const Mat3& rates) const {
            Vec3 spin = Vec3::Zero();
            for (int i = 0; i < 3; ++i) spin += 0.5 * axes.col(i).cross(rates.col(i));
            const Mat3 half = rates * axes.transpose();
            return T_inverse * (lever(half + half.transpose()) * (T_inverse * spin));
        }

        Mat3 axes, T_inverse;
    };

    static void put_ball(const Scalars& u, std::span<double> A) {
        for (std::size_t side = 0; side < 2; ++side) {
            const Triad triad(u, side);
            const double sign = side == 0 ? -0.5 : 0.5;
            for (int k = 0; k < 3; ++k)
                for (int i = 0; i < 3; ++i)
                    Eigen::Map<Vec3>(A.data() + static_cast<std::size_t>(k) * kOfBall + 9 * side +
                                     static_cast<std::size_t>(3 * i)) =
                        sign * triad.T_inverse.col(k).cross(triad.axes.col(i));
        }
    }

    std::vector<MeasureFunction> measures_;  // none: a ball
    std::vector<std::int32_t> stencil_;
    RowLaw law_{.kind = RowKind::velocity_constraint};
    RowBlock block_;
};

}  // namespace ancora::joints
