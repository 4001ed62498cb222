// SPDX-License-Identifier: BSD-3-Clause
// What is taken of a column over a run.
#pragma once

namespace ancora {

/// One number of a column of history.csv: its last value, that at a time, an extreme value, the
/// largest magnitude, the integral over time, the mean over time.
enum class ColumnTake { final, at, minimum, maximum, largest, integral, mean };

/// Of all steps.
constexpr bool is_sum(ColumnTake take) {
    return take == ColumnTake::integral || take == ColumnTake::mean;
}
constexpr bool is_extreme(ColumnTake take) {
    return take == ColumnTake::minimum || take == ColumnTake::maximum ||
           take == ColumnTake::largest;
}

}  // namespace ancora
