// SPDX-License-Identifier: BSD-3-Clause
// The thresholds of all decisions about rank, and the result of one.
#pragma once

#include <vector>

namespace ancora {

/// Pivots up to this part of the largest are round-off: a row kept at 1e-10 amplifies 1e-12 in b to
/// 1e-2.
inline constexpr double kRankThreshold = 1e-10;

/// Between these a pivot is near the threshold.
inline constexpr double kNearLow = 1e-14;
inline constexpr double kNearHigh = 1e-8;

/// The rank of rows A and how clearly it is decided. Pivots are relative to the largest one of A
/// L^-T with rows of unit length (theory, section 2.2).
struct RankAnalysis {
    int num_rows = 0;
    int rank = 0;
    double threshold = kRankThreshold;
    double smallest_kept = 0.0;
    double largest_dropped = 0.0;
    bool is_near_threshold = false;  ///< a pivot lies between kNearLow and kNearHigh
    std::vector<int> redundant;      ///< rows (in the row set) that depend on the others
};

}  // namespace ancora
