// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "elastic_body": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/rigid_body.hpp"
#include "elastic_body.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr ancora::Parameter kInterface[] = {
    p::vector("*", 0, "", "numbers of its nodes, or a file with one in each line").or_file(),
};
constexpr ancora::Parameter kPoint[] = {
    p::integer("*", "number of the node"),
};

constexpr ancora::Parameter kBody[] = {
    p::matrix("nodes", 0, 4, "", "the nodes, a file or a list: number, x, y, z in axes of the body")
        .or_file(),
    p::matrix("stiffness",
              0,
              3,
              "",
              "K of the free body: a file in MatrixMarket's format or with rows i, j, value, or "
              "such a list")
        .or_file(),
    p::matrix("mass", 0, 3, "", "M, written like the stiffness").or_file(),
    p::file("mesh",
            "in place of these: tetrahedra with ten nodes and named groups, Gmsh 4.1 or 2.2"),
    p::matrix("tetrahedra",
              0,
              10,
              "",
              "or, with nodes, the ten of each tetrahedron: four corners, then the middles of its "
              "edges, a file or a list")
        .or_file(),
    p::number("young", "Pa", "Young's modulus E of a mesh or of tetrahedra").positive().sensitive(),
    p::number("poisson", "-", "Poisson's ratio").at_least(0.0).below(0.5).sensitive(),
    p::number("density", "kg/m^3", "mass per volume").positive().sensitive(),
    p::text("order",
            "order of the rows of K and M: node by node (x, y, z of the first), axis by axis (x of "
            "all), or a file that names node and axis of each: \"12 1\", \"12.1\" or \"34 12 UX\"",
            "node|axis")
        .or_file()
        .otherwise("\"node\""),
    p::text("units", "of the files: SI, or millimetres, newtons, tonnes and seconds", "SI|mm")
        .otherwise("\"SI\""),
    p::table("interfaces",
             kInterface,
             "names for groups of nodes that move rigidly, or names of a mesh's groups")
        .or_texts(),
    p::make("mean",
            "",
            "interfaces whose nodes stay free: they move as these do in the mean",
            ancora::Shape::texts),
    p::table("points", kPoint, "names for single nodes"),
    p::integer("modes", "number of vibrations with fixed interfaces, or of the free body")
        .at_least(0)
        .at_most(500)
        .otherwise("12"),
    p::boolean("static_modes", "besides, the static shapes of interfaces that are moved")
        .otherwise("true"),
    p::number(
        "damping", "-", "damping ratio of each mode, of the free body or with an interface held")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    p::text("damping_held",
            "the interface with which held the modes have the damping ratio; without it the body "
            "is free"),
    p::vector("amplitudes", 0, "m", "of the first modes at the start; others are zero"),
};
constexpr auto kParameters = ancora::rigid::join(kBody, ancora::rigid::kStartParameters);

// Four nodes joined by six bars.
#define ANCORA_FOUR_NODES                                                                       \
    "nodes = [[1, 0.5, 0.5, 0.5], [2, 0.5, -0.5, -0.5], [3, -0.5, 0.5, -0.5], [4, -0.5, -0.5, " \
    "0.5]]\n"                                                                                   \
    "stiffness = [[1, 1, 200], [2, 1, 100], [2, 2, 200], [3, 1, 100], [3, 2, 100]"              \
    ", [3, 3, 200], [4, 4, 200], [5, 2, -100], [5, 3, -100], [5, 4, -100]"                      \
    ", [5, 5, 200], [6, 2, -100], [6, 3, -100], [6, 4, -100], [6, 5, 100]"                      \
    ", [6, 6, 200], [7, 1, -100], [7, 3, -100], [7, 4, -100], [7, 5, 100]"                      \
    ", [7, 7, 200], [8, 4, 100], [8, 5, -100], [8, 7, -100], [8, 8, 200]"                       \
    ", [9, 1, -100], [9, 3, -100], [9, 7, 100], [9, 8, -100], [9, 9, 200]"                      \
    ", [10, 1, -100], [10, 2, -100], [10, 4, -100], [10, 6, 100], [10, 10, 200]"                \
    ", [11, 1, -100], [11, 2, -100], [11, 8, -100], [11, 9, 100], [11, 10, 100]"                \
    ", [11, 11, 200], [12, 4, 100], [12, 6, -100], [12, 8, 100], [12, 9, -100]"                 \
    ", [12, 10, -100], [12, 11, -100], [12, 12, 200]]\n"                                        \
    "mass = [[1, 1, 0.25], [2, 2, 0.25], [3, 3, 0.25], [4, 4, 0.25], [5, 5, 0.25], [6, 6, "     \
    "0.25], [7, 7, 0.25], [8, 8, 0.25], [9, 9, 0.25], [10, 10, 0.3], [11, 11, 0.3], [12, 12, "  \
    "0.3]]\n"

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::elastic::ElasticBody>(
        "elastic_body",
        {.doc =
             "an elastic body with the modes of a finite-element model: Craig-Bampton modes in a "
             "floating frame, with a constant mass",
         .equation = "r(X) = x + sum_a Psi_a(X) z_a,  y_am = z_a.e_m - delta_am,  eta = R^T y,  "
                     "C^T y = 0,  e_m.e_n = delta_mn,  U = 1/2 m sum_k omega_k^2 eta_k^2",
         .source =
             "Craig, Bampton, Coupling of substructures for dynamic analyses, AIAA J. 6, 1968",
         .examples = {ANCORA_FOUR_NODES "points = { tip = 4, foot = 1 }\n"
                                        "velocity = [0.1, 0.0, 0.2]\n"
                                        "angular_velocity = [0.3, -0.5, 1.0]\n"
                                        "amplitudes = [0.02, -0.01]",
                      ANCORA_FOUR_NODES "interfaces = { foot = [1, 2, 3] }\n"
                                        "points = { tip = 4 }\n"
                                        "modes = 2\n"
                                        "static_modes = false\n"
                                        "damping = 0.02\n"
                                        "damping_held = \"foot\"\n"
                                        "position = [0.3, 0.0, 0.1]\n"
                                        "orientation = { axis = [1.0, 2.0, 0.0], angle = 0.7 }",
                      ANCORA_FOUR_NODES "interfaces = { foot = [1, 2, 3] }\n"
                                        "velocity_from = \"a\"",
                      "nodes = [[1, 0.0, 0.0, 0.0], [2, 1.0, 0.0, 0.1], [3, 0.0, 0.8, 0.0], [4, "
                      "0.1, 0.0, 0.9], [5, 0.5, 0.0, 0.05], [6, 0.0, 0.4, 0.0], [7, 0.05, 0.0, "
                      "0.45], [8, 0.5, 0.4, 0.05], [9, 0.55, 0.0, 0.5], [10, 0.05, 0.4, 0.45]]\n"
                      "tetrahedra = [[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]\n"
                      "young = 1.0e5\n"
                      "poisson = 0.3\n"
                      "density = 900.0\n"
                      "interfaces = { foot = [1, 3, 4], top = [7, 9, 10] }\n"
                      "mean = [\"top\"]\n"
                      "modes = 4"},
         .claims = {Claim::rigid_motion_invariant}},
        kParameters.entries),
};

}  // namespace

ANCORA_PLUGIN("elastic_body", "0.1.0", kTypes)
