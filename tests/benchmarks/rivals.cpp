// SPDX-License-Identifier: BSD-3-Clause
// What a step costs in Ancora, in a loop written by hand for that model alone, which takes the same
// steps, and in Simbody if it is there.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/SparseCholesky>
#ifdef ANCORA_HAS_CHOLMOD
#include <Eigen/CholmodSupport>
#endif
#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "by_hand/net.hpp"
#include "by_hand/top.hpp"
#include "loops/base_vectors.hpp"
#include "models.hpp"
#ifdef ANCORA_HAS_SIMBODY
#include "simbody_models.hpp"
#endif

namespace {

using namespace ancora;
using by_hand::Vec;
using Clock = std::chrono::steady_clock;

constexpr double kStep = 1e-3;  // [s]

/// A run: steps that warm up, and pieces of which the fastest counts.
struct Pieces {
    long warm_up;
    long steps;  // of each
    int count;
    long total() const { return warm_up + steps * count; }
};

/// One that takes steps.
class Rival {
public:
    Rival() = default;
    Rival(const Rival&) = delete;
    Rival& operator=(const Rival&) = delete;
    virtual ~Rival() = default;

    virtual void advance(long steps) = 0;
    /// Of the time so far what does not count [s].
    virtual double dropped() const { return 0.0; }
    /// Called after each piece, outside what is timed.
    virtual void look() {}

    double step = std::numeric_limits<double>::infinity();  // [s] the fastest
};

/// Piece by piece in turn, so that a busy machine is busy for all.
void race(const Pieces& pieces, const std::vector<Rival*>& rivals) {
    for (Rival* rival : rivals) {
        rival->advance(pieces.warm_up);
        rival->look();
    }
    for (int piece = 0; piece < pieces.count; ++piece)
        for (Rival* rival : rivals) {
            const double before = rival->dropped();
            const auto start = Clock::now();
            rival->advance(pieces.steps);
            double taken = std::chrono::duration<double>(Clock::now() - start).count();
            taken -= rival->dropped() - before;
            rival->step = std::min(rival->step, taken / static_cast<double>(pieces.steps));
            rival->look();
        }
}

class InAncora : public Rival {
public:
    /// @param without_factors leaves out what factorisations take
    explicit InAncora(const Manifest& manifest, bool without_factors = false)
        : simulation_(manifest, plugins_), without_factors_(without_factors) {}

    void advance(long steps) override {
        for (long k = 0; k < steps; ++k) simulation_.step();
    }
    double dropped() const override {
        return without_factors_ ? simulation_.statistics().factorise_seconds : 0.0;
    }
    RunStatistics statistics() const { return simulation_.statistics(); }
    std::span<const double> q() const { return simulation_.q(); }

private:
    struct Shipped : PluginRegistry {
        Shipped() { add_folder(ANCORA_TEST_PLUGIN_DIR); }
    };

    Shipped plugins_;
    Simulation simulation_;
    bool without_factors_;
};

template <class Loop>
class ByHand : public Rival {
public:
    explicit ByHand(Loop& loop) : loop_(loop), at_start_(loop.energy()) {}

    void advance(long steps) override {
        const by_hand::WithoutDenormals fast;
        for (long k = 0; k < steps; ++k) loop_.step(kStep);
        steps_ += steps;
    }
    void look() override {
        worst_ = std::max(worst_, std::abs(loop_.energy() - at_start_));
        scale_ = std::max(scale_, loop_.scale());
    }
    double iterations() const {
        return static_cast<double>(loop_.iterations()) / static_cast<double>(steps_);
    }
    /// At the ends of pieces.
    double balance() const { return worst_ / scale_; }
    std::vector<double> q() const {
        std::vector<double> out;
        loop_.positions(out);
        return out;
    }

private:
    Loop& loop_;
    double at_start_;
    double worst_ = 0.0;
    double scale_ = 0.0;
    long steps_ = 0;
};

/// Largest difference of a coordinate; base vectors count as ends of a body 1 m from its centre.
double distance(std::span<const double> p, std::span<const double> q) {
    if (p.size() != q.size()) return std::numeric_limits<double>::infinity();
    double out = 0.0;
    for (std::size_t i = 0; i < p.size(); ++i) out = std::max(out, std::abs(p[i] - q[i]));
    return out;
}

std::string cell(double x) {
    return x > 0.0 ? fmt::format("{:.4g}", x) : "-";
}

/// @param per_second unit of times; @param simbody [s a step], 0: there is none
template <class Loop>
void print(const std::string& name,
           double per_second,
           const InAncora& ancora,
           const ByHand<Loop>& hand,
           double simbody = 0.0) {
    const RunStatistics run = ancora.statistics();
    fmt::print(
        "{:<46} {:>10} {:>10} {:>7.2f} {:>10} {:>7} {:>9.1e} {:>6.2f} {:>6.2f} {:>9.1e} {:>9.1e}\n",
        name,
        cell(per_second * ancora.step),
        cell(per_second * hand.step),
        ancora.step / hand.step,
        cell(per_second * simbody),
        simbody > 0.0 ? fmt::format("{:.2f}", ancora.step / simbody) : "-",
        distance(ancora.q(), hand.q()),
        static_cast<double>(run.iterations) / static_cast<double>(run.steps),
        hand.iterations(),
        run.energy.max_rel,
        hand.balance());
    std::fflush(stdout);
}

#ifdef ANCORA_HAS_SIMBODY
constexpr const char* kSimbody = benchmark::SimbodyModel::kIntegrator;
using benchmark::SimbodyModel;
#else
constexpr const char* kSimbody = "not found";
struct SimbodyModel {
    static SimbodyModel tops(int, double) { return {}; }
    static SimbodyModel chain(int, double) { return {}; }
    void advance(long) {}
};
#endif
class InSimbody : public Rival {
public:
    explicit InSimbody(SimbodyModel model) : model_(std::move(model)) {}
    void advance(long steps) override { model_.advance(steps); }

private:
    SimbodyModel model_;
};

#ifdef ANCORA_HAS_CHOLMOD
constexpr const char* kCholmod = "supernodal";
#else
constexpr const char* kCholmod = "not found";
#endif

template <class Loop>
void compare(const std::string& name,
             double per_second,
             const Pieces& pieces,
             const Manifest& model,
             Loop& loop,
             SimbodyModel simbody) {
    InAncora ancora(model);
    ByHand hand(loop);
    InSimbody third(std::move(simbody));
    race(pieces, {&ancora, &hand, &third});
#ifndef ANCORA_HAS_SIMBODY
    third.step = 0.0;
#endif
    print(name, per_second, ancora, hand, third.step);
}

void compare_top(const std::string& name) {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    const Pieces pieces{2000, 2000, 20};
    by_hand::Tops loop(Vec(3.0, 2.0, 1.0), 2700.0);
    loop.add(Vec::Zero(), Vec(0.3, 0.5, 0.8));
    compare(name,
            1e6,
            pieces,
            benchmark::free_top(kStep, pieces.total(), kInf),
            loop,
            SimbodyModel::tops(1, kStep));
}

void compare_tops(const std::string& name, int count) {
    const Pieces pieces{10, 6, 6};
    by_hand::Tops loop(Vec(3.0, 2.0, 1.0), 2700.0);
    for (int i = 0; i < count; ++i) {
        const int row = i / 100;
        loop.add(Vec(10.0 * (i % 100), 10.0 * row, 0.0),
                 Vec(0.3 + 0.1 * std::sin(i), 0.5 + 0.1 * std::cos(3.0 * i), 0.8));
    }
    compare(name,
            1e6 / count,
            pieces,
            benchmark::tops(count, kStep, pieces.total()),
            loop,
            SimbodyModel::tops(count, kStep));
}

void compare_chain(const std::string& name, int count, const Pieces& pieces) {
    by_hand::ChainStart start;
    start.count = count;
    start.size = Vec(1.0, 0.2, 0.1);
    start.density = 1000.0;
    start.gravity = Vec(0.0, 0.0, -9.81);
    by_hand::BaseVectorChain loop(start);
    compare(name,
            1e3,
            pieces,
            benchmark::hanging_chain(count, kStep, pieces.total()),
            loop,
            SimbodyModel::chain(count, kStep));
}

template <class Solver>
by_hand::Net<Solver> net(int N) {
    // Area 1e-6 m^2, 3 GPa, 1420 kg/m^3.
    return {N, 0.25, 3e3, 1.42e-3, 0.5, 1.0, kStep};
}

template <class Solver>
void print_net(const std::string& name,
               const InAncora& ancora,
               const by_hand::Net<Solver>& loop,
               const ByHand<by_hand::Net<Solver>>& hand) {
    print(name, 1e3, ancora, hand);
    const RunStatistics run = ancora.statistics();
    const double factorise =
        run.factorise_seconds / static_cast<double>(std::max(run.factorisations, 1L));
    fmt::print("{:<46} {:>10.3f} {:>10.3f} {:>7.2f}\n",
               "  its factorisation, ms",
               1e3 * factorise,
               1e3 * loop.factorise_seconds(),
               factorise / loop.factorise_seconds());
}

/// By hand x, y and z have a matrix each, in Ancora all have one.
void compare_nets(const std::string& name, int N, const Pieces& pieces) {
    using Sparse = Eigen::SparseMatrix<double>;
    InAncora ancora(benchmark::spinning_net(N, kStep, pieces.total()), true);
    auto with_eigen = net<Eigen::SimplicialLDLT<Sparse>>(N);
    ByHand by_eigen(with_eigen);
    std::vector<Rival*> rivals{&ancora, &by_eigen};
#ifdef ANCORA_HAS_CHOLMOD
    auto with_cholmod = net<Eigen::CholmodSupernodalLLT<Sparse>>(N);
    ByHand by_cholmod(with_cholmod);
    rivals.push_back(&by_cholmod);
#endif
    race(pieces, rivals);
    print_net(name + ", Eigen's LDLT", ancora, with_eigen, by_eigen);
#ifdef ANCORA_HAS_CHOLMOD
    print_net(name + ", CHOLMOD", ancora, with_cholmod, by_cholmod);
#endif
}

}  // namespace

/// Optional argument: a part of a name, for the models that have it ("chain of 10,").
int main(int argc, char** argv) {
    const std::string argument = argc > 1 ? argv[1] : "";
    const auto asked = [&](std::string_view name) {
        return name.find(argument) != std::string_view::npos;
    };
    fmt::print(
        "Step {} s. Simbody: {}. Nets by hand: Eigen's SimplicialLDLT with AMD; CHOLMOD: {}.\n"
        "Apart: largest distance of end positions, Ancora from by hand [m].\n\n",
        kStep,
        kSimbody,
        kCholmod);
    fmt::print(
        "{:<46} {:>10} {:>10} {:>7} {:>10} {:>7} {:>9} {:>13} {:>19}\n"
        "{:<46} {:>10} {:>10} {:>7} {:>10} {:>7} {:>9} {:>6} {:>6} {:>9} {:>9}\n",
        "",
        "Ancora",
        "by hand",
        "ratio",
        "Simbody",
        "ratio",
        "apart",
        "iterations",
        "balance",
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        "Ancora",
        "hand",
        "Ancora",
        "hand");
    if (const char* name = "free top, us a step"; asked(name)) compare_top(name);
    if (const char* name = "10^4 independent tops, us a body and step"; asked(name))
        compare_tops(name, 10'000);
    for (const auto& [count, pieces] : {std::tuple(10, Pieces{1000, 100, 9}),
                                        std::tuple(100, Pieces{400, 50, 9}),
                                        std::tuple(1000, Pieces{60, 15, 9}),
                                        std::tuple(10'000, Pieces{20, 10, 6})})
        if (const std::string name = fmt::format("chain of {}, ms a step", count); asked(name))
            compare_chain(name, count, pieces);
    for (const auto& [N, pieces] :
         {std::tuple(100, Pieces{20, 10, 6}), std::tuple(300, Pieces{20, 4, 4})})
        if (const std::string name = fmt::format("net {0} x {0}, ms a step", N); asked(name))
            compare_nets(name, N, pieces);
    return 0;
}
