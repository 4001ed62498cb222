// SPDX-License-Identifier: BSD-3-Clause
// Constraints given at acceleration level only: integrators on accelerations meet closed
// solutions, the discrete formulation refuses.
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

std::string model(const std::string& type, const std::string& keys) {
    return fmt::format(
        "[model]\ngravity = [0.0, 0.0, -{}]\n\n[[body]]\nname = \"p\"\ntype = \"particle\"\n"
        "mass = {}\nvelocity = [1.2, 0.0, 0.9]\n\n[[constraint]]\nname = \"c\"\ntype = \"{}\"\n"
        "at = \"p@0\"\n{}\n",
        kGravity,
        kMass,
        type,
        keys);
}
std::string integrator(const std::string& type, double step, double tolerance = 1e-11) {
    const std::string table =
        fmt::format("[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = 1.0\n", type, step);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}

// x = 1.2 t + c (1 - cos w t) / w^2, and free fall along z; the reaction is m c cos(w t) along x.
constexpr double kAmplitude = 3.0, kRate = 5.0;
const char* const kShaken = "amplitude = 3.0\nrate = 5.0";

double error_of_shaken(const std::string& integrated) {
    Run run(model("test_shaken", kShaken) + integrated);
    run.to_end();
    const Simulation::PointState p = run.simulation.point("p@0");
    const double x = 1.2 + kAmplitude * (1.0 - std::cos(kRate)) / (kRate * kRate);
    const double vx = 1.2 + kAmplitude * std::sin(kRate) / kRate;
    CHECK(near(p.position[2], 0.9 - 0.5 * kGravity, 1e-13));
    CHECK(near(p.velocity[2], 0.9 - kGravity, 1e-13));
    return std::hypot(p.position[0] - x, p.velocity[0] - vx);
}

// With v = V (cos h, 0, sin h): V h' = -g cos h, so that asinh(tan h) = asinh(tan h_0) - g t / V;
// the reaction takes m g sin h along v.
constexpr double kSpeed = 1.5;

double error_of_steered(const std::string& integrated) {
    Run run(model("test_keeps_speed", "") + integrated);
    run.to_end();
    const Simulation::PointState p = run.simulation.point("p@0");
    const double slope = std::sinh(std::asinh(0.9 / 1.2) - kGravity / kSpeed);
    const double cosine = 1.0 / std::hypot(1.0, slope);
    return std::hypot(p.velocity[0] - kSpeed * cosine, p.velocity[2] - kSpeed * cosine * slope);
}

double order(double coarse, double fine) {
    return std::log2(coarse / fine);
}

}  // namespace

TEST_SUITE("constraints on accelerations") {
    TEST_CASE("a prescribed acceleration: rk4 has order 4, dopri5 follows its tolerance") {
        const double coarse = error_of_shaken(integrator("rk4", 0.02));
        const double fine = error_of_shaken(integrator("rk4", 0.01));
        CHECK(near(order(coarse, fine), 4.0, 0.1));
        for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tolerance);
            CHECK(error_of_shaken(integrator("dopri5", 0.01, tolerance)) <= 30.0 * tolerance);
        }
    }

    TEST_CASE("a row in the velocities that couples two coordinates") {
        const double coarse = error_of_steered(integrator("rk4", 0.004));
        const double fine = error_of_steered(integrator("rk4", 0.002));
        CHECK(near(order(coarse, fine), 4.0, 0.1));
        for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
            CAPTURE(tolerance);
            CHECK(error_of_steered(integrator("dopri5", 0.01, tolerance)) <= 100.0 * tolerance);
        }
    }

    TEST_CASE("the forces at an instant are those of the closed solutions") {
        const Run shaken(model("test_shaken", kShaken) + integrator("rk4", 0.01));
        const Dynamics a = shaken.simulation.dynamics();
        CHECK(near(a.acceleration[0], kAmplitude, 1e-14));
        CHECK(near(a.acceleration[2], -kGravity, 1e-14));
        CHECK(near(a.constraints[0].reaction[0], kMass * kAmplitude, 1e-14));

        const Run steered(model("test_keeps_speed", "") + integrator("rk4", 0.01));
        const Dynamics b = steered.simulation.dynamics();
        // v / V = (0.8, 0, 0.6)
        CHECK(near(b.constraints[0].reaction[0], kMass * kGravity * 0.6 * 0.8, 1e-13));
        CHECK(near(b.constraints[0].reaction[2], kMass * kGravity * 0.6 * 0.6, 1e-13));
        CHECK(near(b.acceleration[0] * 0.8 + b.acceleration[2] * 0.6, 0.0, 1e-14));
    }

    // What the shaker does goes into x; what is done to keep the speed is what gravity does,
    // undone.
    TEST_CASE("the work of a condition on accelerations is booked as external") {
        Run run(model("test_shaken", kShaken) + integrator("dopri5", 0.01));
        run.to_end();
        const double vx = 1.2 + kAmplitude * std::sin(kRate) / kRate;
        CHECK(near(run.column("work.external"), 0.5 * kMass * (vx * vx - 1.44), 1e-9));
        CHECK(near(run.column("energy.balance"), 0.0, 1e-9));

        Run steered(model("test_keeps_speed", "") + integrator("dopri5", 0.01));
        steered.to_end();
        const double z = steered.simulation.point("p@0").position[2];
        CHECK(near(steered.column("work.external"), kMass * kGravity * z, 1e-8));
        CHECK(near(steered.column("energy.balance"), 0.0, 1e-8));
    }

    TEST_CASE("emm has no step for them and says so") {
        const Failure failure = failure_of(model("test_shaken", kShaken) + integrator("emm", 0.01));
        CHECK(failure.kind == ErrorKind::manifest);
        CHECK(failure.line == 10);
        CHECK(failure.message ==
              "constraint \"c\" (type test_shaken) is given at acceleration level only: integrator "
              "\"emm\" steps on the discrete face and cannot serve it; choose an integrator that "
              "works on accelerations");
    }
}
