// SPDX-License-Identifier: BSD-3-Clause
// The residual of a step: what an integrator drives to zero.
#pragma once

#include <span>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "independent_rows.hpp"
#include "nonlinear_rows.hpp"
#include "step_friction.hpp"

namespace ancora {

/// Evaluates the equations of a step at a trial (a, s) of length h (theory (23) and
/// (29)):
///
///   dq       = h v0 + h^2/2 a
///   r_motion = M a + B^T s - F
///   r_rows   = B dq + tau + theta pi0 + extra - gamma s                                  (1)
///
/// and the rows of friction behind them.
class StepResidual {
public:
    StepResidual(Assembly& parts,
                 const MotionState& state,
                 Trial& trial,
                 IndependentRows& independent,
                 NonlinearRows& nonlinear,
                 bool has_friction,
                 StepFriction& friction)
        : parts_(parts),
          state_(state),
          trial_(trial),
          independent_(independent),
          nonlinear_(nonlinear),
          has_friction_(has_friction),
          friction_(friction) {}

    /// [step] The spans stay in use until the next call.
    void evaluate(const StepTrial& trial, std::span<double> r_motion, std::span<double> r_rows);

private:
    void move_by(const StepTrial& trial);
    void evaluate_rows(const StepTrial& trial);
    void evaluate_forces(const StepTrial& trial);
    void balance(const double* s, double* r_motion, double* r_rows);
    void balance_side_by_side(const double* s, double* r_motion, double* r_rows);

    Assembly& parts_;
    const MotionState& state_;
    Trial& trial_;
    IndependentRows& independent_;
    NonlinearRows& nonlinear_;
    bool has_friction_;
    StepFriction& friction_;
};

}  // namespace ancora
