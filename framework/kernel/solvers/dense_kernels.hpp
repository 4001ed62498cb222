// SPDX-License-Identifier: BSD-3-Clause
// The products of dense blocks that a sparse factorisation is made of.
#pragma once

#include <cstddef>

namespace ancora {

/// Columns of a product that are computed at once.
constexpr int kTile = 4;
/// Room for `columns` packed columns of `depth` entries.
constexpr std::size_t packed_size(int columns, int depth) {
    return static_cast<std::size_t>((columns + kTile - 1) / kTile * kTile) *
           static_cast<std::size_t>(depth);
}

/// to := D B^T, tiles of kTile columns, each `depth` rows of kTile numbers, zeros after the last.
/// @param B `columns` x `depth`, column by column with this stride
void pack_scaled(
    const double* B, std::ptrdiff_t stride, const double* D, int columns, int depth, double* to);
void pack_scaled(
    const float* B, std::ptrdiff_t stride, const double* D, int columns, int depth, double* to);

/// C -= A packed, of C only what is not above its diagonal.
/// @param A `rows` x `depth`; C `rows` x `columns`; both column by column with a stride
void subtract_product(const double* A,
                      std::ptrdiff_t stride_A,
                      const double* packed,
                      int rows,
                      int columns,
                      int depth,
                      double* C,
                      std::ptrdiff_t stride_C);
void subtract_product(const float* A,
                      std::ptrdiff_t stride_A,
                      const double* packed,
                      int rows,
                      int columns,
                      int depth,
                      double* C,
                      std::ptrdiff_t stride_C);

/// L D L^T of the leading `width` x `width` block of a panel, and the rows below it divided: L
/// replaces the panel below the diagonal.
/// @returns false if a pivot is zero or not finite
bool factorise_columns(
    double* panel, std::ptrdiff_t stride, int height, int width, double* D, double* inverse_D);

}  // namespace ancora
