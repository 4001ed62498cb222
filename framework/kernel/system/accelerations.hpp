// SPDX-License-Identifier: BSD-3-Clause
// Accelerations of the whole model at a state: the frictionless equation, friction, and forces that
// depend on reactions, solved together.
#pragma once

#include <memory>

#include <Eigen/Core>

#include "assembly.hpp"
#include "continuous_face.hpp"
#include "energy_accounting.hpp"
#include "step_parts.hpp"

namespace ancora {

/// The Udwadia-Kalaba equation of a system with all its forces.
class Accelerations {
public:
    Accelerations(Assembly& parts,
                  MotionState& state,
                  const StepParts& extra,
                  const EnergyAccounting& accounting);

    /// The equation without parts; made when first asked for.
    ContinuousFace& face();
    const ContinuousFace& solved_face() const { return *face_; }
    /// The rows' laws have changed.
    void rebuild() { face_.reset(); }
    void forget_choices() {
        if (face_) face_->forget_choices();
    }

    /// Accelerations, reactions, forces of parts, and the forces that depend on reactions,
    /// together; the last by fixed-point iteration with Aitken relaxation, from zero, so that
    /// observing a run does not change it. [step]
    /// @throws Error (numerical) if they are not unique or the iteration does not converge
    void solve(const double* q, const double* v, double t, RankUse use = RankUse::decide);
    /// The same; stresses of all rows go to the state.
    void solve_and_store(const double* q, const double* v, double t);
    /// The same, for tentative modes of contacts: Painleve's paradox is then no error.
    void solve_tentatively();
    /// solve(), likewise.
    void solve_tentatively(const double* q, const double* v, double t);

private:
    [[noreturn]] void refuse_feedback(double t) const;

    Assembly& parts_;
    MotionState& state_;
    const StepParts& extra_;
    const EnergyAccounting& accounting_;
    std::unique_ptr<ContinuousFace> face_;
    Eigen::VectorXd Ma_now_;
    bool is_resolving_ = false;
};

}  // namespace ancora
