// SPDX-License-Identifier: BSD-3-Clause
// Accepting a step: from the trial to the next state.
#pragma once

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "books.hpp"
#include "constraint_turn.hpp"
#include "defect.hpp"
#include "independent_rows.hpp"
#include "jump_search.hpp"
#include "massless.hpp"
#include "nonlinear_rows.hpp"
#include "reactions.hpp"
#include "row_choice.hpp"
#include "step_parts.hpp"
#include "step_tangent.hpp"
#include "velocity_impulse.hpp"
#include "velocity_projection.hpp"
#include "violations.hpp"

namespace ancora {

/// Everything that a plugin computes of the new state comes first; then the commit, which cannot
/// fail.
class StepAcceptance {
public:
    StepAcceptance(Assembly& parts,
                   MotionState& state,
                   Trial& trial,
                   IndependentRows& independent,
                   const NonlinearRows& nonlinear,
                   const DefectMeasure& defect,
                   StepParts& extra,
                   StepTangent& tangent,
                   RowChoice& choice,
                   Massless& massless,
                   JumpSearch& jumps,
                   Violations& violations,
                   Books& books,
                   Reactions& reactions,
                   ConstraintTurn& turn);

    /// See System::accept(). [step]
    void accept(const StepTrial& trial);
    /// Steps end with velocities that this projects, where it has begun them.
    void project_by(VelocityProjection* projection) { projection_ = projection; }
    /// Others end with velocities that are those prescribed.
    void meet_by(VelocityImpulse* impulse) { impulse_ = impulse; }

private:
    void check(const StepTrial& trial);
    void move_on(const StepTrial& trial);
    void commit(const StepTrial& trial);

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    IndependentRows& independent_;
    const NonlinearRows& nonlinear_;
    const DefectMeasure& defect_;
    StepParts& extra_;
    StepTangent& tangent_;
    RowChoice& choice_;
    Massless& massless_;
    JumpSearch& jumps_;
    Violations& violations_;
    Books& books_;
    Reactions& reactions_;
    ConstraintTurn& turn_;
    VelocityProjection* projection_ = nullptr;
    VelocityImpulse* impulse_ = nullptr;
    bool has_impulse_ = false;
    Eigen::VectorXd A_, pi_t_;
};

}  // namespace ancora
