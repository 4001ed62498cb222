// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "ancf_rigid_body": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancf_rigid_body.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr ancora::Parameter kPenalty[] = {
    p::number("volume",
              "m^3",
              "volume that weights a finite penalty; left out: of the box with the same mass and "
              "inertia")
        .positive()
        .sensitive(),
    p::number("penalty", "Pa", "stiffness alpha that keeps the body rigid; inf: exactly rigid")
        .positive()
        .or_infinite()
        .otherwise("inf")
        .sensitive(),
    p::text("start",
            "strain at the start: none, or that of the steady spin, which does not ring",
            "unstrained|relaxed")
        .otherwise("\"unstrained\""),
};

constexpr auto kAncfRigidBody =
    ancora::rigid::join(ancora::rigid::kMassParameters, kPenalty, ancora::rigid::kStartParameters);

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::ancf::AncfRigidBody>(
        "ancf_rigid_body",
        {.doc = "rigid body in absolute nodal coordinates: a point and three base vectors",
         .equation = "q = (x, e_1, e_2, e_3),  T = 1/2 M x'.x' + 1/2 m_i e_i'.e_i',  "
                     "U = 1/2 V alpha sum of eps_k^2,  eps_i = 1/2 (e_i.e_i - 1),  "
                     "eps_4 = e_1.e_2,  eps_5 = e_2.e_3,  eps_6 = e_3.e_1\n"
                     "coordinates by name: x, y, z of the reference point, and of any point @[...]",
         .source = "H. Sugano, Structure-Preserving Absolute Nodal Coordinate Formulation for "
                   "Rigid Body and Rigid Body Constraint, Miyazaki-Yamazaki Laboratory",
         .examples = {"size = [0.6, 0.4, 0.2]\n"
                      "density = 500.0\n"
                      "penalty = 1.0e6\n"
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
                      "angular_velocity = [0.0, 0.0, 3.0]",
                      "mass = 1.0\n"
                      "inertia = [0.0, 0.2, 0.2]\n"
                      "angular_velocity = [0.0, 0.5, 1.0]",
                      "size = [0.6, 0.4, 0.2]\n"
                      "density = 500.0\n"
                      "position = [0.3, -0.2, 0.5]\n"
                      "velocity_from = \"a\"",
                      "from = [0.3, -0.2, 0.5]\n"
                      "to = [0.1, 0.4, 0.2]\n"
                      "mass = 2.0\n"
                      "radius = 0.05\n"
                      "angular_velocity = [1.0, 0.5, -0.5]",
                      "from = \"a@[0.3, -0.2, 0.5]\"\n"
                      "to = \"b@[0.1, 0.4, 0.2]\"\n"
                      "mass = 2.0\n"
                      "radius = 0.05"},
         .claims = {Claim::rigid_motion_invariant}},
        kAncfRigidBody.entries),
};

}  // namespace

ANCORA_PLUGIN("ancf_rigid_body", "0.1.0", kTypes)
