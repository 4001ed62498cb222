// SPDX-License-Identifier: BSD-3-Clause
// The consistent tangent of a step's residual.
#include "step_tangent.hpp"

#include "lanes.hpp"

namespace ancora {

StepTangent::StepTangent(Assembly& parts,
                         const MotionState& state,
                         const Trial& trial,
                         const NonlinearRows& nonlinear)
    : forces(parts.forces), parts_(parts), state_(state), trial_(trial), nonlinear_(nonlinear) {
    for (Eigen::VectorXd* x : {&start_, &end_}) x->setZero(parts.rows.B.size());
    for (Eigen::VectorXd* x : {&rate_pi_t_, &change_}) x->setZero(parts.m);
    Mx_.setZero(parts.n);
}

void StepTangent::evaluate_start(double t0) {
    if (has_start_) return;
    // Of constant blocks B = A(q_0); the others are evaluated at the accepted state.
    parts_.workers.copy(parts_.rows.B.data(), static_cast<int>(start_.size()), start_.data());
    parts_.rows.evaluate_rates(parts_.moving_blocks,
                               state_.q.data(),
                               state_.v.data(),
                               t0,
                               start_.data(),
                               rate_pi_t_.data(),
                               SignalSet::Moment::begin);
    parts_.rows.clear_dropped(start_.data());
    has_start_ = true;
}

const Eigen::VectorXd& StepTangent::end_jacobian() {
    // B_end = 2 B - A(q_0) (theory (31))
    end_ = 2.0 * parts_.rows.B - start_;
    return end_;
}

void StepTangent::subtract(const double* x, const double* y, double* r_motion, double* r_rows) {
    // r_motion -= (2 M / h^2 + G / 2 + T) x + B^T y
    parts_.mass.multiply(x, Mx_.data());
    const double scale = 2.0 / (trial_.h * trial_.h);
    parts_.workers.split(parts_.n, [&](int begin, int end) {
        for (int i = begin; i < end; ++i) r_motion[i] -= scale * Mx_[i];
    });
    // G by its terms, each for both of its sides, in the order of terms for each coordinate.
    const RowSet& rows = parts_.rows;
    rows.tangent_terms.for_each_side(rows.K.data(),
                                     parts_.workers,
                                     [=](double weight, double entry, int to, int from)
                                         ANCORA_INLINE_LAMBDA {
                                             r_motion[to] -= 0.5 * weight * entry * x[from];
                                         });
    forces.subtract(x, r_motion);
    // r_rows -= B_end x - gamma y, with B_end = 2 B - A(q_0) entry by entry
    const double* B = rows.B.data();
    const double* B_start = start_.data();
    const double* gamma = parts_.laws.gamma().data();
    const auto take_from_row = [&](int k, double sum) {
        if (parts_.laws.is_nonlinear(k))
            change_[k] = sum;
        else
            r_rows[k] -= sum - gamma[k] * y[k];
    };
    if (parts_.columns.empty()) {
        rows.for_used(0, parts_.m, [&](int k) {
            const double yk = y[k];
            double sum = 0.0;
            rows.for_entries(k, [&](int e, int i) {
                sum += (2.0 * B[e] - B_start[e]) * x[i];
                r_motion[i] -= B[e] * yk;
            });
            take_from_row(k, sum);
        });
        rows.for_unused([&](int k) {
            take_from_row(k, 0.0);
        });
    } else {
        // Rows by threads of their own, then coordinates: each number is written
        // by one thread, with its terms in the order of rows.
        parts_.workers.split(parts_.m, [&](int begin, int end) {
            for (int k = begin; k < end; ++k) {
                double sum = 0.0;
                rows.for_entries(k, [&](int e, int i) {
                    sum += (2.0 * B[e] - B_start[e]) * x[i];
                });
                take_from_row(k, sum);
            }
        });
        parts_.workers.split(parts_.n, [&](int begin, int end) {
            for (int i = begin; i < end; ++i)
                parts_.columns.for_entries(i, [&](int e, int k) {
                    r_motion[i] -= B[e] * y[k];
                });
        });
    }
    if (!nonlinear_.empty()) nonlinear_.subtract(change_.data(), y, r_rows);
}

}  // namespace ancora
