// SPDX-License-Identifier: BSD-3-Clause
// When the selection of independent constraint rows is made anew.
#pragma once

#include <limits>

#include <Eigen/Core>

#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "constraint_selection.hpp"
#include "factored_step.hpp"
#include "singular_positions.hpp"
#include "step_tangent.hpp"

namespace ancora {

/// Keeps the selection of ConstraintSelection while it is valid; a new one invalidates all that
/// steps have collected: stresses, the integrator's history, the matrix.
class SelectionUpdate {
public:
    SelectionUpdate(const SystemData& of,
                    ConstraintSelection& independent,
                    StepTangent& tangent,
                    FactoredStep& matrix);

    /// [assembly] Lays out the matrix of steps, for redundant rows or not.
    void set_redundant(bool is_redundant);
    /// Whether the rows of steps are redundant.
    bool is_redundant() const { return is_redundant_; }

    /// Selects rows at the accepted state. @returns whether other rows are dropped than before
    bool renew() { return !independent_.all() && choose_anew(); }
    /// Selects rows at the accepted state, where others have become conditions of the model.
    void follow_conditions() {
        if (parts_.model.traits.face == Face::discrete)
            choose_anew(ConstraintSelection::Conditions::others);
    }
    /// Whether dropped rows are independent of the kept ones, as where the start was a singular
    /// position; the selection is then made anew, at the middle of the step. Where a row remains
    /// violated all the same, the trial has left the motion if it passes a singular position, near
    /// which such a row is violated at second order only: this trial then has no solution as long
    /// as the row is violated, see refute().
    /// @throws Error (numerical) if they are inconsistent with the others
    bool settle(const StepTrial& trial, SingularPositions& singular);
    /// A row that settle() has found violated in a trial of this length counts as a residual that
    /// has not converged.
    void refute(const StepTrial& trial, ScaledResidual& defect) const {
        if (!independent_.all() && is_refuted(trial))
            defect.rows = defect.positions = std::numeric_limits<double>::infinity();
    }
    /// To be called where no substep has a solution.
    /// @throws Error (numerical) if a dropped row is inconsistent with the others in this trial
    void refuse_open_row(const StepTrial& trial) const;
    /// Invalidates all that steps have collected.
    void begin_anew();
    void note_factorisation() { has_factorised_ = true; }
    /// After an accepted step: checks the selection again where the motion has gone far enough.
    void follow_motion();

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    bool choose_anew(
        ConstraintSelection::Conditions conditions = ConstraintSelection::Conditions::as_before);
    bool is_refuted(const StepTrial& trial) const {
        return refuted_.is(trial) && independent_.violated_dropped_row(state_.extent) >= 0;
    }
    [[noreturn]] void refuse(const StepTrial& trial, int row) const;

    Assembly& parts_;
    MotionState& state_;
    const Trial& trial_;
    ConstraintSelection& independent_;
    StepTangent& tangent_;
    FactoredStep& matrix_;
    /// A trial, by its length.
    struct Length {
        double t0 = -1.0, h = 0.0;
        bool is(const StepTrial& trial) const { return trial.t0 == t0 && trial.h == h; }
    };
    Length chosen_;   // for which settle() has made the last selection
    Length refuted_;  // in which it has last found a row violated with any selection
    bool is_redundant_ = false;
    bool has_factorised_ = false;  // since the selection was last checked
    Eigen::VectorXd q_at_choice_;  // state of that check
    Eigen::VectorXd way_;
    RowSet::StateValues instant_;
};

}  // namespace ancora
