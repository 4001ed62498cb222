// SPDX-License-Identifier: BSD-3-Clause
// The consistent tangent of a step's residual, as opposed to the matrix that is factorised.
#pragma once

#include <span>

#include <Eigen/Core>

#include "assembly.hpp"
#include "force_tangents.hpp"
#include "nonlinear_rows.hpp"

namespace ancora {

/// The derivative at the last trial
///
///   K_exact = [ 2 M / h^2 + G / 2 + T,  B(mid)^T ;  B(end),  -gamma ]                    (1)
///
/// T the tangent of forces, as last evaluated. B is a mean over the step, so that at its end it is
/// 2 B(mid) - B(start) for rows of at most second degree (theory (31)).
class StepTangent {
public:
    StepTangent(Assembly& parts,
                const MotionState& state,
                const Trial& trial,
                const NonlinearRows& nonlinear);

    /// G at the midpoint of the last trial. [step]
    void evaluate_stiffness(const double* s, bool positive_part, double t0) {
        parts_.rows.evaluate_tangent(trial_.mid.data(), s, positive_part, t0 + 0.5 * trial_.h);
    }
    /// B at the start of the step from the accepted state, once. [step]
    void evaluate_start(double t0);
    /// The accepted state or the selection of rows has changed.
    void forget_start() { has_start_ = false; }
    /// B at the end of the step; the start must have been evaluated. [step]
    const Eigen::VectorXd& end_jacobian();
    /// (r_motion, r_rows) -= K_exact (x, y) [step]
    void subtract(const double* x, const double* y, double* r_motion, double* r_rows);

    ForceTangents forces;  ///< T, see ForceTangents

private:
    Assembly& parts_;
    const MotionState& state_;
    const Trial& trial_;
    const NonlinearRows& nonlinear_;
    Eigen::VectorXd start_, end_, rate_pi_t_, Mx_, change_;
    bool has_start_ = false;
};

}  // namespace ancora
