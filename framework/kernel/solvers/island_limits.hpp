// SPDX-License-Identifier: BSD-3-Clause
// Limits that the dense and the sparse solver of an island share, so that both decide alike.
#pragma once

namespace ancora {

/// Pivots up to this part of the largest are round-off: a row kept at 1e-10 amplifies 1e-12 in b to
/// 1e-2.
inline constexpr double kRankThreshold = 1e-10;

/// Between these a pivot is near the threshold.
inline constexpr double kNearLow = 1e-14;
inline constexpr double kNearHigh = 1e-8;

/// Pivots of M up to this part of their diagonals vanish.
inline constexpr double kVanishedPivot = 1e-8;

/// A direction in which M and scaled rows are this small, squared, is not determined.
inline constexpr double kUndetermined = 1e-12;

/// Refinement ends when a correction is no more than this part of the free motion.
inline constexpr double kRounding = 1e-17;

/// Sparse islands up to this size fall back to the dense path where theirs fails.
inline constexpr int kMostFallenBack = 3000;

}  // namespace ancora
