// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "beam": the schemas of its body types.
#include "ancora/sdk/plugin.hpp"

#include "ancora/sdk/helpers/nodes.hpp"
#include "beam.hpp"
#include "cable.hpp"
#include "clamp.hpp"

namespace {

namespace p = ancora::parameter;
using ancora::Claim;

constexpr char kFrom[] =
    "position of the first node, inertial axes, or a frame or point of another body, where joints "
    "have put it and with which it starts";

constexpr ancora::Parameter kArc[] = {
    p::vector("center", 3, "m", "a point of the axis of the arc").required(),
    p::vector("axis", 3, "", "the axis").required(),
    p::number("angle", "rad", "angle about the axis from the first to the last node").required(),
};

constexpr ancora::Parameter kBeam[] = {
    ancora::lines::end_parameter("from", kFrom),
    ancora::lines::end_parameter("to", "the last node of a straight beam, likewise"),
    p::table("arc", kArc, "the beam is an arc of a circle that begins at `from`"),
    p::matrix("nodes", 0, 3, "m", "positions of the nodes, counted from 0"),
    p::matrix("elements",
              0,
              2,
              "",
              "number of elements along the beam, 10 if left out; with nodes: the two nodes of "
              "each element of a frame")
        .with(ancora::Shape::integer),
    p::text("corners",
            "whether listed nodes lie on one smooth curve, or straight elements meet at rigid "
            "corners; a frame with listed elements has sharp ones",
            "smooth|sharp")
        .otherwise("\"smooth\""),
    p::vector("up",
              3,
              "",
              "direction towards which axis 2 of sections points, at the first node of a curve; "
              "left out: z, or y for what goes along z"),
    p::number("twist", "rad", "angle by which sections turn about the beam from end to end")
        .otherwise("0.0"),
    p::table("section",
             ancora::beam::kSection,
             "the cross-section; needed if `stations` do not give all of it"),
    p::table("end_section",
             ancora::beam::kSection,
             "the cross-section at the last node, with the keys of `section`: its numbers change "
             "linearly"),
    p::table("stations",
             ancora::beam::kStations,
             "numbers of the section at places along the beam, in place of those in `section`; a "
             "file has a heading with these names")
        .or_file(),
    p::number("young", "Pa", "Young's modulus E").positive().sensitive(),
    p::number("poisson", "-", "Poisson's ratio, G = E / (2 (1 + nu))")
        .at_least(0.0)
        .at_most(0.5)
        .sensitive(),
    p::number("shear_modulus", "Pa", "shear modulus G, in place of `poisson`").positive(),
    p::number("density", "kg/m^3", "mass per volume").positive().sensitive(),
    p::make("rigid",
            "",
            "what the beam does not do: \"shear\", \"axial\" (it neither stretches nor shortens)",
            ancora::Shape::texts),
    p::number("damping", "s", "moment and force per rate of a strain, in those per strain")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    ancora::nodes::kNodeMasses,
    ancora::nodes::kVelocity,
    ancora::nodes::kVelocityFrom,
    ancora::nodes::kSpinParameter,
};

constexpr ancora::Parameter kCable[] = {
    ancora::lines::end_parameter("from", kFrom),
    ancora::lines::end_parameter("to", "the last node, likewise"),
    p::integer("elements", "number of elements between from and to").at_least(1).otherwise("10"),
    p::matrix("nodes", 0, 3, "m", "positions of the nodes along the cable, counted from 0"),
    p::number(
        "length", "m", "whole length without strain; left out: that of the curve through the nodes")
        .positive()
        .sensitive(),
    p::number("EA", "N", "axial stiffness").positive().required().sensitive(),
    p::number("EI", "N m^2", "bending stiffness").nonnegative().otherwise("0.0"),
    p::number("mass", "kg/m", "mass per length without strain").positive().required().sensitive(),
    p::number("damping", "s", "axial force per rate of the strain, in that per strain")
        .nonnegative()
        .otherwise("0.0")
        .sensitive(),
    p::boolean("tension_only", "slack, without axial force, where it would be compressed")
        .otherwise("false"),
    ancora::nodes::kNodeMasses,
    ancora::nodes::kVelocity,
    ancora::nodes::kVelocityFrom,
    ancora::nodes::kSpinParameter,
    p::text("start",
            "where nodes start: as given, or in the shape in which the cable hangs at rest",
            "given|relaxed")
        .otherwise("\"given\""),
    p::vector("held",
              0,
              "",
              "nodes that a relaxed start leaves where they are, or \"start\" and \"end\"; left "
              "out: both ends")
        .nonnegative()
        .or_texts(),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::beam::Beam>(
        "beam",
        {.doc = "a beam that bends, twists, shears and stretches by any amount: straight, curved, "
                "twisted, tapered, or a frame of such",
         .equation = "Gamma_i = d_i.r' + [i = 3] |d_3a - d_3b|^2 / 6 - Gamma_i^0,  k = n sin(phi) "
                     "between sections,  U = l/2 (GA_1 "
                     "Gamma_1^2 + GA_2 Gamma_2^2 + EA Gamma_3^2) + 1/(2 l) (EI_1 theta_1^2 + EI_2 "
                     "theta_2^2 + GJ theta_3^2),  theta = n phi",
         .source = "Betsch, Steinmann, Frame-indifferent beam finite elements based upon the "
                   "geometrically exact beam theory, Int. J. Numer. Meth. Engng 54, 2002",
         .examples =
             {"from = [0.0, 0.0, 0.0]\n"
              "to = [1.0, 0.2, 0.1]\n"
              "elements = 4\n"
              "section = { shape = \"rectangle\", width = 0.1, height = 0.05 }\n"
              "young = 1.0e6\n"
              "poisson = 0.3\n"
              "density = 1000.0\n"
              "velocity = [0.1, 0.0, 0.2]",
              "from = [1.0, 0.0, 0.0]\n"
              "arc = { center = [0.0, 0.0, 0.0], axis = [0.0, 0.0, 1.0], angle = 1.2 }\n"
              "elements = 5\n"
              "twist = 0.3\n"
              "section = { shape = \"tube\", radius = 0.06, thickness = 0.02 }\n"
              "end_section = { shape = \"tube\", radius = 0.04, thickness = 0.01 }\n"
              "young = 1.0e6\n"
              "poisson = 0.3\n"
              "density = 1000.0\n"
              "damping = 1.0e-2\n"
              "node_masses = [[5, 0.2]]\n"
              "spin = { axis = [0.0, 1.0, 1.0], rate = 1.5 }",
              "nodes = [[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.5, 0.1], "
              "[1.0, -0.1, 0.6]]\n"
              "elements = [[0, 1], [1, 2], [2, 3], [2, 4]]\n"
              "rigid = [\"shear\", \"axial\"]\n"
              "section = { EI = [3.0, 5.0], GJ = 2.0, mass = 0.5, rotary = 1.0e-3 }\n"
              "velocity_from = \"a\"",
              "from = [0.0, 0.0, 0.0]\n"
              "to = [0.0, 1.0, 0.0]\n"
              "elements = 4\n"
              "rigid = [\"shear\", \"axial\"]\n"
              "section = { GJ = 2.0, rotary = 1.0e-3 }\n"
              "stations = { at = [0.0, 0.4, 1.0], EI_1 = [3.0, 2.0, 1.0], EI_2 = [5.0, 5.0, 2.0], "
              "mass = [0.5, 0.4, 0.3], twist = [0.0, 0.1, 0.4] }"},
         .claims = {Claim::rigid_motion_invariant}},
        kBeam),
    ancora::type<ancora::beam::Cable>(
        "cable",
        {.doc = "a cable that stretches and bends, of cubic elements, without torsion",
         .equation = "eps = (r'.r' - 1) / 2,  U = 1/2 integral of EA eps^2 + EI r''.r''  along the "
                     "length without strain;  tension_only: no axial force where eps < 0",
         .source = "Berzeri, Shabana, Development of simple models for the elastic forces in the "
                   "absolute nodal co-ordinate formulation, J. Sound Vib. 235, 2000",
         .examples = {"from = [0.0, 0.0, 0.0]\n"
                      "to = [1.0, 0.2, 0.1]\n"
                      "elements = 4\n"
                      "EA = 2.0e3\n"
                      "EI = 0.5\n"
                      "mass = 0.3\n"
                      "damping = 1.0e-3\n"
                      "velocity = [0.1, 0.0, 0.2]",
                      "nodes = [[0.0, 0.0, 0.0], [0.5, 0.1, 0.0], [0.9, 0.4, 0.1]]\n"
                      "length = 0.99\n"
                      "EA = 20.0\n"
                      "mass = 0.3\n"
                      "tension_only = true\n"
                      "node_masses = [[2, 0.5]]\n"
                      "spin = { axis = [0.0, 0.0, 1.0], rate = 2.0 }",
                      "from = [0.0, 0.0, 0.0]\n"
                      "to = [1.0, 0.0, 0.2]\n"
                      "elements = 3\n"
                      "length = 0.9\n"
                      "EA = 50.0\n"
                      "EI = 0.02\n"
                      "mass = 0.3\n"
                      "start = \"relaxed\"\n"
                      "held = [\"start\", \"end\"]",
                      "from = [0.0, 0.0, 0.0]\n"
                      "to = [1.0, 0.0, 0.2]\n"
                      "elements = 2\n"
                      "EA = 50.0\n"
                      "mass = 0.3\n"
                      "velocity_from = \"a\""},
         .claims = {Claim::rigid_motion_invariant}},
        kCable),
    ancora::type<ancora::beam::Clamp>(
        "cable_clamp",
        {.doc = "a point of a cable and its direction there, held by another body",
         .equation = "phi = (r_b - r_a, c_1 . r', c_2 . r') = 0",
         .source = "A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013",
         .examples = {"a = \"a\"\n"
                      "b = \"b@[0.3, 0.1, -0.2]\"\n"
                      "axis = [1.0, 0.2, 0.0]"}},
        ancora::beam::Clamp::kParameters),
};

}  // namespace

ANCORA_PLUGIN("beam", "0.1.0", kTypes)
