// SPDX-License-Identifier: BSD-3-Clause
// The evaluation order of objects whose inputs read each other's outputs, and their coupled groups.
#pragma once

#include <vector>

#include "signal_parts.hpp"

namespace ancora {

/// Parts whose states are solved for together, since their inputs depend on each other's outputs.
struct SignalGroup {
    std::vector<int> parts;  ///< in the order of evaluation
    int num_x = 0;           ///< of their continuous states
};

/// @throws Error (manifest) where outputs depend on each other without a state between
std::vector<SignalGroup> order_signals(const std::vector<SignalPart>& parts);

}  // namespace ancora
