// SPDX-License-Identifier: BSD-3-Clause
// When a step chooses anew which of several dependent rows it asks for.
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

/// Keeps the choice of ConstraintSelection while it serves; with another one nothing that steps
/// have collected serves any more: stresses, the integrator's history, the matrix.
class SelectionUpdate {
public:
    SelectionUpdate(const SystemData& of,
                    ConstraintSelection& independent,
                    StepTangent& tangent,
                    FactoredStep& matrix);

    /// [assembly] Lays out the matrix of steps, for rows of which some depend on others or not.
    void set_redundant(bool is_redundant);
    /// Whether steps are taken with rows that depend on each other.
    bool is_redundant() const { return is_redundant_; }

    /// Chooses at the accepted state. @returns whether other rows are left out than before
    bool renew() { return !independent_.all() && choose_anew(); }
    /// Whether rows that were left out turned out not to depend on the others, as where the start
    /// was a singular position; the choice is then made anew, at the middle of the step. Where that
    /// leaves a row open all the same, the trial has been led to another motion if it passes a
    /// singular position, beside which such a row opens at second order only: this trial then has
    /// no solution as long as the row opens, see refute().
    /// @throws Error (numerical) if they contradict the others
    bool settle(const StepTrial& trial, SingularPositions& singular);
    /// A row that settle() has found open in a trial of this length is a residual that is not
    /// closed.
    void refute(const StepTrial& trial, ScaledResidual& defect) const {
        if (!independent_.all() && is_refuted(trial))
            defect.rows = defect.positions = std::numeric_limits<double>::infinity();
    }
    /// To be called where no piece of the step has a solution.
    /// @throws Error (numerical) if a row left out contradicts the others in this trial
    void refuse_open_row(const StepTrial& trial) const;
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
    Length chosen_;   // for which settle() has made the last choice
    Length refuted_;  // in which it has found a row open last, whatever the choice
    bool is_redundant_ = false;
    bool has_factorised_ = false;  // since rows were looked at last
    Eigen::VectorXd q_at_choice_;  // state at which they were
    Eigen::VectorXd way_;
    RowSet::RowValues instant_;
};

}  // namespace ancora
