// SPDX-License-Identifier: BSD-3-Clause
// Forces that depend on reactions which they change themselves: closed solutions and a pendulum in
// minimal coordinates.
#include <array>
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"

using namespace ancora;
using ancora::testing::Failure;
using ancora::testing::failure_of;
using ancora::testing::near;
using ancora::testing::Run;

namespace {

constexpr double kGravity = 9.81;  // m/s^2
constexpr double kMass = 2.0;      // kg

std::string integrator(const std::string& type, double step = 0.01, double end = 1.0) {
    return fmt::format(
        "[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
}

// A particle on the plane z = 0. The plane bears N = m g - z N, where (x, 0, z) N is the force that
// depends on it: N = m g / (1 + z), and the particle gains x N / m along x.
std::string lifted(double x, double z, const std::string& more = "") {
    return fmt::format(
        "[model]\ngravity = [0.0, 0.0, -{}]\n\n[[body]]\nname = \"p\"\ntype = \"particle\"\n"
        "mass = {}\n\n[[constraint]]\nname = \"plane\"\ntype = \"point_on_plane\"\n"
        "point = \"p@0\"\norigin = \"ground@[0, 0, 0]\"\nnormal = \"ground@[0, 0, 1]\"\n\n"
        "[[force]]\nname = \"lift\"\ntype = \"test_lift\"\nat = \"p@0\"\non = \"plane\"\n"
        "direction = [{}, 0.0, {}]\n{}\n",
        kGravity,
        kMass,
        x,
        z,
        more);
}

// A bar of 1 m hangs by its end from the origin, in the plane x, z; theta from the vertical.
constexpr double kLength = 1.0, kWidth = 0.1, kDensity = 1000.0, kDamping = 0.04;
constexpr double kStart = 1.2;  // rad

std::string pendulum() {
    return fmt::format(
        "[model]\ngravity = [0.0, 0.0, -{0}]\n\n[[body]]\nname = \"bar\"\n"
        "type = \"ancf_rigid_body\"\nsize = [{1}, {2}, {2}]\ndensity = {3}\npenalty = inf\n"
        "position = [{4:.17g}, 0.0, {5:.17g}]\n"
        "orientation = {{ axis = [0.0, 1.0, 0.0], angle = {6:.17g} }}\n\n[[constraint]]\n"
        "name = \"pin\"\ntype = \"position\"\na = \"bar@[-0.5, 0, 0]\"\n"
        "b = \"ground@[0, 0, 0]\"\n\n[[force]]\nname = \"friction\"\n"
        "type = \"test_loaded_damper\"\nat = \"bar@[0.5, 0, 0]\"\non = \"pin\"\n"
        "coefficient = {7}\n\n",
        kGravity,
        kLength,
        kWidth,
        kDensity,
        0.5 * kLength * std::sin(kStart),
        -0.5 * kLength * std::cos(kStart),
        // the bar's x axis points from the pin down to (sin, 0, -cos)
        0.5 * M_PI - kStart,
        kDamping);
}

/// theta'' of the pendulum: J theta'' = -m g l sin - c N L^2 theta', with N the magnitude of the
/// pin's reaction R = m a_c + m g e_z - C, which is linear in N through theta'' and C.
double angular_acceleration(double theta, double rate) {
    const double m = kDensity * kLength * kWidth * kWidth;
    const double l = 0.5 * kLength;
    const double J = m * (kLength * kLength + kWidth * kWidth) / 12.0 + m * l * l;
    const double s = std::sin(theta), c = std::cos(theta);
    const double free = -m * kGravity * l * s / J;
    const double slope = -kDamping * kLength * kLength * rate / J;  // d theta'' / dN
    // Components along the bar's motion (c, s) and towards the pin (-s, c).
    const double across0 = m * l * free + m * kGravity * s;
    const double across1 = m * l * slope + kDamping * kLength * rate;
    const double along0 = m * l * rate * rate + m * kGravity * c;
    // N^2 = (across0 + across1 N)^2 + along0^2
    const double a = 1.0 - across1 * across1, b = across0 * across1;
    const double N = (b + std::sqrt(b * b + a * (across0 * across0 + along0 * along0))) / a;
    return free + slope * N;
}

/// theta and theta' after `end` seconds by the classical formula of fourth order in 1e5 steps.
std::array<double, 2> exact_pendulum(double end) {
    constexpr int kSteps = 100000;
    const double h = end / kSteps;
    double theta = kStart, rate = 0.0;
    for (int k = 0; k < kSteps; ++k) {
        const double a1 = angular_acceleration(theta, rate);
        const double r2 = rate + 0.5 * h * a1;
        const double a2 = angular_acceleration(theta + 0.5 * h * rate, r2);
        const double r3 = rate + 0.5 * h * a2;
        const double a3 = angular_acceleration(theta + 0.5 * h * r2, r3);
        const double r4 = rate + h * a3;
        const double a4 = angular_acceleration(theta + h * r3, r4);
        theta += h / 6.0 * (rate + 2.0 * r2 + 2.0 * r3 + r4);
        rate += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return {theta, rate};
}

double error_of_pendulum(const std::string& type, double step) {
    Run run(pendulum() + integrator(type, step));
    run.to_end();
    const Simulation::PointState tip = run.simulation.point("bar@[0.5, 0, 0]");
    const auto [theta, rate] = exact_pendulum(1.0);
    if (type == "emm") {
        CHECK(std::abs(run.column("energy.balance")) <= 1e-13);
        for (const char* axis : {"x", "y", "z"})
            CHECK(std::abs(run.column(std::string("angular_momentum.balance.") + axis)) <= 1e-13);
    }
    return std::hypot(tip.position[0] - kLength * std::sin(theta),
                      tip.velocity[0] - kLength * std::cos(theta) * rate);
}

}  // namespace

TEST_SUITE("forces that listen to reactions") {
    TEST_CASE("a force that raises or lowers the reaction it hears: closed solution") {
        for (const double z : {0.8, -0.8, 1.5, 0.0, -0.99}) {
            CAPTURE(z);
            const double N = kMass * kGravity / (1.0 + z);
            const double a = 0.3 * N / kMass;
            for (const char* type : {"emm", "rk4", "dopri5"}) {
                CAPTURE(type);
                Run run(lifted(0.3, z) + integrator(type));
                const Dynamics start = run.simulation.dynamics();
                CHECK(near(start.constraints[0].reaction[2], N, 1e-11 * N));
                CHECK(near(start.acceleration[0], a, 1e-11 * a));
                CHECK(near(start.forces[0].force[2], z * N, 1e-11 * N));
                run.to_end();
                const Simulation::PointState p = run.simulation.point("p@0");
                CHECK(near(p.position[0], 0.5 * a, 1e-10 * a));
                CHECK(near(p.velocity[0], a, 1e-10 * a));
                CHECK(near(run.simulation.reaction("plane")[2], N, 1e-10 * N));
                CHECK(std::abs(run.column("energy.balance")) <= 1e-12 * a * a * kMass);
            }
        }
    }

    TEST_CASE("with friction on the same constraint") {
        // Sliding along x under z N upwards: N = m g / (1 + z), friction mu N against x N.
        constexpr double z = 0.5, x = 0.4, mu = 0.25;
        const double N = kMass * kGravity / (1.0 + z);
        const double a = (x - mu) * N / kMass;
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            Run run(lifted(x,
                           z,
                           fmt::format("[[force]]\nname = \"rubs\"\ntype = \"coulomb_friction\"\n"
                                       "on = \"plane\"\nmu_static = {0}\nmu_kinetic = {0}\n",
                                       mu)) +
                    integrator(type));
            run.to_end();
            CHECK(near(run.simulation.point("p@0").velocity[0], a, 1e-10 * a));
            CHECK(near(run.column("work.nonideal"),
                       0.5 * kMass * a * a,  // nothing else works
                       1e-10 * kMass * a * a));
        }
    }

    TEST_CASE("a pendulum whose damping grows with the load on its pin") {
        const double coarse = error_of_pendulum("emm", 4e-3), fine = error_of_pendulum("emm", 2e-3);
        CAPTURE(coarse);
        CAPTURE(fine);
        CHECK(fine < 4e-5);
        CHECK(near(std::log2(coarse / fine), 2.0, 0.05));
        const double by_rk4 = error_of_pendulum("rk4", 2e-2);
        const double by_finer_rk4 = error_of_pendulum("rk4", 1e-2);
        CHECK(by_finer_rk4 < 2e-7);
        CHECK(near(std::log2(by_rk4 / by_finer_rk4), 4.0, 0.3));
    }

    TEST_CASE("without a solution it is refused in words") {
        // N = m g + 1.2 |N| has none.
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            const Failure failure = failure_of(lifted(0.3, -1.2) + integrator(type));
            CHECK(failure.happened);
            CHECK(failure.kind == ErrorKind::numerical);
            CAPTURE(failure.message);
            CHECK(failure.message.find("force \"lift\"") != std::string::npos);
            CHECK(failure.line == 16);
        }
    }

    TEST_CASE("it listens to constraints that there are, and that are forces on points") {
        std::string text = lifted(0.3, 0.1) + integrator("emm");
        text.replace(text.find("on = \"plane\""), 12, "on = \"plan\"");
        const Failure unknown = failure_of(text);
        CHECK(unknown.message.find("there is no constraint \"plan\"; did you mean \"plane\"?") !=
              std::string::npos);
        CHECK(unknown.line == 20);
        const std::string equation =
            "[[constraint]]\nname = \"eq\"\ntype = \"general_constraint\"\n"
            "equation = \"p.y = 0\"\n\n";
        text.replace(text.find("on = \"plan\""), 11, "on = \"eq\"");
        text.insert(text.find("[[force]]"), equation);
        const Failure no_force = failure_of(text);
        CAPTURE(no_force.message);
        CHECK(no_force.message.find("the reaction of constraint \"eq\" (type general_constraint) "
                                    "is no force on a point") != std::string::npos);
    }
}
