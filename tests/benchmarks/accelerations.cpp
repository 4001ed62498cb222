// SPDX-License-Identifier: BSD-3-Clause
// What one evaluation of the accelerations costs: hanging chains, through the kernel, beside the
// dense path on the same matrices.
#include <chrono>
#include <cstdio>

#include <Eigen/Core>
#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/framework/udwadia_kalaba.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds per evaluation in runs of rk4 without projection; the fastest of three counts.
double evaluation(int N, PluginRegistry& registry) {
    Manifest manifest = benchmark::hanging_chain(N, 1e-3, N >= 1000 ? 10 : 100);
    manifest.integrator.type = "rk4";
    Table own;
    own.set("projection", false);
    manifest.integrator.own["rk4"] = own;
    double best = 0.0;
    for (int repeat = 0; repeat < 3; ++repeat) {
        Simulation simulation(manifest, registry);
        simulation.step();
        const long before = simulation.statistics().evaluations;
        const auto begin = Clock::now();
        while (!simulation.done()) simulation.step();
        const auto count = static_cast<double>(simulation.statistics().evaluations - before);
        const double seconds = seconds_since(begin) / count;
        if (repeat == 0 || seconds < best) best = seconds;
    }
    return best;
}

/// Seconds for the same chain's equations by the dense path: M diagonal, A of 6 rows of rigidity
/// and 3 of the joint per link, at the start.
double dense(int N) {
    const int n = 12 * N;
    const int m = 9 * N;
    const Eigen::Vector3d size(1.0, 0.2, 0.1);
    const double mass = 1000.0 * size.prod();
    Eigen::MatrixXd M = Eigen::MatrixXd::Zero(n, n);
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(m, n);
    Eigen::VectorXd Q = Eigen::VectorXd::Zero(n);
    for (int i = 0; i < N; ++i) {
        const int q = 12 * i;
        for (int c = 0; c < 3; ++c) {
            M(q + c, q + c) = mass;
            for (int e = 0; e < 3; ++e)
                M(q + 3 + 3 * e + c, q + 3 + 3 * e + c) = mass / 12.0 * size[e] * size[e];
            A(9 * i + c, q + 3 + 4 * c) = 1.0;
            const int d = (c + 1) % 3;
            A(9 * i + 3 + c, q + 3 + 3 * c + d) = 1.0;
            A(9 * i + 3 + c, q + 3 + 3 * d + c) = 1.0;
            A(9 * i + 6 + c, q + c) = 1.0;
            A(9 * i + 6 + c, q + 3 + c) = -0.5;
            if (i == 0) continue;
            A(9 * i + 6 + c, q - 12 + c) = -1.0;
            A(9 * i + 6 + c, q - 12 + 3 + c) = -0.5;
        }
        Q[q + 2] = -9.81 * mass;
    }
    const Eigen::VectorXd b = Eigen::VectorXd::Zero(m);
    const Eigen::VectorXd C = Eigen::VectorXd::Zero(n);
    const auto begin = Clock::now();
    const auto result = udwadia_kalaba(M, A, b, Q, C, SolverPath::dense);
    const double seconds = seconds_since(begin);
    if (!result.acceleration.allFinite()) std::puts("not finite");
    return seconds;
}

}  // namespace

int main() {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    fmt::print("accelerations of a chain of N rigid boxes (12 coordinates and 9 rows each)\n\n");
    fmt::print(
        "{:>6} {:>14} {:>16} {:>14} {:>10}\n", "N", "kernel", "per body", "dense path", "ratio");
    double first = 0.0;
    for (const int N : {10, 100, 1000}) {
        const double kernel = evaluation(N, registry);
        if (N == 10) first = kernel / N;
        fmt::print("{:>6} {:>11.3f} ms {:>7.2f} us ({:.2f})",
                   N,
                   1e3 * kernel,
                   1e6 * kernel / N,
                   kernel / N / first);
        if (N <= 100) {
            const double by_dense = dense(N);
            fmt::print(" {:>11.3f} ms {:>10.0f}", 1e3 * by_dense, by_dense / kernel);
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
    return 0;
}
