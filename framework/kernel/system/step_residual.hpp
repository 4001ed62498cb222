// SPDX-License-Identifier: BSD-3-Clause
// The residual of a step, which an integrator brings to zero.
#pragma once

#include <array>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "nonlinear_rows.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"

namespace ancora {

/// Evaluates the equations of a step at a trial (a, s) of length h (theory (23) and
/// (29)):
///
///   dq       = h v0 + h^2/2 a
///   r_motion = M a + B^T s - F
///   r_rows   = B dq + tau + theta pi0 + extra - gamma s                                  (1)
///
/// and the rows of parts behind them.
///
/// B of velocity rows is their A at the middle of the chord, where the axes of a body that turns by
/// an angle are shorter by cos(angle / 2). Such rows are violated at the ends of a step by O(h^2)
/// of the speed, with alternating sign: a contact point that only velocity rows carry would slide
/// by that, or react by O(1/h) of it. At frictional contacts, B is A with the axes F = (e_1, e_2,
/// e_3) replaced by
///
///   F_mid^-T (F_0^T F_0 + F_1^T F_1) / 2,   F_mid = (F_0 + F_1) / 2                        (2)
///
/// the reciprocal ones: the contact of a ball that turns at a constant rate then moves as it does
/// at the ends. B dq + tau = 0 and the force B^T s do no work all the same.
class StepResidual {
public:
    StepResidual(const SystemData& of, StepRows& rows, const StepParts& extra);

    /// [step] The spans stay in use until the next call.
    void evaluate(const StepTrial& trial, std::span<double> r_motion, std::span<double> r_rows);

private:
    void move_by(const StepTrial& trial);
    void find_carrying_rows();
    void evaluate_rows(const StepTrial& trial);
    void turn_axes(const StepTrial& trial);
    void evaluate_forces(const StepTrial& trial);
    void balance(const double* s, double* r_motion, double* r_rows);
    void balance_side_by_side(const double* s, double* r_motion, double* r_rows);

    Assembly& parts_;
    const MotionState& state_;
    Trial& trial_;
    ConstraintSelection& independent_;
    NonlinearRows& nonlinear_;
    const StepParts& extra_;
    std::vector<int> carrying_, blocks_;                   // velocity rows at frictional contacts
    std::vector<std::array<std::array<int, 3>, 3>> axes_;  // coordinates of their bodies' axes
    Eigen::VectorXd q_, v_, A_, pi_t_;                     // at (2), of all rows
};

}  // namespace ancora
