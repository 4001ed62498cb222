// SPDX-License-Identifier: BSD-3-Clause
// The elimination tree of a sparse symmetric matrix in its given order.
#pragma once

#include <vector>

#include <Eigen/SparseCore>

namespace ancora {

/// Column j of L has entries in `count[j]` rows below the diagonal; the first of them is
/// `parent[j]`, -1 where there is none (Liu, SIAM J. Matrix Anal. Appl. 11 (1990) 134).
struct EliminationTree {
    explicit EliminationTree(const Eigen::SparseMatrix<double>& upper);

    /// Postorder: the place of each column in an order of the same fill in which the columns of
    /// every subtree are contiguous; the identity if they already are.
    std::vector<int> postorder() const;

    /// Puts places into that order; those that are negative stay.
    /// @returns false if they are in it already
    bool put_in_postorder(std::vector<int>& places) const;

    std::vector<int> parent;
    std::vector<int> count;
};

}  // namespace ancora
