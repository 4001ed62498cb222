// SPDX-License-Identifier: BSD-3-Clause
// Event functions at the end of a trial.
#include "events.hpp"

#include <algorithm>
#include <cstddef>

namespace ancora::explicit_integrators {
void EventLocator::prepare(const System& system) {
    g_.assign(static_cast<std::size_t>(system.num_events()), 0.0);
}

/// Event function that is lowest, or -1 if none is negative.
int EventLocator::worst(System& system, double t, std::span<const double> x) {
    system.evaluate_events(t, x, g_);
    const auto lowest = std::min_element(g_.begin(), g_.end());
    return lowest != g_.end() && *lowest < 0.0 ? static_cast<int>(lowest - g_.begin()) : -1;
}

}  // namespace ancora::explicit_integrators
