// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "membrane": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/folds.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "membrane.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr ancora::Parameter kGrid[] = {
    ancora::nodes::kGridCounts,
    ancora::nodes::kGridSpacing,
    ancora::nodes::kGridOrigin,
    ancora::nodes::kGridDirections,
};

constexpr ancora::Parameter kRest[] = {
    p::matrix("nodes", 0, 3, "m", "positions of the nodes, in their order"),
    p::table("grid", kGrid, "a rectangular grid of as many nodes and triangles"),
    p::file("mesh", "a mesh file with the same faces"),
};

constexpr ancora::Parameter kMembrane[] = {
    p::matrix("nodes", 0, 3, "m", "positions of the nodes, counted from 0"),
    p::matrix("triangles", 0, 3, "", "the three nodes of each triangle"),
    p::table("grid", kGrid, "a rectangular grid of nodes, each cell cut into two triangles"),
    p::file("mesh",
            "triangles, quadrilaterals and named groups from a mesh file: Gmsh 4.1 or 2.2, or VTK"),
    p::table("fold",
             ancora::folds::kFold,
             "a sheet that is flat at rest and folded at the start, without strain"),
    p::table("rest",
             kRest,
             "the shape at rest, of the same nodes and triangles; left out: that of the start")
        .or_file(),
    p::number("young", "Pa", "Young's modulus").positive().required().sensitive(),
    p::number("poisson", "-", "Poisson's ratio").at_least(0.0).at_most(0.5).required().sensitive(),
    p::number("thickness", "m", "thickness t").positive().required().sensitive(),
    p::number("density", "kg/m^3", "mass per volume; 0: node_masses alone")
        .nonnegative()
        .required()
        .sensitive(),
    p::number("damping", "Pa s", "stress per rate of the Green strain, beside the elastic one")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    p::number(
        "prestress", "Pa", "stress in the shape at rest, equal in all directions; > 0: tension")
        .otherwise("0.0")
        .sensitive(),
    p::boolean("tension_only", "wrinkled or slack where it would be compressed").otherwise("false"),
    p::text("mass", "how a triangle's mass is spread over its nodes", "consistent|lumped")
        .otherwise("\"consistent\""),
    ancora::nodes::kNodeMasses,
    ancora::nodes::kVelocity,
    ancora::nodes::kVelocityFrom,
    ancora::nodes::kSpinParameter,
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::membrane::Membrane>(
        "membrane",
        {.doc = "an elastic film of triangles, without bending stiffness, that may wrinkle",
         .equation = "E = (F^T F - 1) / 2,  U = A t w(E + prestrain),  w = Y / (2 (1 - nu^2)) "
                     "(E_11^2 + E_22^2 + 2 nu E_11 E_22 + 2 (1 - nu) E_12^2),  tension_only: the "
                     "relaxed energy of tension fields",
         .source = "Taylor, Onate, Ubach, Finite element analysis of membrane structures, 2005; "
                   "Pipkin, Relaxed energy densities for large deformations of membranes, 1994",
         .examples = {"nodes = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 0.9, 0.1], "
                      "[1.1, 1.2, -0.1]]\n"
                      "triangles = [[0, 1, 2], [1, 3, 2]]\n"
                      "young = 2.0e5\n"
                      "poisson = 0.3\n"
                      "thickness = 1.0e-3\n"
                      "density = 1000.0\n"
                      "velocity = [0.1, 0.0, 0.2]",
                      "grid = { counts = [4, 3], spacing = [0.5, 0.4] }\n"
                      "young = 1.0e5\n"
                      "poisson = 0.2\n"
                      "thickness = 1.0e-3\n"
                      "density = 1400.0\n"
                      "tension_only = true\n"
                      "prestress = 500.0\n"
                      "damping = 3.0\n"
                      "mass = \"lumped\"\n"
                      "node_masses = [[0, 0.1]]\n"
                      "spin = { axis = [0.0, 0.0, 1.0], rate = 2.0 }",
                      "grid = { counts = [2, 2], spacing = [0.5, 0.4] }\n"
                      "young = 1.0e5\n"
                      "poisson = 0.5\n"
                      "thickness = 1.0e-3\n"
                      "density = 1400.0\n"
                      "velocity_from = \"a\"",
                      "fold = { pattern = \"miura\", counts = [3, 2], sides = [0.4, 0.3], "
                      "angle = 1.0, tilt = 0.5 }\n"
                      "young = 1.0e5\n"
                      "poisson = 0.3\n"
                      "thickness = 1.0e-3\n"
                      "density = 1400.0\n"
                      "spin = { axis = [0.0, 0.0, 1.0], rate = 2.0 }",
                      "nodes = [[0.0, 0.0, 0.0], [0.9, 0.1, 0.0], [0.2, 0.8, 0.1]]\n"
                      "triangles = [[0, 1, 2]]\n"
                      "rest = { nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] }\n"
                      "young = 1.0e5\n"
                      "poisson = 0.3\n"
                      "thickness = 1.0e-3\n"
                      "density = 1400.0\n"
                      "tension_only = true"},
         .claims = {Claim::rigid_motion_invariant}},
        kMembrane),
};

}  // namespace

ANCORA_PLUGIN("membrane", "1.0.0", kTypes)
