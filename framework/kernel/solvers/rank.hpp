// SPDX-License-Identifier: BSD-3-Clause
// The result of a rank analysis of a matrix' rows.
#pragma once

#include <vector>

namespace ancora {

/// The rank of rows A and how clearly it is decided. Pivots are relative to the largest one of A
/// L^-T with rows of unit length (theory, section 2.2).
struct RankAnalysis {
    int num_rows = 0;
    int rank = 0;
    double threshold = 1e-10;
    double smallest_kept = 0.0;
    double largest_dropped = 0.0;
    bool is_near_threshold = false;  ///< a pivot lies between 1e-14 and 1e-8
    std::vector<int> redundant;      ///< rows (in the row set) that depend on the others
};

}  // namespace ancora
