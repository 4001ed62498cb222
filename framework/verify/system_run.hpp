// SPDX-License-Identifier: BSD-3-Clause
// Columns of a running simulation by name.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "object.hpp"

namespace ancora::verify {

/// Reads values of one simulation; a column that it does not have is zero.
class SystemRow {
public:
    explicit SystemRow(const Simulation& simulation)
        : names_(simulation.column_names()), row_(names_.size()) {}

    double value(const Simulation& simulation, const std::string& name) const {
        const auto at = std::ranges::find(names_, name);
        if (at == names_.end()) return 0.0;
        simulation.sample(row_);
        return row_[at - names_.begin()];
    }

private:
    std::vector<std::string> names_;
    mutable std::vector<double> row_;
};

}  // namespace ancora::verify
