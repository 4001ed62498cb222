// SPDX-License-Identifier: BSD-3-Clause
// The hanging chain and the spinning net of examples/, against independent solutions.
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/dense.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace {

using namespace ancora;
using namespace ancora::testing;

#ifdef ANCORA_TEST_SHORT
const Overrides kNetOverrides = {"integrator.end=0.02"};
constexpr double kNetSeconds = 1.0;
const Overrides kChainOverrides = {"integrator.end=0.5"};
#else
const Overrides kNetOverrides;
constexpr double kNetSeconds = 10.0;
const Overrides kChainOverrides;
#endif

/// Vertical joint forces at the release of N equal boxes in a horizontal row, hung at one end, from
/// Newton's and Euler's equations of each box and the joints' accelerations: one dense system in
/// the accelerations of centres and angles and the forces on the left ends.
Eigen::VectorXd release_forces(int N, double length, double mass, double inertia, double g) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(3 * N, 3 * N);
    Eigen::VectorXd b = Eigen::VectorXd::Zero(3 * N);
    const double half = 0.5 * length;
    for (int i = 0; i < N; ++i) {
        const int center = i;
        const int angle = N + i;
        const int force = 2 * N + i;
        A(i, center) = mass;
        A(i, force) = -1.0;
        b[i] = -mass * g;
        A(N + i, angle) = inertia;
        A(N + i, force) = half;
        if (i + 1 < N) {
            A(i, force + 1) = 1.0;
            A(N + i, force + 1) = half;
        }
        A(2 * N + i, center) = 1.0;
        A(2 * N + i, angle) = -half;
        if (i > 0) {
            A(2 * N + i, center - 1) = -1.0;
            A(2 * N + i, angle - 1) = -half;
        }
    }
    return by_eigen::solved(A, b).col(0).tail(N);
}

}  // namespace

TEST_SUITE("hanging chain") {
    TEST_CASE("at the release the joint forces are those of Newton's and Euler's equations") {
        Simulation run = example("hanging_chain", {"integrator.step=1e-6", "integrator.end=1e-6"});
        run_to_end(run);
        const double mass = 1000.0 * 1.0 * 0.2 * 0.1;
        const double inertia = mass * (1.0 + 0.1 * 0.1) / 12.0;
        const Eigen::VectorXd expected = release_forces(10, 1.0, mass, inertia, 9.81);
        for (int i = 0; i < 10; ++i) {
            const std::vector<double> force = run.reaction(fmt::format("joint{}", i + 1));
            // The mean over a step differs from the instant by order h^2 = 1e-12.
            CHECK(force[2] == near(expected[i], 1e-11 * mass * 9.81));
            CHECK(force[1] == near(0.0, 1e-11 * mass * 9.81));
        }
    }

    TEST_CASE("ten seconds of falling and whipping keep energy, momenta and joints to round-off") {
        Simulation run = example("hanging_chain", kChainOverrides);
        run_to_end(run);
        const RunStatistics statistics = run.statistics();
        // No factor is needed over the free systems' limit.
        const double limit = rounding_bound(static_cast<double>(statistics.steps));
        CHECK(statistics.energy.max_rel <= tolerance(limit));
        CHECK(statistics.momentum.max_rel <= tolerance(limit));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(limit));
        // Gaps between coordinates of size 10 m: some units in their last place.
        CHECK(statistics.constraint_position.max_abs <= tolerance(1e-14));
        CHECK(statistics.constraint_strain.max_abs <= tolerance(1e-14));
    }
}

TEST_SUITE("spinning net") {
    TEST_CASE("from its steady start every step turns the net by 2 atan(h Omega / 2) and no more") {
        Simulation run = example("spinning_net", kNetOverrides);
        const std::array<int, 3> nodes = {0, 59, 1770};
        std::vector<std::array<double, 3>> start;
        for (const int node : nodes)
            start.push_back(run.point(fmt::format("net@{}", node)).position);
        run_to_end(run);
        // The scheme turns a relative equilibrium by the Cayley map of h Omega.
        const double angle = 2.0 * std::atan(0.5 * 1e-3) * static_cast<double>(run.num_steps());
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            const auto end = run.point(fmt::format("net@{}", nodes[i])).position;
            const double c = std::cos(angle);
            const double s = std::sin(angle);
            CHECK(end[0] == near(c * start[i][0] - s * start[i][1], 1e-12));
            CHECK(end[1] == near(s * start[i][0] + c * start[i][1], 1e-12));
            CHECK(end[2] == near(0.0, 1e-15));
        }
        const RunStatistics statistics = run.statistics();
        const double limit = rounding_bound(static_cast<double>(statistics.steps));
        CHECK(statistics.energy.max_rel <= tolerance(limit));
        CHECK(statistics.momentum.max_rel <= tolerance(limit));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(limit));
        CHECK(statistics.factorisations < statistics.steps / 10);
        // Nothing but rounding is left of a turning net's correction.
        CHECK(statistics.iterations <= statistics.steps + statistics.steps / 10);
    }

    // Ten radians about an axis that is no coordinate axis, with strains that ring.
    TEST_CASE("a net keeps its factorisation while it turns, and energy and momenta with it") {
        const std::string text = R"(
[[body]]
name = "net"
type = "truss"
grid = {counts = [8, 8], spacing = [0.25, 0.25], origin = [-0.875, -0.875, 0.0], diagonals = true}
area = 1e-6
young = 3e9
density = 1420.0
node_masses = [[0, 0.5], [7, 0.5], [56, 0.5], [63, 0.5]]
spin = {axis = [0.0, 0.0, 1.0], rate = 1.0}
velocity = [0.1, 0.2, 0.3]
[integrator]
type = "emm"
step = 1e-3
)" + setting("end", kNetSeconds);
        Simulation run = model(text);
        run_to_end(run);
        const RunStatistics statistics = run.statistics();
        const double limit = rounding_bound(static_cast<double>(statistics.steps));
        CHECK(statistics.energy.max_rel <= tolerance(limit));
        CHECK(statistics.momentum.max_rel <= tolerance(limit));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(limit));
        MESSAGE("factorisations: " << statistics.factorisations << " in " << statistics.steps
                                   << " steps, " << statistics.iterations << " iterations");
        // One serves for many degrees, where it may be renewed to spare iterations.
        CHECK(statistics.factorisations <= std::max(3L, statistics.steps / 50));
        CHECK(statistics.iterations <= 2 * statistics.steps + statistics.steps / 4);
    }
}
