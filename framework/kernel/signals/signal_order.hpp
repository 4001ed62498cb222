// SPDX-License-Identifier: BSD-3-Clause
// In which order objects that hear each other are asked, and which of them move together.
#pragma once

#include <vector>

#include "signal_parts.hpp"

namespace ancora {

/// Parts whose states are solved for together, since they hear each other.
struct SignalGroup {
    std::vector<int> parts;  ///< in the order in which they are asked
    int num_x = 0;           ///< of their continuous states
};

/// @throws Error (manifest) where outputs depend on each other without a state between
std::vector<SignalGroup> order_signals(const std::vector<SignalPart>& parts);

}  // namespace ancora
