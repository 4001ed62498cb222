// SPDX-License-Identifier: BSD-3-Clause
// Models of the kit under the integrator that is checked.
#pragma once

#include <cmath>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "ancora/framework/manifest.hpp"
#include "check.hpp"
#include "convergence.hpp"
#include "reference_systems.hpp"

namespace ancora::verify {

/// How finely a run is made.
struct StepChoice {
    double step = 0.0;       ///< [s]
    double tolerance = 0.0;  ///< 0: none

    /// The k-th of kSteps or kTolerances, and finer ones behind them.
    static StepChoice of(int k, bool is_adaptive) {
        constexpr auto kLast = static_cast<int>(std::size(kSteps)) - 1;
        const double finer = k > kLast ? std::pow(is_adaptive ? 0.1 : 0.5, k - kLast) : 1.0;
        const int i = k > kLast ? kLast : k;
        return is_adaptive ? StepChoice{kAdaptiveStep, finer * kTolerances[i]}
                           : StepChoice{finer * kSteps[i], 0.0};
    }
};

/// @param own  the integrator's own keys
inline Manifest integrator_manifest(const Subject& subject,
                                    const std::string& own,
                                    const ReferenceSystem& system,
                                    const StepChoice& choice) {
    const std::string type = subject.type.name;
    return Manifest::parse(
        fmt::format("{}[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\n{}[integrator.{}]\n{}\n",
                    system.model,
                    type,
                    choice.step,
                    system.end,
                    choice.tolerance > 0.0 ? fmt::format("tolerance = {}\n", choice.tolerance) : "",
                    type,
                    own),
        system.name);
}

}  // namespace ancora::verify
