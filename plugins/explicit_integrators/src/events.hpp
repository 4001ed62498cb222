// SPDX-License-Identifier: BSD-3-Clause
// Events inside a step of an explicit method: found, located, passed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <boost/math/tools/toms748_solve.hpp>

#include "ancora/sdk/system.hpp"

namespace ancora::explicit_integrators {

/// Finds the first event of a trial step, a contact that changes its mode, and the length of the
/// step that ends there. Modes are frozen within a step, so every trial is smooth in its length.
class EventLocator {
public:
    void prepare(const System& system);

    /// Looks for events at the end x of the trial of length h; if there is one, shortens h to it
    /// and writes the state there to x. [step]
    ///
    /// @param trial trial(length) makes the trial of that length from t0 and writes its end to x
    /// @returns the event, -1 if there is none
    template <class Trial>
    int shorten(System& system, double t0, double& h, std::span<double> x, const Trial& trial);

private:
    int worst(System& system, double t, std::span<const double> x);

    // Halvings in search of a point at which an event function that begins at zero is positive.
    static constexpr int kMostHalvings = 40;
    static constexpr std::uintmax_t kMostRootSteps = 100;
    // Bits to which the length of the step to an event is found.
    static constexpr int kBits = 50;

    std::vector<double> g_;
};

template <class Trial>
int EventLocator::shorten(
    System& system, double t0, double& h, std::span<double> x, const Trial& trial) {
    if (g_.empty()) return -1;
    int event = worst(system, t0 + h, x);
    if (event < 0) return -1;

    int found = event;
    while (event >= 0) {
        found = event;
        const auto value = [&](double length) {
            trial(length);
            system.evaluate_events(t0 + length, x, g_);
            return g_[static_cast<std::size_t>(found)];
        };
        // The function may begin at zero, where its mode began.
        double low = 0.5 * h;
        double g_low = value(low);
        double high = h;
        for (int k = 0; k < kMostHalvings && !(g_low > 0.0); ++k) {
            high = low;
            low *= 0.5;
            g_low = value(low);
        }
        if (!(g_low > 0.0)) {
            h = low;
            value(h);
            return found;
        }
        std::uintmax_t steps = kMostRootSteps;
        const auto bracket =
            boost::math::tools::toms748_solve(value,
                                              low,
                                              high,
                                              g_low,
                                              value(high),
                                              boost::math::tools::eps_tolerance<double>(kBits),
                                              steps);
        h = bracket.first;
        value(h);
        // Another function may have changed sign before.
        event = worst(system, t0 + h, x);
        if (event == found) break;
    }
    return found;
}

}  // namespace ancora::explicit_integrators
