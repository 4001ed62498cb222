// SPDX-License-Identifier: BSD-3-Clause
// The rows of a model that are conditions, as implicit integrators number them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ancora/sdk/implicit_system.hpp"
#include "assembly.hpp"

namespace ancora {

/// Rows of the model that are conditions, and their Jacobian in the row set.
struct ModelConditions {
    ModelConditions(const RowSet& rows, const RowLaws& laws);
    static bool holds(const RowSet& rows, const RowLaws& laws, int row) {
        return laws.is_constraint(row) || rows.is_unilateral(row);
    }
    std::size_t count() const { return rows.size(); }

    std::vector<int> rows;
    std::vector<RowLevel> levels;
    std::vector<int> entries;                 ///< of the row set's Jacobian
    std::vector<std::int32_t> start, column;  ///< their pattern
};

}  // namespace ancora
