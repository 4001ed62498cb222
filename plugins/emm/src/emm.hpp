// SPDX-License-Identifier: BSD-3-Clause
// The energy-momentum integrator: Newton's method on one step in mixed form.
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
/// with B the discrete Jacobian, so that energy, momentum and angular momentum change by what the
/// forces book and nothing else, to round-off, for every h for which the iteration converges.
///
/// The iteration starts from a and s of the steps before, extrapolated by the formula that would
/// have served best in the last step, and keeps its factorisation as long as the iterations that
/// this costs are cheaper than a new one, counted in operations so that every run decides alike. It
/// has converged when the last correction moved no matter by more than `tolerance` [m] *and* what
/// the residual would book falsely is rounding. A step that does not converge is tried again with a
/// fresh matrix in every iteration, then with the full geometric stiffness, then with the exact
/// tangent, then as two steps of half the length, up to `max_halvings` times; then it is refused.
///
/// At a singular position, where rows become dependent and other motions begin, a step has other
/// solutions close by, or none. There a solution whose velocity is not what the motion leads to is
/// exchanged for a piece of the step that continues it, and the position is recorded.
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
    enum class Reuse { allowed, never };
    /// Views into the history that the kernel keeps: the policy's words, then past values of a and
    /// of s.
    struct History {
        enum Word : int {
            kSteps,
            kLength,
            kIsSettled,
            kCostWhenFresh,
            kWasted,
            kFormula,
            kNewest,
            kToJudge,
            kUsual,
            kMissed,
            kKnownSteps,
            kSpeed,
            kEagerSteps,
            kWords
        };
        double& steps;            ///< accepted in a row with the same h
        double& h;                ///< of the last one
        double& is_settled;       ///< 1 unless the factorisation is due for renewal
        double& cost_when_fresh;  ///< operations of a step whose matrix was new
        double& wasted;           ///< those of later ones beyond that
        double& formula;          ///< that would have met the step judged last best
        double& newest;           ///< of the past values
        double& to_judge;         ///< steps until formulas are judged again
        double& usual;            ///< first correction of the step judged last [m]
        double& missed;           ///< the largest miss() of late
        double& known;            ///< steps from which that is known, up to a few
        double& speed;            ///< the largest of late [m/s]
        double& eager;  ///< steps to come that shall not use the matrix of one before; kWarned
        Past a, s;
    };

    static History history(System& system);
    void advance(System& system, double t0, double h, double shortest);
    void advance_over_events(System& system, double t0, double h);
    bool solve_with_modes(System& system, double t, double h);
    bool converge(System& system, double t0, double h);
    bool iterate(System& system, double t0, double h, Tangent tangent, Reuse reuse);
    void correct(System& system, double h);
    double miss(System& system, double h);
    bool is_beside_singular(System& system, double t0, double h);
    bool is_jump(System& system, double h);
    bool settle(System& system, double t0, double h);
    double best_piece(System& system, double t0, double h, double whole, double shortest);
    void accept(System& system, double t0, double h);
    void refuse(System& system, double t0, double h, bool was_halved);
    void predict(System& system, double h);
    void remember(System& system, double h);
    void judge_formulas(System& system, History& past) const;
    void weigh_factorisation(System& system) const;

    Composition composition_;  // in place of all below, where it is wanted
    int max_iterations_;
    int max_halvings_;
    double tolerance_ = 0.0;
    double closed_ = 1.0;  // what residuals may be
    EventLocator events_;
    bool last_was_fresh_ = false;  // the last trial that converged began with a new factorisation
    double last_cost_ = 0.0;       // operations of its solves
    bool is_beside_singular_ = false;
    double missed_ = 0.0;  // by the last solution that is_jump() has looked at
    double missed_length_ = 0.0;
    double first_correction_ = 0.0;  // of the last iterate()
    double moved_ = 0.0;
    std::vector<double> a_, s_, predicted_, r_motion_, r_rows_, ddq_, ds_;
};

}  // namespace ancora
