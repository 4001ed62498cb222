// SPDX-License-Identifier: BSD-3-Clause
// The energy-momentum integrator: predictor, step lengths, events and singular positions.
#pragma once

#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/integrator.hpp"
#include "composition.hpp"
#include "prediction.hpp"

namespace ancora {

/// Energy-momentum method of second order. One step from (q0, v0) solves for the mean acceleration
/// a and the stresses s of all rows
///
///   M a + sum_k B_k^T s_k = F,    dq = h v0 + (h^2 / 2) a,    dv = h a                   (1)
///   B_k dq + tau_k + rho_k - gamma_k s_k = 0                                             (2)
///
/// with B the discrete Jacobian, so that energy, momentum and angular momentum change by the
/// recorded works and impulses of forces and nothing else, to round-off, for every h for which the
/// iteration converges.
///
/// The kernel's modified Newton iteration (System::solve_step) starts from a predictor: a and s of
/// the steps before, extrapolated by the formula that had the least error in the last step judged.
/// A step that does not converge is taken as two substeps of half the length, up to `max_halvings`
/// times; then it is refused.
///
/// At a singular position, where constraint rows become dependent and motions bifurcate, a step has
/// other solutions close by, or none. There a solution whose velocity does not continue the motion
/// is replaced by a substep that does, and the position is recorded.
///
/// Where contacts change between stick and slip the step is split at the event, which is found by
/// solving steps of other lengths from the same start.
///
/// With an order above 2, velocity projection or error control, steps are made by Composition.
///
/// Source: H. Sugano, structure-preserving ANCF for rigid bodies, section 4, in the mixed form that
/// keeps strains as state.
class Emm final : public Integrator {
public:
    explicit Emm(const Arguments& arguments);

    IntegratorTraits traits() const override;
    void prepare(const System& system, const StepSettings& settings) override;
    int num_history(const System& system) const override;
    void step(System& system, double t0, double h) override;

private:
    /// Views into the history that the kernel keeps: some words, then past values of a and of s.
    struct History {
        enum Word : int {
            kSteps,
            kLength,
            kFormula,
            kNewest,
            kToJudge,
            kUsual,
            kMissed,
            kKnownSteps,
            kWords
        };
        double& steps;     ///< accepted in a row with the same h
        double& h;         ///< of the last step
        double& formula;   ///< with the least error in the step judged last
        double& newest;    ///< place of the newest past value
        double& to_judge;  ///< steps until formulas are judged again
        double& usual;     ///< first correction of the step judged last [m]
        double& missed;    ///< largest recent prediction error
        double& known;     ///< steps from which that is known, up to a few
        Predictor a, s;
    };

    static History history(System& system);
    void advance(System& system, double t0, double h, double shortest);
    void advance_over_events(System& system, double t0, double h);
    bool solve_with_modes(System& system, double t, double h);
    bool converge(System& system, double t0, double h);
    double prediction_error(System& system, double h);
    bool is_beside_singular(System& system, double t0, double h);
    bool is_jump(System& system, double h);
    bool is_unbounded(System& system) const;
    bool settle(System& system, double t0, double h);
    double best_substep(System& system, double t0, double h, double whole, double shortest);
    void accept(System& system, double t0, double h);
    void refuse(System& system, double t0, double h, bool was_halved);
    void predict(System& system, double h);
    void remember(System& system, double h);
    void select_extrapolation(System& system, History& past) const;

    Composition composition_;  // replaces all below, if selected
    int max_halvings_;
    StepOptions options_;
    EventLocator events_;
    bool is_far_from_closed_ = false;  // the last solution, see StepReport
    bool is_beside_singular_ = false;
    double prediction_error_ = 0.0;  // of the last solution that is_jump() has tested
    double first_correction_ = 0.0;  // of the last converge()
    std::vector<double> a_, s_, predicted_, way_;
};

}  // namespace ancora
