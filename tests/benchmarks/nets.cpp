// SPDX-License-Identifier: BSD-3-Clause
// What a step of a spinning net is made of: assembly, solves, factorisations and the rest.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>

#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "models.hpp"

namespace {

using namespace ancora;

constexpr double kStep = 1e-3;  // [s]
constexpr double kGoal = 30.0;  // [ms] a step of the largest net
constexpr int kLargest = 100;   // nodes along a side

/// Runs `steps` steps and prints a line. @returns ms a step
double measure(int N, bool has_diagonals, long steps, PluginRegistry& registry) {
    Simulation simulation(benchmark::spinning_net(N, kStep, steps, has_diagonals), registry);
    while (!simulation.done()) simulation.step();
    const RunStatistics run = simulation.statistics();
    const auto count = static_cast<double>(run.steps);
    const double elements = has_diagonals ? 2.0 * (N - 1) * (2 * N - 1) : 2.0 * N * (N - 1);
    const double total = run.step_seconds;
    const double rest = total - run.factorise_seconds - run.assemble_seconds - run.solve_seconds;
    const auto share = [&](double seconds) {
        return fmt::format("{:.2f} ({:.0f}%)", 1e3 * seconds / count, 100.0 * seconds / total);
    };
    fmt::print(
        "{:>6} {:>9} {:>6} {:>10.2f} {:>11.2f} {:>8} {:>9.1f} {:>13} {:>13} {:>13} {:>13} "
        "{:>9.1e}\n",
        fmt::format("{}^2{}", N, has_diagonals ? " x" : ""),
        elements,
        run.steps,
        1e3 * total / count,
        static_cast<double>(run.iterations) / count,
        run.factorisations,
        1e3 * run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L)),
        share(run.assemble_seconds),
        share(run.solve_seconds),
        share(run.factorise_seconds),
        share(rest),
        run.energy.max_rel);
    return 1e3 * total / count;
}

}  // namespace

/// Optional argument: multiplies the numbers of steps.
int main(int argc, char** argv) {
    const double factor = argc > 1 ? std::atof(argv[1]) : 1.0;
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    fmt::print(
        "Nets spinning at 1 rad/s, step {} s; x: with both diagonals of every cell. Times in "
        "ms a step.\n"
        "{:>6} {:>9} {:>6} {:>10} {:>11} {:>8} {:>9} {:>13} {:>13} {:>13} {:>13} {:>9}\n",
        kStep,
        "nodes",
        "elements",
        "steps",
        "ms a step",
        "iterations",
        "factor.",
        "ms each",
        "assembly",
        "solves",
        "factor.",
        "rest",
        "balance");
    double plain = 0.0;
    for (const bool has_diagonals : {false, true})
        for (const int N : {30, 60, kLargest}) {
            const double steps = N == 30 ? 1000.0 : N == 60 ? 400.0 : 150.0;
            const double taken =
                measure(N, has_diagonals, static_cast<long>(factor * steps), registry);
            if (N == kLargest && !has_diagonals) plain = taken;
        }
    fmt::print("\n100^2 without diagonals: {:.1f} ms a step, {:.2f} of the goal of {:.0f} ms\n",
               plain,
               plain / kGoal,
               kGoal);
    return 0;
}
