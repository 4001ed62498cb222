// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "bristle_friction".
#include "ancora/sdk/plugin.hpp"

#include "bristle_friction.hpp"
#include "orthotropic_friction.hpp"

namespace {

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::bristle_friction::BristleFriction>(
        "bristle_friction",
        {.doc = "friction on a measure with elastic giving way before it slides: Dahl's law, LuGre",
         .equation = "z' = v - s0 |v| z / g(v), effort = -L (s0 z + s1 z') - s2 v;\n"
                     "g(v) = F_k + (F_s - F_k) exp(-(v / v_s)^2)",
         .source = "Canudas de Wit, Olsson, Astrom, Lischinsky, IEEE Trans. Autom. Control 40 "
                   "(1995) 419-425",
         .examples = {"on = \"j.angle\"\n"
                      "kinetic = 0.5\n"
                      "stiffness = 20.0",
                      "on = \"j.angle\"\n"
                      "kinetic = 0.5\n"
                      "static = 0.8\n"
                      "stribeck_velocity = 0.1\n"
                      "stiffness = 20.0\n"
                      "damping = 0.3\n"
                      "viscous = 0.1\n"
                      "load = \"1 + 0.2*sin(t)\""}},
        ancora::bristle_friction::BristleFriction::kParameters),
    ancora::type<ancora::bristle_friction::OrthotropicFriction>(
        "orthotropic_friction",
        {.doc = "friction of a point on a plane surface that differs along two axes of it",
         .equation = "slip: F = -N mu^2 w / |mu w|; z' = w - s |mu w| mu^-2 z, F = -N (s z + c z')",
         .source = "Dahl, AIAA J. 14 (1976) 1675-1682; Moreau, in New Variational Techniques in "
                   "Mathematical Physics, 1974 (maximum dissipation)",
         .examples = {"at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "on = \"c\"\n"
                      "normal = [0.0, 0.2, 1.0]\n"
                      "along = [1.0, 0.5, 0.0]\n"
                      "mu = [0.2, 0.5]\n"
                      "stiffness = 50.0\n"
                      "damping = 0.5"}},
        ancora::bristle_friction::OrthotropicFriction::kParameters),
};

}  // namespace

ANCORA_PLUGIN("bristle_friction", "0.1.0", kTypes)
