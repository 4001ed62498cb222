// SPDX-License-Identifier: BSD-3-Clause
// How time and memory of a step grow with the model: chains and nets, beside the free top by hand.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <stdexcept>

#include <Eigen/Core>
#include <fmt/format.h>
#include <malloc.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "by_hand/top.hpp"
#include "models.hpp"

namespace {

using namespace ancora;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

double bytes_in_use() {
    const struct mallinfo2 info = mallinfo2();
    return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

struct Figures {
    double step = 0.0;       // wall time of a step [s]
    double factorise = 0.0;  // of it, time in factorisations
    RunStatistics statistics;
    double bytes = 0.0;
};

/// Runs `manifest` after a few steps to warm up, `repeats` times; the fastest counts.
Figures measure(const Manifest& manifest, PluginRegistry& registry, int repeats) {
    Figures best;
    for (int r = 0; r < repeats; ++r) {
        const double before = bytes_in_use();
        Simulation simulation(manifest, registry);
        const long warm = std::min<long>(simulation.num_steps() / 5, 20);
        for (long k = 0; k < warm; ++k) simulation.step();
        const RunStatistics begin = simulation.statistics();
        const auto start = Clock::now();
        while (!simulation.done()) simulation.step();
        const double taken = seconds_since(start);
        const RunStatistics end = simulation.statistics();
        const auto steps = static_cast<double>(end.steps - begin.steps);
        if (r > 0 && taken / steps >= best.step) continue;
        best.step = taken / steps;
        best.factorise = (end.factorise_seconds - begin.factorise_seconds) / steps;
        best.statistics = end;
        best.bytes = bytes_in_use() - before;
    }
    return best;
}

/// @returns seconds per step of the free top by hand
double top_by_hand(double h, long steps) {
    by_hand::Tops top(Eigen::Vector3d(3.0, 2.0, 1.0), 2700.0);
    top.add(Eigen::Vector3d::Zero(), Eigen::Vector3d(0.3, 0.5, 0.8));
    const double energy = top.energy();
    const auto start = Clock::now();
    for (long k = 0; k < steps; ++k) top.step(h);
    const double taken = std::chrono::duration<double>(Clock::now() - start).count();
    if (!(std::abs(top.energy() - energy) <= 1e-12 * energy))
        throw std::runtime_error("the loop by hand has lost its energy");
    return taken / static_cast<double>(steps);
}

}  // namespace

int main() {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    constexpr double kInf = std::numeric_limits<double>::infinity();

    fmt::print("Free top (Table 1), step 1e-3 s\n");
    const double by_hand = top_by_hand(1e-3, 100000);
    fmt::print("  by hand, same scheme      {:8.3f} us a step\n", 1e6 * by_hand);
    for (const double penalty : {kInf, 1e9}) {
        const Figures top = measure(benchmark::free_top(1e-3, 100000, penalty), registry, 3);
        fmt::print(
            "  kernel, penalty = {:<6} {:9.3f} us a step, {:.2f} times by hand, {:.2f} "
            "iterations\n",
            penalty,
            1e6 * top.step,
            top.step / by_hand,
            static_cast<double>(top.statistics.iterations) /
                static_cast<double>(top.statistics.steps));
    }

    fmt::print(
        "\nHanging chains of exactly rigid boxes, step 1e-3 s\n"
        "{:>8} {:>12} {:>14} {:>8} {:>12} {:>10} {:>14} {:>12}\n",
        "bodies",
        "us a step",
        "us a body",
        "growth",
        "iterations",
        "factor %",
        "bytes a body",
        "balance");
    double first = 0.0;
    for (const int N : {10, 100, 1000}) {
        const long steps = N == 1000 ? 100 : 1000;
        const Figures chain =
            measure(benchmark::hanging_chain(N, 1e-3, steps), registry, N == 1000 ? 2 : 3);
        const double per_body = chain.step / N;
        if (first == 0.0) first = per_body;
        fmt::print("{:>8} {:>12.1f} {:>14.3f} {:>8.2f} {:>12.2f} {:>10.1f} {:>14.0f} {:>12.1e}\n",
                   N,
                   1e6 * chain.step,
                   1e6 * per_body,
                   per_body / first,
                   static_cast<double>(chain.statistics.iterations) /
                       static_cast<double>(chain.statistics.steps),
                   100.0 * chain.factorise / chain.step,
                   chain.bytes / N,
                   chain.statistics.energy.max_rel);
    }

    fmt::print(
        "\nSpinning nets, step 1e-3 s; times per element without factorisations\n"
        "{:>8} {:>9} {:>10} {:>13} {:>8} {:>12} {:>14} {:>12} {:>13} {:>10}\n",
        "nodes",
        "elements",
        "ms a step",
        "ns an element",
        "growth",
        "iterations",
        "factorisations",
        "ms each",
        "bytes an el.",
        "balance");
    first = 0.0;
    for (const int N : {30, 60, 100}) {
        const Figures net = measure(benchmark::spinning_net(N, 1e-3, 100), registry, 2);
        const double elements = 2.0 * N * (N - 1);
        // per iteration, since their number is the motion's
        const double per_element = (net.step - net.factorise) / elements *
                                   static_cast<double>(net.statistics.steps) /
                                   static_cast<double>(net.statistics.iterations);
        if (first == 0.0) first = per_element;
        fmt::print(
            "{:>5}^2 {:>9.0f} {:>10.2f} {:>13.1f} {:>8.2f} {:>12.2f} {:>14} {:>12.1f} "
            "{:>13.0f} {:>10.1e}\n",
            N,
            elements,
            1e3 * net.step,
            1e9 * per_element,
            per_element / first,
            static_cast<double>(net.statistics.iterations) /
                static_cast<double>(net.statistics.steps),
            net.statistics.factorisations,
            1e3 * net.statistics.factorise_seconds /
                static_cast<double>(net.statistics.factorisations),
            net.bytes / elements,
            net.statistics.energy.max_rel);
    }
    return 0;
}
