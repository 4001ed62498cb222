// SPDX-License-Identifier: BSD-3-Clause
// What a step costs, model by model, beside what is aimed at: the fastest of several pieces of a
// run counts, so that a busy machine shows less.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <tuple>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
using Clock = std::chrono::steady_clock;

struct Figures {
    double step = std::numeric_limits<double>::infinity();  // [s] wall time, without factorisations
    double with_factors = std::numeric_limits<double>::infinity();
    double factorise = 0.0;  // [s] each
    double iterations = 0.0;
    double balance = 0.0;
};

/// The run in pieces after one that warms up.
Figures measure(const Manifest& manifest, int pieces) {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Simulation simulation(manifest, registry);
    const long steps = std::max(1L, simulation.num_steps() / (pieces + 1));
    for (long k = 0; k < steps; ++k) simulation.step();
    Figures best;
    while (!simulation.done()) {
        const RunStatistics before = simulation.statistics();
        const auto start = Clock::now();
        long done = 0;
        for (; done < steps && !simulation.done(); ++done) simulation.step();
        const double taken = std::chrono::duration<double>(Clock::now() - start).count();
        if (done < steps) break;
        const double factors = simulation.statistics().factorise_seconds - before.factorise_seconds;
        best.step = std::min(best.step, (taken - factors) / static_cast<double>(steps));
        best.with_factors = std::min(best.with_factors, taken / static_cast<double>(steps));
    }
    const RunStatistics run = simulation.statistics();
    best.factorise = run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L));
    best.iterations = static_cast<double>(run.iterations) / static_cast<double>(run.steps);
    best.balance = run.energy.max_rel;
    return best;
}

/// In a process of its own, so that its memory is its own. @returns peak [GB]
double in_child(const std::function<void()>& what) {
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        what();
        std::fflush(stdout);
        _exit(0);
    }
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) fmt::print("  failed\n");
    return 1e-6 * static_cast<double>(usage.ru_maxrss);
}

void print(const std::string& what, double value, double goal, const Figures& figures) {
    fmt::print("{:<46} {:>10.3f} {:>10.3f} {:>7.2f} {:>6.2f} {:>9.1e}\n",
               what,
               value,
               goal,
               value / goal,
               figures.iterations,
               figures.balance);
}

Manifest tops(int count, double step, long steps) {
    Manifest manifest = benchmark::empty_model(step, steps);
    for (int i = 0; i < count; ++i)
        manifest.add_body(fmt::format("box{}", i), "ancf_rigid_body")
            .set("size", {3.0, 2.0, 1.0})
            .set("density", 2700.0)
            .set("position", {10.0 * (i % 100), 10.0 * (i / 100), 0.0})
            .set("angular_velocity", {0.3 + 0.1 * std::sin(i), 0.5 + 0.1 * std::cos(3.0 * i), 0.8});
    return manifest;
}

Manifest quaternion_top(double step, long steps) {
    Manifest manifest = benchmark::empty_model(step, steps);
    manifest.integrator.type = "rk4";
    manifest.add_body("box", "quaternion_body")
        .set("size", {3.0, 2.0, 1.0})
        .set("density", 2700.0)
        .set("angular_velocity", {0.3, 0.5, 0.8});
    return manifest;
}

Manifest with(Manifest manifest, const char* integrator, double tolerance = 0.0) {
    manifest.integrator.type = integrator;
    if (tolerance > 0.0) manifest.integrator.tolerance = tolerance;
    return manifest;
}

}  // namespace

/// Optional argument: "all" adds the largest models, a few minutes.
int main(int argc, char** argv) {
    using namespace ancora::benchmark;
    const bool all = argc > 1 && std::string(argv[1]) == "all";
    fmt::print("{:<46} {:>10} {:>10} {:>7} {:>6} {:>9}\n",
               "",
               "measured",
               "goal",
               "ratio",
               "iter.",
               "balance");
    constexpr double kInf = std::numeric_limits<double>::infinity();

    Figures f = measure(free_top(1e-3, 200'000, kInf), 20);
    print("free top, us a step", 1e6 * f.with_factors, 0.8, f);
    f = measure(tops(10'000, 1e-3, 60), 5);
    print("10^4 independent tops, us a body and step", 1e2 * f.with_factors, 0.3, f);
    for (const auto& [N, steps, goal] : {std::tuple(10, 20'000L, 0.03),
                                         std::tuple(100, 2'000L, 0.25),
                                         std::tuple(1000, 300L, 3.5),
                                         std::tuple(10'000, 40L, 40.0)}) {
        f = measure(hanging_chain(N, 1e-3, steps), 8);
        print(fmt::format("chain of {}, ms a step", N), 1e3 * f.with_factors, goal, f);
    }
    f = measure(spinning_net(100, 1e-3, 120), 6);
    print("net 100 x 100, ms a step", 1e3 * f.step, 8.0, f);
    fmt::print("{:<46} {:>10.3f}\n", "  its factorisation, ms", 1e3 * f.factorise);
    f = measure(spinning_net(300, 1e-3, 24), 4);
    print("net 300 x 300, ms a step", 1e3 * f.step, 150.0, f);
    print("  its factorisation, s", f.factorise, 4.0, Figures{});
    {
        const auto start = Clock::now();
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        Simulation simulation(with(hanging_chain(100, 1e-3, 1000), "dopri5", 1e-6), registry);
        while (!simulation.done()) simulation.step();
        print("chain of 100, dopri5 1e-6, s for 1 s",
              std::chrono::duration<double>(Clock::now() - start).count(),
              0.2,
              Figures{});
    }
    f = measure(quaternion_top(1e-3, 50'000), 10);
    print("accelerations of a quaternion body, us", 0.25e6 * f.with_factors, 0.3, f);
    f = measure(with(spinning_net(100, 2e-5, 600, false), "verlet"), 6);
    print("net 100 x 100, verlet, ms a step", 1e3 * f.with_factors, 0.8, f);
    if (!all) return 0;

    double peak = in_child([] {
        const Figures net = measure(spinning_net(500, 1e-3, 12), 2);
        print("net 500 x 500, ms a step", 1e3 * net.step, 420.0, net);
        print("  its factorisation, s", net.factorise, 15.0, Figures{});
    });
    print("  peak, GB", peak, 2.0, Figures{});
    peak = in_child([] {
        const Figures chain = measure(hanging_chain(100'000, 1e-3, 9), 2);
        print("chain of 10^5, ms a step", 1e3 * chain.with_factors, 450.0, chain);
    });
    fmt::print("{:<46} {:>10.3f}\n", "  peak, GB", peak);
    return 0;
}
