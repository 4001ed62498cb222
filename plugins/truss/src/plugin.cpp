// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "truss": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/folds.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "truss.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr ancora::Parameter kGrid[] = {
    ancora::nodes::kGridCounts,
    ancora::nodes::kGridSpacing,
    ancora::nodes::kGridOrigin,
    ancora::nodes::kGridDirections,
    p::boolean("diagonals", "also both diagonals of every cell").otherwise("false"),
};

constexpr ancora::Parameter kMesh[] = {
    p::file("file", "Gmsh 4.1 or 2.2, or VTK: .vtk as text, .vtu, .vtp").required(),
    p::boolean("edges", "also the edges of triangles and quadrilaterals, each once")
        .otherwise("false"),
};

constexpr ancora::Parameter kRest[] = {
    p::matrix("nodes", 0, 3, "m", "positions of the nodes, in their order"),
    p::table("grid", kGrid, "a rectangular grid of as many nodes and elements"),
    p::file("mesh", "a mesh file with the same elements").or_table(kMesh),
};

constexpr ancora::Parameter kInterpolation =
    p::text("interpolation",
            "through the rows of a table of rest_length: the natural cubic spline, the one that "
            "begins and ends at rest, or cubic pieces that also stay between their rows",
            "spline|rest|monotone")
        .otherwise("\"spline\"");
constexpr ancora::Parameter kOutside =
    p::text("outside",
            "before the first and after the last row of a table of rest_length: an error, or the "
            "value of that row",
            "refuse|hold")
        .otherwise("\"refuse\"");

// What elements of a group have instead of the truss's values; docs as there.
constexpr ancora::Parameter kGroup[] = {
    p::number("young", "Pa", "Young's modulus E; inf: rigid links")
        .positive()
        .or_infinite()
        .sensitive(),
    p::number("area", "m^2", "cross section A").positive().sensitive(),
    p::number("density", "kg/m^3", "mass per volume rho").nonnegative().sensitive(),
    p::number("damping", "Pa s", "axial stress per rate of the Green strain")
        .nonnegative()
        .sensitive(),
    p::number("prestress", "Pa", "axial stress at zero strain").sensitive(),
    p::boolean("tension_only", "slack where E eps + prestress < 0"),
    p::number("breaking_strain", "-", "Green strain above which an element breaks; inf: never")
        .positive()
        .or_infinite(),
    p::number("rest_length",
              "m",
              "length without strain L of each element; over time: a formula of t, a table with "
              "rows [t, L], or a file with such rows")
        .or_text()
        .or_matrix(0, 2)
        .or_file()
        .sensitive(),
    kInterpolation,
    kOutside,
    p::number("node_mass", "kg", "point mass on each node of the group, beside others")
        .nonnegative()
        .sensitive(),
};

constexpr ancora::Parameter kGroups[] = {
    p::table("*", kGroup, "values of the group of that name, for its elements and nodes"),
};

constexpr ancora::Parameter kTruss[] = {
    ancora::lines::end_parameter(
        "from",
        "position of node 0 of a single element or of a row, inertial axes, or a frame or point of "
        "another body, where joints have put it and with which it starts"),
    ancora::lines::end_parameter("to", "position of the last node, likewise"),
    p::matrix("nodes", 0, 3, "m", "positions of the nodes of a network, counted from 0"),
    p::matrix("elements",
              0,
              2,
              "",
              "the two nodes of each element; with from and to: the number of elements in a row")
        .with(ancora::Shape::integer),
    p::table("grid", kGrid, "a rectangular grid of nodes, counted along the first direction first"),
    p::file("mesh",
            "nodes, line elements and named groups from a mesh file: Gmsh 4.1 or 2.2, or VTK")
        .or_table(kMesh),
    p::table("fold",
             ancora::folds::kFold,
             "the edges of a sheet that is flat at rest and folded at the start"),
    p::table("rest",
             kRest,
             "the shape at rest, of the same nodes and elements; left out: that of the start")
        .or_file(),
    // Numbers of the material and rest lengths: one for all elements or one per element.
    p::number("young", "Pa", "Young's modulus E; inf: rigid links")
        .positive()
        .or_infinite()
        .or_vector()
        .required()
        .sensitive(),
    p::number("area", "m^2", "cross section A; not needed by rigid links without density")
        .positive()
        .or_vector()
        .sensitive(),
    p::number("density",
              "kg/m^3",
              "mass per volume rho; 0: springs; required unless node_masses are given")
        .nonnegative()
        .or_vector()
        .sensitive(),
    p::number("damping", "Pa s", "axial stress per rate of the Green strain, beside E eps")
        .nonnegative()
        .or_vector()
        .otherwise("0.0")
        .sensitive(),
    p::number("prestress", "Pa", "axial stress at zero strain; > 0: tension")
        .or_vector()
        .otherwise("0.0")
        .sensitive(),
    p::boolean("tension_only", "slack, without any force, where E eps + prestress < 0")
        .or_vector()
        .otherwise("false"),
    p::number("breaking_strain",
              "-",
              "Green strain above which an element breaks for good; inf, or left out: never")
        .positive()
        .or_infinite()
        .or_vector(),
    p::number("rest_length",
              "m",
              "length without strain L, of each element; between from and to: of the whole; over "
              "time: a formula of t, a table with rows [t, L], or a file with such rows; \"spin\": "
              "such that the shape at the start is the steady shape of `spin`; left out: the "
              "distance in the shape at rest")
        .or_vector()
        .or_text()
        .or_matrix(0, 2)
        .or_file()
        .sensitive(),
    kInterpolation,
    kOutside,
    p::table("groups", kGroups, "values of elements and nodes by the names of groups"),
    p::text("mass", "how an element's mass is spread over its nodes", "consistent|lumped")
        .otherwise("\"consistent\""),
    ancora::nodes::kNodeMasses,
    ancora::nodes::kVelocity,
    ancora::nodes::kVelocityFrom,
    ancora::nodes::kSpinParameter,
    p::text("start",
            "where nodes start: as given, or in the steady shape under spin and gravity",
            "given|relaxed")
        .otherwise("\"given\""),
    p::vector("held", 0, "", "nodes that a relaxed start leaves where they are, or their groups")
        .nonnegative()
        .or_texts(),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::truss::Truss>(
        "truss",
        {.doc = "straight elastic or rigid elements between nodes: one, or a network",
         .equation =
             "eps = (l^2 - L^2) / (2 L^2),  sigma = E eps + damping eps' + prestress,  "
             "force sigma A l / L,  M = rho A L / 6 [2 1; 1 2] (x) I_3 or rho A L / 2 on each node",
         .source = "Green-Lagrange strain of a bar: Belytschko, Liu, Moran, Nonlinear Finite "
                   "Elements for Continua and Structures, Wiley, 2000",
         .examples = {"from = [0.0, 0.0, 0.0]\n"
                      "to = [0.8, 0.3, -0.2]\n"
                      "young = 2.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 2700.0\n"
                      "velocity = [0.1, 0.0, 0.2]",
                      "nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.4, 0.9, 0.1], "
                      "[0.5, 0.3, 0.8]]\n"
                      "elements = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]]\n"
                      "young = inf\n"
                      "node_masses = [[0, 1.0], [1, 0.5], [2, 0.7], [3, 0.2]]\n"
                      "spin = { axis = [0.0, 0.0, 1.0], rate = 2.0 }",
                      "grid = { counts = [3, 2], spacing = [0.5, 0.4], diagonals = true }\n"
                      "young = 1.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 1000.0\n"
                      "rest = { grid = { counts = [3, 2], spacing = [0.45, 0.45], diagonals = "
                      "true } }\n"
                      "mass = \"lumped\"",
                      "fold = { pattern = \"miura\", counts = [3, 2], sides = [0.4, 0.3], "
                      "angle = 1.0, tilt = 0.5 }\n"
                      "young = 2.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 2700.0\n"
                      "node_masses = [[0, 1.0], [1, 2.0]]\n"
                      "velocity_from = \"a\"",
                      "grid = { counts = [5, 1], spacing = [0.25, 1.0] }\n"
                      "young = 1.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 1000.0\n"
                      "rest_length = 0.2\n"
                      "start = \"relaxed\"\n"
                      "held = [0, 4]",
                      "nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.1, 0.0]]\n"
                      "elements = [[0, 1], [1, 2]]\n"
                      "young = [1.0e6, 2.0e6]\n"
                      "area = [1.0e-4, 2.0e-4]\n"
                      "density = [1000.0, 500.0]\n"
                      "damping = [200.0, 0.0]\n"
                      "prestress = [0.0, 3.0e4]\n"
                      "velocity = [0.0, 0.1, 0.0]",
                      "nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.1, 0.0]]\n"
                      "elements = [[0, 1], [1, 2]]\n"
                      "young = 1.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 1000.0\n"
                      "rest_length = [1.1, 0.95]\n"
                      "tension_only = [true, false]\n"
                      "breaking_strain = [inf, 0.2]\n"
                      "velocity = [0.0, 0.1, 0.0]",
                      "from = [0.0, 0.0, 0.0]\n"
                      "to = [0.8, 0.3, -0.2]\n"
                      "elements = 3\n"
                      "young = 1.0e6\n"
                      "area = 1.0e-4\n"
                      "density = 1000.0\n"
                      "rest_length = [[-10.0, 0.9], [0.0, 0.8], [10.0, 0.7], [20.0, 0.8]]\n"
                      "interpolation = \"rest\"\n"
                      "outside = \"hold\""},
         .claims = {Claim::rigid_motion_invariant}},
        kTruss),
};

}  // namespace

ANCORA_PLUGIN("truss", "0.1.0", kTypes)
