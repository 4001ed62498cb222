// SPDX-License-Identifier: BSD-3-Clause
// Written with lanes: products of blocks of 8 rows and 4 columns in registers.
#include "dense_kernels.hpp"

#include <algorithm>
#include <cmath>

#include "lanes.hpp"

namespace ancora {
namespace {

// Rows i to i + kBlocks kLanes of four columns.
template <int kBlocks, class Scalar>
ANCORA_INLINE void tile(const Scalar* A,
                        std::ptrdiff_t stride_A,
                        const double* b,
                        int depth,
                        int columns,
                        double* C,
                        std::ptrdiff_t stride_C) {
    // C is read and written once: sum over k of A_ik b_kj first, then C_ij -= sum.
    // The order of the terms is that of k for each entry, whatever tile it lies in.
    Lanes sum[kTile][kBlocks] = {};
    for (int k = 0; k < depth; ++k, A += stride_A, b += kTile) {
        Lanes a[kBlocks];
        for (int i = 0; i < kBlocks; ++i) load(A + i * kLanes, a[i]);
        for (int j = 0; j < kTile; ++j)
            for (int i = 0; i < kBlocks; ++i) sum[j][i] += a[i] * b[j];
    }
    for (int j = 0; j < kTile; ++j) {
        if (j >= columns) break;
        for (int i = 0; i < kBlocks; ++i) {
            Lanes c;
            load(C + i * kLanes, c);
            store(c - sum[j][i], C + i * kLanes);
        }
        C += stride_C;
    }
}
// One row: the four columns are the lanes.
template <class Scalar>
ANCORA_INLINE void tile_of_one(const Scalar* A,
                               std::ptrdiff_t stride_A,
                               const double* b,
                               int depth,
                               int columns,
                               double* C,
                               std::ptrdiff_t stride_C) {
    Lanes sum = {};
    for (int k = 0; k < depth; ++k, A += stride_A, b += kTile) {
        Lanes of_b;
        load(b, of_b);
        sum += static_cast<double>(*A) * of_b;
    }
    // Packed entries after the last column are zero and are not stored.
    for (int j = 0; j < columns; ++j) C[j * stride_C] -= sum[j];
}

/// Tile t has the entries D_k B_jk of columns j = 4 t to 4 t + 3, side by side
/// for each k: the four factors of one step of a tile.
template <int kCount, class Scalar>
ANCORA_INLINE void pack_tile(
    const Scalar* from, std::ptrdiff_t stride, const double* D, int depth, double* to) {
    for (int k = 0; k < depth; ++k, from += stride, to += kTile) {
        Lanes x = {};
        for (int j = 0; j < kCount; ++j) x[j] = static_cast<double>(from[j]);
        store(D[k] * x, to);
    }
}
template <class Scalar>
ANCORA_INLINE void pack(
    const Scalar* B, std::ptrdiff_t stride, const double* D, int columns, int depth, double* to) {
    static_assert(kTile == 4 && kTile == kLanes);
    for (int first = 0; first < columns; first += kTile, to += kTile * std::ptrdiff_t{depth}) {
        const Scalar* from = B + first;
        const int count = columns - first;
        if (count >= 4)
            pack_tile<4>(from, stride, D, depth, to);
        else if (count == 3)
            pack_tile<3>(from, stride, D, depth, to);
        else if (count == 2)
            pack_tile<2>(from, stride, D, depth, to);
        else
            pack_tile<1>(from, stride, D, depth, to);
    }
}

template <class Scalar>
ANCORA_INLINE void subtract(const Scalar* A,
                            std::ptrdiff_t stride_A,
                            const double* packed,
                            int rows,
                            int columns,
                            int depth,
                            double* C,
                            std::ptrdiff_t stride_C) {
    // The tiles on the diagonal also compute the entries above it within them, which nothing reads.
    for (int first = 0; first < columns; first += kTile) {
        const int count = std::min(kTile, columns - first);
        const double* b = packed + static_cast<std::ptrdiff_t>(first) * depth;
        double* to = C + first * stride_C;
        int i = first;  // above the diagonal nothing is wanted
        for (; i + 2 * kLanes <= rows; i += 2 * kLanes)
            tile<2>(A + i, stride_A, b, depth, count, to + i, stride_C);
        if (i + kLanes <= rows) {
            tile<1>(A + i, stride_A, b, depth, count, to + i, stride_C);
            i += kLanes;
        }
        for (; i < rows; ++i) tile_of_one(A + i, stride_A, b, depth, count, to + i, stride_C);
    }
}

}  // namespace

ANCORA_VECTORISE void pack_scaled(
    const double* B, std::ptrdiff_t stride, const double* D, int columns, int depth, double* to) {
    pack(B, stride, D, columns, depth, to);
}
ANCORA_VECTORISE void pack_scaled(
    const float* B, std::ptrdiff_t stride, const double* D, int columns, int depth, double* to) {
    pack(B, stride, D, columns, depth, to);
}

ANCORA_VECTORISE void subtract_product(const double* A,
                                       std::ptrdiff_t stride_A,
                                       const double* packed,
                                       int rows,
                                       int columns,
                                       int depth,
                                       double* C,
                                       std::ptrdiff_t stride_C) {
    subtract(A, stride_A, packed, rows, columns, depth, C, stride_C);
}
ANCORA_VECTORISE void subtract_product(const float* A,
                                       std::ptrdiff_t stride_A,
                                       const double* packed,
                                       int rows,
                                       int columns,
                                       int depth,
                                       double* C,
                                       std::ptrdiff_t stride_C) {
    subtract(A, stride_A, packed, rows, columns, depth, C, stride_C);
}

ANCORA_VECTORISE bool factorise_columns(
    double* panel, std::ptrdiff_t stride, int height, int width, double* D, double* inverse_D) {
    for (int c = 0; c < width; ++c) {
        double* column = panel + c * stride;
        const double d = column[c];
        // No pivoting: D exists for a quasi-definite matrix in any order (Vanderbei, SIAM J.
        // Optim. 5 (1995) 100); a zero pivot is the caller's error or an exact dependency.
        if (d == 0.0 || !std::isfinite(d)) return false;
        const double inverse = 1.0 / d;
        D[c] = d;
        inverse_D[c] = inverse;
        // The columns after it are updated with what stands here before it is divided.
        // C_ij -= c_i c_j / d with c = d l the column that is not yet divided, which is l_i d l_j
        for (int j = c + 1; j < width; ++j) {
            const double factor = inverse * column[j];
            double* to = panel + j * stride;
            int i = j;
            for (; i + kLanes <= height; i += kLanes) {
                Lanes x, y;
                load(column + i, x);
                load(to + i, y);
                store(y - factor * x, to + i);
            }
            for (; i < height; ++i) to[i] -= factor * column[i];
        }
        for (int i = c + 1; i < height; ++i) column[i] *= inverse;
    }
    return true;
}

}  // namespace ancora
