// SPDX-License-Identifier: BSD-3-Clause
// The integrator type `generalized_alpha`.
#pragma once

#include <span>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/event_locator.hpp"
#include "ancora/sdk/implicit_system.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora {

/// The generalized-alpha method in its stabilised form of index 2, from t0 to t1 = t0 + h:
///
///   M q1'' = F + A^T lambda,   phi(q1, t1) = 0,   A v1 + phi_t = 0                       (1)
///   (1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) q1'' + alpha_f q0''                    (2)
///   q1 = q0 + h v0 + h^2 ((1/2 - beta) a0 + beta a1) + p,   M p = A^T eta                (3)
///   v1 = v0 + h ((1 - gamma) a0 + gamma a1)                                              (4)
///
/// With rho = rho_inf, the spectral radius for h w -> infinity (Chung, Hulbert 1993):
///
///   alpha_m = (2 rho - 1) / (rho + 1),   alpha_f = rho / (rho + 1),
///   gamma = 1/2 - alpha_m + alpha_f,   beta = (gamma + 1/2)^2 / 4                        (5)
///
/// M, F, A in (1) and (3) are those at (t1, q1, v1). p, of the order of h^3, and eta meet the
/// positions as Gear, Gupta and Leimkuhler do, so that lambda follows from velocities and has order
/// 2 without a transient of order 1; conditions on velocities and accelerations have no eta.
///
/// a is a course of accelerations at t + (alpha_m - alpha_f) h. It starts there, to second order,
/// by a trial of the first step. Works and impulses w of the ledger are integrated as v is, so that
/// the impulses of forces are recorded exactly.
///
/// Steps end at events, such as stops that close; behind one the courses start anew.
///
/// Sources: J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375; C. Lunk, B. Simeon, ZAMM 86
/// (2006) 772-784; M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149-179.
class GeneralizedAlpha final : public Integrator {
public:
    explicit GeneralizedAlpha(const Arguments& arguments);

    IntegratorTraits traits() const override;
    void prepare(const System& system, const StepSettings& settings) override;
    int num_history(const System& system) const override;
    void step(System& system, double t0, double h) override;

private:
    using Values = std::vector<double>;

    /// What a step starts from, in System::history().
    struct History {
        enum Word : int { kHasBegun, kLength, kWords };
        double& has_begun;
        double& length;                          ///< of the last step
        std::span<double> acceleration, course;  ///< q'' and a
        std::span<double> lambda;
        std::span<double> rate, rate_course;  ///< w' and what a is to it
    };
    static History history(System& system, std::size_t num_conditions);

    /// The coefficients of an iteration in steps of length h.
    struct Scales {
        double mass;     ///< d q1'' / d q1
        double damping;  ///< d v1 / d q1
    };
    Scales scales(double h) const;

    void advance_over_events(System& system, double t0, double h);
    void advance(System& system, double t0, double h, int halvings);
    void begin(System& system, ImplicitSystem& face, double t0, double h);
    bool solve(System& system, ImplicitSystem& face, double t0, double h);
    bool converge(System& system, ImplicitSystem& face, double t0, double h);
    void evaluate(System& system, ImplicitSystem& face, double t0, double h);
    bool factorise(ImplicitSystem& face, double h, bool has_positions);
    double correct(System& system, ImplicitSystem& face, double h, bool has_positions);
    void correct_positions(ImplicitSystem& face);
    void refuse(System& system, double t0, double h);
    void write_state(System& system, double h);
    void accept(System& system, double t0, double h);
    /// Continuous states of objects among those of the system.
    std::span<const double> own_of(const Values& state) const {
        return std::span(state).last(own_.size());
    }
    /// (2), solved for a1.
    double next_course(double course, double old_rate, double new_rate) const {
        return ((1.0 - alpha_f_) * new_rate + alpha_f_ * old_rate - alpha_m_ * course) /
               (1.0 - alpha_m_);
    }

    double alpha_m_, alpha_f_, gamma_, beta_;
    int max_iterations_, max_halvings_;
    double tolerance_ = 0.0;
    EventLocator events_;
    Values course_, acceleration_, lambda_;  // of the trial: a1, q1''
    Values course0_, rate_course0_;          // a0
    Values q_, v_, p_, eta_;
    Values r_, g_, x_, y_;  // residuals and corrections
    Values dp_, deta_;
    Values terms_;  // that the way of the step is a sum of
    Values rate_, rate_course_, state_;
    Values own_;  // what continuous states of objects are but for their new rate
};

}  // namespace ancora
