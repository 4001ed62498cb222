// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: types written as one function each.
#include "test_written.hpp"

namespace {

using namespace ancora;

constexpr const char* kSource = "tests/zoo/test_written.hpp";
constexpr const char* kTwoPoints =
    "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nlength = 1.5";

template <class T>
constexpr TypeDescriptor described(const char* name,
                                   const char* doc,
                                   const char* equation,
                                   const char* example,
                                   Claims claims = {Claim::rigid_motion_invariant}) {
    return type<T>(name,
                   {.doc = doc,
                    .equation = equation,
                    .source = kSource,
                    .examples = {example},
                    .claims = claims},
                   T::kParameters);
}

template <class T>
constexpr TypeDescriptor described_motor(const char* name) {
    return described<T>(
        name,
        "a motor with feedback",
        "T = -k (theta - target) - c theta'",
        "a = \"a@[1.0, 0.0, 0.0]\"\nb = \"b@[1.0, 0.0, 0.0]\"\naxis = [0.0, 0.0, 1.0]\n"
        "stiffness = 30.0\ndamping = 2.0\ntarget = 0.3",
        {});
}

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Distance>(
        "w_distance",
        {.doc = "keeps a distance, or is a spring",
         .equation = "phi = |a - b| - L",
         .source = kSource,
         .examples = {kTwoPoints,
                      "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nlength = 1.2\n"
                      "stiffness = 30.0"},
         .claims = {Claim::rigid_motion_invariant}},
        zoo::Distance::kParameters),
    described<zoo::Square>(
        "w_square", "keeps a distance", "phi = (|a - b|^2 - L^2) / 2L", kTwoPoints),
    described<zoo::Drive>("w_drive",
                          "drives a distance",
                          "phi = |a - b| - L - c sin(w t)",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nlength = 1.5\n"
                          "stroke = 0.2\nrate = 1.7"),
    described<zoo::Gear>("w_gear",
                         "gears two distances",
                         "phi = |a - b| + ratio |c - d| - L",
                         "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                         "c = \"a@[0.0, 0.5, 0.3]\"\nd = \"b@[0.1, -0.3, 0.2]\"\n"
                         "ratio = 0.7\nlength = 3.0"),
    described<zoo::Angle>("w_angle",
                          "keeps an angle",
                          "phi = angle(a - b, c - b) - alpha",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                          "c = \"a@[-0.5, 0.4, 0.3]\"\nangle = 0.9"),
    described<zoo::Together>("w_together",
                             "two points coincide",
                             "phi = a - b",
                             "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"",
                             {}),
    described<zoo::Circle>("w_circle",
                           "a point on a circle",
                           "phi = (n . (p - o), |p - o| - R)",
                           "p = \"a@[0.3, 0.1, -0.2]\"\nn = \"b@[0.0, 0.6, 0.8]\"\n"
                           "o = \"b@[0.1, -0.3, 0.2]\"\nradius = 1.4"),
    described<zoo::Follow>("w_follow",
                           "a coordinate follows a point",
                           "phi = x - c |p|^2 cos(t) / 2",
                           "x = \"b.x\"\np = \"a@[0.3, 0.1, -0.2]\"\nc = 0.3",
                           {}),
    described<zoo::PlainDistance>(
        "w_plain", "keeps a distance, by differences", "phi = |a - b| - L", kTwoPoints),
    described<zoo::HandDistance>(
        "w_hand", "keeps a distance, by hand", "phi = |a - b| - L", kTwoPoints),
    described<zoo::Mixed>("w_mixed",
                          "constants of Eigen's",
                          "phi of points and fixed vectors",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"",
                          {}),
    described<zoo::Skate>("w_skate",
                          "a skate on the plane z = 0",
                          "psi = (d x z) . p'",
                          "p = \"a@[0.3, 0.1, -0.2]\"\nd = \"a@[0.8, 0.6, 0.0]\"",
                          {}),
    described<zoo::Drag>("w_drag",
                         "a medium at rest",
                         "f = -c v",
                         "at = \"a@[0.3, 0.1, -0.2]\"\nc = 0.7",
                         {Claim::dissipative, Claim::frame_invariant}),
    described_motor<zoo::TemplateMotor>("w_motor"),
    described_motor<zoo::PlainMotor<true>>("w_plain_motor"),
    described_motor<zoo::PlainMotor<false>>("w_silent_motor"),
    described<zoo::Winch>("w_winch",
                          "pulls two points together",
                          "f = F sin(3 t) (b - a) / |b - a|",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nstrength = 2.0",
                          {Claim::frame_invariant}),
    described<zoo::Rubbing>("w_rubbing",
                            "dry friction",
                            "C = mu N + c |w|",
                            "on = \"c\"\nmu = 0.3\nviscous = 0.2",
                            {Claim::dissipative}),
    described<zoo::Molecule>(
        "w_molecule",
        "three masses in a row",
        "U = sum of pi^2 / 2c",
        "nodes = [[1.0, 0.1, 0.0], [0.0, 0.0, 0.0], [-0.2, 0.9, 0.1]]\n"
        "velocities = [[0.1, 0.5, 0.2], [0.0, -0.2, 0.3], [0.4, 0.0, -0.6]]\nmass = 0.8\n"
        "length = 1.1\nstiffness = 30.0\nangle_stiffness = 4.0\nbending = 2.0"),
};

}  // namespace

ANCORA_PLUGIN("test_written", "1.0.0", kTypes)
