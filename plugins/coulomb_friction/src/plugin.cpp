// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "coulomb_friction".
#include "coulomb_friction.hpp"

namespace {

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::coulomb_friction::CoulombFriction>(
        "coulomb_friction",
        {.doc = "dry friction on a constraint, with sticking, Stribeck curve and viscous part",
         .equation = "slip: C = -(mu(|w|) N + c |w|) w / |w|; stick: w = 0, |C| <= mu_s N; "
                     "mu(v) = mu_k + (mu_s - mu_k) exp(-(v / v_s)^2)",
         .source = "Coulomb, Théorie des machines simples, 1785; Stribeck, Z. VDI 46, 1902; "
                   "Udwadia and Kalaba, ASME J. Appl. Mech. 69, 2002 (the force C)",
         .examples = {"on = \"c\"\n"
                      "mu_kinetic = 0.3",
                      "on = \"c\"\n"
                      "mu_static = 0.5\n"
                      "mu_kinetic = 0.3\n"
                      "viscous = 0.2\n"
                      "stribeck_velocity = 0.1"},
         .claims = {ancora::Claim::dissipative}},
        ancora::coulomb_friction::CoulombFriction::kParameters),
};

}  // namespace

ANCORA_PLUGIN("coulomb_friction", "0.1.0", kTypes)
