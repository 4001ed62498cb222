// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of results, and fits, against closed forms, invariances and statistics.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"
#include "friction_models.hpp"
#include "support/refusal.hpp"

namespace ancora::testing {
namespace {

using Texts = std::vector<std::string>;

ModelSource source(const std::string& text) {
    return [text](std::span<const std::string> overrides) {
        return Manifest::parse(text, "test.toml", overrides);
    };
}

Gradient gradient(const std::string& text,
                  const Texts& of,
                  const Texts& by,
                  GradientMethod method = GradientMethod::automatic,
                  std::size_t most_bytes = GradientOptions().most_bytes) {
    std::vector<Objective> objectives;
    for (const std::string& one : of) objectives.push_back(Objective::parse(one));
    return differentiate(source(text),
                         objectives,
                         by,
                         registry(),
                         {.workers = 0, .method = method, .most_bytes = most_bytes});
}

// --- closed forms

TEST_CASE("derivatives of a throw, by start, gravity and mass") {
    // z = z_0 + v t - g t^2 / 2, which the midpoint rule has exactly
    for (const std::string method : {"emm", "rk4", "dopri5"}) {
        CAPTURE(method);
        const Gradient found =
            gradient(weight({0.1, 0.0, -kGravity}) +
                         particle("stone", 2.0, {0.5, 0.0, 3.0}, {1.0, 0.0, 4.0}) +
                         integrator(method, 0.01, 0.8),
                     {"stone.z", "stone.z @ 0.5", "mean(stone.vz)", "integral(stone.x)"},
                     {"body.stone.velocity[2]",
                      "body.stone.position[2]",
                      "model.gravity[2]",
                      "body.stone.mass",
                      "body.stone.velocity[1]",
                      "body.stone.velocity[0]"});
        const double t = 0.8;
        const double expected[4][6] = {{t, 1.0, 0.5 * t * t, 0.0, 0.0, 0.0},
                                       {0.5, 1.0, 0.125, 0.0, 0.0, 0.0},
                                       {1.0, 0.0, 0.5 * t, 0.0, 0.0, 0.0},
                                       {0.0, 0.0, 0.0, 0.0, 0.0, 0.5 * t * t}};
        for (std::size_t i = 0; i < 4; ++i)
            for (std::size_t k = 0; k < 6; ++k) {
                CAPTURE(found.of[i].text);
                CAPTURE(found.by[k].key);
                const Gradient::Entry& entry = found.entry(i, k);
                CHECK(entry.remark == "");
                CHECK(entry.value == near(expected[i][k], 1e-9));
                CHECK(std::abs(entry.value - expected[i][k]) <= tolerance(10.0 * entry.error));
            }
        CHECK(found.by[2].unit == "m/s^2");
        CHECK(found.of[3].unit == "m s");
    }
}

TEST_CASE("gravity of a central body has its own keys") {
    // r = r_0 - mu t^2 / (2 r_0^2) (1 + mu t^2 / (6 r_0^3) + ...)
    const std::string text =
        "[model]\ngravity = { type = \"central\", mu = 4.0, center = [0, 0, 0] }\n" +
        particle("stone", 1.0, {2.0, 0.0, 0.0}, {0.0, 0.0, 0.0}) + integrator("emm", 1e-3, 0.02);
    const Gradient found = gradient(text, {"stone.x"}, {"model.gravity.mu"});
    CHECK(found.by[0].value == 4.0);
    CHECK(found.entry(0, 0).value == near(-0.5 * 4e-4 / 4.0, 1e-8));
    CHECK(has(refusal([&] {
                  gradient(text, {"stone.x"}, {"model.gravity[0]"});
              }),
              "no value of it"));
}

std::string bouncing(double e, double height, const std::string& method = "emm") {
    return fmt::format("[parameters]\nh = {:.17g}\nk = {:.17g}\n", height, e) +
           weight({0.0, 0.0, -kGravity}) +
           "\n[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 1.5\nposition = [0, 0, "
           "\"h\"]\nvelocity = [0.3, 0, 0]\n\n[[constraint]]\nname = \"floor\"\ntype = "
           "\"contact\"\na = \"ball\"\nb = \"ground\"\nradius = 0.0\nplane = { normal = [0, 0, 1] "
           "}\nrestitution = \"k\"\n" +
           integrator(method, 0.01, 0.7);
}

TEST_CASE("derivatives go through impacts") {
    // z = v s - g s^2 / 2,  v = e sqrt(2 g h),  s = t - sqrt(2 h / g)
    const double g = kGravity, t = 0.7;
    for (const double e : {0.5, 0.8})
        for (const double h : {0.7, 1.0}) {
            CAPTURE(e);
            CAPTURE(h);
            const Gradient found =
                gradient(bouncing(e, h), {"ball.z"}, {"parameters.k", "parameters.h"});
            const double s = t - std::sqrt(2.0 * h / g), v = e * std::sqrt(2.0 * g * h);
            REQUIRE(2.0 * v / g > s);  // before the second one
            const double by_e = std::sqrt(2.0 * g * h) * s;
            const double by_h = 0.5 * v / h * s - (v - g * s) / std::sqrt(2.0 * g * h);
            CHECK(found.entry(0, 0).value == near(by_e, 1e-8));
            CHECK(found.entry(0, 1).value == near(by_h, 1e-8));
        }
}

TEST_CASE("an extreme value is followed where the model as it stands has it") {
    const Gradient found =
        gradient(bouncing(0.8, 1.0), {"max(ball.z)"}, {"parameters.k", "parameters.h"});
    CHECK(found.entry(0, 0).value == near(0.0, 1e-9));
    CHECK(found.entry(0, 1).value == near(1.0, 1e-9));
    CHECK(*found.of[0].at == 0.0);
}

TEST_CASE("where there is no derivative the remark says why") {
    const double at = std::sqrt(2.0 / kGravity);  // of the impact
    // The run ends at the impact, which neighbours have or not.
    std::string text = bouncing(0.8, 1.0);
    text.replace(text.rfind("end = "), std::string::npos, fmt::format("end = {:.17g}\n", at));
    const Gradient edge = gradient(text, {"ball.vz"}, {"parameters.h"});
    CAPTURE(edge.entry(0, 0).value);
    CAPTURE(edge.entry(0, 0).remark);
    CHECK(has(edge.entry(0, 0).remark, "another order"));
    // Restitution may not exceed 1: from below alone.
    const Gradient side = gradient(bouncing(1.0, 1.0), {"ball.z"}, {"parameters.k"});
    CHECK(has(side.entry(0, 0).remark, "from one side"));
    CHECK(side.entry(0, 0).value ==
          near(std::sqrt(2.0 * kGravity) * (0.7 - std::sqrt(2.0 / kGravity)), 1e-6));
    // |x| of a throw that passes x = 0 at its end has a corner.
    const Gradient bend =
        gradient(weight({0.0, 0.0, 0.0}) + particle("a", 1.0, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}) +
                     "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = "
                     "\"a@0\"\nforce = [\"abs(${k})\", \"0\", \"0\"]\n" +
                     integrator("emm", 0.01, 1.0) + "\n[parameters]\nk = 0.0\n",
                 {"a.x"},
                 {"parameters.k"});
    CAPTURE(bend.entry(0, 0).remark);
    CHECK(has(bend.entry(0, 0).remark, "a corner: slopes of 0.5 above and -0.5 below"));
}

// --- invariances of random mechanisms

/// A chain of bars on random hinges, with dampers and drives in it, swinging from rest.
std::string random_chain(std::mt19937& random, int num_links) {
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    std::string text = weight({0.0, 0.0, -kGravity});
    double x = 0.0;
    for (int i = 0; i < num_links; ++i) {
        const double length = 0.4 + 0.2 * part(random);
        text += fmt::format(
            "\n[[body]]\nname = \"b{0}\"\ntype = \"ancf_rigid_body\"\nsize = [{1:.17g}, 0.05, "
            "0.08]\ndensity = {2:.17g}\npenalty = inf\nposition = [{3:.17g}, 0, 0]\n"
            "\n[[joint]]\nname = \"j{0}\"\ntype = \"revolute\"\na = \"{4}\"\nb = \"b{0}\"\npoint = "
            "[{5:.17g}, 0, 0]\naxis = [{6:.17g}, 1.0, {7:.17g}]\n",
            i,
            length,
            800.0 + 300.0 * part(random),
            x + 0.5 * length,
            i == 0 ? "ground" : fmt::format("b{}", i - 1),
            x,
            0.4 * part(random),
            0.4 * part(random));
        x += length;
    }
    return text + integrator("emm", 5e-3, 0.5);
}

TEST_CASE(
    "random chains: motion depends on ratios of masses alone, and forces are linear in them") {
    std::mt19937 random(7);
    for (int trial = 0; trial < 6; ++trial) {
        CAPTURE(trial);
        const int num_links = 1 + trial % 4;
        const std::string last = fmt::format("b{}", num_links - 1);
        Texts by;
        for (int i = 0; i < num_links; ++i) by.push_back(fmt::format("body.b{}.density", i));
        by.emplace_back("model.gravity[2]");
        const Gradient found = gradient(random_chain(random, num_links),
                                        {last + ".x", last + ".wz", "j0.force.z", "energy.kinetic"},
                                        by);
        // sum over bodies of rho dJ/drho = n J, with n the degree of J in masses
        const double degree[] = {0.0, 0.0, 1.0, 1.0};
        for (std::size_t i = 0; i < found.of.size(); ++i) {
            CAPTURE(found.of[i].text);
            double sum = 0.0, size = std::abs(found.of[i].value), error = 0.0;
            for (std::size_t k = 0; k + 1 < by.size(); ++k) {
                sum += found.by[k].value * found.entry(i, k).value;
                size += std::abs(found.by[k].value * found.entry(i, k).value);
                error += found.by[k].value * found.entry(i, k).error;
                CHECK(found.entry(i, k).remark == "");
            }
            CHECK(sum == near(degree[i] * found.of[i].value, 1e-8 * size + 10.0 * error));
            CHECK(error <= tolerance(1e-6 * size));
        }
    }
}

// --- the adjoint

std::string swing(double damping, double length);

/// Particles on springs, dampers, cables and rods, pushed, pulled and slowed down by air.
std::string random_net(std::mt19937& random, int num_particles, const std::string& method = "emm") {
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    const auto vector = [&] {
        return Vec3(part(random), part(random), part(random));
    };
    std::string text = weight(9.81 * vector()) + "project_start = true\n";
    for (int i = 0; i < num_particles; ++i)
        text += particle(fmt::format("p{}", i),
                         1.0 + 0.8 * part(random),
                         vector() + Vec3(2.0 * i, 0.0, 0.0),
                         2.0 * vector());
    const auto end = [](int i) {
        return i < 0 ? std::string("ground@[-1, 0, 0]") : fmt::format("p{}@0", i);
    };
    for (int i = 0; i < num_particles; ++i) {
        const std::string ends =
            fmt::format("a = \"{}\"\nb = \"{}\"\n", end(i - 1 - (random() % 2 == 0)), end(i));
        switch (random() % 4) {
            case 0:
                text += fmt::format(
                    "\n[[constraint]]\nname = \"t{}\"\ntype = \"distance\"\n{}", i, ends);
                break;
            case 1:
                text += fmt::format(
                    "\n[[constraint]]\nname = \"t{}\"\ntype = \"spring\"\n{}stiffness = "
                    "{:.17g}\n",
                    i,
                    ends,
                    60.0 + 40.0 * part(random));
                break;
            case 2:
                text += fmt::format(
                    "\n[[force]]\nname = \"t{}\"\ntype = \"spring_damper\"\n{}stiffness = "
                    "{:.17g}\ndamping = 0.4\nfree = 1.5\n",
                    i,
                    ends,
                    60.0 + 40.0 * part(random));
                break;
            default:
                text += fmt::format(
                    "\n[[force]]\nname = \"t{0}\"\ntype = \"point_load\"\nat = "
                    "\"p{0}@0\"\nforce = [\"{1:.17g}*sin(3*t)\", \"-0.3*vx - 0.2*vx^3\", "
                    "\"sin(2*x)\"]\n",
                    i,
                    4.0 * part(random));
        }
    }
    return text + integrator(method, 0.01, 0.6);
}

void check_alike(const Gradient& adjoint, const Gradient& differences) {
    for (std::size_t i = 0; i < adjoint.of.size(); ++i)
        for (std::size_t k = 0; k < adjoint.by.size(); ++k) {
            CAPTURE(adjoint.of[i].text);
            CAPTURE(adjoint.by[k].key);
            const Gradient::Entry& expected = differences.entry(i, k);
            CHECK_FALSE(expected.is_by_adjoint);
            CHECK(adjoint.entry(i, k).value ==
                  near(expected.value,
                       1e-8 * std::abs(expected.value) + 10.0 * expected.error + 1e-10));
        }
}

TEST_CASE("forty random nets: derivatives by the adjoint are those of differences of runs") {
    std::mt19937 random(3);
    int num_by_adjoint = 0;
    for (int trial = 0; trial < 40; ++trial) {
        CAPTURE(trial);
        const int count = 2 + trial % 4;
        const std::string text = random_net(random, count);
        CAPTURE(text);
        const std::string last = fmt::format("p{}", count - 1);
        const Texts of{last + ".x", last + ".vz @ 0.3", "mean(p0.y)", "energy.total"};
        const Texts by{"model.gravity[1]",
                       "body." + last + ".mass",
                       "body.p0.velocity[0]",
                       "body.p0.position[2]"};
        const Gradient found = gradient(text, of, by);
        num_by_adjoint += found.why_differences.empty() ? 1 : 0;
        check_alike(found, gradient(text, of, by, GradientMethod::differences));
    }
    CHECK(num_by_adjoint >= 30);
}

/// Bars on hinges, some of which turn as prescribed; flat ones, and from the third bar on rods to
/// the first that a hinge holds as well, so that rows depend on each other.
std::string random_driven_chain(std::mt19937& random,
                                int num_links,
                                const std::string& method = "emm") {
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    std::string text = weight({0.0, 0.0, -kGravity});
    double x = 0.0;
    for (int i = 0; i < num_links; ++i) {
        const double length = 0.4 + 0.2 * part(random);
        text += fmt::format(
            "\n[[body]]\nname = \"b{0}\"\ntype = \"ancf_rigid_body\"\nmass = {1:.17g}\ninertia = "
            "[{2:.17g}, 0.04, {3:.17g}]\npenalty = inf\nposition = [{4:.17g}, 0, 0]\n"
            "\n[[joint]]\nname = \"j{0}\"\ntype = \"revolute\"\na = \"{5}\"\nb = \"b{0}\"\npoint = "
            "[{6:.17g}, 0, 0]\naxis = [0, 1, 0]\n",
            i,
            std::pow(10.0, 2.0 * part(random)),
            i % 2 == 0 ? 0.01 : 0.0,
            i % 2 == 0 ? 0.05 : 0.04,
            x + 0.5 * length,
            i == 0 ? "ground" : fmt::format("b{}", i - 1),
            x);
        x += length;
        if (i == 0 || random() % 2 == 0)
            text += fmt::format(
                "drive = \"{:.17g}*sin({:.17g}*t)^2\"\n", 0.6 * part(random), 2.0 + part(random));
        else
            text += fmt::format("damping = {:.17g}\n", 0.1 + 0.05 * part(random));
    }
    // What planar hinges say already
    text += fmt::format(
        "\n[[constraint]]\nname = \"plane\"\ntype = \"point_on_plane\"\npoint = \"b{}@[0, 0, "
        "0]\"\nnormal "
        "= "
        "[0, 1, 0]\norigin = \"ground@[0, 0, 0]\"\n",
        num_links - 1);
    return text + integrator(method, 0.01, 0.3);
}

TEST_CASE("twenty driven chains: derivatives by the adjoint are those of differences of runs") {
    std::mt19937 random(17);
    for (int trial = 0; trial < 20; ++trial) {
        CAPTURE(trial);
        const int count = 2 + trial % 3;
        const std::string text = random_driven_chain(random, count);
        CAPTURE(text);
        const std::string last = fmt::format("b{}", count - 1);
        const Texts of{last + ".x", last + ".vz", last + ".wy @ 0.15", "mean(" + last + ".z)"};
        const Texts by{"model.gravity[2]", "body.b0.mass", "body." + last + ".mass"};
        const Gradient found = gradient(text, of, by, GradientMethod::adjoint);
        check_alike(found, gradient(text, of, by, GradientMethod::differences));
    }
}

TEST_CASE("explicit methods: derivatives by the adjoint are those of differences of runs") {
    std::mt19937 random(23);
    const auto compare = [](const std::string& text, const Texts& of, const Texts& by) {
        CAPTURE(text);
        const Gradient found = gradient(text, of, by, GradientMethod::adjoint);
        check_alike(found, gradient(text, of, by, GradientMethod::differences));
    };
    for (int trial = 0; trial < 6; ++trial) {
        const std::string last = fmt::format("p{}", 1 + trial % 3);
        compare(random_net(random, 2 + trial % 3, "rk4"),
                {last + ".x", last + ".vz @ 0.3", "mean(p0.y)"},
                {"model.gravity[1]", "body." + last + ".mass", "body.p0.position[2]"});
    }
    // Driven, redundant, flat; brought onto their constraints, or drawn to them.
    for (int trial = 0; trial < 6; ++trial) {
        const std::string last = fmt::format("b{}", 1 + trial % 3);
        compare(random_driven_chain(random, 2 + trial % 3, "rk4") +
                    (trial % 3 == 2 ? "\n[integrator.rk4]\nprojection = false\nbaumgarte = 20.0\n"
                                    : ""),
                {last + ".x", last + ".vz", last + ".wy @ 0.15", "mean(" + last + ".z)"},
                {"model.gravity[2]", "body.b0.mass", "body." + last + ".mass"});
    }
    for (const char* const method : {"verlet", "symplectic"})
        compare(
            weight({0.3, 0.0, -kGravity}) +
                "\n[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = { counts = [3, 3], spacing "
                "= [0.4, 0.4] }\nyoung = 2e6\narea = 1e-5\ndensity = 900.0\nmass = \"lumped\"\n"
                "\n[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = \"net@0\"\n"
                "b = \"ground@[0, 0, 0]\"\n\n[output]\npoints = [\"net@8\"]\n" +
                integrator(method, 0.002, 0.2),
            {"net@8.z", "net@8.vx @ 0.1"},
            {"body.net.young", "body.net.density", "model.gravity[0]", "model.gravity[2]"});
}

/// A rod on a sphere that grows, whose end moves by a condition on velocities.
std::string on_velocities(const std::string& condition, const std::string& integrator_keys) {
    return "[parameters]\nA = 0.4\n" + weight({0.0, 0.5, -kGravity}) +
           particle("a", 1.0, {1.0, 0.0, 0.0}, {0.0, 0.0, 0.0}) +
           particle("b", 0.5, {1.0, 0.5, 0.0}, {0.0, 0.0, 0.3}) +
           "\n[[constraint]]\nname = \"sphere\"\ntype = \"general_constraint\"\nequation = "
           "\"a.x^2 + a.y^2 + a.z^2 = (1 + ${A}*t^2)^2\"\n\n[[constraint]]\nname = \"roll\"\ntype "
           "= "
           "\"general_constraint\"\nlevel = \"velocity\"\nequation = \"" +
           condition + "\"\n" + integrator("rk4", 0.005, 0.3) + integrator_keys;
}

TEST_CASE("conditions on velocities look at places that they have no entry for") {
    const Texts of{"b.x", "b.vz", "a.y"},
        by{"parameters.A", "body.b.mass", "body.b.velocity[2]", "model.gravity[1]"};
    for (const std::string& text :
         {on_velocities("b.vx*a.y = 0.3*b.vy*a.x", ""),
          on_velocities("b.vx = 0.5*b.vy",
                        "\n[integrator.rk4]\nprojection = false\nbaumgarte = 20.0\n"),
          on_velocities("b.vx*a.y = 0.3*b.vy*a.x",
                        "\n[integrator.rk4]\nprojection = false\nbaumgarte = 20.0\n")}) {
        CAPTURE(text);
        const Gradient found = gradient(text, of, by, GradientMethod::adjoint);
        check_alike(found, gradient(text, of, by, GradientMethod::differences));
    }
}

TEST_CASE("what acts for a short while only has a derivative") {
    for (const std::string method : {"emm", "rk4"}) {
        CAPTURE(method);
        const Gradient found = gradient(
            "[parameters]\nF = 3.0\n" + weight({0.0, 0.0, 0.0}) +
                particle("m", 2.0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}) +
                "\n[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"m@0\"\nforce = "
                "[\"if(t > 0.13, if(t < 0.17, ${F}, 0), 0)\", \"0\", \"0\"]\n" +
                integrator(method, 0.01, 1.0),
            {"m.vx"},
            {"parameters.F"});
        // 0.04 s over 2 kg
        CHECK(found.entry(0, 0).value == near(0.02, 1e-6));
    }
}

TEST_CASE("a hinge that turns as prescribed: places and velocities by its amplitude") {
    // x = l cos(phi), phi = A sin^2(w t), at step ends to rounding, velocities too
    const double A = 0.7, w = 2.5, end = 0.5;
    const std::string text =
        fmt::format("[parameters]\nA = {}\n", A) + weight({0.0, 0.0, -kGravity}) +
        fmt::format(
            "\n[[body]]\nname = \"bar\"\ntype = \"ancf_rigid_body\"\nsize = [1, 0.1, "
            "0.1]\ndensity = 1000\npenalty = inf\nposition = [0.5, 0, 0]\n\n[[joint]]\nname = "
            "\"j\"\ntype = \"revolute\"\na = \"ground\"\nb = \"bar\"\npoint = [0, 0, 0]\naxis = "
            "[0, 1, 0]\ndrive = \"${{A}}*sin({}*t)^2\"\n",
            w) +
        integrator("emm", 0.01, end);
    const Gradient found =
        gradient(text, {"bar.x", "bar.vx"}, {"parameters.A"}, GradientMethod::adjoint);
    const double s = std::sin(w * end), c = std::cos(w * end), phi = A * s * s;
    const double rate = 2.0 * A * w * s * c;
    CHECK(found.entry(0, 0).value == near(-0.5 * std::sin(phi) * s * s, 1e-9));
    CHECK(found.entry(1, 0).value ==
          near(-0.5 * (std::cos(phi) * s * s * rate + std::sin(phi) * rate / A), 1e-8));
}

TEST_CASE("parameters of many objects together have the derivatives of each alone") {
    std::mt19937 random(23);
    for (int trial = 0; trial < 6; ++trial) {
        CAPTURE(trial);
        const int count = 5 + trial;
        const std::string text = random_net(random, count);
        CAPTURE(text);
        Texts by;
        for (int i = 0; i < count; ++i)
            for (const char* key : {"mass", "position[1]", "velocity[2]"})
                by.push_back(fmt::format("body.p{}.{}", i, key));
        const Texts of{fmt::format("p{}.x", count - 1), "mean(p0.z)"};
        const Gradient all = gradient(text, of, by, GradientMethod::adjoint);
        for (std::size_t k = 0; k < by.size(); ++k) {
            CAPTURE(by[k]);
            const Gradient alone = gradient(text, of, {by[k]}, GradientMethod::adjoint);
            for (std::size_t i = 0; i < of.size(); ++i)
                CHECK(all.entry(i, k).value ==
                      near(alone.entry(i, 0).value,
                           1e-9 * std::abs(alone.entry(i, 0).value) + 1e-10));
        }
    }
}

TEST_CASE("steps that are computed again have the derivatives of those that are kept") {
    std::mt19937 random(29);
    for (int trial = 0; trial < 6; ++trial) {
        CAPTURE(trial);
        const std::string text =
            trial % 2 == 0 ? random_net(random, 4) : random_driven_chain(random, 3);
        const std::string body = trial % 2 == 0 ? "p1" : "b1";
        const Texts of{body + ".x", "mean(" + body + ".z)", "max(" + body + ".vz)"};
        const Texts by{"body." + body + ".mass", "model.gravity[2]"};
        const Gradient kept = gradient(text, of, by, GradientMethod::adjoint);
        const Gradient again = gradient(text, of, by, GradientMethod::adjoint, 0);
        for (std::size_t i = 0; i < of.size(); ++i)
            for (std::size_t k = 0; k < by.size(); ++k)
                CHECK(
                    again.entry(i, k).value ==
                    near(kept.entry(i, k).value, 1e-10 * std::abs(kept.entry(i, k).value) + 1e-11));
    }
}

TEST_CASE("rest lengths that change with time: derivatives by the adjoint and by differences") {
    const std::string text =
        "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"rope\"\ntype = \"truss\"\n"
        "from = [0, 0, 0]\nto = [0.8, 0.3, -0.2]\nelements = 3\nyoung = 1e6\narea = 1e-4\n"
        "density = 1000\nrest_length = [[-1, 0.9], [0, 0.8], [1, 0.7], [2, 0.8]]\n"
        "interpolation = \"rest\"\n[output]\npoints = [\"rope@0\", \"rope@3\"]\n" +
        integrator("emm", 0.004, 0.1);
    const Texts of{"rope@0.x", "rope@3.vz"};
    const Texts by{"body.rope.young", "body.rope.density", "body.rope.to[2]"};
    const Gradient adjoint = gradient(text, of, by, GradientMethod::adjoint);
    const Gradient differences = gradient(text, of, by, GradientMethod::differences);
    for (std::size_t e = 0; e < adjoint.entries.size(); ++e) {
        const double expected = differences.entries[e].value;
        CHECK(adjoint.entries[e].value ==
              near(expected, 1e-8 * std::abs(expected) + 10.0 * differences.entries[e].error));
    }
}

TEST_CASE("compositions of steps have an adjoint, with constraints too") {
    std::mt19937 random(31);
    for (const int order : {4, 6, 8}) {
        CAPTURE(order);
        std::string text = weight({0.0, -kGravity, 0.0});
        for (int i = 0; i < 3; ++i) {
            text += particle(
                fmt::format("p{}", i), 1.0 + 0.2 * i, {1.0 * i, 0.1 * i, 0.2}, Vec3::Zero());
            text += fmt::format(
                "\n[[constraint]]\nname = \"t{0}\"\ntype = \"spring\"\na = \"{1}\"\nb = "
                "\"p{0}@0\"\nstiffness = 60\nfree = 0.9\n",
                i,
                i == 0 ? std::string("ground@[-1, 0, 0]") : fmt::format("p{}@0", i - 1));
        }
        const std::string tail =
            integrator("emm", 0.02, 0.4) + fmt::format("\n[integrator.emm]\norder = {}\n", order);
        const Texts of{"p2.x", "p0.vy"}, by{"body.p1.mass", "model.gravity[1]"};
        check_alike(gradient(text + tail, of, by, GradientMethod::adjoint),
                    gradient(text + tail, of, by, GradientMethod::differences));
        const std::string rod =
            "\n[[constraint]]\nname = \"rod\"\ntype = \"distance\"\na = \"p0@0\"\nb = "
            "\"p2@0\"\n";
        check_alike(gradient(text + rod + tail, of, by, GradientMethod::adjoint),
                    gradient(text + rod + tail, of, by, GradientMethod::differences));
    }
}

// Hinges of bars by position rows are redundant; sizes and lengths enter the rows.
TEST_CASE("bars on hinges in projected steps: derivatives by the adjoint and by differences") {
    std::string text =
        weight({0.3, -kGravity, 0.2}) +
        "[[body]]\nname = \"upper\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [0.02, 0.2, "
        "0.21]\nposition = [0.5, 0, 0]\n[[body]]\nname = \"lower\"\ntype = "
        "\"ancf_rigid_body\"\nsize = [0.8, 0.1, 0.2]\ndensity = 70\nposition = [1.4, 0, 0]\n"
        "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"ground\"\nb = \"upper\"\npoint = "
        "[0, 0, 0]\naxis = [0, 0, 1]\ndamping = 0.2\n[[constraint]]\nname = \"knee\"\ntype = "
        "\"position\"\na = \"upper@[0.5, 0, 0.1]\"\nb = \"lower@[-0.4, 0, 0.1]\"\n"
        "[[constraint]]\nname = \"knee_too\"\ntype = \"position\"\na = \"upper@[0.5, 0, "
        "-0.1]\"\nb = \"lower@[-0.4, 0, -0.1]\"\n[[constraint]]\nname = \"band\"\ntype = "
        "\"spring\"\na = \"lower@[0.4, 0, 0]\"\nb = \"ground@[1, 1, 0]\"\nstiffness = 40\nfree = "
        "0.5\n";
    const Texts of{"lower.x", "upper.vy", "pin.angle", "max(lower.y)"},
        by{"body.upper.mass",
           "body.lower.density",
           "body.lower.size[1]",
           "joint.pin.damping",
           "constraint.band.stiffness",
           "model.gravity[1]"};
    for (const char* const settings :
         {"velocity_projection = true", "order = 4", "order = 6", "order = 8"}) {
        CAPTURE(settings);
        const std::string model =
            text + integrator("emm", 0.02, 0.6) + "\n[integrator.emm]\n" + settings + "\n";
        check_alike(gradient(model, of, by, GradientMethod::adjoint),
                    gradient(model, of, by, GradientMethod::differences));
        // Steps that are computed again have their projections too.
        const Gradient kept = gradient(model, of, by, GradientMethod::adjoint);
        const Gradient again = gradient(model, of, by, GradientMethod::adjoint, 1);
        for (std::size_t e = 0; e < kept.entries.size(); ++e)
            CHECK(again.entries[e].value ==
                  near(kept.entries[e].value, 1e-9 * std::abs(kept.entries[e].value) + 1e-11));
    }
}

TEST_CASE("a free system that starts elsewhere goes on elsewhere, and a faster one faster") {
    // sum over bodies of dJ/dx_0 and of dJ/dv_0 are constant backwards: 1 and t for a place, 0 and
    // 1 for a velocity.
    std::mt19937 random(5);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    for (int trial = 0; trial < 5; ++trial) {
        std::string text = weight({0.0, 0.0, 0.0});
        Texts by;
        const int count = 3 + trial;
        for (int i = 0; i < count; ++i) {
            text += particle(fmt::format("p{}", i),
                             1.0 + 0.8 * part(random),
                             {1.0 * i, part(random), part(random)},
                             {part(random), part(random), part(random)});
            by.push_back(fmt::format("body.p{}.position[1]", i));
            by.push_back(fmt::format("body.p{}.velocity[1]", i));
            for (int j = i > 1 ? i - 2 : 0; j < i; ++j)
                text += fmt::format(
                    "\n[[constraint]]\nname = \"t{0}{1}\"\ntype = \"spring\"\na = "
                    "\"p{0}@0\"\nb = \"p{1}@0\"\nstiffness = 80\nfree = 1\n",
                    i,
                    j);
        }
        text += integrator("emm", 0.01, 1.0);
        const Gradient found =
            gradient(text, {"p0.y", "p0.vy", "p1.x"}, by, GradientMethod::adjoint);
        const double expected[3][2] = {{1.0, 1.0}, {0.0, 1.0}, {0.0, 0.0}};
        for (std::size_t i = 0; i < 3; ++i)
            for (std::size_t of_rate = 0; of_rate < 2; ++of_rate) {
                double sum = 0.0;
                for (std::size_t k = of_rate; k < by.size(); k += 2) sum += found.entry(i, k).value;
                CAPTURE(i);
                CHECK(sum == near(expected[i][of_rate], 1e-9));  // of starts by differences
            }
    }
}

TEST_CASE("objects stand for their sensitive parameters, of tables and arrays too") {
    const std::string text =
        weight({0.0, 0.0, -kGravity}) +
        "[[body]]\nname = \"arm\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [0.1, 0.2, "
        "\"0.1 + 0.2\"]\nposition = [0.5, 0, 0]\n[[joint]]\nname = \"pin\"\ntype = "
        "\"revolute\"\na = \"ground\"\nb = \"arm\"\npoint = [0, 0, 0]\naxis = [0, 1, "
        "0]\ndamping = 0.3\nspring = { stiffness = 5.0, free = 0.1 }\n" +
        integrator("emm", 0.01, 0.2);
    const auto keys = [&](const Texts& by) {
        Texts out;
        for (const Gradient::Parameter& one : gradient(text, {"arm.z"}, by).by)
            out.push_back(one.key);
        std::ranges::sort(out);
        return out;
    };
    const Texts arm{
        "body.arm.inertia[0]", "body.arm.inertia[1]", "body.arm.inertia[2]", "body.arm.mass"};
    const Texts pin{"joint.pin.damping", "joint.pin.spring.free", "joint.pin.spring.stiffness"};
    CHECK(keys({"body.arm"}) == arm);
    CHECK(keys({"joint.pin"}) == pin);
    Texts all = arm;
    all.insert(all.end(), pin.begin(), pin.end());
    all.push_back("model.gravity[2]");
    CHECK(keys({"sensitive", "model.gravity[2]", "body.arm.mass"}) == all);
    const Gradient found = gradient(text, {"arm.z"}, {"joint.pin"});
    CHECK(found.by[0].unit == "N s/m or N m s/rad");
    CHECK(has(refusal([&] {
                  gradient(text, {"arm.z"}, {"body.arn"});
              }),
              "there is no body \"arn\"; did you mean \"arm\"?"));
}

TEST_CASE("the adjoint of a free system keeps what its symmetry says, of one that is held not") {
    const std::string free =
        "[model]\nproject_start = true\n" + particle("p", 0.7, {1.0, 0.3, 0.2}, {0.2, -0.4, 0.1}) +
        "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nmass = 2.0\ninertia = [0.1, 0.2, "
        "0.25]\nangular_velocity = [0.4, 1.0, -2.0]\n[[constraint]]\nname = \"rod\"\ntype = "
        "\"distance\"\na = \"box@[0.3, 0, 0]\"\nb = \"p@0\"\n[[constraint]]\nname = "
        "\"elastic\"\ntype = \"spring\"\na = \"box@[0, 0.4, 0.1]\"\nb = \"p@0\"\nstiffness = "
        "30\nfree = 0.8\n";
    const auto invariance = [](const std::string& text) {
        const std::string model = text + integrator("emm", 0.02, 2.0);
        Simulation run(Manifest::parse(model, "test.toml"), registry());
        Simulation other(Manifest::parse(model, "test.toml"), registry());
        const AdjointInvariance found = adjoint_invariance(run, other, 5);
        CHECK(found.obstacle == "");
        return found;
    };
    const AdjointInvariance kept = invariance(free);
    CHECK(kept.translation <= tolerance(1e-11));
    CHECK(kept.rotation <= tolerance(1e-11));
    const AdjointInvariance held = invariance(
        free +
        "[[constraint]]\nname = \"held\"\ntype = \"spring\"\na = \"p@0\"\nb = \"ground@[0, 0, "
        "-1]\"\nstiffness = 10\n");
    CHECK(held.translation > 1e-2);
    CHECK(held.rotation > 1e-2);
}

TEST_CASE("strains that are components of vectors turn with the whole") {
    // Curvatures r'' of a cable, whose rows are linear in positions.
    const std::string text =
        "[[body]]\nname = \"line\"\ntype = \"cable\"\nfrom = [0, 0, 0]\nto = [1, 0, 0.2]\n"
        "elements = 3\nlength = 0.9\nEA = 50\nEI = 0.02\nmass = 0.3\nstart = \"relaxed\"\n"
        "held = [\"start\", \"end\"]\n" +
        integrator("emm", 0.001, 0.008);
    Simulation run(source(text)({}), registry()), other(source(text)({}), registry());
    const AdjointInvariance found = adjoint_invariance(run, other, 1);
    CHECK(found.obstacle == "");
    CHECK(found.translation < 1e-10);
    CHECK(found.rotation < 1e-10);
}

TEST_CASE("changes that go forth with the run are those that the adjoint finds") {
    // As many numbers as go forth with two parameters, and each of them by itself backwards.
    const std::string text = swing(0.03, 0.5);
    const Texts by{"parameters.L", "model.gravity[2]"};
    Texts of{"max(pivot.angle)", "integral(pivot.angle_rate)", "mean(pivot.angle)"};
    for (const double t : {0.1, 0.2, 0.35, 0.5}) of.push_back(fmt::format("pivot.angle @ {}", t));
    const Gradient forth = gradient(text, of, by, GradientMethod::adjoint);
    const Gradient again = gradient(text, of, by, GradientMethod::adjoint, 1000);
    for (std::size_t i = 0; i < of.size(); ++i) {
        CAPTURE(of[i]);
        const Gradient back = gradient(text, {of[i]}, by, GradientMethod::adjoint);
        for (std::size_t k = 0; k < by.size(); ++k) {
            const double expected = back.entry(0, k).value;
            CHECK(forth.entry(i, k).value == near(expected, 1e-9 * (1.0 + std::abs(expected))));
            CHECK(again.entry(i, k).value == forth.entry(i, k).value);
        }
    }
}

TEST_CASE("a pendulum's period by its length and by its amplitude") {
    // T = 4 sqrt(L/g) K(k), k = sin(a/2): dT/dL = T / (2 L), dT/da = 2 sqrt(L/g) cos(a/2) dK/dk
    // with k (1 - k^2) dK/dk = E - (1 - k^2) K. At T/4 the rod passes the lowest point: dT = -4 dx
    // / vx.
    const double L = 0.7;
    for (const double a : {0.5, 1.2}) {
        CAPTURE(a);
        const double k = std::sin(0.5 * a);
        const double K = std::comp_ellint_1(k), E = std::comp_ellint_2(k);
        const double period = 4.0 * std::sqrt(L / kGravity) * K;
        const std::string text =
            fmt::format("[parameters]\nL = {:.17g}\na = {:.17g}\n", L, a) +
            weight({0.0, 0.0, -kGravity}) +
            "\n[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1\nposition = "
            "[\"L*sin(a)\", 0, \"-L*cos(a)\"]\n\n[[constraint]]\nname = \"rod\"\ntype = "
            "\"distance\"\na = \"ground@[0, 0, 0]\"\nb = \"bob@0\"\n" +
            integrator("emm", 0.25 * period / 800.0, 0.25 * period);
        const Gradient found = gradient(
            text, {"bob.x", "bob.vx"}, {"parameters.L", "parameters.a"}, GradientMethod::adjoint);
        const double speed = found.of[1].value;
        CHECK(-4.0 * found.entry(0, 0).value / -speed == near(-0.5 * period / L, 2e-5));
        const double by_k = (E - (1.0 - k * k) * K) / (k * (1.0 - k * k));
        CHECK(4.0 * found.entry(0, 1).value / speed ==
              near(-2.0 * std::sqrt(L / kGravity) * std::cos(0.5 * a) * by_k, 2e-5));
    }
}

TEST_CASE("the frequency of a string of beads by its tension") {
    // N beads of mass m between walls, d apart, tension S: the first mode swings with w = 2
    // sqrt(S / (m d)) sin(pi / (2 (N + 1))). A quarter period T after rest at amplitude a the
    // middle passes zero at the speed a w: d x / d S = -a w T / (2 S), to second order in amplitude
    // and step.
    constexpr int kBeads = 5;
    constexpr double m = 0.1, d = 0.2, S = 30.0, a = 1e-5;
    const double w = 2.0 * std::sqrt(S / (m * d)) * std::sin(0.5 * std::numbers::pi / (kBeads + 1));
    const double quarter = 0.5 * std::numbers::pi / w;
    std::string text = fmt::format("[parameters]\nS = {}\n", S) + weight({0.0, 0.0, 0.0});
    for (int i = 1; i <= kBeads; ++i)
        text += particle(fmt::format("p{}", i),
                         m,
                         {d * i, a * std::sin(std::numbers::pi * i / (kBeads + 1)), 0.0},
                         {0.0, 0.0, 0.0});
    for (int i = 0; i <= kBeads; ++i)
        text += fmt::format(
            "\n[[constraint]]\nname = \"t{}\"\ntype = \"spring\"\na = \"{}\"\nb = "
            "\"{}\"\nstiffness = 2000\nfree = \"{} - S/2000\"\n",
            i,
            i == 0 ? std::string("ground@[0, 0, 0]") : fmt::format("p{}@0", i),
            i == kBeads ? fmt::format("ground@[{}, 0, 0]", d * (kBeads + 1))
                        : fmt::format("p{}@0", i + 1),
            d);
    text += integrator("emm", quarter / 400.0, quarter);
    const Gradient found = gradient(text, {"p3.y"}, {"parameters.S"}, GradientMethod::adjoint);
    CHECK(found.entry(0, 0).value == near(-a * w * quarter / (2.0 * S), 1e-5 * a / S));
}

TEST_CASE("how far a spinning mass stretches its spring, by its stiffness") {
    // k (r - l) = m w^2 r with the moment of momentum given: r^3 (r - l) = h^2 / (m k), so
    // dr / dk = -(r - l) / (k (1 + 3 (r - l) / r)). A slow damping of the radius brings it there.
    constexpr double m = 2.0, l = 0.5, k = 400.0, r = 0.6;
    const double speed = std::sqrt(k * (r - l) * r / m);
    const std::string text =
        fmt::format("[parameters]\nk = {}\n", k) + weight({0.0, 0.0, 0.0}) +
        particle("p", m, {r, 0.0, 0.0}, {0.0, speed, 0.0}) +
        "\n[[constraint]]\nname = \"tie\"\ntype = \"spring\"\na = \"ground@[0, 0, 0]\"\nb = "
        "\"p@0\"\nstiffness = \"k\"\nfree = 0.5\n\n[[constraint]]\nname = \"d\"\ntype = "
        "\"damper\"\na = \"ground@[0, 0, 0]\"\nb = \"p@0\"\ndamping = 60\n" +
        integrator("emm", 2e-3, 3.0);
    const Gradient found = gradient(text, {"p.x", "p.y"}, {"parameters.k"});
    const double x = found.of[0].value, y = found.of[1].value;
    const double by_k = (x * found.entry(0, 0).value + y * found.entry(1, 0).value) / r;
    CHECK(std::hypot(x, y) == near(r, 1e-5));
    CHECK(by_k == near(-(r - l) / (k * (1.0 + 3.0 * (r - l) / r)), 1e-8));
}

TEST_CASE("the adjoint is refused in words where it is not to be had, and differences say why") {
    std::string text = bouncing(0.8, 1.0);
    CHECK(gradient(text, {"ball.z"}, {"parameters.k"}).why_differences == "");
    text += "[integrator.emm]\norder = 4\n";
    CHECK(has(refusal([&] {
                  gradient(text, {"ball.z"}, {"parameters.k"}, GradientMethod::adjoint);
              }),
              "contacts"));
    CHECK(has(gradient(text, {"ball.z"}, {"parameters.k"}).why_differences, "contacts"));
    const std::string swinging = swing(0.03, 0.5);
    CHECK(gradient(swinging, {"pivot.angle"}, {"parameters.L"}).why_differences == "");
    CHECK(
        has(gradient(swinging, {"pivot.angle", "pivot.force.x"}, {"parameters.L"}).why_differences,
            "a mean over steps"));
    // What chooses its steps has none, what takes them as they come has one.
    const auto by = [](const std::string& method, const Texts& of) {
        return gradient(weight({0.0, 0.0, -kGravity}) +
                            particle("stone", 2.0, {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}) +
                            integrator(method, 0.01, 0.1),
                        of,
                        {"model.gravity[2]"});
    };
    const Texts both = {"stone.z", "energy.total"};
    CHECK(by("rk4", both).entry(0, 0).is_by_adjoint);
    CHECK_FALSE(by("rk4", both).entry(1, 0).is_by_adjoint);
    CHECK(has(by("rk4", both).why_differences, "an energy or a momentum"));
    CHECK(has(by("dopri5", {"stone.z"}).why_differences, "chooses its steps"));
    CHECK(has(by("generalized_alpha", {"stone.z"}).why_differences,
              "no fixed combination of accelerations"));
    // Directors of a beam have no mass: steps of order 2 have an adjoint, projected ones not.
    const auto beam = [](int order) {
        return weight({0.0, 0.0, -kGravity}) +
               "\n[[body]]\nname = \"rod\"\ntype = \"beam\"\nfrom = [0, 0, 0]\nto = [1, 0, 0]\n"
               "elements = 3\nyoung = 2e8\npoisson = 0.3\ndensity = 1200\n"
               "section = { shape = \"rectangle\", width = 0.02, height = 0.01 }\n"
               "\n[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"ground\"\n"
               "b = \"rod@start\"\naxis = [0, 1, 0]\n\n[output]\npoints = [\"rod@end\"]\n" +
               integrator("emm", 1e-3, 0.01) +
               fmt::format("\n[integrator.emm]\norder = {}\n", order);
    };
    const Texts tip = {"rod@end.z"}, young = {"body.rod.young"};
    CHECK(gradient(beam(2), tip, young).why_differences == "");
    CHECK(has(gradient(beam(4), tip, young).why_differences, "coordinates without mass"));
}

// --- fits

std::string swing(double damping, double length) {
    return fmt::format("[parameters]\nL = \"{:.17g} m\"\n", length) +
           weight({0.0, 0.0, -kGravity}) +
           fmt::format(
               "\n[[body]]\nname = \"bar\"\ntype = \"ancf_rigid_body\"\nsize = [\"L\", "
               "0.02, 0.02]\ndensity = 2700\npenalty = inf\nposition = [\"L/2\", 0, "
               "0]\n\n[[joint]]\nname = \"pivot\"\ntype = \"revolute\"\na = "
               "\"ground\"\nb = \"bar\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\ndamping = "
               "{:.17g}\n",
               damping) +
           integrator("emm", 0.02, 2.0);
}

MeasuredData measure(const std::string& text, const Texts& columns, double every) {
    Simulation simulation = model(text);
    MeasuredData data;
    data.columns = columns;
    while (!simulation.done()) {
        simulation.step();
        if (std::abs(std::remainder(simulation.time(), every)) > 1e-6) continue;
        data.t.push_back(simulation.time());
        for (const std::string& name : columns) data.values.push_back(simulation.value(name));
    }
    return data;
}

TEST_CASE("a fit finds the truth in perfect data, from afar, within bounds and at them") {
    const MeasuredData data = measure(swing(0.03, 0.5), {"pivot.angle", "pivot.angle_rate"}, 0.04);
    for (const std::string bound : {"", "=0:1", "=0:", "=:0.5"}) {
        CAPTURE(bound);
        const std::vector<FitParameter> by{FitParameter::parse("joint.pivot.damping" + bound),
                                           FitParameter::parse("parameters.L")};
        const Fit found = fit(source(swing(0.1, 0.42)), data, by, registry());
        CHECK(found.has_converged);
        CHECK(found.by[0].value == near(0.03, 1e-7));
        CHECK(found.by[1].value == near(0.5, 1e-7));
        CHECK_FALSE(found.by[0].is_at_bound);
        CHECK(found.columns[0].rms <= tolerance(1e-7));
        CHECK(found.columns[0].rms_start > 0.1);
    }
    const std::vector<FitParameter> beyond{FitParameter::parse("joint.pivot.damping=0.05:1")};
    const Fit found = fit(source(swing(0.1, 0.5)), data, beyond, registry());
    CHECK(found.by[0].is_at_bound);
    CHECK(found.by[0].value == near(0.05, 1e-6));
}

TEST_CASE("standard deviations are those of repeated measurements") {
    const MeasuredData truth = measure(swing(0.03, 0.5), {"pivot.angle", "pivot.angle_rate"}, 0.04);
    const std::vector<FitParameter> by{FitParameter::parse("joint.pivot.damping"),
                                       FitParameter::parse("parameters.L")};
    std::mt19937 random(11);
    std::normal_distribution<double> noise;
    constexpr int kTimes = 30;
    double square[2] = {0.0, 0.0}, predicted[2] = {0.0, 0.0}, mean[2] = {0.0, 0.0};
    for (int k = 0; k < kTimes; ++k) {
        MeasuredData data = truth;
        for (std::size_t i = 0; i < data.values.size(); ++i)
            data.values[i] += (i % 2 == 0 ? 0.01 : 0.2) * noise(random);
        const Fit found = fit(source(swing(0.03, 0.5)), data, by, registry());
        REQUIRE(found.has_converged);
        const double expected[2] = {0.03, 0.5};
        for (std::size_t p = 0; p < 2; ++p) {
            const double off = found.by[p].value - expected[p];
            mean[p] += off / kTimes;
            square[p] += off * off / kTimes;
            predicted[p] += found.by[p].deviation * found.by[p].deviation / kTimes;
        }
    }
    for (std::size_t p = 0; p < 2; ++p) {
        CAPTURE(p);
        // chi^2 of 30 degrees of freedom lies in 30 (0.45 .. 1.79) in 99.8 of 100 cases
        CHECK(square[p] / predicted[p] > 0.45);
        CHECK(square[p] / predicted[p] < 1.79);
        CHECK(std::abs(mean[p]) < 3.3 * std::sqrt(predicted[p] / kTimes));
    }
}

TEST_CASE("what the data do not tell is said") {
    // Damping and density enter as their ratio alone.
    const MeasuredData data = measure(swing(0.03, 0.5), {"pivot.angle"}, 0.04);
    const std::vector<FitParameter> by{FitParameter::parse("joint.pivot.damping"),
                                       FitParameter::parse("body.bar.density")};
    const Fit found = fit(source(swing(0.05, 0.5)), data, by, registry());
    CHECK(has(found.remark, "do not tell parameters apart"));
    CHECK(std::isnan(found.by[0].deviation));
    CHECK(found.by[0].value / found.by[1].value == near(0.03 / 2700.0, 1e-9));
}

// --- bad input

TEST_CASE("what is no number of the run, no parameter or no data is refused in words") {
    const std::string text = swing(0.03, 0.5);
    const auto of = [&](const std::string& objective) {
        return refusal([&] {
            gradient(text, {objective}, {"parameters.L"});
        });
    };
    const auto by = [&](const std::string& key) {
        return refusal([&] {
            gradient(text, {"pivot.angle"}, {key});
        });
    };
    CHECK(has(of("pivot.angel"), "did you mean \"pivot.angle\""));
    CHECK(has(of("maximum(pivot.angle)"), "there is no \"maximum\""));
    CHECK(has(of("pivot.angle @ noon"), "no time in seconds"));
    CHECK(has(of("pivot.angle @ 7"), "the run is from 0 s to 2 s"));
    CHECK(has(of("max()"), "names no column"));
    CHECK(has(of(""), "it is empty"));
    CHECK(has(by("parameters.l"), "did you mean \"L\""));
    CHECK(has(by("body.bar.size"), "write body.bar.size[0] to body.bar.size[2]"));
    CHECK(has(by("body.bar.size[3]"), "write body.bar.size[0] to body.bar.size[2]"));
    CHECK(has(by("body.bar.size[x]"), "counted from 0"));
    CHECK(has(by("body.bar.density[0]"), "has no entries"));
    CHECK(has(by("body.bra.density"), "there is no body \"bra\"; did you mean \"bar\"?"));
    CHECK(has(by("body.bar.densty"), "no parameter \"densty\"; did you mean \"density\"?"));
    CHECK(has(by("body.bar.mass"), "body bar gives it no value"));
    CHECK(has(by("bar"), "begins with the kind of the object: body.bar"));
    CHECK(has(by("weight"), "none of KIND.NAME.KEY"));
    CHECK(has(by("joint.pivot.a"), "not a number"));
    CHECK(has(by("body.bar.penalty"), "its value is inf"));
    CHECK(has(by("integrator.step"), "ancora convergence"));
    CHECK(has(refusal([&] {
                  gradient(text, {"pivot.angle"}, {"parameters.L", "parameters.L"});
              }),
              "named twice"));

    MeasuredData data = measure(text, {"pivot.angle"}, 0.04);
    const auto fitting = [&](const MeasuredData& of_what, const std::string& key) {
        return refusal([&] {
            const std::vector<FitParameter> one{FitParameter::parse(key)};
            fit(source(text), of_what, one, registry());
        });
    };
    CHECK(has(fitting(data, "parameters.L=1:0.5"), "not below the upper"));
    CHECK(has(fitting(data, "parameters.L=1:2"), "not between the bounds"));
    CHECK(has(fitting(data, "parameters.L=low:2"), "\"low\" is no number"));
    CHECK(has(fitting(data, "parameters.L=1"), "KEY=LOWER:UPPER"));
    MeasuredData late = data;
    late.t.back() = 3.0;
    CHECK(has(fitting(late, "parameters.L"), "the run is from 0 s to 2 s"));
    MeasuredData hole = data;
    hole.values[3] = std::numeric_limits<double>::quiet_NaN();
    CHECK(has(fitting(hole, "parameters.L"), "not finite"));
    MeasuredData few = data;
    few.t.resize(1);
    few.values.resize(1);
    CHECK(has(fitting(few, "parameters.L"), "too few"));
}

TEST_CASE("measured data are read as tables are") {
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / fmt::format("ancora_{}.csv", ::getpid());
    const auto read = [&](const std::string& text, const Texts& columns = {}) {
        std::ofstream(file) << text;
        return read_measured(file, columns);
    };
    const MeasuredData plain = read("a [mm],time,b\n1,0,2\n3,0.5,4\n");
    CHECK(plain.t == std::vector<double>{0.0, 0.5});
    CHECK(plain.columns == Texts{"a", "b"});
    CHECK(plain.values == std::vector<double>{1e-3, 2.0, 3e-3, 4.0});
    CHECK(has(refusal([&] {
                  read("0,1\n1,2\n");
              }),
              "no heading"));
    CHECK(has(refusal([&] {
                  read("t,a\n1,2\n1,3\n");
              }),
              "do not ascend"));
    std::filesystem::remove(file);
}

}  // namespace
}  // namespace ancora::testing
