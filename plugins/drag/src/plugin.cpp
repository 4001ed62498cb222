// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "drag".
#include "drag.hpp"

namespace {

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
                      "at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "quadratic = 0.7\n"
                      "medium_velocity = [\"5*sin(0.3*t)\", \"2\", \"exp(-t)\"]",
                      "at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "quadratic = 0.7\n"
                      "medium_velocity = [[0.0, 1.0, 0.0, 0.0], [0.5, 2.0, -1.0, 0.0]]\n"
                      "interpolation = \"spline\"\n"
                      "outside = \"hold\"",
                      "at = \"a@[0.0, 0.0, 0.0]\"\n"
                      "linear = 0.2"}},
        ancora::drag::Drag::kParameters),
};

}  // namespace

ANCORA_PLUGIN("drag", "0.1.0", kTypes)
