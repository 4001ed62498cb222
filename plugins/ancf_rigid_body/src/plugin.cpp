// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "ancf_rigid_body": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancf_rigid_body.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kAxisAngle[] = {
    p::vector("axis", 3, "", "direction of the axis, of any length").required(),
    p::number("angle", "rad", "angle of the rotation about it").required(),
};

constexpr ancora::Parameter kAncfRigidBody[] = {
    p::vector("size", 3, "m", "edges of a box along the body axes; with density").positive(),
    p::number("density", "kg/m^3", "mass per volume of the box").positive(),
    p::number("mass", "kg", "mass, instead of a box; with inertia").positive(),
    p::vector("inertia",
              3,
              "kg m^2",
              "moments of inertia about the centre of mass along the body axes, or the full "
              "tensor [[xx, xy, xz], ...]; flat bodies and rods are allowed")
        .or_matrix(3, 3),
    p::vector("center_of_mass", 3, "m", "centre of mass from the reference point, body axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    p::number("volume",
              "m^3",
              "volume that weights a finite penalty; left out: of the box with the same mass and "
              "inertia")
        .positive(),
    p::number("penalty", "Pa", "stiffness alpha that keeps the body rigid; inf: exactly rigid")
        .positive()
        .or_infinite()
        .otherwise("inf"),
    p::text("start",
            "strain at the start: none, or that of the steady spin, which does not ring",
            "unstrained|relaxed")
        .otherwise("\"unstrained\""),
    p::vector("position", 3, "m", "reference point, inertial axes").otherwise("[0.0, 0.0, 0.0]"),
    p::vector("orientation",
              4,
              "",
              "rotation from body to inertial axes: unit quaternion [w, x, y, z], or axis and "
              "angle")
        .or_table(kAxisAngle)
        .otherwise("[1.0, 0.0, 0.0, 0.0]"),
    p::vector("velocity", 3, "m/s", "velocity of the reference point, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    p::vector("angular_velocity", 3, "rad/s", "angular velocity, body axes")
        .otherwise("[0.0, 0.0, 0.0]"),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::ancf::AncfRigidBody>(
        "ancf_rigid_body",
        {.doc = "rigid body in absolute nodal coordinates: a point and three base vectors",
         .equation = "q = (x, e_1, e_2, e_3),  T = 1/2 M x'.x' + 1/2 m_i e_i'.e_i',  "
                     "U = 1/2 V alpha sum of eps_k^2,  eps_i = 1/2 (e_i.e_i - 1),  "
                     "eps_4 = e_1.e_2,  eps_5 = e_2.e_3,  eps_6 = e_3.e_1",
         .source = "H. Sugano, Structure-Preserving Absolute Nodal Coordinate Formulation for "
                   "Rigid Body and Rigid Body Constraint, Miyazaki-Yamazaki Laboratory"},
        kAncfRigidBody),
};

}  // namespace

ANCORA_PLUGIN("ancf_rigid_body", "0.1.0", kTypes)
