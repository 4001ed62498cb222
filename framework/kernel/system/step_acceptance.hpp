// SPDX-License-Identifier: BSD-3-Clause
// Accepting a step: from the trial to the next state.
#pragma once

#include <Eigen/Core>

#include "accounts.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "residual_scaling.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"
#include "velocity_impulse.hpp"
#include "velocity_projection.hpp"

namespace ancora {

/// Calls of plugins for the new state come first; then the commit, which cannot fail.
class StepAcceptance {
public:
    StepAcceptance(const SystemData& of,
                   StepRows& rows,
                   StepParts& extra,
                   Accounts& accounts,
                   const ResidualScaling& defect);

    /// See System::accept(). [step]
    void accept(const StepTrial& trial);
    /// The projection of velocities at the end of steps that it has begun.
    void project_by(VelocityProjection* projection) { projection_ = projection; }
    /// The impulse that brings velocities to those prescribed, for all other steps.
    void meet_by(VelocityImpulse* impulse) { impulse_ = impulse; }

private:
    void check(const StepTrial& trial);
    void move_on(const StepTrial& trial);
    void commit(const StepTrial& trial);

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    StepRows& rows_;
    StepParts& extra_;
    Accounts& accounts_;
    const ResidualScaling& defect_;
    VelocityProjection* projection_ = nullptr;
    VelocityImpulse* impulse_ = nullptr;
    bool has_impulse_ = false;
    Eigen::VectorXd A_, pi_t_;
};

}  // namespace ancora
