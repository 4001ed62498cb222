// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "position_constraint": the schema of its constraint type.
#include "ancora/sdk/plugin.hpp"

#include "position_constraint.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kPosition[] = {
    p::point("a", "the point on which the reaction is reported").required(),
    p::point("b", "the point that it is tied to").required(),
    p::text("components", "inertial axes along which the points coincide: letters of \"xyz\"")
        .otherwise("\"xyz\""),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::position_constraint::PositionConstraint>(
        "position",
        {.doc = "two points coincide, in all or some inertial directions",
         .equation = "phi_k = e_k . (r_a - r_b) = 0",
         .source = "Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013",
         .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"",
                      "a = \"a@[0.0, 0.0, 0.5]\"\n"
                      "b = \"ground@[0.1, 0.2, 0.3]\"\n"
                      "components = \"xz\""}},
        kPosition),
};

}  // namespace

ANCORA_PLUGIN("position_constraint", "0.1.0", kTypes)
