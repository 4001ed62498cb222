// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin `generalized_alpha`.
#include "ancora/sdk/plugin.hpp"

#include "generalized_alpha.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::number("spectral_radius",
                      "",
                      "rho_inf: what is left after a step of a vibration much too fast for the "
                      "steps; 1 keeps it, 0 removes it at once")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.8"),
    parameter::integer("max_iterations", "iterations of one trial before it counts as failed")
        .at_least(1)
        .otherwise("20"),
    parameter::integer("max_halvings", "how often a step that does not converge may be halved")
        .nonnegative()
        .otherwise("8"),
};

constexpr TypeDescriptor kTypes[] = {
    type<GeneralizedAlpha>(
        "generalized_alpha",
        {.doc = "generalized-alpha method, second order, implicit, fixed step, with numerical "
                "damping of fast vibrations; constraints are met by positions and velocities",
         .equation = "(1 - alpha_m) a1 + alpha_m a0 = (1 - alpha_f) q1'' + alpha_f q0'',  "
                     "M q1'' = F + A^T lambda,  phi(q1) = 0,  A v1 + phi_t = 0",
         .source = "J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371-375; C. Lunk, B. Simeon, "
                   "ZAMM 86 (2006) 772-784; M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 "
                   "(2015) 149-179",
         .tolerance = "largest displacement of matter by the last correction of the iteration [m], "
                      "default 1e-12",
         .examples = {"", "spectral_radius = 1.0", "spectral_radius = 0.0"},
         .claims = {Claim::keeps_momentum},
         .order = 2},
        kParameters),
};

}  // namespace

ANCORA_PLUGIN("generalized_alpha", "0.1.0", kTypes)
