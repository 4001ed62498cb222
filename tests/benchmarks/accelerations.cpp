// SPDX-License-Identifier: BSD-3-Clause
// What one evaluation of the accelerations costs: chains bent and in motion, through the kernel,
// beside the dense path on the whole of M and A at the same state.
#include <chrono>
#include <cstdio>
#include <span>

#include <Eigen/Core>
#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "ancora/framework/udwadia_kalaba.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
using Clock = std::chrono::steady_clock;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// The two paths may differ by this part of the acceleration.
constexpr double kAgreement = 1e-9;
// The dense path grows like N^3; it is asked up to here.
constexpr int kMostDense = 200;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

Manifest chain(int N) {
    Manifest manifest = benchmark::bent_chain(N, 1e-4, N >= 1000 ? 10 : 100);
    manifest.integrator.type = "rk4";
    Table own;
    own.set("projection", false);
    manifest.integrator.own["rk4"] = own;
    return manifest;
}

/// Seconds per evaluation in runs of rk4 without projection; the fastest of three counts.
double evaluation(int N, PluginRegistry& registry) {
    const Manifest manifest = chain(N);
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

/// M, A, b and Q of the chain, written out. With the base vectors e_c of a link and its centre r
/// as coordinates (r, e_1, e_2, e_3):
///
///   rigidity  (e_c . e_c - 1) / 2 = 0,  e_c . e_d = 0             6 rows
///   joint     r - e_1 / 2 = r' + e_1' / 2, ' the link before      3 rows
struct Equations {
    MatrixXd M, A;
    VectorXd b, Q;

    Equations(std::span<const double> q, std::span<const double> v, int N)
        : M(MatrixXd::Zero(12 * N, 12 * N)),
          A(MatrixXd::Zero(9 * N, 12 * N)),
          b(VectorXd::Zero(9 * N)),
          Q(VectorXd::Zero(12 * N)) {
        const Eigen::Vector3d size(1.0, 0.2, 0.1);
        const double mass = 1000.0 * size.prod();
        for (int i = 0; i < N; ++i) {
            const auto base = [&](int c) {
                return 12 * i + 3 + 3 * c;
            };
            const auto at = [&](std::span<const double> x, int first) {
                return Eigen::Map<const Eigen::Vector3d>(x.data() + first);
            };
            M.diagonal().segment<3>(12 * i).setConstant(mass);
            for (int c = 0; c < 3; ++c) {
                const int d = (c + 1) % 3;
                const int k = 9 * i + c;
                M.diagonal().segment<3>(base(c)).setConstant(mass / 12.0 * size[c] * size[c]);
                A.row(k).segment<3>(base(c)) = at(q, base(c));
                b[k] = -at(v, base(c)).squaredNorm();
                A.row(k + 3).segment<3>(base(c)) = at(q, base(d));
                A.row(k + 3).segment<3>(base(d)) = at(q, base(c));
                b[k + 3] = -2.0 * at(v, base(c)).dot(at(v, base(d)));
                A(k + 6, 12 * i + c) = 1.0;
                A(k + 6, base(0) + c) = -0.5;
                if (i == 0) continue;
                A(k + 6, 12 * (i - 1) + c) = -1.0;
                A(k + 6, 12 * (i - 1) + 3 + c) = -0.5;
            }
            Q[12 * i + 2] = -9.81 * mass;
        }
    }
};

/// The dense path at the chain's start.
struct Dense {
    double seconds = 0.0;
    double difference = 0.0;  ///< of its acceleration to the kernel's, relative
};

Dense dense(int N, PluginRegistry& registry) {
    const Simulation simulation(chain(N), registry);
    const Equations equations(simulation.q(), simulation.v(), N);
    const VectorXd C = VectorXd::Zero(12 * N);
    Dense out;
    for (int repeat = 0; repeat < (N >= 100 ? 1 : 3); ++repeat) {
        const auto begin = Clock::now();
        const ConstrainedMotion motion = udwadia_kalaba(
            equations.M, equations.A, equations.b, equations.Q, C, SolverPath::dense);
        const double seconds = seconds_since(begin);
        if (repeat == 0 || seconds < out.seconds) out.seconds = seconds;
        const Dynamics kernel = simulation.dynamics();
        const Eigen::Map<const VectorXd> a(kernel.acceleration.data(), 12 * N);
        out.difference = (a - motion.acceleration).norm() / motion.acceleration.norm();
    }
    return out;
}

}  // namespace

int main() {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    fmt::print(
        "One evaluation of the accelerations of a chain of N rigid boxes, bent and in motion\n"
        "(12 N coordinates, 9 N rows; M, A, b and Q assembled by the kernel, given to the dense "
        "path)\n\n"
        "{:>6} {:>9} {:>11} {:>12} {:>7} {:>14} {:>8} {:>11}\n",
        "N",
        "unknowns",
        "kernel, ms",
        "us a body",
        "growth",
        "dense path, ms",
        "ratio",
        "difference");
    double first = 0.0;
    bool has_agreed = true;
    for (const int N : {10, 30, 100, 200, 300, 1000}) {
        const double kernel = evaluation(N, registry);
        if (first == 0.0) first = kernel / N;
        fmt::print("{:>6} {:>9} {:>11.3f} {:>12.2f} {:>7.2f}",
                   N,
                   21 * N,
                   1e3 * kernel,
                   1e6 * kernel / N,
                   kernel / N / first);
        if (N <= kMostDense) {
            const Dense whole = dense(N, registry);
            fmt::print(" {:>14.1f} {:>8.0f} {:>11.1e}",
                       1e3 * whole.seconds,
                       whole.seconds / kernel,
                       whole.difference);
            has_agreed &= whole.difference <= kAgreement;
        }
        fmt::print("\n");
        std::fflush(stdout);
    }
    if (has_agreed) return 0;
    fmt::print("the two paths differ by more than {:.0e}\n", kAgreement);
    return 1;
}
