// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "mesh_contact".
#include "ancora/sdk/plugin.hpp"

#include "mesh_shape.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kMeshPlane[] = {
    p::vector("point", 3, "m", "a point of the plane, axes of b").otherwise("[0.0, 0.0, 0.0]"),
    p::vector("normal", 3, "", "out of what a may not enter, axes of b, of any length").required(),
};

constexpr ancora::Parameter kMeshFriction[] = {
    p::number("mu_static", "-", "coefficient of static friction; left out: mu_kinetic")
        .nonnegative(),
    p::number("mu_kinetic", "-", "coefficient of kinetic friction; left out: mu_static")
        .nonnegative(),
    p::number("viscous", "N s/m", "adds c |w| while it slips").nonnegative().otherwise("0.0"),
    p::number("stribeck_velocity", "m/s", "speed over which static falls to kinetic friction")
        .positive(),
    p::vector("surface_velocity", 3, "m/s", "of the surface of b, such as a belt's")
        .otherwise("[0.0, 0.0, 0.0]"),
};

constexpr ancora::Parameter kMeshContact[] = {
    p::frame("a", "a body, or a point of one; the reaction is the force on it").required(),
    p::frame("b", "another, or \"ground\"").required(),
    p::number("radius", "m", "of a sphere about the point of a; 0: the point itself")
        .nonnegative()
        .otherwise("0.0"),
    p::number("radius_b", "m", "of a sphere about the point of b; 0: the point itself")
        .nonnegative()
        .otherwise("0.0"),
    p::table("shape", ancora::contact::kMeshShapeKeys, "of a, about its point"),
    p::table("shape_b", ancora::contact::kMeshShapeKeys, "of b, about its point"),
    p::table("plane", kMeshPlane, "b is a plane, carried by the body b or fixed in space"),
    p::number("restitution", "-", "e: impulse of expansion per impulse of compression")
        .at_least(0.0)
        .at_most(1.0)
        .otherwise("0.0"),
    p::text("law",
            "what restitution says: impulses, p' = e p; rates, u+ = -e u-, of which friction may "
            "leave less; works, W' = -e^2 W (Stronge), of one contact at a time",
            "poisson|newton|energetic")
        .otherwise("\"poisson\""),
    p::number("friction", "-", "mu, or a table: a force \"coulomb_friction\" inside")
        .nonnegative()
        .or_table(kMeshFriction)
        .making("coulomb_friction", "mu_kinetic"),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::contact::MeshContact>(
        "mesh_contact",
        {.doc =
             "a mesh of triangles, a surface or a solid of any form, and what meets it: spheres, "
             "points, capsules, boxes, hulls, planes and other meshes",
         .equation = "g >= 0: n . x - d - R over triangles, |x - foot| - R over edges and corners, "
                     "+-(b - a) . (e x f) / |e x f| of edges; laws as of the type contact",
         .source = "Ch. Glocker, Set-Valued Force Laws, Springer, 2001",
         .examples =
             {"a = \"a\"\n"
              "b = \"ground\"\n"
              "radius = 100.0\n"
              "shape_b = { nodes = [[-900, -900, -105], [900, -900, -106], [900, 900, -105], "
              "[-900, 900, -104]], triangles = [[0, 1, 2], [0, 2, 3]] }\n"
              "restitution = 0.7",
              "a = \"a\"\n"
              "b = \"b\"\n"
              "shape = { nodes = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "
              "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "
              "position = [40, 0, 0] }\n"
              "radius_b = 0.05",
              "a = \"a\"\n"
              "b = \"b\"\n"
              "shape = { box = [0.03, 0.02, 0.04] }\n"
              "shape_b = { nodes = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "
              "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], "
              "position = [40, 0, 0] }",
              "a = \"a\"\n"
              "b = \"ground\"\n"
              "shape = { nodes = [[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0], [0, 0, 0.1]], "
              "triangles = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]] }\n"
              "plane = { point = [0.0, 0.0, -5.0], normal = [0.1, 0.2, 1.0] }"}},
        kMeshContact),
};

}  // namespace

ANCORA_PLUGIN("mesh_contact", "0.1.0", kTypes)
