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

/// Everything that a plugin computes of the new state comes first; then the commit, which cannot
/// fail.
class StepAcceptance {
public:
    StepAcceptance(const SystemData& of,
                   StepRows& rows,
                   StepParts& extra,
                   Accounts& accounts,
                   const ResidualScaling& defect);

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
