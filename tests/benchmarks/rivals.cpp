// SPDX-License-Identifier: BSD-3-Clause
// What a step costs in Ancora, in a loop written by hand for that model alone, which takes the same
// steps, and in Simbody if it is there.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "by_hand/chain.hpp"
#include "by_hand/net.hpp"
#include "by_hand/top.hpp"
#include "models.hpp"
#ifdef ANCORA_HAS_SIMBODY
#include "simbody_models.hpp"
#endif

namespace {

using namespace ancora;
using by_hand::Vec;
using Clock = std::chrono::steady_clock;

constexpr double kStep = 1e-3;  // [s]
constexpr double kInf = std::numeric_limits<double>::infinity();

/// A run in pieces: one that warms up, and those of which the fastest counts.
struct Pieces {
    long steps;  // of each
    int count;
    long total() const { return steps * (count + 1); }
};

struct Figures {
    double step = kInf;  // [s] wall time, without factorisations if there are few
    double factorise = 0.0;
    double iterations = 0.0;
    double balance = 0.0;
    std::vector<double> q;  // at the end
};

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

/// @param without_factors leaves out what factorisations take
Figures measure(const Manifest& manifest, const Pieces& pieces, bool without_factors) {
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    Simulation simulation(manifest, registry);
    Figures out;
    for (int piece = 0; piece <= pieces.count; ++piece) {
        const double before = simulation.statistics().factorise_seconds;
        const auto start = Clock::now();
        for (long k = 0; k < pieces.steps; ++k) simulation.step();
        double taken = seconds_since(start);
        if (without_factors) taken -= simulation.statistics().factorise_seconds - before;
        if (piece > 0) out.step = std::min(out.step, taken / static_cast<double>(pieces.steps));
    }
    const RunStatistics run = simulation.statistics();
    out.factorise = run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L));
    out.iterations = static_cast<double>(run.iterations) / static_cast<double>(run.steps);
    out.balance = run.energy.max_rel;
    out.q.assign(simulation.q().begin(), simulation.q().end());
    return out;
}

/// The balance is that at the ends of pieces.
template <class Loop>
Figures measure_by_hand(Loop& loop, const Pieces& pieces) {
    Figures out;
    const double at_start = loop.energy();
    double worst = 0.0, scale = loop.scale();
    for (int piece = 0; piece <= pieces.count; ++piece) {
        const auto start = Clock::now();
        for (long k = 0; k < pieces.steps; ++k) loop.step(kStep);
        const double taken = seconds_since(start);
        if (piece > 0) out.step = std::min(out.step, taken / static_cast<double>(pieces.steps));
        worst = std::max(worst, std::abs(loop.energy() - at_start));
        scale = std::max(scale, loop.scale());
    }
    out.iterations = static_cast<double>(loop.iterations()) / static_cast<double>(pieces.total());
    out.balance = worst / scale;
    loop.positions(out.q);
    return out;
}

/// Largest difference of a coordinate; base vectors count as ends of a body 1 m from its centre.
double distance(const std::vector<double>& p, const std::vector<double>& q) {
    if (p.size() != q.size()) return kInf;
    double out = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) out = std::max(out, std::abs(p[i] - q[i]));
    return out;
}

std::string cell(double x) {
    return x > 0.0 ? fmt::format("{:.3f}", x) : "-";
}

void print(const std::string& name,
           double per_second,
           const Figures& ancora,
           const Figures& hand,
           double simbody) {
    fmt::print("{:<44} {:>10} {:>10} {:>7.2f} {:>10} {:>7} {:>9.1e} {:>6.2f} {:>6.2f} {:>9.1e} "
               "{:>9.1e}\n",
               name,
               cell(per_second * ancora.step),
               cell(per_second * hand.step),
               ancora.step / hand.step,
               cell(per_second * simbody),
               simbody > 0.0 ? fmt::format("{:.2f}", ancora.step / simbody) : "-",
               distance(ancora.q, hand.q),
               ancora.iterations,
               hand.iterations,
               ancora.balance,
               hand.balance);
    std::fflush(stdout);
}

#ifdef ANCORA_HAS_SIMBODY
using benchmark::simbody_chain;
using benchmark::simbody_tops;
#else
double simbody_chain(int, double, long, int) {
    return 0.0;
}
double simbody_tops(int, double, long, int) {
    return 0.0;
}
#endif

void compare_top() {
    const Pieces pieces{10'000, 19};
    const Figures ancora = measure(benchmark::free_top(kStep, pieces.total(), kInf), pieces, false);
    by_hand::Tops loop(Vec(3.0, 2.0, 1.0), 2700.0);
    loop.add(Vec::Zero(), Vec(0.3, 0.5, 0.8));
    const Figures hand = measure_by_hand(loop, pieces);
    print("free top, us a step", 1e6, ancora, hand, simbody_tops(1, kStep, 2000, 10));
}

void compare_tops(int count) {
    const Pieces pieces{10, 6};
    const Figures ancora = measure(benchmark::tops(count, kStep, pieces.total()), pieces, false);
    by_hand::Tops loop(Vec(3.0, 2.0, 1.0), 2700.0);
    for (int i = 0; i < count; ++i)
        loop.add(Vec(10.0 * (i % 100), 10.0 * (i / 100), 0.0),
                 Vec(0.3 + 0.1 * std::sin(i), 0.5 + 0.1 * std::cos(3.0 * i), 0.8));
    const Figures hand = measure_by_hand(loop, pieces);
    print("10^4 independent tops, us a body and step",
          1e6 / count,
          ancora,
          hand,
          simbody_tops(count, kStep, 3, 4));
}

void compare_chain(const std::string& name, int count, const Pieces& pieces) {
    const Figures ancora =
        measure(benchmark::hanging_chain(count, kStep, pieces.total()), pieces, false);
    by_hand::Chain loop(count, Vec(1.0, 0.2, 0.1), 1000.0, Vec(0.0, 0.0, -9.81));
    const Figures hand = measure_by_hand(loop, pieces);
    print(name, 1e3, ancora, hand, simbody_chain(count, kStep, pieces.steps, pieces.count));
}

void compare_net(const std::string& name, int N, const Pieces& pieces) {
    const Figures ancora =
        measure(benchmark::spinning_net(N, kStep, pieces.total()), pieces, true);
    // Area 1e-6 m^2, 3 GPa, 1420 kg/m^3.
    by_hand::Net loop(N, 0.25, 3e3, 1.42e-3, 0.5, 1.0, kStep);
    const Figures hand = measure_by_hand(loop, pieces);
    print(name, 1e3, ancora, hand, 0.0);
    fmt::print("{:<44} {:>10.3f} {:>10.3f} {:>7.2f}\n",
               "  factorisation, ms each; all three by hand",
               1e3 * ancora.factorise,
               1e3 * loop.factorise_seconds(),
               ancora.factorise / loop.factorise_seconds());
}

}  // namespace

/// Optional argument: a part of a name, for the models that have it ("chain of 10,").
int main(int argc, char** argv) {
    const std::string argument = argc > 1 ? argv[1] : "";
    const auto asked = [&](std::string_view name) {
        return name.find(argument) != std::string_view::npos;
    };
    fmt::print("Step {} s. Nets by hand: {}. Simbody: {}.\n"
               "apart: largest distance of end positions, Ancora from by hand [m]\n\n",
               kStep,
               by_hand::Net::kSolver,
#ifdef ANCORA_HAS_SIMBODY
               benchmark::kSimbodyIntegrator
#else
               "not found"
#endif
    );
    fmt::print("{:<44} {:>10} {:>10} {:>7} {:>10} {:>7} {:>9} {:>13} {:>19}\n"
               "{:<44} {:>10} {:>10} {:>7} {:>10} {:>7} {:>9} {:>6} {:>6} {:>9} {:>9}\n",
               "", "Ancora", "by hand", "ratio", "Simbody", "ratio", "apart", "iterations", "balance",
               "", "", "", "", "", "", "", "Ancora", "hand", "Ancora", "hand");
    if (asked("free top, us a step")) compare_top();
    if (asked("10^4 independent tops, us a body and step")) compare_tops(10'000);
    for (const auto& [count, pieces] : {std::tuple(10, Pieces{200, 9}),
                                        std::tuple(100, Pieces{100, 9}),
                                        std::tuple(1000, Pieces{20, 9}),
                                        std::tuple(10'000, Pieces{10, 7})})
        if (const std::string name = fmt::format("chain of {}, ms a step", count); asked(name))
            compare_chain(name, count, pieces);
    for (const auto& [N, pieces] : {std::tuple(100, Pieces{10, 6}), std::tuple(300, Pieces{4, 4})})
        if (const std::string name = fmt::format("net {0} x {0}, ms a step", N); asked(name))
            compare_net(name, N, pieces);
    return 0;
}
