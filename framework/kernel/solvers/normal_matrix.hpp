// SPDX-License-Identifier: BSD-3-Clause
// The normal matrix of a sparse least-squares problem, and its least eigenvalue.
#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "sparse_ldlt.hpp"

namespace ancora {

/// N = sum_k w_k a_k a_k^T over rows a_k in a fixed sparse pattern, n x n, positive semidefinite:
/// min sum_k w_k (a_k . x - b_k)^2 has N x = sum_k w_k b_k a_k.
class NormalMatrix {
public:
    /// @param rows the columns of each row, in its order, none of them twice
    NormalMatrix(int size, const std::vector<std::vector<int>>& rows);

    int size() const { return static_cast<int>(place_.size()); }

    /// [step] Sets N to zero.
    void clear();
    /// N += w a a^T. [step]
    /// @param row of the pattern
    /// @param a   its entries, in the pattern's order
    void add(int row, double weight, std::span<const double> a);

    /// [step] Allocates nothing.
    /// @returns false if N is singular
    bool factorise();
    /// x := N^-1 x, n entries, as last factorised. [step]
    void solve(double* x);

    /// A bound of the largest eigenvalue: the largest sum of moduli in a row.
    double largest() const;

    Eigen::MatrixXd dense() const;

    struct Least {
        double value = 0.0;
        Eigen::VectorXd direction;  ///< unit vector, n
    };
    /// The least eigenvalue, to some percent of it, or to 1e-15 of the largest. Factorises.
    ///
    /// Source: inverse iteration, G. H. Golub, C. F. Van Loan, Matrix Computations, 4th ed.,
    /// section 8.2.2.
    Least least();

private:
    double value_of(const Eigen::VectorXd& x) const;

    std::vector<int> place_;  // of each coordinate in the elimination order
    std::vector<std::size_t> first_entry_;
    std::vector<int> entry_;  // in N's values: of each row the pairs (i, j), j <= i
    Eigen::SparseMatrix<double> N_;
    SparseLdlt factor_;
    Eigen::VectorXd work_;
};

}  // namespace ancora
