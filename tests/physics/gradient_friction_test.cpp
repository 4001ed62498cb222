// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by the adjoint of runs with dry friction, that slides and that sticks.
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/gradient.hpp"
#include "friction_models.hpp"
#include "gradient_checks.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

TEST_CASE("a block that slides up an incline, in closed form") {
    // s = v t - (g (sin a + mu cos a)) t^2 / 2
    const Incline incline(0.4);
    const double t = 0.2;
    REQUIRE(t < incline.stop);
    const Texts by{"force.rub_ramp.mu_kinetic", "body.block.mass"};
    const Gradient found = gradient_of(incline.block() + integrator("emm", 0.01, t),
                                       {"block.x", "block.vz"},
                                       by,
                                       GradientMethod::adjoint);
    const double by_mu = -0.5 * kGravity * Incline::kCos * t * t;
    CHECK(found.entry(0, 0).value == near(Incline::kCos * by_mu, 1e-12));
    CHECK(found.entry(1, 0).value == near(Incline::kSin * 2.0 * by_mu / t, 1e-11));
    CHECK(found.entry(0, 1).value == near(0.0, 1e-12));
}

TEST_CASE("a particle that slides in a curve on a plane, on a spring") {
    const std::string text =
        "[parameters]\nk = 30.0\n" + weight({0.3, 0.0, -kGravity}) +
        particle("puck", 0.7, {0.4, 0.1, -0.01}, {0.5, 2.0, -0.2}) +
        plane("table", "puck@0", {0.0, 0.1, 1.0}) + friction("table", mu(0.15)) +
        "[[constraint]]\nname = \"tie\"\ntype = \"spring\"\na = \"ground@[0, 0, 0.3]\"\n"
        "b = \"puck@0\"\nstiffness = \"k\"\nfree = 0.2\n" +
        integrator("emm", 0.005, 0.3);
    check_by_both(text,
                  {"puck.x", "puck.vy", "mean(puck.vx)"},
                  {"force.rub_table.mu_kinetic",
                   "parameters.k",
                   "body.puck.mass",
                   "model.gravity[2]",
                   "body.puck.velocity[0]"},
                  1e-8);
}

TEST_CASE("joints that rub while a double pendulum falls") {
    const auto link = [](const char* name, double x, double radius) {
        return fmt::format(
            "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\nmass = 1.2\n"
            "inertia = [0.01, 0.04, 0.04]\nposition = [{}, 0, 0]\n"
            "angular_velocity = [0, {}, 0]\n",
            name,
            x,
            radius);
    };
    const std::string text =
        "[model]\nproject_start = true\ngravity = [0, 0, -9.81]\n" + link("upper", 0.5, 2.0) +
        link("lower", 1.5, 4.0) +
        "[[joint]]\nname = \"shoulder\"\ntype = \"revolute\"\na = \"ground\"\nb = "
        "\"upper\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\nfriction = { mu = 0.2, radius = 0.06, "
        "effort = 0.1, viscous = 0.02 }\n"
        "[[joint]]\nname = \"elbow\"\ntype = \"revolute\"\na = \"upper\"\nb = \"lower\"\n"
        "point = [1, 0, 0]\naxis = [0, 1, 0]\nfriction = { mu = 0.1, radius = 0.05 }\n" +
        integrator("emm", 0.01, 0.4);
    check_by_both(text,
                  {"lower.x", "upper.vz", "elbow.angle"},
                  {"joint.shoulder.friction.effort",
                   "joint.shoulder.friction.mu",
                   "joint.elbow.friction.radius",
                   "joint.shoulder.friction.viscous",
                   "body.lower.mass",
                   "model.gravity[2]"},
                  1e-8);
}

TEST_CASE("what sticks goes on as one with what it sticks to") {
    // A box on a swing, tilted a little, which friction holds.
    const std::string text =
        weight({0.0, 0.0, -kGravity}) +
        "[[body]]\nname = \"swing\"\ntype = \"ancf_rigid_body\"\nmass = 3\n"
        "inertia = [0.4, 0.5, 0.6]\nposition = [0, 0, -1]\n" +
        particle("load", 0.8, {0.1, 0.0, -0.9}, {0.0, 0.0, 0.0}) +
        "[[joint]]\nname = \"pivot\"\ntype = \"revolute\"\na = \"ground\"\nb = \"swing\"\n"
        "point = [0, 0, 0]\naxis = [0, 1, 0]\nspring = { stiffness = 6.0 }\n"
        "[[constraint]]\nname = \"deck\"\ntype = \"point_on_plane\"\npoint = \"load@0\"\n"
        "origin = \"swing@[0, 0, 0.1]\"\nnormal = \"swing@[0, 0, 1]\"\n" +
        friction("deck", mu(0.9, 0.6)) + integrator("emm", 0.01, 0.5);
    check_by_both(text,
                  {"load.x", "swing.vx", "load.vz"},
                  {"body.load.mass", "body.swing.mass", "joint.pivot.spring.stiffness"},
                  1e-8);
}

/// By the adjoint, and by runs so near that modes end in the same steps.
void check_by_near(const std::string& text, const std::string& of, const Texts& by) {
    const Gradient adjoint = gradient_of(text, {of}, by, GradientMethod::adjoint);
    const auto value = [&](const std::string& key, double at) {
        Simulation simulation = model(text, {fmt::format("{}={:.17g}", key, at)});
        run_to_end(simulation);
        return column(simulation, of);
    };
    for (std::size_t k = 0; k < by.size(); ++k) {
        CAPTURE(by[k]);
        const double p = adjoint.by[k].value, d = 3e-6 * p;
        const double near = value(by[k], p + d) - value(by[k], p - d);
        const double far = value(by[k], p + 2.0 * d) - value(by[k], p - 2.0 * d);
        const double expected = (8.0 * near - far) / (12.0 * d);
        CHECK(adjoint.entry(0, k).is_by_adjoint);
        CHECK(adjoint.entry(0, k).value == testing::near(expected, 3e-8 * std::abs(expected)));
    }
}

TEST_CASE("a box on a belt, tied by a spring, that sticks and slips") {
    const std::string text =
        "[parameters]\nm = 0.5\nk = 40.0\n" + weight({0.0, 0.0, -kGravity}) +
        "[[body]]\nname = \"box\"\ntype = \"particle\"\nmass = \"m\"\nposition = [0, 0, 0]\n"
        "velocity = [0.3, 0, 0]\n[[constraint]]\nname = \"rail\"\ntype = \"point_on_line\"\n"
        "point = \"box@0\"\ndirection = [1, 0, 0]\n" +
        friction("rail", mu(0.45, 0.3)) +
        "surface_velocity = [0.3, 0, 0]\n[[constraint]]\nname = \"tie\"\ntype = \"spring\"\n"
        "a = \"ground@[0, 0.4, 0.1]\"\nb = \"box@0\"\nstiffness = \"k\"\nfree = 0.3\n" +
        integrator("emm", 0.01, 5.0);
    Simulation whole = model(text);
    run_to_end(whole);
    // It slips, stops, and slips once more.
    REQUIRE(whole.events().size() >= 3);
    check_by_near(
        text,
        "box.x",
        {"parameters.k", "parameters.m", "force.rub_rail.mu_static", "force.rub_rail.mu_kinetic"});
    // At rest on the belt: any other velocity slides at first.
    const Gradient by_start =
        gradient_of(text, {"box.x"}, {"body.box.velocity[0]"}, GradientMethod::automatic);
    CHECK_FALSE(by_start.entry(0, 0).is_by_adjoint);
    CHECK(has(by_start.why_differences, "another mode"));
}

TEST_CASE("a block on a rail that stops on an incline, and one that comes back") {
    // It stops at v^2 / (2 d) along it, d = g (sin a + mu cos a), and stays, or goes back by
    // c (t - v / d)^2 / 2, c = g (sin a - mu cos a).
    for (const double coefficient : {0.8, 0.3}) {
        CAPTURE(coefficient);
        const Incline incline(coefficient);
        const double t = 1.3 * incline.stop, v = Incline::kSpeed;
        const std::string text =
            weight({0.0, 0.0, -kGravity}) +
            particle("block", 2.5, Vec3::Zero(), v * Incline::uphill()) +
            "[[constraint]]\nname = \"ramp\"\ntype = \"point_on_line\"\npoint = \"block@0\"\n"
            "direction = " +
            triple(Incline::uphill()) + "\n" + friction("ramp", mu(coefficient)) +
            integrator("emm", 0.01, t);
        const Gradient found =
            gradient_of(text, {"block.x"}, {"force.rub_ramp.mu_kinetic"}, GradientMethod::adjoint);
        const double slope = kGravity * Incline::kCos;  // of d by mu, and of -c
        double expected = -0.5 * v * v / (incline.d * incline.d) * slope;
        if (incline.c > 0.0) {
            const double s = t - incline.stop;
            expected += 0.5 * slope * s * s - incline.c * s * v / (incline.d * incline.d) * slope;
        }
        CHECK(found.entry(0, 0).value == near(Incline::kCos * expected, 1e-10));
    }
}

TEST_CASE("a pendulum with friction that turns back") {
    const std::string text =
        "[parameters]\nF = 0.3\n" + weight({0.0, 0.0, -kGravity}) +
        "[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\"\nmass = 1.2\n"
        "inertia = [0.01, 0.04, 0.04]\nposition = [0.5, 0, 0]\n[[joint]]\nname = \"pin\"\n"
        "type = \"revolute\"\na = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\n"
        "axis = [0, 1, 0]\nfriction = { mu = 0.2, radius = 0.06, effort = \"F\", viscous = 0.02 "
        "}\n" +
        integrator("emm", 0.01, 2.0);
    Simulation whole = model(text);
    run_to_end(whole);
    REQUIRE(whole.events().size() >= 1);
    check_by_near(
        text,
        "pin.angle",
        {"parameters.F", "joint.pin.friction.mu", "joint.pin.friction.viscous", "body.arm.mass"});
}

}  // namespace
}  // namespace ancora::testing
