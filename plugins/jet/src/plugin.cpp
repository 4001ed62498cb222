// SPDX-License-Identifier: BSD-3-Clause
// Entry point of the plugin "jet": the schema of its force type.
#include "ancora/sdk/plugin.hpp"

#include "jet.hpp"

namespace {

namespace p = ancora::parameter;

constexpr ancora::Parameter kJet[] = {
    p::point("at", "P, the point at which matter leaves the body: the nozzle").required(),
    p::point(
        "from",
        "T, the point that matter comes from, where the body loses it: the tank; left out, the "
        "way from there takes no force"),
    p::signal("flow",
              "kg/s",
              "w, mass that leaves per time: a number, a formula such as \"-tank.mass_rate\", a "
              "table with rows [t, flow], or a file with such rows")
        .required(),
    p::vector("velocity", 3, "m/s", "u, velocity of what leaves, relative to the nozzle")
        .required()
        .sensitive(),
    p::text("frame", "axes of velocity: those of the body, or inertial ones", "body|inertial")
        .otherwise("\"body\""),
};

constexpr ancora::TypeDescriptor kTypes[] = {
    ancora::type<ancora::jet::Jet>(
        "jet",
        {.doc = "thrust and jet damping of matter that leaves a body: rockets, water jets",
         .equation = "f_P = -w u - w (r_P' - r_T'),  f_T = -w (r_P' - r_T')",
         .source = "Thomson, Introduction to Space Dynamics, Wiley, 1961, sections 8.1, 8.4",
         .examples = {"at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "flow = 0.2\n"
                      "velocity = [0.0, 0.5, -3.0]",
                      "at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "from = \"a@[0.0, 0.0, 0.1]\"\n"
                      "flow = \"0.2 + 0.1*sin(t)\"\n"
                      "velocity = [0.0, 0.5, -3.0]\n"
                      "frame = \"inertial\"",
                      "at = \"a@[0.3, 0.1, -0.2]\"\n"
                      "from = \"b@[0.0, 0.0, 0.1]\"\n"
                      "flow = [[0.0, 0.1], [0.5, 0.3]]\n"
                      "velocity = [1.0, 0.5, -3.0]"}},
        kJet),
};

}  // namespace

ANCORA_PLUGIN("jet", "0.1.0", kTypes)
