// SPDX-License-Identifier: BSD-3-Clause
// When a step chooses anew which of several dependent rows it asks for.
#pragma once

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "factored_step.hpp"
#include "independent_rows.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// Keeps the choice of IndependentRows while it serves; with another one nothing that steps have
/// collected serves any more: stresses, the integrator's history, the matrix.
class RowChoice {
public:
    RowChoice(Assembly& parts,
              MotionState& state,
              const Trial& trial,
              IndependentRows& independent,
              StepTangent& tangent,
              FactoredStep& matrix);

    /// [assembly] Lays out the matrix of steps, for rows of which some depend on others or not.
    void set_redundant(bool is_redundant);
    /// Whether steps are taken with rows that depend on each other.
    bool is_redundant() const { return is_redundant_; }

    /// Chooses at the accepted state. @returns whether other rows are left out than before
    bool renew() { return !independent_.all() && choose_anew(); }
    /// Whether rows that were left out turned out not to depend on the others, as where the start
    /// was a singular position; the choice is then made anew, at the middle of the step.
    /// @throws Error (numerical) if they contradict the others
    bool settle(const StepTrial& trial);
    /// Nothing that steps have collected serves any more.
    void begin_anew();
    void note_factorisation() { has_factorised_ = true; }
    /// After an accepted step: looks at the choice again where the motion has gone far enough.
    void follow_motion();

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    bool choose_anew();

    Assembly& parts_;
    MotionState& state_;
    const Trial& trial_;
    IndependentRows& independent_;
    StepTangent& tangent_;
    FactoredStep& matrix_;
    bool is_redundant_ = false;
    bool has_factorised_ = false;  // since rows were looked at last
    Eigen::VectorXd q_at_choice_;  // state at which they were
    Eigen::VectorXd way_;
    RowSet::Instant instant_;
};

}  // namespace ancora
