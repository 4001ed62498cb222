// SPDX-License-Identifier: BSD-3-Clause
// What a step costs, model by model, beside what is aimed at: the median of several pieces of a
// run.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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
    double step = 0.0;  // [s] wall time, without factorisations
    double with_factors = 0.0;
    double factorise = 0.0;  // [s] each
    double iterations = 0.0;
    double balance = 0.0;
};

/// Wall times, of which the median counts: the least would be that of the easiest steps.
class Times {
public:
    void add(double seconds) { seconds_.push_back(seconds); }
    double median() {
        if (seconds_.empty()) return std::numeric_limits<double>::quiet_NaN();
        const auto middle = seconds_.begin() + static_cast<std::ptrdiff_t>(seconds_.size() / 2);
        std::nth_element(seconds_.begin(), middle, seconds_.end());
        return *middle;
    }

private:
    std::vector<double> seconds_;
};

/// Some steps of a run.
struct Piece {
    double seconds = 0.0;
    double factorise_seconds = 0.0;
    long factorisations = 0;

    static Piece of(Simulation& simulation, long steps) {
        const RunStatistics before = simulation.statistics();
        const auto start = Clock::now();
        for (long k = 0; k < steps; ++k) simulation.step();
        const double taken = std::chrono::duration<double>(Clock::now() - start).count();
        const RunStatistics after = simulation.statistics();
        return {taken,
                after.factorise_seconds - before.factorise_seconds,
                after.factorisations - before.factorisations};
    }
};

/// The run in pieces after one that warms up.
Figures measure(const Manifest& manifest, int pieces) {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Simulation simulation(manifest, registry);
    const long steps = std::max(1L, simulation.num_steps() / (pieces + 1));
    Piece::of(simulation, steps);
    Times step, with_factors;
    while (simulation.num_steps() - simulation.statistics().steps >= steps) {
        const Piece piece = Piece::of(simulation, steps);
        const auto count = static_cast<double>(steps);
        step.add((piece.seconds - piece.factorise_seconds) / count);
        with_factors.add(piece.seconds / count);
    }
    const RunStatistics run = simulation.statistics();
    return {step.median(),
            with_factors.median(),
            run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L)),
            static_cast<double>(run.iterations) / static_cast<double>(run.steps),
            run.energy.max_rel};
}

/// One thread and two by turns, so that a machine that slows down slows both.
/// @returns of a step without its factorisations, and of a factorisation, how many times faster
std::pair<double, double> gain_of_two_threads(const Manifest& manifest, int turns) {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Simulation simulation(manifest, registry);
    const long steps = simulation.num_steps() / (2 * turns + 1) - 1;
    Piece::of(simulation, steps);
    Times step[2], factorise[2];
    for (int turn = 0; turn < 2 * turns; ++turn) {
        simulation.set_threads(1 + turn % 2);
        const Piece piece = Piece::of(simulation, steps);
        step[turn % 2].add((piece.seconds - piece.factorise_seconds) / static_cast<double>(steps));
        // From a state that is set, the matrix is made anew.
        simulation.set_state(std::vector<double>(simulation.q().begin(), simulation.q().end()),
                             std::vector<double>(simulation.v().begin(), simulation.v().end()));
        const Piece anew = Piece::of(simulation, 1);
        if (anew.factorisations > 0)
            factorise[turn % 2].add(anew.factorise_seconds /
                                    static_cast<double>(anew.factorisations));
    }
    return {step[0].median() / step[1].median(), factorise[0].median() / factorise[1].median()};
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

/// @param goal 0: there is none
void print(const std::string& what, double value, double goal, const Figures& figures) {
    fmt::print("{:<46} {:>10.3f} {:>10} {:>7} {:>6.2f} {:>9.1e}\n",
               what,
               value,
               goal > 0.0 ? fmt::format("{:.3f}", goal) : "-",
               goal > 0.0 ? fmt::format("{:.2f}", value / goal) : "-",
               figures.iterations,
               figures.balance);
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

/// Optional argument: a part of a name, for the models that have it ("chain of 10,"), or "all",
/// which adds the largest to the others, a few minutes.
int main(int argc, char** argv) {
    using namespace ancora::benchmark;
    const std::string argument = argc > 1 ? argv[1] : "";
    const bool all = argument == "all";
    const auto asked = [&](std::string_view name) {
        return all || name.find(argument) != std::string_view::npos;
    };
    fmt::print("{:<46} {:>10} {:>10} {:>7} {:>6} {:>9}\n",
               "",
               "measured",
               "goal",
               "ratio",
               "iter.",
               "balance");
    /// One line: what a step costs, in units of 1/`per_second` s.
    const auto line =
        [&](const std::string& name, double per_second, double goal, const Manifest& model, int n) {
            if (!asked(name)) return;
            const Figures f = measure(model, n);
            print(name, per_second * f.with_factors, goal, f);
        };
    const auto net_lines = [&](const std::string& name,
                               const Manifest& model,
                               int pieces,
                               double goal,
                               double factor) {
        if (!asked(name)) return;
        const Figures f = measure(model, pieces);
        print(name + ", ms a step", 1e3 * f.step, goal, f);
        print("  its factorisation, s", f.factorise, factor, Figures{});
    };
    constexpr double kInf = std::numeric_limits<double>::infinity();

    line("free top, us a step", 1e6, 0.8, free_top(1e-3, 200'000, kInf), 20);
    line("10^4 independent tops, us a body and step", 1e2, 0.3, tops(10'000, 1e-3, 60), 5);
    for (const auto& [N, steps, goal] : {std::tuple(10, 20'000L, 0.03),
                                         std::tuple(100, 2'000L, 0.25),
                                         std::tuple(1000, 300L, 3.5),
                                         std::tuple(10'000, 180L, 40.0)})
        line(fmt::format("chain of {}, ms a step", N), 1e3, goal, hanging_chain(N, 1e-3, steps), 8);
    net_lines("net 100 x 100", spinning_net(100, 1e-3, 300), 6, 8.0, 0.0);
    net_lines("net 300 x 300", spinning_net(300, 1e-3, 96), 5, 150.0, 4.0);
    if (const std::string name = "net 300 x 300, 1 thread over 2"; asked(name)) {
        const auto [step, factor] = gain_of_two_threads(spinning_net(300, 1e-3, 150), 7);
        print(name + ", step", step, 1.5, Figures{});
        print("  its factorisation", factor, 1.8, Figures{});
    }
    if (const char* name = "chain of 100, dopri5 1e-6, s for 1 s"; asked(name)) {
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        Simulation simulation(with(hanging_chain(100, 1e-3, 1000), "dopri5", 1e-6), registry);
        const auto start = Clock::now();
        while (!simulation.done()) simulation.step();
        print(name, std::chrono::duration<double>(Clock::now() - start).count(), 0.2, Figures{});
    }
    line("accelerations of a quaternion body, us", 0.25e6, 0.3, quaternion_top(1e-3, 50'000), 10);
    line("net 100 x 100, verlet, ms a step",
         1e3,
         0.8,
         with(spinning_net(100, 2e-5, 600, false), "verlet"),
         6);
    // The largest only if they are asked for.
    const auto in_own_process =
        [&](std::string_view name, double most, const std::function<void()>& what) {
            if (!all && (argument.empty() || name.find(argument) == std::string_view::npos)) return;
            print("  peak, GB", in_child(what), most, Figures{});
        };
    in_own_process("net 500 x 500", 2.0, [&] {
        net_lines("net 500 x 500", spinning_net(500, 1e-3, 30), 4, 0.0, 15.0);
    });
    in_own_process("chain of 10^5", 0.0, [&] {
        line("chain of 10^5, ms a step", 1e3, 450.0, hanging_chain(100'000, 1e-3, 60), 4);
    });
    return 0;
}
