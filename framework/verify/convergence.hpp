// SPDX-License-Identifier: BSD-3-Clause
// The order that errors of several runs show.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace ancora::verify {

/// How far a run strays from the exact solution: the root mean square over its rows, and what it
/// cost. One value at the end may be right by accident.
struct Outcome {
    double error = 0.0;
    double steps = 0.0;
    double last = 0.0;  ///< at the end alone
};

// Errors below this may be rounding, and tell nothing of an order.
inline constexpr double kRoundingError = 3e-12;
inline constexpr double kOrderSlack = 0.35;
// Steps [s], or tolerances of those that choose their own.
inline constexpr double kSteps[] = {0.04, 0.02, 0.01, 0.005, 0.0025};
inline constexpr double kTolerances[] = {1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
inline constexpr double kAdaptiveStep = 0.02;
inline constexpr std::size_t kSizes = 4;  // that count: the finest above rounding
inline constexpr double kFewerSteps = 1.2;
inline constexpr int kRefinements = 2;  // more, if the order is not there yet

/// The median of the slopes between any two of the runs, which one run that is better or worse than
/// its size does not move (H. Theil, 1950; P. K. Sen, JASA 63 (1968)); NaN if there are no two.
inline double order_of(const std::vector<Outcome>& runs) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::size_t j = i + 1; j < runs.size(); ++j)
            if (runs[j].steps > kFewerSteps * runs[i].steps)
                slopes.push_back(std::log(runs[i].error / runs[j].error) /
                                 std::log(runs[j].steps / runs[i].steps));
    if (slopes.empty()) return std::nan("");
    std::ranges::sort(slopes);
    const std::size_t half = slopes.size() / 2;
    return slopes.size() % 2 == 1 ? slopes[half] : 0.5 * (slopes[half - 1] + slopes[half]);
}

inline std::string text_of(const std::vector<Outcome>& runs) {
    std::string text;
    for (const Outcome& run : runs)
        text += fmt::format("{}{:.3g} in {} steps", text.empty() ? "" : ", ", run.error, run.steps);
    return text;
}

/// The finest runs whose errors are no rounding.
inline std::vector<Outcome> telling(const std::vector<Outcome>& runs) {
    std::vector<Outcome> out;
    for (const Outcome& run : runs)
        if (run.error > kRoundingError) out.push_back(run);
    if (out.size() > kSizes) out.erase(out.begin(), out.end() - kSizes);
    return out;
}

}  // namespace ancora::verify
