// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "drag": the schema of its force type.
#include "ancora/sdk/plugin.hpp"

#include "drag.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kDrag[] = {
    p::point("at",
             "the point on which it acts, a group of points such as \"net@rim\" or \"net@*\", or a "
             "list of such; it acts on each point")
        .with(ancora::Shape::texts)
        .required(),
    p::number("quadratic", "kg/m", "coefficient of |w| w").nonnegative().otherwise("0.0"),
    p::number("area", "m^2", "A, instead of quadratic = density coefficient area / 2").positive(),
    p::number("coefficient", "", "C_d, coefficient of drag").nonnegative(),
    p::number("density", "kg/m^3", "rho, of the medium").nonnegative(),
    p::number("linear", "N s/m", "coefficient of w").nonnegative().otherwise("0.0"),
    p::vector("medium_velocity", 3, "m/s", "velocity of the medium, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
};

// No claim to dissipate nor of frame invariance: in a wind, drag drives, and the wind has a
// direction in space.
constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::drag::Drag>(
        "drag",
        {.doc = "linear and quadratic drag of a medium on points, of nonideal work",
         .equation = "f = -(c1 + c2 |w|) w, w = r' - v_m; c2 = 1/2 rho C_d A",
         .source = "Batchelor, An Introduction to Fluid Dynamics, Cambridge UP, 1967, sections 4.9 "
                   "and 5.11",
         .examples = {"at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "quadratic = 0.7\n"
                      "linear = 0.2",
                      "at = [\"a@[0.3, 0.1, -0.2]\", \"b@[0.0, 0.5, 0.0]\"]\n"
                      "area = 0.3\n"
                      "coefficient = 1.2\n"
                      "density = 1.225\n"
                      "medium_velocity = [0.5, -1.0, 0.2]",
                      "at = \"a@[0.0, 0.0, 0.0]\"\n"
                      "linear = 0.2"}},
        kDrag),
};

}  // namespace

ANCORA_PLUGIN("drag", "0.1.0", kTypes)
