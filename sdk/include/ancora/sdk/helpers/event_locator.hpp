// SPDX-License-Identifier: BSD-3-Clause
// Finds the first event inside a step; for integrators. Needs Boost.Math.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include <boost/math/tools/toms748_solve.hpp>

namespace ancora {

/// Finds the length at which the first event function of a trial step turns negative. Modes are
/// frozen within a step, so that every trial is smooth in its length.
///
/// Source of the root finder: G. E. Alefeld, F. A. Potra, Yixun Shi, ACM Trans. Math. Softw. 21
/// (1995) 327-344.
class EventLocator {
public:
    /// [assembly]
    void resize(int num_events) {
        g_.assign(static_cast<std::size_t>(num_events), 0.0);
        is_located_.assign(g_.size(), 0);
    }
    /// Room for the event functions.
    std::span<double> values() { return g_; }
    /// The lowest event function of the last trial if it is negative, else -1.
    int violated() const {
        const auto lowest = std::min_element(g_.begin(), g_.end());
        return lowest != g_.end() && *lowest < 0.0 ? static_cast<int>(lowest - g_.begin()) : -1;
    }

    /// Shortens h to the first event, if there is one, down to zero if it is due at once. The trial
    /// of length h has been made; on return that of the new h is the last one made. [step]
    ///
    /// @param trial trial(length) makes a trial of that length and writes values()
    /// @returns the event, -1 if there is none
    template <class Trial>
    int shorten(double& h, const Trial& trial) {
        int event = violated();
        int found = -1;
        std::ranges::fill(is_located_, char{0});
        while (event >= 0) {
            const double before = h;
            const auto at = static_cast<std::size_t>(event);
            h = locate(at, h, trial);
            // Two that come down to zero together, each zero but for rounding at the other's root.
            const bool is_again = is_located_[at] != 0 && h >= kTogether * before;
            found = event;
            is_located_[at] = 1;
            if (h == 0.0) break;
            trial(h);
            if (is_again) break;
            // Another function may have turned negative before; that of the event itself is zero,
            // or jumps there.
            const double own = std::exchange(g_[at], std::numeric_limits<double>::infinity());
            event = violated();
            g_[at] = own;
        }
        return found;
    }

private:
    static constexpr double kTogether = 1.0 - 1e-6;

    template <class Trial>
    double locate(std::size_t event, double h, const Trial& trial) {
        // A function may begin at zero, where its mode began; then a point is sought where it is
        // positive.
        constexpr int kMostHalvings = 33;
        constexpr int kBits = 50;
        const auto value = [&](double length) {
            trial(length);
            return g_[event];
        };
        double high = h;
        double g_high = g_[event];
        double low = 0.5 * h;
        double g_low = value(low);
        for (int k = 0; k < kMostHalvings && !(g_low > 0.0); ++k) {
            high = low;
            g_high = g_low;
            low *= 0.5;
            g_low = value(low);
        }
        if (!(g_low > 0.0)) return 0.0;
        std::uintmax_t most = 100;
        return boost::math::tools::toms748_solve(value,
                                                 low,
                                                 high,
                                                 g_low,
                                                 g_high,
                                                 boost::math::tools::eps_tolerance<double>(kBits),
                                                 most)
            .first;
    }

    std::vector<double> g_;
    std::vector<char> is_located_;
};

}  // namespace ancora
