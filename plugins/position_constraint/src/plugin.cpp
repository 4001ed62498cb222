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
    p::matrix(
        "motion",
        0,
        4,
        "m",
        "d(t): displacement of the ground's point, inertial axes: a table with rows [t, x, y, "
        "z], or a file with such rows, or three formulas of t such as \"0.1*sin(3*t)\"")
        .or_texts()
        .or_file(),
    p::text("interpolation",
            "through the rows of a table: the natural cubic spline, the one that begins and ends "
            "at rest, or cubic pieces that also stay between their rows",
            "spline|rest|monotone")
        .otherwise("\"spline\""),
    p::text("outside",
            "before the first and after the last row of a table: an error, or, if it begins and "
            "ends at rest, the displacement of that row",
            "refuse|hold")
        .otherwise("\"refuse\""),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::position_constraint::PositionConstraint>(
        "position",
        {.doc =
             "two points coincide, in all or some inertial directions; one of the ground may move",
         .equation = "phi_k = e_k . (r_a - r_b - d(t)) = 0",
         .source = "Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013",
         .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\n"
                      "b = \"b@[-0.4, 0.2, 0.1]\"",
                      "a = \"a@[0.0, 0.0, 0.5]\"\n"
                      "b = \"ground@[0.1, 0.2, 0.3]\"\n"
                      "components = \"xz\"",
                      "a = \"a@[0.0, 0.0, 0.5]\"\n"
                      "b = \"ground@[0.1, 0.2, 0.3]\"\n"
                      "motion = [\"0.2*t\", \"0\", \"0.1*sin(3*t)\"]",
                      "a = \"ground@[0.1, 0.2, 0.3]\"\n"
                      "b = \"b@[0.0, 0.1, 0.5]\"\n"
                      "components = \"zy\"\n"
                      "motion = [[0.0, 0.0, 0.0, 0.0], [4.0, 0.1, 0.0, 0.2], "
                      "[9.0, 0.3, -0.1, 0.1]]\n"
                      "interpolation = \"rest\"\n"
                      "outside = \"hold\""}},
        kPosition),
};

}  // namespace

ANCORA_PLUGIN("position_constraint", "0.1.0", kTypes)
