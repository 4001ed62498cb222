// SPDX-License-Identifier: BSD-3-Clause
// The symplectic integrator: order and energy on an oscillator and a rotor with closed solutions,
// and what it refuses.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include <Eigen/Dense>
#include <boost/math/special_functions/ellint_1.hpp>
#include <boost/math/special_functions/jacobi_elliptic.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

#ifdef ANCORA_TEST_SHORT
constexpr long kSteps = 2'000;
#else
constexpr long kSteps = 500'000;
#endif

std::string integrator(const std::string& type, double step, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, step, end);
}

/// A bar of rest length L = 1 m with half its mass m on each end, free, let go at the length A. Its
/// Green strain is (l^2 - L^2) / (2 L^2), so that
///
///   l'' = -c l (l^2 - L^2),   c = 2 E A_0 / (m L^3)                                      (1)
///   l = A dn(w t, k),   w = A sqrt(c / 2),   k^2 = 2 - 2 L^2 / A^2                       (2)
struct Bar {
    static constexpr double kMass = 2.0, kStiffness = 50.0, kStart = 1.15;
    const double c = 2.0 * kStiffness / kMass;
    const double w = kStart * std::sqrt(0.5 * c);
    const double k = std::sqrt(2.0 - 2.0 / (kStart * kStart));

    double length(double t) const { return kStart * boost::math::jacobi_dn(k, w * t); }
    double period() const { return 2.0 * boost::math::ellint_1(k) / w; }
    std::string text() const {
        return fmt::format(
            "[[body]]\nname = \"bar\"\ntype = \"truss\"\nfrom = [0.0, 0.0, 0.0]\n"
            "to = [{:.17g}, 0.0, 0.0]\nrest_length = 1.0\narea = 1.0\nyoung = {:.17g}\n"
            "density = {:.17g}\nmass = \"lumped\"\n",
            kStart,
            kStiffness,
            kMass);
    }
    static double length(const Simulation& simulation) {
        return (vec3(simulation.point("bar@1").position) - vec3(simulation.point("bar@0").position))
            .norm();
    }
    double error(const std::string& type, double step, double end) const {
        Simulation simulation = model(text() + integrator(type, step, end));
        run_to_end(simulation);
        return std::abs(length(simulation) - length(end));
    }
};

std::string message_of(const std::string& text) {
    Simulation simulation = model(text);
    try {
        simulation.step();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::numerical);
        return error.message();
    }
    return "nothing thrown";
}

TEST_SUITE("symplectic") {
    TEST_CASE("a bar that oscillates: order 4 against the closed solution") {
        const Bar bar;
        const double coarse = bar.error("symplectic", 0.02, 2.0);
        const double middle = bar.error("symplectic", 0.01, 2.0);
        const double fine = bar.error("symplectic", 0.005, 2.0);
        CHECK(observed_order(2.0, coarse, 1.0, middle) == near(4.0, 0.2));
        CHECK(observed_order(2.0, middle, 1.0, fine) == near(4.0, 0.1));
        CHECK(fine <= tolerance(1e-7));
    }

    TEST_CASE("verlet: order 2 on the same bar, with one evaluation a step") {
        const Bar bar;
        const double coarse = bar.error("verlet", 0.004, 2.0);
        const double fine = bar.error("verlet", 0.002, 2.0);
        CHECK(observed_order(2.0, coarse, 1.0, fine) == near(2.0, 0.05));
        CHECK(fine <= tolerance(2e-4));

        Simulation simulation = model(bar.text() + integrator("verlet", 0.01, 1.0));
        simulation.step();
        const long first = simulation.statistics().evaluations;
        run_to_end(simulation);
        // Records have accelerations of their own.
        CHECK(simulation.statistics().evaluations - first <= 99 + 2);
        CHECK(simulation.statistics().evaluations - first >= 99);
    }

    // A rod that turns at the rate W: m W^2 l / 4 = E A_0 l (l^2 - L^2) / (2 L^3) on each end,
    // so l^2 = L^2 + m W^2 L^3 / (2 E A_0).
    TEST_CASE("a bar in steady rotation: order 4 in the angle, angular momentum to rounding") {
        constexpr double kRate = 3.0;
        const Bar bar;
        const double l = std::sqrt(1.0 + Bar::kMass * kRate * kRate / (2.0 * Bar::kStiffness));
        const auto error = [&](const std::string& type, double step) {
            Simulation simulation =
                model(fmt::format(
                          "[[body]]\nname = \"bar\"\ntype = \"truss\"\nfrom = [{:.17g}, 0.0, 0.0]\n"
                          "to = [{:.17g}, 0.0, 0.0]\nrest_length = 1.0\narea = 1.0\nyoung = {}\n"
                          "density = {}\nmass = \"lumped\"\n"
                          "spin = {{axis = [0.0, 0.0, 1.0], rate = {}}}\n",
                          -0.5 * l,
                          0.5 * l,
                          Bar::kStiffness,
                          Bar::kMass,
                          kRate) +
                      integrator(type, step, 2.0));
            run_to_end(simulation);
            const RunStatistics statistics = simulation.statistics();
            CHECK(statistics.angular_momentum.max_rel <= tolerance(rounding_bound(2.0 / step)));
            CHECK(statistics.momentum.max_abs <= tolerance(1e-13));
            const Vec3 exact = 0.5 * l * Vec3(std::cos(2.0 * kRate), std::sin(2.0 * kRate), 0.0);
            return (vec3(simulation.point("bar@1").position) - exact).norm();
        };
        CHECK(observed_order(2.0, error("symplectic", 0.02), 1.0, error("symplectic", 0.01)) ==
              near(4.0, 0.1));
        CHECK(observed_order(2.0, error("verlet", 0.004), 1.0, error("verlet", 0.002)) ==
              near(2.0, 0.05));
    }

    // 20 steps a period; rk4 loses energy by a part of it in each.
    TEST_CASE("the error of the energy does not grow over 25000 periods, that of rk4 does") {
        const Bar bar;
        const double step = bar.period() / 20.0;
        const auto balances = [&](const std::string& type, long steps) {
            Simulation simulation =
                model(bar.text() + integrator(type, step, step * static_cast<double>(steps)));
            while (simulation.steps_done() < steps / 100) simulation.step();
            const double early = simulation.statistics().energy.max_abs;
            run_to_end(simulation);
            return std::pair(early, simulation.statistics().energy.max_abs);
        };
        for (const char* type : {"symplectic", "verlet"}) {
            CAPTURE(type);
            const auto [early, late] = balances(type, kSteps);
            CHECK(late <= tolerance(1.05 * early));
        }
        const auto [early, late] = balances("symplectic", kSteps);
        CHECK(early > 0.0);
        CHECK(late <= 1.01 * early);
        const auto [first, last] = balances("rk4", kSteps / 10);
        CHECK(last > 20.0 * first);
    }

    // A particle under gravity alone: every method of order 2 and more is exact.
    TEST_CASE(
        "free fall, with momentum booked as gravity's impulse, on a line fixed in space too") {
        const std::string fall =
            "[model]\ngravity = [0.0, 0.0, -9.81]\n[[body]]\nname = \"p\"\ntype = \"particle\"\n"
            "mass = 2.0\nvelocity = [1.0, 0.0, 2.0]\n";
        for (const std::string& tied :
             {std::string(),
              std::string("[[constraint]]\nname = \"wall\"\ntype = \"point_on_plane\"\n"
                          "point = \"p@0\"\nnormal = [0.0, 1.0, 0.0]\n")}) {
            Simulation simulation = model(fall + tied + integrator("symplectic", 0.1, 1.0));
            run_to_end(simulation);
            const Vec3 exact(1.0, 0.0, 2.0 - 0.5 * 9.81);
            CHECK((vec3(simulation.point("p@0").position) - exact).norm() <= tolerance(1e-14));
            CHECK(simulation.statistics().momentum.max_abs <= tolerance(1e-13));
        }
    }

    TEST_CASE("a rigid box by penalty is served, an exactly rigid one is not") {
        const auto box = [](const std::string& penalty) {
            return "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [3.0, 2.0, 1.0]\n"
                   "density = 2700.0\npenalty = " +
                   penalty + "\nangular_velocity = [0.3, 0.5, 0.8]\n" +
                   integrator("symplectic", 1e-4, 1e-2);
        };
        Simulation soft = model(box("1e7"));
        run_to_end(soft);
        CHECK(soft.statistics().energy.max_rel <= tolerance(1e-9));
        CHECK(message_of(box("inf"))
                  .find("takes systems whose accelerations do not depend on velocities, but that "
                        "of coordinate 3 (counted from 0) does: no constraints other than linear "
                        "ones") != std::string::npos);
    }

    TEST_CASE(
        "curved constraints, rotation parameters, friction and masses that change are refused, "
        "each with its reason") {
        CHECK(message_of("[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 2.0\n"
                         "position = [1.0, 0.0, 0.0]\n[[constraint]]\nname = \"hoop\"\n"
                         "type = \"general_constraint\"\nequation = \"p.x^2 + p.y^2 = 1\"\n" +
                         integrator("symplectic", 0.01, 1.0))
                  .find("that of coordinate 0 (counted from 0) does") != std::string::npos);
        // rotation parameters: the mass matrix depends on them, so that rates enter
        CHECK(message_of("[[body]]\nname = \"box\"\ntype = \"quaternion_body\"\n"
                         "size = [3.0, 2.0, 1.0]\ndensity = 2700.0\n" +
                         integrator("symplectic", 0.01, 1.0))
                  .find("no mass that depends on the state") != std::string::npos);
        const std::string particle =
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 2.0\n"
            "[[constraint]]\nname = \"floor\"\ntype = \"point_on_plane\"\npoint = \"p@0\"\n"
            "normal = [0.0, 0.0, 1.0]\n";
        CHECK(message_of(particle +
                         "[[force]]\nname = \"rub\"\ntype = \"coulomb_friction\"\non = \"floor\"\n"
                         "mu_kinetic = 0.2\n" +
                         integrator("symplectic", 0.01, 1.0))
                  .find("takes systems without friction and without elements that break; take rk4 "
                        "or dopri5") != std::string::npos);
        // a tank that leaks: its power is quadratic in the velocity
        CHECK(message_of("[[body]]\nname = \"tank\"\ntype = \"particle\"\n"
                         "mass_over_time = \"2 - 0.1*t\"\nvelocity = [1.0, 0.0, 0.0]\n" +
                         integrator("verlet", 0.01, 1.0))
                  .find("without a power that grows with the square of velocities") !=
              std::string::npos);
    }

    /// x = A cos(w t) + (F / k) (1 - cos(w t)) on a spring to the ground, A its length at first.
    TEST_CASE("springs of the joints and loads are served: the path and the works in their order") {
        std::mt19937 random(36);
        std::uniform_real_distribution<double> some(0.5, 2.0);
        for (int k = 0; k < 30; ++k) {
            const double mass = some(random), stiffness = 100.0 * some(random);
            const double start = some(random), load = k % 3 == 0 ? 0.0 : 20.0 * some(random);
            CAPTURE(k);
            const double w = std::sqrt(stiffness / mass), end = 6.0 / w;
            const Vec3 along = Vec3(some(random), -some(random), some(random)).normalized();
            const auto triple = [](const Vec3& x) {
                return fmt::format("[{:.17g}, {:.17g}, {:.17g}]", x(0), x(1), x(2));
            };
            const std::string text =
                fmt::format(
                    "[[body]]\nname = \"m\"\ntype = \"particle\"\nmass = {:.17g}\n"
                    "position = {}\n",
                    mass,
                    triple(start * along)) +
                fmt::format(
                    "[[constraint]]\nname = \"k\"\ntype = \"spring\"\n"
                    "a = \"ground@[0, 0, 0]\"\nb = \"m@0\"\nstiffness = {:.17g}\n"
                    "free = 0.0\n",
                    stiffness) +
                (load == 0.0 ? ""
                             : fmt::format("[[force]]\nname = \"f\"\ntype = \"constant_force\"\n"
                                           "at = \"m@0\"\nforce = {}\n",
                                           triple(load * along)));
            const double x =
                start * std::cos(w * end) + load / stiffness * (1.0 - std::cos(w * end));
            const double most = stiffness * (start * start + std::pow(load / stiffness, 2));
            for (const auto& [type, order, error] :
                 {std::tuple("verlet", 2.0, 1e-2), std::tuple("symplectic", 4.0, 1e-4)}) {
                CAPTURE(type);
                double path[2], work[2], balance[2];
                for (const int fine : {0, 1}) {
                    Simulation simulation =
                        model(text + integrator(type, (fine != 0 ? 0.05 : 0.1) / w, end));
                    run_to_end(simulation);
                    const double now = vec3(simulation.point("m@0").position).dot(along);
                    path[fine] = std::abs(now - x);
                    // What the spring has given to the motion, and what the load has.
                    work[fine] = std::abs(column(simulation, "k.work") -
                                          0.5 * stiffness * (start * start - x * x));
                    work[fine] +=
                        std::abs(column(simulation, "work.nonideal") - load * (x - start));
                    balance[fine] = simulation.statistics().energy.max_abs;
                }
                CHECK(path[1] <= tolerance(error * (start + load / stiffness)));
                CHECK(work[1] <= tolerance(error * most));
                CHECK(balance[1] <= tolerance(error * most));
                CHECK(observed_order(2.0, path[0], 1.0, path[1]) == near(order, 0.3));
                CHECK(observed_order(2.0, balance[0], 1.0, balance[1]) == near(order, 0.3));
            }
        }
    }
}

}  // namespace
}  // namespace ancora::testing
