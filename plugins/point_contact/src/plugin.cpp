// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "point_contact": the schemas of its constraint types.
#include "ancora/sdk/plugin.hpp"

#include "point_on_circle.hpp"
#include "point_on_flat.hpp"
#include "point_on_implicit.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr const char* kSource =
    "Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013";

constexpr ancora::Parameter kPoint =
    p::point("point", "the point that is kept; the reaction is the force on it").required();

constexpr ancora::Parameter kPlane[] = {
    kPoint,
    p::point("origin", "a point of the plane").or_vector(3).otherwise("[0.0, 0.0, 0.0]"),
    p::direction("normal", "normal of the plane, carried by a body; a plain vector: fixed in space")
        .or_vector(3)
        .required(),
};

constexpr ancora::Parameter kLine[] = {
    kPoint,
    p::point("origin", "a point of the line").or_vector(3).otherwise("[0.0, 0.0, 0.0]"),
    p::direction("direction", "along the line, carried by a body; a plain vector: fixed in space")
        .or_vector(3)
        .required(),
};

constexpr ancora::Parameter kCircle[] = {
    kPoint,
    p::point("center", "center of the circle").or_vector(3).otherwise("[0.0, 0.0, 0.0]"),
    p::direction("normal",
                 "normal of the circle's plane, carried by a body; a plain vector: fixed in space")
        .or_vector(3)
        .required(),
    p::number("radius", "m", "radius of the circle").positive().required().sensitive(),
};

constexpr ancora::Parameter kOrigin =
    p::point("origin", "where x = y = z = 0; the axes are the inertial ones")
        .or_vector(3)
        .otherwise("[0.0, 0.0, 0.0]");

constexpr ancora::Parameter kSurface[] = {
    kPoint,
    kOrigin,
    p::text("equation", "\"left = right\" in x, y and z, the point's coordinates").required(),
};

constexpr ancora::Parameter kCurve[] = {
    kPoint,
    kOrigin,
    p::text("equations",
            "two of \"left = right\" in x, y and z: the curve is where both hold; sliding is "
            "positive along the first gradient x the second")
        .with(ancora::Shape::texts)
        .required(),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::point_contact::PointOnPlane>(
        "point_on_plane",
        {.doc = "a point stays on a plane, on which friction may act",
         .equation = "phi = n . (r_p - r_o) = 0; sliding sigma_i = t_i . (r_p - r_o)",
         .source = kSource,
         .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "normal = [0.1, -0.2, 1.0]",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "origin = \"b@[0.0, 0.2, 0.1]\"\n"
                      "normal = \"b@[0.2, 0.0, 1.0]\""},
         .claims = {Claim::rigid_motion_invariant}},
        kPlane),
    ancora::type<ancora::point_contact::PointOnLine>(
        "point_on_line",
        {.doc = "a point stays on a straight line, on which friction may act",
         .equation = "phi_i = n_i . (r_p - r_o) = 0, i = 1, 2; sliding sigma = d . (r_p - r_o)",
         .source = kSource,
         .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "direction = [1.0, -0.2, 0.3]",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "origin = \"b@[0.0, 0.2, 0.1]\"\n"
                      "direction = \"b@[0.2, 0.0, 1.0]\""},
         .claims = {Claim::rigid_motion_invariant}},
        kLine),
    ancora::type<ancora::point_contact::PointOnCircle>(
        "point_on_circle",
        {.doc = "a point stays on a circle, on which friction may act",
         .equation = "rho = r_p - r_c: n . rho = 0, (rho . rho - R^2) / (2 R) = 0; sliding rate "
                     "(xi eta' - eta xi') / sqrt(xi^2 + eta^2), xi = t1 . rho, eta = t2 . rho",
         .source = kSource,
         .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "normal = [0.1, -0.2, 1.0]\n"
                      "radius = 0.7",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "center = \"b@[0.0, 0.2, 0.1]\"\n"
                      "normal = \"b@[0.2, 0.0, 1.0]\"\n"
                      "radius = 0.7"},
         .claims = {Claim::rigid_motion_invariant}},
        kCircle),
    ancora::type<ancora::point_contact::PointOnSurface>(
        "point_on_surface",
        {.doc = "a point stays on a surface stated by an equation, on which friction may act",
         .equation = "rho = r_p - r_o = (x, y, z): phi(rho) = 0; sliding rates t_i . rho', t_i "
                     "across the gradient of phi",
         .source = kSource,
         .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "equation = \"x^2/4 + y^2 + z^2 = 1\"",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "origin = \"b@[0.0, 0.2, 0.1]\"\n"
                      "equation = \"z = sin(x)*cos(y)\"",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "equation = \"0.6*x + 0.8*z = 0.1\""}},
        kSurface),
    ancora::type<ancora::point_contact::PointOnCurve>(
        "point_on_curve",
        {.doc = "a point stays on a curve stated by two equations, on which friction may act",
         .equation = "rho = r_p - r_o = (x, y, z): phi_1(rho) = phi_2(rho) = 0; sliding rate "
                     "t . rho', t along the first gradient x the second",
         .source = kSource,
         .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "equations = [\"x^2 + y^2 = 1\", \"z = 0.2*x\"]",
                      "point = \"a@[0.3, 0.1, -0.2]\"\n"
                      "origin = \"b@[0.0, 0.2, 0.1]\"\n"
                      "equations = [\"y = x^3 + 0.2*z\", \"z = exp(0.3*x)\"]"}},
        kCurve),
};

}  // namespace

ANCORA_PLUGIN("point_contact", "0.1.0", kTypes)
