// SPDX-License-Identifier: BSD-3-Clause
// Drag through the kernel: closed solutions under every integrator, order, power and the ledger.
#include <algorithm>
#include <cmath>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kGravity = 9.81;  // m/s^2
constexpr double kMass = 2.0;      // kg

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-11) {
    const std::string table = fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
    return type == "dopri5" ? table + fmt::format("tolerance = {:.17g}\n", tolerance) : table;
}
std::string bead(const std::string& velocity = "[0.0, 0.0, 0.0]") {
    return "\n[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\nvelocity = " + velocity +
           "\n";
}
std::string drag(const std::string& at, const std::string& keys) {
    return "\n[[force]]\nname = \"air\"\ntype = \"drag\"\nat = " + at + "\n" + keys;
}
const std::string kWeight = "[model]\ngravity = [0.0, 0.0, -9.81]\n";

void check_balances(const RunStatistics& statistics) {
    const double bound = rounding_bound(static_cast<double>(statistics.steps));
    CHECK(statistics.energy.max_rel <= tolerance(bound));
    CHECK(statistics.momentum.max_rel <= tolerance(bound));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
}

/// A body at a point of time, to be compared with a closed solution.
double distance(const Simulation& simulation, const Vec3& position, const Vec3& velocity) {
    const Simulation::PointState bead = simulation.point("bead@0");
    return (vec3(bead.position) - position).norm() + (vec3(bead.velocity) - velocity).norm();
}

/// From rest in a medium at rest, m v' = m g - c v^2:
///
///   v = v_t tanh(g t / v_t),  x = v_t^2 / g ln cosh(g t / v_t),  v_t = sqrt(m g / c)
struct Fall {
    static constexpr double c = 0.4;  // kg/m
    const double v_t = std::sqrt(kMass * kGravity / c);
    const std::string text = kWeight + bead() + drag("\"bead@0\"", "quadratic = 0.4\n");

    double error(const Simulation& simulation) const {
        const double t = simulation.time();
        const double speed = v_t * std::tanh(kGravity * t / v_t);
        const double path = v_t * v_t / kGravity * std::log(std::cosh(kGravity * t / v_t));
        return distance(simulation, {0.0, 0.0, -path}, {0.0, 0.0, -speed});
    }
    double error_of(const std::string& type, double step) const {
        Simulation simulation = model(text + integrator(type, step, 1.0));
        return error(run_to_end(simulation));
    }
};

/// Against a medium of velocity V, without weight, w = v - V keeps its direction:
///
///   m w' = -c w^2:  w = w_0 / (1 + c w_0 t / m),  r = V t + (m / c) ln(1 + c w_0 t / m) w_0 /
///   |w_0| m w' = -k w:    w = w_0 exp(-k t / m),        r = V t + (m / k) (1 - exp(-k t / m)) w_0
struct Wind {
    const Vec3 V{3.0, -1.0, 0.5}, v_0{-1.0, 2.0, 0.0};
    const Vec3 w_0 = v_0 - V;
    static constexpr double c = 0.8, k = 1.5;  // kg/m, N s/m

    std::string text(const std::string& coefficient) const {
        return bead("[-1.0, 2.0, 0.0]") +
               drag("[\"bead@0\"]", coefficient + "medium_velocity = [3.0, -1.0, 0.5]\n");
    }
    double error_quadratic(const Simulation& simulation) const {
        const double t = simulation.time(), x = c * w_0.norm() * t / kMass;
        return distance(
            simulation, V * t + kMass / c * std::log1p(x) * w_0.normalized(), V + w_0 / (1.0 + x));
    }
    double error_linear(const Simulation& simulation) const {
        const double t = simulation.time();
        return distance(simulation,
                        V * t - kMass / k * std::expm1(-k * t / kMass) * w_0,
                        V + w_0 * std::exp(-k * t / kMass));
    }
};

TEST_SUITE("drag on a point mass") {
    TEST_CASE("it falls towards v_t as tanh says, with the order of each integrator") {
        const Fall fall;
        const double emm = fall.error_of("emm", 1e-3);
        CHECK(emm <= tolerance(1e-5));
        CHECK(observed_order(10.0, fall.error_of("emm", 1e-2), 1.0, emm) == near(2.0, 0.01));
        const double rk4 = fall.error_of("rk4", 1e-2);
        CHECK(rk4 <= tolerance(1e-7));
        CHECK(observed_order(4.0, fall.error_of("rk4", 4e-2), 1.0, rk4) == near(4.0, 0.1));
        CHECK(fall.error_of("dopri5", 1e-2) <= tolerance(1e-9));
    }

    TEST_CASE("after twenty times v_t / g it has the terminal velocity") {
        const Fall fall;
        for (const std::string type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Simulation simulation =
                model(fall.text + integrator(type, 0.02, 20.0 * fall.v_t / kGravity));
            run_to_end(simulation);
            CHECK(simulation.point("bead@0").velocity[2] ==
                  near(-fall.v_t, (type == "dopri5" ? 1e-9 : 1e-12) * fall.v_t));
        }
    }

    // Work from the motion alone: 1/2 m v^2 - m g (path).
    TEST_CASE("what it takes is what the fall does not give, in every step to rounding") {
        const Fall fall;
        for (const double h : {1e-3, 1e-2, 0.1}) {
            CAPTURE(h);
            Simulation simulation = model(fall.text + integrator("emm", h, 2.0));
            double before = 0.0;
            while (!simulation.done()) {
                simulation.step();
                const Simulation::PointState bead = simulation.point("bead@0");
                const double kinetic = 0.5 * kMass * vec3(bead.velocity).squaredNorm();
                const double given = -kMass * kGravity * bead.position[2];
                const double work = column(simulation, "work.nonideal");
                CHECK(work == near(kinetic - given, 1e-14 * (kinetic + given)));
                CHECK(work < before);
                before = work;
            }
            check_balances(simulation.statistics());
        }
    }

    // Work from the motion alone, of the closed solution.
    TEST_CASE("under dopri5 what it takes is exact to the tolerance") {
        const Fall fall;
        for (const double tol : {1e-5, 1e-7, 1e-9, 1e-11}) {
            CAPTURE(tol);
            Simulation simulation = model(fall.text + integrator("dopri5", 0.01, 2.0, tol));
            run_to_end(simulation);
            const double at = kGravity * 2.0 / fall.v_t;
            const double kinetic = 0.5 * kMass * std::pow(fall.v_t * std::tanh(at), 2);
            const double given = kMass * fall.v_t * fall.v_t * std::log(std::cosh(at));
            CHECK(column(simulation, "work.nonideal") ==
                  near(kinetic - given, 10.0 * tol * (kinetic + given)));
            CHECK(simulation.statistics().energy.max_rel <= tolerance(10.0 * tol));
        }
    }

    TEST_CASE("in a wind it ends up with the wind, by either power of the velocity") {
        const Wind wind;
        const std::string quadratic = wind.text("quadratic = 0.8\n");
        // 1/2 rho C_d A = 0.8
        const std::string parts = wind.text("area = 0.5\ncoefficient = 1.6\ndensity = 2.0\n");
        const std::string linear = wind.text("linear = 1.5\n");
        const auto run = [](const std::string& text, const std::string& type, double h) {
            Simulation simulation = model(text + integrator(type, h, 3.0));
            run_to_end(simulation);
            if (type == "emm") check_balances(simulation.statistics());
            return simulation;
        };
        const double coarse = wind.error_quadratic(run(quadratic, "emm", 1e-2));
        const double fine = wind.error_quadratic(run(quadratic, "emm", 1e-3));
        CHECK(fine <= tolerance(1e-5));
        CHECK(observed_order(10.0, coarse, 1.0, fine) == near(2.0, 0.01));
        CHECK(wind.error_quadratic(run(parts, "rk4", 1e-2)) <= tolerance(1e-8));
        CHECK(wind.error_quadratic(run(parts, "dopri5", 1e-2)) <= tolerance(1e-9));

        const double slow = wind.error_linear(run(linear, "emm", 1e-2));
        const double quick = wind.error_linear(run(linear, "emm", 1e-3));
        CHECK(observed_order(10.0, slow, 1.0, quick) == near(2.0, 0.01));
        CHECK(wind.error_linear(run(linear, "rk4", 1e-2)) <= tolerance(1e-9));
    }

    // h c / 2 m is what the iteration on the force contracts by, here more than 1. Near 1 it stops
    // at its floor, which leaves up to 1e-13 of the momentum in each piece.
    TEST_CASE("a coefficient too large for the step's iteration costs pieces, not the run") {
        const std::string text =
            bead("[5.0, 0.0, 0.0]") + drag("\"bead@0\"", "linear = 1e3\nquadratic = 1e3\n");
        Simulation simulation = model(text + integrator("emm", 1e-2, 0.1));
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.substeps > statistics.steps);
        CHECK(statistics.momentum.max_rel <=
              tolerance(1e-13 * static_cast<double>(statistics.substeps)));
        CHECK(statistics.energy.max_rel <= tolerance(rounding_bound(10.0)));
        const double energy = column(simulation, "energy.kinetic");
        CHECK(energy < 1e-3);
        CHECK(column(simulation, "work.nonideal") == near(energy - 25.0, 1e-13 * 25.0));
    }
}

TEST_SUITE("drag on a body") {
    // The same box in another formulation, under another integrator.
    TEST_CASE("a box with two vanes in a wind moves as its quaternion twin under dopri5") {
        const auto text = [](const std::string& type) {
            return kWeight + "\n[[body]]\nname = \"box\"\ntype = \"" + type +
                   "\"\nmass = 3.0\ninertia = [0.4, 0.5, 0.7]\nvelocity = [1.0, 0.0, 2.0]\n"
                   "angular_velocity = [0.5, 3.0, -1.0]\n" +
                   drag("[\"box@[0.6, 0.0, 0.1]\", \"box@[-0.2, 0.5, 0.0]\"]",
                        "quadratic = 0.3\nlinear = 0.2\nmedium_velocity = [-2.0, 1.0, 0.0]\n");
        };
        Simulation reference =
            model(text("quaternion_body") + integrator("dopri5", 1e-3, 1.0, 1e-13));
        run_to_end(reference);
        const auto error = [&](double h) {
            Simulation simulation = model(text("ancf_rigid_body") + integrator("emm", h, 1.0));
            run_to_end(simulation);
            check_balances(simulation.statistics());
            return (vec3(simulation.pose("box").position) - vec3(reference.pose("box").position))
                       .norm() +
                   (omega(simulation, "box") - omega(reference, "box")).norm() +
                   angle_between(attitude(simulation, "box"), attitude(reference, "box"));
        };
        const double fine = error(1e-3);
        CHECK(fine <= tolerance(1e-5));
        CHECK(observed_order(10.0, error(1e-2), 1.0, fine) == near(2.0, 0.02));
        CHECK(column(reference, "work.nonideal") < 0.0);
    }

    TEST_CASE("a node of a net is a point like any other; a wrong one is refused at its place") {
        const std::string chain =
            "\n[[body]]\nname = \"chain\"\ntype = \"truss\"\nnodes = [[0.0, 0.0, 0.0], [1.0, 0.0, "
            "0.0], [2.0, 0.0, 0.0]]\nelements = [[0, 1], [1, 2]]\narea = 1e-4\nyoung = 1e7\n"
            "density = 1000.0\n";
        Simulation simulation =
            model(kWeight + chain +
                  drag("[\"chain@0\", \"chain@1\", \"chain@2\"]", "quadratic = 0.01\n") +
                  integrator("emm", 1e-3, 0.5));
        run_to_end(simulation);
        check_balances(simulation.statistics());
        CHECK(column(simulation, "work.nonideal") < 0.0);
        Simulation all = model(kWeight + chain + drag("\"chain@*\"", "quadratic = 0.01\n") +
                               integrator("emm", 1e-3, 0.5));
        run_to_end(all);
        CHECK(column(all, "work.nonideal") == column(simulation, "work.nonideal"));
        CHECK_THROWS_WITH(model(chain + drag("[\"chain@0\", \"chain@7\"]", "linear = 1.0\n") +
                                integrator("emm", 1e-3, 0.5)),
                          doctest::Contains("test.toml"));
    }
}

}  // namespace
}  // namespace ancora::testing
