// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "position_constraint".
#include "position_constraint.hpp"

namespace {

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
        ancora::position_constraint::PositionConstraint::kParameters),
};

}  // namespace

ANCORA_PLUGIN("position_constraint", "0.1.0", kTypes)
