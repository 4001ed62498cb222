// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by the adjoint through impacts and closed contacts.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "friction_models.hpp"
#include "gradient_checks.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

std::string bouncing(double e, double height, double end) {
    return fmt::format(
               "[parameters]\nh = {:.17g}\nk = {:.17g}\ng = {:.17g}\n", height, e, kGravity) +
           "[model]\ngravity = [0, 0, \"-g\"]\n[[body]]\nname = \"ball\"\ntype = \"particle\"\n"
           "mass = 1.5\nposition = [0, 0, \"h\"]\nvelocity = [0.3, 0, 0.1]\n\n[[constraint]]\n"
           "name = \"floor\"\ntype = \"contact\"\na = \"ball\"\nb = \"ground\"\nradius = 0.02\n"
           "plane = { normal = [0, 0, 1] }\nrestitution = \"k\"\n" +
           integrator("emm", 0.01, end);
}

TEST_CASE("a ball that bounces, in closed form") {
    // From h - r at u: it meets the floor after s0 = (u + w) / g at w = sqrt(u^2 + 2 g (h - r)),
    // and flies for 2 e w / g, 2 e^2 w / g, ... at e w, e^2 w, ...
    const double e = 0.8, h = 1.0, r = 0.02, u = 0.1, t = 1.6, g = kGravity;
    const Texts by{"parameters.k",
                   "parameters.h",
                   "parameters.g",
                   "body.ball.velocity[2]",
                   "constraint.floor.radius"};
    const Gradient found =
        gradient_of(bouncing(e, h, t), {"ball.z", "ball.vz"}, by, GradientMethod::adjoint);
    const double w = std::sqrt(u * u + 2.0 * g * (h - r));
    // Behind the second impact: s = t - (u + w) / g - 2 e w / g, z = r + e^2 w s - g s^2 / 2
    const double s = t - (u + w) / g - 2.0 * e * w / g, v = e * e * w;
    REQUIRE(s > 0.0);
    REQUIRE(s < 2.0 * v / g);
    struct Change {
        double w, e, g, u, r;
    };
    const Change changes[] = {{0.0, 1.0, 0.0, 0.0, 0.0},
                              {g / w, 0.0, 0.0, 0.0, 0.0},
                              {(h - r) / w, 0.0, 1.0, 0.0, 0.0},
                              {u / w, 0.0, 0.0, 1.0, 0.0},
                              {-g / w, 0.0, 0.0, 0.0, 1.0}};
    for (std::size_t k = 0; k < by.size(); ++k) {
        CAPTURE(by[k]);
        const Change& d = changes[k];
        const double ds =
            -(d.u + d.w + 2.0 * (d.e * w + e * d.w)) / g + (u + w + 2.0 * e * w) / (g * g) * d.g;
        const double dv = 2.0 * e * d.e * w + e * e * d.w;
        CHECK(found.entry(0, k).is_by_adjoint);
        CHECK(found.entry(0, k).value ==
              near(d.r + dv * s + v * ds - 0.5 * s * s * d.g - g * s * ds, 1e-9));
        CHECK(found.entry(1, k).value == near(dv - s * d.g - g * ds, 1e-9));
    }
}

TEST_CASE("a pendulum that meets a wall, by restitution, start, gravity and place") {
    const std::string wall =
        "[parameters]\nk = 0.8\nd = 0.35\n[model]\ngravity = [0, 0, -9.81]\n"
        "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1\nposition = [-1, 0, 0]\n"
        "velocity = [0, 0.3, -0.2]\n[[constraint]]\nname = \"rod\"\ntype = \"distance\"\n"
        "a = \"ground@[0, 0, 0]\"\nb = \"bob@0\"\n[[constraint]]\nname = \"wall\"\n"
        "type = \"contact\"\na = \"bob\"\nb = \"ground\"\nradius = 0.0\n"
        "plane = { point = [\"d\", 0, 0], normal = [-1, 0, -0.3] }\nrestitution = \"k\"\n" +
        integrator("emm", 0.013, 2.6);
    check_by_both(wall,
                  {"bob.x", "bob.vz"},
                  {"parameters.k",
                   "parameters.d",
                   "model.gravity[2]",
                   "body.bob.velocity[1]",
                   "body.bob.velocity[2]"},
                  1e-8);
}

TEST_CASE("what comes to rest on a surface goes on along it") {
    // A ball between springs that falls on a plane without restitution and slides on.
    const std::string text =
        "[parameters]\nm = 2.0\n[model]\ngravity = [0.5, 0, -9.81]\n[[body]]\nname = \"ball\"\n"
        "type = \"particle\"\nmass = \"m\"\nposition = [0, 0.1, 0.2]\nvelocity = [0.4, 0, 0]\n"
        "[[constraint]]\nname = \"floor\"\ntype = \"contact\"\na = \"ball\"\nb = \"ground\"\n"
        "radius = 0.05\nplane = { normal = [0.2, 0, 1] }\nrestitution = 0.0\n[[constraint]]\n"
        "name = \"tie\"\ntype = \"spring\"\na = \"ground@[0, 1, 0]\"\nb = \"ball@0\"\n"
        "stiffness = 8\nfree = 0.4\n" +
        integrator("emm", 0.01, 0.5);
    check_by_both(text,
                  {"ball.x", "ball.vy", "ball.z"},
                  {"parameters.m", "model.gravity[0]", "constraint.tie.stiffness"},
                  1e-8);
}

TEST_CASE("where contacts meet at one instant the adjoint leaves it to differences") {
    const double at = std::sqrt(2.0 * 0.98 / kGravity);
    std::string text = bouncing(0.8, 1.0, 1.0);
    text.replace(text.find("0.3, 0, 0.1"), 11, "0.3, 0, 0.0");
    text.replace(text.rfind("end = "), std::string::npos, fmt::format("end = {:.17g}\n", at));
    CHECK(has(refusal([&] {
                  gradient_of(text, {"ball.vz"}, {"parameters.h"}, GradientMethod::adjoint);
              }),
              "may change"));
    // Two that fall from the same height: which of them is first may change.
    const auto falling = [](int i) {
        return fmt::format(
            "[[body]]\nname = \"b{0}\"\ntype = \"particle\"\nmass = 1\nposition = [{0}, 0, 1]\n"
            "[[constraint]]\nname = \"f{0}\"\ntype = \"contact\"\na = \"b{0}\"\nb = \"ground\"\n"
            "plane = {{ normal = [0, 0, 1] }}\nrestitution = 0.5\n",
            i);
    };
    const std::string two = weight({0.0, 0.0, -kGravity}) + "\n" + falling(0) + falling(1) +
                            integrator("emm", 0.01, 0.6);
    const Gradient found =
        gradient_of(two, {"b0.z"}, {"body.b0.position[2]"}, GradientMethod::automatic);
    CHECK(has(found.why_differences, "several rows meet at once"));
    CHECK_FALSE(found.entry(0, 0).is_by_adjoint);
    CHECK(has(found.entry(0, 0).remark, "another order"));
}

}  // namespace
}  // namespace ancora::testing
