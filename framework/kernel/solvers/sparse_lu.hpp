// SPDX-License-Identifier: BSD-3-Clause
// LU of a sparse matrix, by Eigen, compiled once.
#pragma once

#include <memory>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace ancora {

/// L U = P K Q of an unsymmetric n x n matrix, with pivots.
class SparseLu {
public:
    SparseLu();
    ~SparseLu();

    /// For matrices of a pattern like that of their transpose, in an order in which pivots on the
    /// diagonal leave little fill.
    void analyse_in_order(const Eigen::SparseMatrix<double>& K);
    /// Of the pattern that was analysed. @returns whether it has a factorisation
    bool factorise(const Eigen::SparseMatrix<double>& K);
    /// Chooses the order of columns as well.
    bool compute(const Eigen::SparseMatrix<double>& K);
    /// K^-1 b, n
    void solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const;

private:
    struct Solver;
    std::unique_ptr<Solver> solver_;
};

}  // namespace ancora
