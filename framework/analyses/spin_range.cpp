// SPDX-License-Identifier: BSD-3-Clause
// One state after the other, and the nearest mode at each.
#include "spin_range.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include <Eigen/Core>
#include <fmt/format.h>

#include "rest_search.hpp"
#include "steady_spin.hpp"
#include "vibrations.hpp"

namespace ancora {
namespace {

using Eigen::VectorXd;

// Modes go on from each other where frequencies, as parts of the highest, and shapes are alike:
// 1 is the price of shapes that have nothing in common, and so is this part.
constexpr double kFarApart = 0.05;

/// The state at the start, to which the system goes back.
class FirstState {
public:
    explicit FirstState(KernelSystem& system)
        : system_(system),
          saved_(system.save()),
          q_(Eigen::Map<const VectorXd>(system.q().data(), system.num_coordinates())),
          v_(Eigen::Map<const VectorXd>(system.v().data(), system.num_coordinates())),
          t_(system.time()) {}
    ~FirstState() {
        try {
            system_.restore(saved_);
        } catch (const Error&) {  // of what was written a moment ago: there is nothing to tell
        }
    }
    FirstState(const FirstState&) = delete;
    FirstState& operator=(const FirstState&) = delete;
    /// With velocities in this proportion.
    void take(double factor) {
        const VectorXd v = factor * v_;
        try {
            system_.set_state(view(q_), view(v), t_);
        } catch (const Error& error) {
            // That of the model itself has been accepted: what differs is the rate of a drive.
            if (!error.message().starts_with("inconsistent start")) throw;
            throw Error(error.kind(),
                        "what prescribes a rate, as a drive, does not follow the range: leave it "
                        "out, since what spins freely keeps its spin, or, for a shaft that cannot "
                        "turn otherwise, ask for `ancora modes --spinning` at each rate with "
                        "`--set` of the drive and of what spins with it",
                        error.place());
        }
    }

private:
    KernelSystem& system_;
    std::vector<std::byte> saved_;
    VectorXd q_, v_;
    double t_;
};

double fastest_spin(const KernelSystem& system) {
    if (const std::optional<SteadySpin> whole = whole_spin(system))
        if (whole->is_spinning) return whole->rate.norm();
    SteadySpin parts;
    add_parts(system, parts);
    return parts.fastest();
}

Modes modes_at(KernelSystem& system, const SpinRangeOptions& options, ModeAxes axes, bool spins) {
    if (options.finds_steady) {
        EquilibriumOptions rest;
        rest.spinning = spins;
        rest.nearest = !spins;
        find_rest(system, rest);
    }
    ModesOptions how = options.modes;
    how.axes = axes;
    return find_modes(system, how);
}

/// Whether axes at rest serve this spin.
ModeAxes choose_axes(KernelSystem& system, const SpinRangeOptions& options) {
    if (options.modes.axes != ModeAxes::automatic) return options.modes.axes;
    try {
        modes_at(system, options, ModeAxes::fixed, true);
        return ModeAxes::fixed;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::numerical) throw;
        return ModeAxes::automatic;
    }
}

/// 1 for the same shape, whatever its size and phase.
double likeness(const Mode& a, const Mode& b) {
    using Shape = Eigen::Map<const Eigen::VectorXcd>;
    const Shape x(a.shape.data(), static_cast<Eigen::Index>(a.shape.size())),
        y(b.shape.data(), static_cast<Eigen::Index>(b.shape.size()));
    const double sizes = x.squaredNorm() * y.squaredNorm();
    return sizes > 0.0 ? std::norm(x.dot(y)) / sizes : 0.0;
}

/// Each mode of a rate goes to the branch whose last one is most like it, the surest first.
void follow(SpinRange& range) {
    double highest = 0.0;
    for (const Modes& modes : range.modes)
        for (const Mode& mode : modes.modes) highest = std::max(highest, std::abs(mode.eigenvalue));
    if (highest == 0.0) highest = 1.0;
    const auto of = [&](std::size_t i, int k) -> const Mode& {
        return range.modes[i].modes[k];
    };
    for (std::size_t i = 0; i < range.modes.size(); ++i) {
        const std::size_t count = range.modes[i].modes.size();
        struct Pair {
            double price;
            std::size_t branch;
            int mode;
        };
        std::vector<Pair> pairs;
        for (std::size_t b = 0; b < range.branches.size(); ++b) {
            const std::vector<int>& branch = range.branches[b];
            if (branch[i - 1] < 0) continue;
            const Mode& last = of(i - 1, branch[i - 1]);
            double frequency = std::abs(last.eigenvalue);
            // On a line through the last two.
            if (i > 1 && branch[i - 2] >= 0 && range.rates[i - 1] != range.rates[i - 2])
                frequency += (frequency - std::abs(of(i - 2, branch[i - 2]).eigenvalue)) *
                             (range.rates[i] - range.rates[i - 1]) /
                             (range.rates[i - 1] - range.rates[i - 2]);
            for (std::size_t k = 0; k < count; ++k) {
                const Mode& mode = range.modes[i].modes[k];
                pairs.push_back(
                    {std::abs(std::abs(mode.eigenvalue) - frequency) / (kFarApart * highest) + 1.0 -
                         likeness(last, mode),
                     b,
                     static_cast<int>(k)});
            }
        }
        std::ranges::stable_sort(pairs, {}, &Pair::price);
        std::vector<char> is_taken(count, 0);
        for (std::vector<int>& branch : range.branches) branch.push_back(-1);
        for (const Pair& pair : pairs) {
            int& at = range.branches[pair.branch].back();
            if (at >= 0 || is_taken[pair.mode] != 0) continue;
            at = pair.mode;
            is_taken[pair.mode] = 1;
        }
        for (std::size_t k = 0; k < count; ++k)
            if (is_taken[k] == 0) {
                range.branches.emplace_back(i + 1, -1);
                range.branches.back().back() = static_cast<int>(k);
            }
    }
}

}  // namespace

SpinRange find_modes_over_spins(KernelSystem& system, const SpinRangeOptions& options) {
    if (options.rates.empty())
        throw Error(ErrorKind::usage, "modes over spins: there are no rates to look at");
    for (const double rate : options.rates)
        if (!std::isfinite(rate))
            throw Error(ErrorKind::usage, "modes over spins: a rate is not finite");
    const double present = fastest_spin(system);
    if (!(present > 0.0))
        throw Error(ErrorKind::usage,
                    "modes over spins: nothing spins at the start; give what spins an "
                    "`angular_velocity`, of any rate, which the range then scales");
    FirstState start(system);
    const ModeAxes axes = choose_axes(system, options);
    SpinRange out;
    for (const double rate : options.rates) {
        try {
            start.take(rate / present);
            out.modes.push_back(modes_at(system, options, axes, rate != 0.0));
        } catch (const Error& error) {
            throw Error(error.kind(),
                        fmt::format("at a spin of {:.6g} rad/s: {}", rate, error.message()),
                        error.place());
        }
        out.rates.push_back(rate);
    }
    follow(out);
    return out;
}

}  // namespace ancora
