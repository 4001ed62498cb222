// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "quaternion_body": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "quaternion_body.hpp"

namespace {

using ancora::Claim;

constexpr auto kQuaternionBody =
    ancora::rigid::join(ancora::rigid::kMassParameters, ancora::rigid::kStartParameters);

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::quaternion_body::QuaternionBody>(
        "quaternion_body",
        {.doc = "rigid body in the conventional way: a centre of mass and a unit quaternion; not "
                "for emm",
         .equation = "q = (x, p),  p.p = 1,  T = 1/2 M x'.x' + 1/2 w.J w,  w = 2 G(p) p',  "
                     "G(p) = [-u, w I - u^] for p = (w, u)\n"
                     "coordinates by name: x, y, z of the reference point; p = (qw, qx, qy, qz)",
         .source = "P. E. Nikravesh, Computer-Aided Analysis of Mechanical Systems, Prentice Hall, "
                   "1988, ch. 6; F. E. Udwadia, P. Phohomsiri, Explicit equations of motion for "
                   "constrained mechanical systems with singular mass matrices, Proc. R. Soc. A "
                   "462 (2006) 2097-2117",
         .examples = {"size = [0.6, 0.4, 0.2]\n"
                      "density = 500.0\n"
                      "position = [0.3, -0.2, 0.5]\n"
                      "orientation = { axis = [1.0, 2.0, 3.0], angle = 0.7 }\n"
                      "velocity = [0.2, 0.1, -0.3]\n"
                      "angular_velocity = [0.5, -1.0, 2.0]",
                      "mass = 2.0\n"
                      "inertia = [[0.3, 0.02, 0.0], [0.02, 0.4, -0.01], [0.0, -0.01, 0.5]]\n"
                      "center_of_mass = [0.1, -0.05, 0.2]\n"
                      "angular_velocity = [1.0, 0.5, -0.5]",
                      "mass = 1.0\n"
                      "inertia = [0.1, 0.15, 0.2]\n"
                      "inertia_orientation = { axis = [1.0, 1.0, 0.0], angle = 0.4 }\n"
                      "angular_velocity = [0.0, 0.5, 1.0]",
                      "size = [0.6, 0.4, 0.2]\n"
                      "density = 500.0\n"
                      "position = [0.3, -0.2, 0.5]\n"
                      "velocity_from = \"a\"",
                      "from = [0.3, -0.2, 0.5]\n"
                      "to = [0.1, 0.4, 0.2]\n"
                      "mass = 2.0\n"
                      "radius = 0.05\n"
                      "angular_velocity = [1.0, 0.5, -0.5]"},
         .claims = {Claim::rigid_motion_invariant}},
        kQuaternionBody.entries),
};

}  // namespace

ANCORA_PLUGIN("quaternion_body", "0.1.0", kTypes)
