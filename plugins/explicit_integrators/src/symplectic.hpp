// SPDX-License-Identifier: BSD-3-Clause
// The integrator types `symplectic` and `verlet`.
#pragma once

#include <optional>
#include <string>
#include <vector>

// the stepper does not include its own base
#include <boost/numeric/odeint/stepper/base/symplectic_rkn_stepper_base.hpp>
#include <boost/numeric/odeint/stepper/symplectic_rkn_sb3a_m4_mclachlan.hpp>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora::explicit_integrators {

/// McLachlan's symmetric symplectic Runge-Kutta-Nystroem method of fourth order, for
///
///   q' = v,   v' = a(q, t),   w' = f(q, t) + p(q, t) . v                                 (1)
///   per stage:  q += alpha_i h v,   t += alpha_i h,   (v, w) += beta_i h (a, w')(q, t)   (2)
///
/// where powers p . v of loads and efforts are taken in the middle of a kick, at v + beta_i h a /
/// 2, whose flow (2) then is exactly; with constant coefficients alpha_i, beta_i, four of each. It
/// is the flow of an energy that differs from the true one by the order of h^4: the error of the
/// energy does not grow. Kicks of forces that balance keep momentum and angular momentum.
///
/// States x of objects go with kicks: at fixed q and t, a kick is then a differential equation
///
///   v' = a(q, x, t),   x' = g(q, x, t)                                                   (4)
///
/// of which Kutta's method of fourth order makes a step of length beta_i h. A symmetric composition
/// of flows of two parts has its order whatever the parts are, so that x has it too.
///
/// What depends on velocities otherwise (curved constraints, viscosity, friction, a mass that
/// depends on the state or on time) does not fit (1) and is refused at the first step, by
/// evaluating (1) with several velocities.
///
/// Source: R. I. McLachlan, On the numerical integration of ordinary differential equations by
/// symmetric composition methods, SIAM J. Sci. Comput. 16 (1995) 151-168.
class Symplectic : public Integrator {
public:
    explicit Symplectic(const Arguments&) : Symplectic("symplectic") {}

    IntegratorTraits traits() const override;
    void prepare(const System& system, const StepSettings& settings) override;
    /// Whether the system has been found to fit (1), and to have powers.
    int num_history(const System&) const override { return 1; }
    void step(System& system, double t0, double h) override;

protected:
    using State = std::vector<double>;

    explicit Symplectic(const char* name) : name_(name) {}
    /// Reads the state x = (q, v, w); refuses at the first step what does not fit (1).
    void begin(System& system, double t0);
    /// Sets dx_ to the mean rates of a kick of length h from (v, w), of this order at least; those
    /// of x_ are lost.
    void kick_rates(System& system, double t, double h, const State& kick, int order);

    std::size_t n_ = 0;
    int num_own_ = 0;
    State x_, dx_;
    State kick_;  // (v, w)

private:
    double judge_fit(System& system, double t0);

    std::string name_;
    std::optional<boost::numeric::odeint::symplectic_rkn_sb3a_m4_mclachlan<State>> stepper_;
    bool has_powers_ = false;
    State other_;
    State place_;  // (q, t)
};

/// The Stoermer-Verlet method, one evaluation a step:
///
///   q += h/2 v,   (v, w) += h (a, w')(q, t + h/2),   q += h/2 v                          (3)
///
/// Symplectic, symmetric, of second order, stable for h times the highest frequency up to 2; it
/// keeps momentum and angular momentum as (2) does, and refuses what does not fit (1). States of
/// objects go with the kick (4) by the midpoint rule, of second order too.
///
/// Source: E. Hairer, C. Lubich, G. Wanner, Acta Numerica 12 (2003) 399-450, variant (1.17).
class Verlet final : public Symplectic {
public:
    explicit Verlet(const Arguments&) : Symplectic("verlet") {}
    void step(System& system, double t0, double h) override;
};

}  // namespace ancora::explicit_integrators
