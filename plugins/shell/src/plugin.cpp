// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "shell": the schema of its body type.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/nodes.hpp"
#include "shell.hpp"

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
    p::table("grid", kGrid, "a rectangular grid of as many nodes"),
    p::file("mesh", "a mesh file with the same elements"),
};

constexpr ancora::Parameter kLaminate[] = {
    p::matrix("ABD",
              6,
              6,
              "N/m, N, N m",
              "forces and moments per length of strains and curvatures, each 11, 22, 12 doubled: "
              "[A B; B D]")
        .required(),
    p::vector("shear", 2, "N/m", "stiffness against shear along axes 1 and 2")
        .positive()
        .required()
        .sensitive(),
    p::number("mass", "kg/m^2", "mass per area").positive().required().sensitive(),
    p::number("rotary",
              "kg",
              "moment of inertia per area; left out: that of an even sheet with "
              "these A and D")
        .positive()
        .sensitive(),
    p::vector("axis", 3, "", "axis 1 is what of this lies in the surface")
        .otherwise("[1.0, 0.0, 0.0]"),
};

constexpr ancora::Parameter kShell[] = {
    p::matrix("nodes", 0, 3, "m", "positions of the nodes, counted from 0"),
    p::matrix("quads", 0, 4, "", "the four nodes of each element, around it"),
    p::table("grid", kGrid, "a rectangular grid of nodes, each cell an element"),
    p::file("mesh", "quadrilaterals and named groups from a mesh file: Gmsh 4.1 or 2.2, or VTK"),
    p::table("rest",
             kRest,
             "the shape without stress, of the same nodes and elements; left out: that of the "
             "start")
        .or_file(),
    p::number("young", "Pa", "Young's modulus E").positive().sensitive(),
    p::number("poisson", "-", "Poisson's ratio").at_least(0.0).below(0.5).sensitive(),
    p::number("thickness", "m", "thickness t").positive().sensitive(),
    p::number("density", "kg/m^3", "mass per volume").positive().sensitive(),
    p::table("laminate", kLaminate, "stiffness and mass per area, in place of these four"),
    p::number("damping", "s", "force and moment per rate of a strain, in those per strain")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    p::vector(
        "frames",
        0,
        "",
        "nodes that have axes for joints: numbers, or names of groups; others have points and "
        "directors")
        .nonnegative()
        .or_texts(),
    ancora::nodes::kNodeMasses,
    ancora::nodes::kVelocity,
    ancora::nodes::kVelocityFrom,
    ancora::nodes::kSpinParameter,
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::shell::Shell>(
        "shell",
        {.doc = "an elastic shell or plate of quadrilaterals that stretches, bends and shears by "
                "any amount: a sheet, or a laminate",
         .equation = "eps_ab = (phi,a.phi,b - ref) / 2,  kappa_ab = (phi,a.d,b + phi,b.d,a) / 2 - "
                     "ref,  gamma = phi,a.d assumed from the sides,  d.d = 1,  U = integral of 1/2 "
                     "e.C e + 1/2 k gamma^2",
         .source =
             "Dvorkin, Bathe, A continuum mechanics based four-node shell element for general "
             "nonlinear analysis, Eng. Comput. 1, 1984; Betsch, Saenger, On the use of "
             "geometrically exact shells in a conserving framework for flexible multibody "
             "dynamics, Comput. Methods Appl. Mech. Engrg. 198, 2009",
         .examples =
             {"nodes = [[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [1.1, 1.2, -0.1], [0.2, 0.9, 0.1], "
              "[2.0, 0.0, 0.2], [2.1, 1.0, 0.1]]\n"
              "quads = [[0, 1, 2, 3], [1, 2, 5, 4]]\n"
              "young = 2.0e5\n"
              "poisson = 0.3\n"
              "thickness = 0.05\n"
              "density = 1000.0\n"
              "frames = [4]\n"
              "velocity = [0.1, 0.0, 0.2]",
              "grid = { counts = [4, 3], spacing = [0.5, 0.4] }\n"
              "young = 1.0e5\n"
              "poisson = 0.2\n"
              "thickness = 0.05\n"
              "density = 1400.0\n"
              "damping = 1.0e-3\n"
              "node_masses = [[0, 0.1]]\n"
              "frames = [\"first_0\"]\n"
              "spin = { axis = [0.0, 0.0, 1.0], rate = 2.0 }",
              "grid = { counts = [2, 3], spacing = [0.5, 0.4] }\n"
              "laminate = { ABD = [[9e3, 2e3, 1e2, 5e1, 0, 0], [2e3, 7e3, 0, 0, -4e1, 0], [1e2, "
              "0, 3e3, 0, 0, 2e1], [5e1, 0, 0, 4.0, 1.0, 0.1], [0, -4e1, 0, 1.0, 3.0, 0], [0, 0, "
              "2e1, 0.1, 0, 1.0]], shear = [2e3, 3e3], mass = 2.0, rotary = 2e-3, axis = [1.0, "
              "1.0, 0.0] }\n"
              "velocity_from = \"a\"",
              "nodes = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.1], [0.0, 1.0, 0.0], [1.0, 1.0, 0.1]]\n"
              "quads = [[0, 1, 3, 2]]\n"
              "rest = { grid = { counts = [2, 2], spacing = [1.0, 1.0] } }\n"
              "young = 2.0e5\n"
              "poisson = 0.3\n"
              "thickness = 0.05\n"
              "density = 1000.0"},
         .claims = {Claim::rigid_motion_invariant}},
        kShell),
};

}  // namespace

ANCORA_PLUGIN("shell", "0.1.0", kTypes)
