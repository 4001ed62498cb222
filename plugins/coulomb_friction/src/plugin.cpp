// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "coulomb_friction": the schema of its force type.
#include "ancora/sdk/plugin.hpp"

#include "coulomb_friction.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kFriction[] = {
    p::object("on", "the constraint on which it acts, one on which a point slides").required(),
    p::number("mu_static", "", "coefficient of static friction; left out: mu_kinetic")
        .nonnegative(),
    p::number("mu_kinetic", "", "coefficient of kinetic friction; left out: mu_static")
        .nonnegative(),
    p::number("viscous", "N s/m", "viscous coefficient: adds c |w| while it slips")
        .nonnegative()
        .otherwise("0.0"),
    p::number("stribeck_velocity",
              "m/s",
              "speed over which static falls to kinetic friction; left out: at once")
        .positive(),
    p::vector("surface_velocity",
              3,
              "m/s",
              "velocity of the surface that the point slides on, such as a belt's, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
};

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
        kFriction),
};

}  // namespace

ANCORA_PLUGIN("coulomb_friction", "0.1.0", kTypes)
