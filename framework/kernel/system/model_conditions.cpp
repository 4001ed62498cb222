// SPDX-License-Identifier: BSD-3-Clause
// Which rows are conditions.
#include "model_conditions.hpp"

namespace ancora {
namespace {

/// A condition states how its rows' violations enter: by value, by rate, or by acceleration.
RowLevel level_of(RowKind kind) {
    if (kind == RowKind::constraint) return RowLevel::position;
    return is_velocity_kind(kind) ? RowLevel::velocity : RowLevel::acceleration;
}

}  // namespace

ModelConditions::ModelConditions(const RowSet& rows_of_model, const RowLaws& laws) {
    start.push_back(0);
    for (int k = 0; k < rows_of_model.num_rows(); ++k) {
        if (!holds(rows_of_model, laws, k)) continue;
        rows.push_back(k);
        const RowKind kind = rows_of_model.is_unilateral(k) ? RowKind::constraint : laws[k].kind;
        levels.push_back(level_of(kind));
        for (const int e : rows_of_model.entries(k)) {
            entries.push_back(e);
            column.push_back(rows_of_model.column_of(e));
        }
        start.push_back(static_cast<std::int32_t>(entries.size()));
    }
}

}  // namespace ancora
