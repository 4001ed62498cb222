// SPDX-License-Identifier: BSD-3-Clause
// The kernel alone: this program is linked with the target ancora_kernel and with nothing else of
// framework; with_friction.cpp adds the part for friction.
#include <cmath>

#include <doctest/doctest.h>

#include "kernel_run.hpp"

namespace {

using namespace ancora;

/// w in body axes of a box of directors d_i with velocities d_i': w_1 = d_3 . d_2' and so on.
Eigen::Vector3d angular_velocity(std::span<const double> q, std::span<const double> v) {
    const auto d = [](std::span<const double> x, int i) {
        return Eigen::Vector3d(x[3 + 3 * i], x[4 + 3 * i], x[5 + 3 * i]);
    };
    return {d(q, 2).dot(d(v, 1)), d(q, 0).dot(d(v, 2)), d(q, 1).dot(d(v, 0))};
}

}  // namespace

TEST_SUITE("kernel") {
    // Euler's equations J w' = J w x w, by RK4 with steps that leave 1e-12.
    TEST_CASE("a box tumbles by Euler's equations") {
        KernelRun run(R"(
            [[body]]
            name = "box"
            type = "ancf_rigid_body"
            size = [3.0, 2.0, 1.0]
            density = 2700.0
            angular_velocity = [0.3, 0.5, 0.8]
            [integrator]
            type = "emm"
            step = 1.0e-2
            end = 10.0
            [integrator.emm]
            order = 4)");
        run.finish();
        const double m = 2700.0 * 6.0;
        const Eigen::Vector3d J = m / 12.0 * Eigen::Vector3d(5.0, 10.0, 13.0);
        const auto rate = [&J](const Eigen::Vector3d& w) -> Eigen::Vector3d {
            return J.cwiseProduct(w).cross(w).cwiseQuotient(J);
        };
        Eigen::Vector3d w(0.3, 0.5, 0.8);
        const double h = 1e-3;
        for (int i = 0; i < 10'000; ++i) {
            const Eigen::Vector3d k1 = rate(w), k2 = rate(w + 0.5 * h * k1),
                                  k3 = rate(w + 0.5 * h * k2), k4 = rate(w + h * k3);
            w += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        CHECK((angular_velocity(run.system.q(), run.system.v()) - w).norm() < 1e-7);
        CHECK(std::abs(run.system.ledger().now().energy) < 1e-12);
    }

    TEST_CASE("a box with a truss at its corner keeps what it must") {
        KernelRun run(R"(
            [[body]]
            name = "box"
            type = "ancf_rigid_body"
            size = [3.0, 2.0, 1.0]
            density = 2700.0
            angular_velocity = [0.3, 0.5, 0.8]
            [[body]]
            name = "boom"
            type = "truss"
            from = [1.5, 0.0, 0.0]
            to = [2.3, 0.0, 0.0]
            area = 1.0e-4
            density = 2700.0
            young = 70.0e9
            velocity_from = "box"
            [[constraint]]
            name = "root"
            type = "position"
            a = "box@[1.5, 0.0, 0.0]"
            b = "boom@0"
            [integrator]
            type = "emm"
            step = 1.0e-3
            end = 1.0)");
        const auto momentum = [&run] {
            const auto [linear, angular] = run.momenta();
            return Eigen::Matrix<double, 6, 1>(
                (Eigen::Matrix<double, 6, 1>() << linear, angular).finished());
        };
        const auto before = momentum();
        run.finish();
        CHECK((momentum() - before).norm() < 1e-11 * before.norm());
        CHECK(run.system.violations().worst().position < 1e-13);
    }

    // T = 2 pi sqrt(l/g) (1 + a^2/16 + 11 a^4/3072)
    TEST_CASE("a point on a rod swings with the pendulum's period") {
        KernelRun run(R"(
            [model]
            gravity = [0.0, 0.0, -9.81]
            [[body]]
            name = "bob"
            type = "particle"
            mass = 1.0
            position = [0.1, 0.0, -0.99498743710662]
            [[constraint]]
            name = "rod"
            type = "distance"
            a = "ground@[0, 0, 0]"
            b = "bob@[0, 0, 0]"
            [integrator]
            type = "emm"
            step = 1.0e-3
            end = 2.1)");
        double crossed = 0.0, last = run.system.q()[0];
        int crossings = 0;
        while (crossings < 2 && run.step()) {
            const double x = run.system.q()[0];
            if ((x < 0.0) != (last < 0.0)) {
                crossed = run.system.time() - 1e-3 * x / (x - last) - crossed * crossings;
                ++crossings;
            }
            last = x;
        }
        REQUIRE(crossings == 2);
        const double a = std::asin(0.1);
        const double period = 2.0 * M_PI * std::sqrt(1.0 / 9.81) *
                              (1.0 + a * a / 16.0 + 11.0 * std::pow(a, 4) / 3072.0);
        CHECK(std::abs(2.0 * crossed - period) < 2e-6);
    }

    TEST_CASE("contact laws are refused by name without the part for friction") {
        CHECK_THROWS_WITH_AS(
            KernelRun run(kBlockOnIncline), doctest::Contains("no part for contact laws"), Error);
    }
}
