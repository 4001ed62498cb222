// SPDX-License-Identifier: BSD-3-Clause
// Analyses of a state: its equation, its rank, its reactions.
#pragma once

#include <string>
#include <vector>

#include "accelerations.hpp"
#include "ancora/framework/dynamics.hpp"
#include "assembly.hpp"
#include "rank.hpp"
#include "reactions.hpp"
#include "step_parts.hpp"

namespace ancora {

/// Analyses of the accepted state; none of them changes the motion.
class InstantAnalysis {
public:
    InstantAnalysis(Assembly& parts,
                    MotionState& state,
                    const StepParts& extra,
                    Accelerations& accelerations,
                    Reactions& reactions)
        : parts_(parts),
          state_(state),
          extra_(extra),
          accelerations_(accelerations),
          reactions_(reactions) {}

    /// The Udwadia-Kalaba equation.
    Dynamics dynamics();
    /// Q and C of it, without dry friction and without reactions in the forces that depend on them.
    struct Applied {
        Eigen::VectorXd Q, C;
    };
    Applied applied();
    /// Reactions at the present state, in place of a step's means.
    void update_reactions();
    /// Refuses a start whose accelerations are not unique or whose constraints are inconsistent.
    void check_accelerations();
    /// Refuses a start with inconsistent constraints, where accelerations are unique.
    void check_consistency();
    /// Rank with the true mass matrix, by the solver of the continuous formulation.
    RankAnalysis rank();
    /// See StepPart::locked() and ambiguous().
    std::vector<std::string> locked() const;
    std::vector<std::string> ambiguous();
    /// Frees what questions need, which is much, where no step asks them; the next one makes it
    /// anew.
    void forget_solver();

private:
    Assembly& parts_;
    MotionState& state_;
    const StepParts& extra_;
    Accelerations& accelerations_;
    Reactions& reactions_;
};

}  // namespace ancora
