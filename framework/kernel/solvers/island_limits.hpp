// SPDX-License-Identifier: BSD-3-Clause
// Limits that the dense and the sparse solver of an island share, so that both decide alike.
#pragma once

#include "rank.hpp"

namespace ancora {

/// Pivots of M up to this part of their diagonals vanish.
inline constexpr double kVanishedPivot = 1e-8;

/// A direction in which M and scaled rows are this small, squared, is not determined.
inline constexpr double kUndetermined = 1e-12;

/// Refinement ends when a correction is no more than this part of the free motion.
inline constexpr double kRounding = 1e-17;

/// Sparse islands up to this size fall back to the dense path where theirs fails.
inline constexpr int kMostFallenBack = 3000;

}  // namespace ancora
