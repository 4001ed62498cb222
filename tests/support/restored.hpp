// SPDX-License-Identifier: BSD-3-Clause
// A run that is saved and goes on elsewhere.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "support/model.hpp"

namespace ancora::testing {

/// Whether a simulation that takes over the state after so many steps ends as the run itself does,
/// to the bit of every column of history.csv.
inline bool ends_alike_restored(const std::string& text, int num_steps) {
    Simulation run = model(text);
    for (int k = 0; k < num_steps; ++k) run.step();
    const std::vector<std::byte> saved = run.save();
    Simulation other = model(text);
    other.restore(saved);
    run_to_end(run);
    run_to_end(other);
    std::vector<double> a(run.column_names().size()), b(a.size());
    run.sample(a);
    other.sample(b);
    return a == b;
}

}  // namespace ancora::testing
