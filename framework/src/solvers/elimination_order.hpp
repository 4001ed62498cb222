// SPDX-License-Identifier: BSD-3-Clause
// In which order the unknowns of a sparse island are eliminated.
#pragma once

#include <utility>
#include <vector>

#include "solver_island.hpp"

namespace ancora {

/// Orders groups (the coordinates of a small body with its own rows, the coordinates of a node, the
/// rows that tie the same groups) by minimum degree. A group of rows waits until the coordinates
/// before it leave room for twice as many rows, so that its pivots are Schur complements and not
/// the regularisation alone.
///
/// @param mass pattern of the leading block, (i, j) with i >= j
/// @returns the new place of each coordinate and then of each row
std::vector<int> elimination_order(const IslandPattern& pattern,
                                   const std::vector<std::pair<int, int>>& mass);

}  // namespace ancora
