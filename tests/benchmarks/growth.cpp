// SPDX-License-Identifier: BSD-3-Clause
// How time and memory of a step grow with the model: tops, chains and nets of 10^2 to 10^6
// coordinates, beside the free top by hand.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string_view>

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

/// Optional argument: "all", for models of 10^6 coordinates as well, some minutes.
int main(int argc, char** argv) {
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

    const auto growing = [&](const char* title, const char* what, auto&& rows) {
        fmt::print(
            "\n{}, step 1e-3 s; times without factorisations\n"
            "{:>8} {:>11} {:>10} {:>12} {:>8} {:>11} {:>9} {:>12} {:>11} {:>10}\n",
            title,
            what,
            "coord.",
            "ms a step",
            fmt::format("ns a {}", what),
            "growth",
            "iterations",
            "factors",
            "s each",
            fmt::format("bytes/{}", what),
            "balance");
        double first = 0.0;
        rows([&](int N, double count, double coordinates, const Manifest& model, int repeats) {
            const Figures f = measure(model, registry, repeats);
            const double each = (f.step - f.factorise) / count;
            if (first == 0.0) first = each;
            const RunStatistics& run = f.statistics;
            fmt::print(
                "{:>8} {:>11.0f} {:>10.0f} {:>12.4f} {:>8.0f} {:>11.2f} {:>9.2f} {:>12} {:>11.3f} "
                "{:>10.0f} {:>10.1e}\n",
                N,
                count,
                coordinates,
                1e3 * f.step,
                1e9 * each,
                each / first,
                static_cast<double>(run.iterations) / static_cast<double>(run.steps),
                run.factorisations,
                run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L)),
                f.bytes / count,
                run.energy.max_rel);
            std::fflush(stdout);
        });
    };
    const int most = argc > 1 && std::string_view(argv[1]) == "all" ? 1'000'000 : 100'000;
    constexpr double kPerBody = 12.0;
    growing("Independent tops", "body", [&](auto&& row) {
        for (const int N : {10, 100, 1000, 10'000, 80'000})
            if (kPerBody * N <= most * 1.5)
                row(N, N, kPerBody * N, benchmark::tops(N, 1e-3, N > 5000 ? 40 : 400), 2);
    });
    growing("Hanging chains of exactly rigid boxes", "body", [&](auto&& row) {
        for (const int N : {10, 100, 1000, 10'000, 80'000})
            if (kPerBody * N <= most * 1.5)
                row(N,
                    N,
                    kPerBody * N,
                    benchmark::hanging_chain(N,
                                             1e-3,
                                             N > 5000  ? 40
                                             : N > 500 ? 100
                                                       : 1000),
                    N > 20'000 ? 1 : 2);
    });
    for (const char* integrator : {"emm", "rk4", "generalized_alpha"})
        growing(fmt::format("Arm of hinges with motors, {}", integrator).c_str(),
                "hinge",
                [&](auto&& row) {
                    constexpr int N = 6;
                    row(N, N, kPerBody * N, benchmark::robot_arm(N, integrator, 1e-3, 2000), 2);
                });
    growing("Blocks that slide on four feet each, apart", "block", [&](auto&& row) {
        for (const int N : {1, 4, 16, 100, 400})
            row(N, N, kPerBody * N, benchmark::blocks_on_feet(N, 1e-3, N > 100 ? 40 : 200), 2);
    });
    growing("Pendulums with friction in their joints, apart", "rod", [&](auto&& row) {
        for (const int N : {1, 4, 16, 64, 400})
            row(N, N, kPerBody * N, benchmark::rubbing_pendulums(N, 1e-3, N > 100 ? 40 : 200), 2);
    });
    growing("Spinning nets of N x N nodes", "element", [&](auto&& row) {
        for (const int N : {6, 18, 58, 182, 577})
            if (3.0 * N * N <= most * 1.5)
                row(N,
                    2.0 * N * (N - 1),
                    3.0 * N * N,
                    benchmark::spinning_net(N, 1e-3, N > 100 ? 30 : 100),
                    N > 300 ? 1 : 2);
    });
    for (const bool tension_only : {false, true})
        growing(tension_only ? "Films of N x N nodes that wrinkle, spun from no tension"
                             : "Films of N x N nodes, spun from no tension",
                "triangle",
                [&](auto&& row) {
                    for (const int N : {9, 18, 36, 72})
                        row(N,
                            2.0 * (N - 1) * (N - 1),
                            3.0 * N * N,
                            benchmark::spun_film(N, tension_only, 1e-3, 100),
                            1);
                });
    growing("Beams that swing", "element", [&](auto&& row) {
        for (const int N : {50, 100, 200, 400, 800})
            row(N, N, 12.0 * (N + 1), benchmark::swinging_beam(N, 2e-3, 50), 1);
    });
    return 0;
}
