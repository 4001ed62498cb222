// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin `explicit_integrators`.
#include "ancora/sdk/plugin.hpp"

#include "dopri5.hpp"
#include "rk4.hpp"
#include "symplectic.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::boolean("projection",
                       "project each accepted state onto the constraints: positions, then "
                       "velocities, in the norm of the mass matrix")
        .otherwise("true"),
    parameter::number("baumgarte",
                      "1/s",
                      "rate of Baumgarte's stabilisation, pi'' + 2 rate pi' + rate^2 pi = 0; 0: "
                      "none")
        .nonnegative()
        .otherwise("0.0"),
};

constexpr Parameter kAdaptive[] = {
    kParameters[0],
    kParameters[1],
    parameter::number(
        "max_step",
        "s",
        "longest step; not given: with formulas of time a fiftieth of the run. What these do "
        "for a shorter while may be stepped over where nothing else moves")
        .positive(),
    parameter::boolean("show_steps",
                       "columns integrator.next_step and integrator.error of history.csv")
        .otherwise("false"),
};

constexpr TypeDescriptor kTypes[] = {
    type<explicit_integrators::Rk4>(
        "rk4",
        {.doc = "classical Runge-Kutta method of fourth order, fixed step, on accelerations",
         .equation = "M q'' = Q + F_L + F_C,  x1 = x0 + h (k1 + 2 k2 + 2 k3 + k4) / 6",
         .source = "W. Kutta, Zeitschrift fuer Mathematik und Physik 46 (1901)",
         .tolerance = "not used",
         .examples = {"", "projection = false\nbaumgarte = 5.0"},
         .claims = {Claim::keeps_momentum},
         .order = 4},
        kParameters),
    type<explicit_integrators::Dopri5>(
        "dopri5",
        {.doc = "Dormand-Prince method of order 5(4) with error control and dense output, on "
                "accelerations",
         .equation = "M q'' = Q + F_L + F_C,  max |e_i| / (tol + tol max(|x_i|, h |x_i'|)) <= 1",
         .source = "J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19-26",
         .tolerance = "local error per component of q and v, absolute (SI) and relative, default "
                      "1e-9; step is the first step",
         .examples = {"", "projection = false", "show_steps = true", "max_step = 0.1"},
         .claims = {Claim::keeps_momentum},
         .order = 5},
        kAdaptive),
    type<explicit_integrators::Symplectic>(
        "symplectic",
        {.doc = "McLachlan's symplectic method of fourth order, fixed step, for systems in which "
                "no acceleration depends on velocities",
         .equation = "per stage: q += alpha_i h v,  v += beta_i h M^-1 Q(q)",
         .source = "R. I. McLachlan, SIAM J. Sci. Comput. 16 (1995) 151-168",
         .tolerance = "not used",
         .examples = {""},
         .claims = {Claim::keeps_momentum, Claim::keeps_angular_momentum},
         .order = 4}),
    type<explicit_integrators::Verlet>(
        "verlet",
        {.doc = "Stoermer-Verlet method, fixed step, one evaluation of the accelerations a step, "
                "for systems in which no acceleration depends on velocities",
         .equation = "q += h/2 v,  v += h M^-1 Q(q),  q += h/2 v",
         .source = "E. Hairer, C. Lubich, G. Wanner, Acta Numerica 12 (2003) 399-450",
         .tolerance = "not used",
         .examples = {""},
         .claims = {Claim::keeps_momentum, Claim::keeps_angular_momentum},
         .order = 2}),
};

}  // namespace

ANCORA_PLUGIN("explicit_integrators", "0.1.0", kTypes)
