// SPDX-License-Identifier: BSD-3-Clause
// The exact derivative of a step's residual.
#include "step_tangent.hpp"

namespace ancora {

StepTangent::StepTangent(Assembly& parts,
                         const MotionState& state,
                         const Trial& trial,
                         const NonlinearRows& nonlinear)
    : forces(parts.forces), parts_(parts), state_(state), trial_(trial), nonlinear_(nonlinear) {
    for (Eigen::VectorXd* x : {&start_, &end_}) x->setZero(parts.rows.B.size());
    rate_pi_t_.setZero(parts.m);
    Mx_.setZero(parts.n);
}

void StepTangent::evaluate_start(double t0) {
    if (has_start_) return;
    start_ = parts_.rows.B;
    parts_.rows.evaluate_rates(parts_.moving_blocks,
                               state_.q.data(),
                               state_.v.data(),
                               t0,
                               start_.data(),
                               rate_pi_t_.data());
    parts_.rows.clear_left_out(start_.data());
    has_start_ = true;
}

const Eigen::VectorXd& StepTangent::end_jacobian() {
    end_ = 2.0 * parts_.rows.B - start_;
    return end_;
}

void StepTangent::subtract(const double* x, const double* y, double* r_motion, double* r_rows) {
    parts_.mass.multiply(x, Mx_.data());
    const double scale = 2.0 / (trial_.h * trial_.h);
    for (int i = 0; i < parts_.n; ++i) r_motion[i] -= scale * Mx_[i];
    const double* K = parts_.rows.K.data();
    for (const TangentTerm& term : parts_.rows.tangent_terms) {
        const double g = 0.5 * term.weight * K[term.from];
        r_motion[term.i] -= g * x[term.j];
        if (term.i != term.j) r_motion[term.j] -= g * x[term.i];
    }
    forces.subtract(x, r_motion);
    const int* column = parts_.rows.column.data();
    const double* B = parts_.rows.B.data();
    const double* B_start = start_.data();
    for (int k = 0; k < parts_.m; ++k) {
        double sum = 0.0;
        const int end = parts_.rows.row_end(k);
        for (int e = parts_.rows.row_begin(k); e < end; ++e) {
            sum += (2.0 * B[e] - B_start[e]) * x[column[e]];
            r_motion[column[e]] -= B[e] * y[k];
        }
        if (parts_.laws.is_nonlinear(k))
            r_rows[k] -= parts_.laws.taut_gamma(k) * (nonlinear_.law(k).slope * sum - y[k]);
        else
            r_rows[k] -= sum - parts_.laws.gamma()[k] * y[k];
    }
}

}  // namespace ancora
