// SPDX-License-Identifier: BSD-3-Clause
// A dense system of a few rows, some of which may depend on each other.
#pragma once

#include <cstddef>
#include <vector>

namespace ancora {

/// Solves the dense system W x = r of the few contact rows, by elimination with complete pivoting.
/// Rows that are marked as shared (stick) may depend on each other; their unknowns x are then those
/// of least sum of weight x^2, by a small regularisation and iterative refinement. [step]
class SmallSolver {
public:
    void resize(int n);
    /// Regularisation of the diagonal of shared rows, relative: well above the errors of W where
    /// shared rows depend on each other. Iterative refinement removes its effect from the
    /// independent directions.
    void set_regularisation(double share) { share_ = share; }
    double& operator()(int i, int j) { return at(W_, i, j); }
    double& rhs(int i) { return r_[i]; }
    void share(int i, double weight) { weight_[i] = weight; }
    void clear();
    /// @returns sign of the determinant: 1, -1, or 0 where W is singular
    int factorise();
    void solve();
    double x(int i) const { return x_[i]; }

private:
    double& at(std::vector<double>& matrix, int i, int j) const { return matrix[i * n_ + j]; }
    void add_solution();

    int n_ = 0;
    int rank_ = 0;
    double share_ = 1e-6;
    std::vector<double> W_, LU_, r_, x_, rest_, work_;
    std::vector<double> weight_;  // of shared rows, at most 1; 0: not shared
    std::vector<int> row_place_, column_place_;
};

}  // namespace ancora
