// SPDX-License-Identifier: BSD-3-Clause
// Sparse quasi-definite matrices of graphs, for tests of factors.
#pragma once

#include <algorithm>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>

#include "elimination_tree.hpp"

namespace ancora::testing {

using Sparse = Eigen::SparseMatrix<double>;
using Edges = std::set<std::pair<int, int>>;

/// [M A^T; A -C] with blocks of `block` unknowns for each vertex: quasi-definite, every other block
/// negative if `has_rows`.
inline Sparse matrix_of(int vertices, const Edges& edges, int block, bool has_rows, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.0, 1.0);
    const int n = vertices * block;
    std::vector<int> degree(static_cast<std::size_t>(vertices), 1);
    for (const auto& [a, b] : edges) {
        ++degree[a];
        ++degree[b];
    }
    std::vector<Eigen::Triplet<double>> entries;
    const auto is_row = [&](int v) {
        return has_rows && v % 2 == 1;
    };
    for (int v = 0; v < vertices; ++v)
        for (int i = 0; i < block; ++i)
            for (int j = i; j < block; ++j)
                entries.emplace_back(v * block + i,
                                     v * block + j,
                                     i != j      ? 0.3 * uniform(random)
                                     : is_row(v) ? -2.0 * block * degree[v]
                                                 : 2.0 * block * degree[v]);
    for (const auto& [a, b] : edges)
        for (int i = 0; i < block; ++i)
            for (int j = 0; j < block; ++j)
                entries.emplace_back(
                    std::min(a, b) * block + i, std::max(a, b) * block + j, uniform(random));
    Sparse upper(n, n);
    upper.setFromTriplets(entries.begin(), entries.end());
    return upper;
}

inline Sparse permuted(const Sparse& upper, const std::vector<int>& place) {
    std::vector<Eigen::Triplet<double>> entries;
    for (int j = 0; j < upper.cols(); ++j)
        for (Sparse::InnerIterator it(upper, j); it; ++it) {
            const int a = place[it.row()];
            const int b = place[j];
            entries.emplace_back(std::min(a, b), std::max(a, b), it.value());
        }
    Sparse out(upper.rows(), upper.cols());
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
}

/// In the order of least fill, in postorder.
inline Sparse ordered(const Sparse& upper) {
    const Sparse full = upper.selfadjointView<Eigen::Upper>();
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> elimination;
    Eigen::AMDOrdering<int>()(full, elimination);
    std::vector<int> place(static_cast<std::size_t>(upper.cols()));
    for (int k = 0; k < upper.cols(); ++k) place[elimination.indices()[k]] = k;
    Sparse out = permuted(upper, place);
    if (EliminationTree(out).put_in_postorder(place)) out = permuted(upper, place);
    return out;
}

inline Edges grid(int width, int height) {
    Edges edges;
    for (int i = 0; i < height; ++i)
        for (int j = 0; j < width; ++j) {
            const int v = i * width + j;
            if (j + 1 < width) edges.emplace(v, v + 1);
            if (i + 1 < height) edges.emplace(v, v + width);
        }
    return edges;
}

}  // namespace ancora::testing
