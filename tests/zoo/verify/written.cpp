// SPDX-License-Identifier: BSD-3-Clause
// Good types written as one function each, with examples and claims: the kit holds what the SDK
// derives for them against differences.
#include "../test_written.hpp"

namespace {

using namespace ancora;

constexpr const char* kSource = "made for tests";

constexpr TypeDocs docs(const char* equation,
                        const char* example,
                        Claims claims = {},
                        const char* another = nullptr) {
    return {.doc = "written as one function",
            .equation = equation,
            .source = kSource,
            .examples = {example, another},
            .claims = claims};
}

constexpr const char* kEnds =
    "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nlength = 1.1";
constexpr Claims kInvariant = {Claim::rigid_motion_invariant};

constexpr TypeDescriptor kTypes[] = {
    type<zoo::Distance>("w_distance",
                        docs("|a - b| = L",
                             kEnds,
                             kInvariant,
                             "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                             "length = 0.6\nstiffness = 20.0"),
                        zoo::Distance::kParameters),
    type<zoo::Square>("w_square", docs("d.d = L^2", kEnds, kInvariant), zoo::Square::kParameters),
    type<zoo::Drive>("w_drive",
                     docs("|a - b| = L + c sin(w t)",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                          "length = 1.1\nstroke = 0.1\nrate = 3.0",
                          kInvariant),
                     zoo::Drive::kParameters),
    type<zoo::Gear>("w_gear",
                    docs("|a - b| + ratio |c - d| = L",
                         "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                         "c = \"a@[-0.3, 0.2, 0.1]\"\nd = \"b@[0.1, -0.2, 0.4]\"\n"
                         "ratio = 0.7\nlength = 2.0",
                         kInvariant),
                    zoo::Gear::kParameters),
    type<zoo::Angle>("w_angle",
                     docs("angle at b",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\n"
                          "c = \"a@[-0.3, 0.2, 0.1]\"\nangle = 0.6",
                          kInvariant),
                     zoo::Angle::kParameters),
    type<zoo::Together>("w_together",
                        docs("a = b", "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""),
                        zoo::Together::kParameters),
    type<zoo::Circle>("w_circle",
                      docs("n . (p - o) = 0, |p - o| = R",
                           "p = \"a@[0.3, 0.1, -0.2]\"\nn = \"b@[0.2, 0.0, 1.0]\"\n"
                           "o = \"b@[0.0, 0.2, 0.1]\"\nradius = 0.7",
                           kInvariant),
                      zoo::Circle::kParameters),
    type<zoo::Follow>(
        "w_follow",
        docs("x = c |p|^2 cos(t) / 2", "x = \"b.x\"\np = \"a@[0.3, 0.1, -0.2]\"\nc = 0.4"),
        zoo::Follow::kParameters),
    type<zoo::PlainDistance>(
        "w_plain", docs("|a - b| = L", kEnds, kInvariant), zoo::PlainDistance::kParameters),
    type<zoo::HandDistance>(
        "w_hand", docs("|a - b| = L", kEnds, kInvariant), zoo::HandDistance::kParameters),
    type<zoo::Skate>("w_skate",
                     docs("(z x d) . p' = 0", "p = \"a@[0.3, 0.1, -0.2]\"\nd = \"a@[1, 0, 0]\""),
                     zoo::Skate::kParameters),
    type<zoo::Speed>("w_speed",
                     docs("p'.p' = (c + a t)^2",
                          "p = \"a@[0.3, 0.1, -0.2]\"\nspeed = 0.5",
                          {},
                          "p = \"a@[0.3, 0.1, -0.2]\"\nspeed = 0.5\nacceleration = 0.3"),
                     zoo::Speed::kParameters),
    type<zoo::PlainSpeed>("w_plain_speed",
                          docs("p'.p' = c^2", "p = \"a@[0.3, 0.1, -0.2]\"\nspeed = 0.5"),
                          zoo::PlainSpeed::kParameters),
    type<zoo::Drag>("w_drag",
                    docs("f = -c v",
                         "at = \"a@[0.3, 0.1, -0.2]\"\nc = 0.4",
                         {Claim::dissipative, Claim::frame_invariant}),
                    zoo::Drag::kParameters),
    type<zoo::Winch>("w_winch",
                     docs("f = F sin(3 t) n",
                          "a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\"\nstrength = 2.0",
                          {Claim::frame_invariant}),
                     zoo::Winch::kParameters),
    type<zoo::Rubbing>(
        "w_rubbing",
        docs("mu N + c |w|", "on = \"c\"\nmu = 0.3\nviscous = 0.2", {Claim::dissipative}),
        zoo::Rubbing::kParameters),
};

}  // namespace

ANCORA_PLUGIN("written", "1.0.0", kTypes)
