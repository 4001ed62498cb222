// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "general_constraint": the schema of its constraint type.
#include "ancora/sdk/plugin.hpp"

#include "general_constraint.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kGeneralConstraint[] = {
    p::text("equation",
            "\"left = right\" in coordinates such as box.x and in t, or several of them")
        .with(ancora::Shape::texts)
        .required(),
    p::text("level",
            "whether the equations are conditions on coordinates, or on rates too: box.vx, "
            "der(box.x)",
            "position|velocity")
        .otherwise("\"position\""),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::general_constraint::GeneralConstraint>(
        "general_constraint",
        {.doc = "equations in the coordinates of bodies, as text",
         .equation = "phi(q, t) = 0, or psi(q, q', t) = 0 with level = \"velocity\"",
         .source = "Udwadia, Kalaba, Analytical Dynamics: A New Approach, Cambridge UP, 1996",
         .examples = {"equation = \"a.x^2 + a.y^2 + a.z^2 = 0.3\"",
                      "equation = \"sin(a.x) - b.y*b.z = 0.2*cos(t)\"",
                      "equation = [\"a.x = b.x + 0.1\", \"a.y*b.y = 0.3\"]",
                      "equation = \"a.vy = a.vx*a.z\"\n"
                      "level = \"velocity\""}},
        kGeneralConstraint),
};

}  // namespace

ANCORA_PLUGIN("general_constraint", "0.1.0", kTypes)
