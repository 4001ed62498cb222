// SPDX-License-Identifier: BSD-3-Clause
// Triangular solves with a sparse L D L^T whose columns are grouped by equal structure.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace ancora {

/// A copy of L in which neighbouring columns of equal structure share one list of rows and stand
/// as a dense block. A solve then runs along contiguous memory and reads 8 bytes an entry, or 4 if
/// the values are kept in single precision, instead of 12: a large solve spends its time on that.
/// Single precision serves where residuals are computed exactly and corrections repeated.
class Supernodes {
public:
    /// Finds the groups. L: strictly lower, unit diagonal implied, rows sorted in each column.
    void analyse(const Eigen::SparseMatrix<double>& L);
    /// Copies values; the structure is that of analyse().
    void copy(const Eigen::SparseMatrix<double>& L, const Eigen::VectorXd& D, bool in_single);
    /// x := (L D L^T)^-1 x; allocates nothing.
    void solve(double* x);

private:
    template <class Scalar>
    void copy_values(const Eigen::SparseMatrix<double>& L, std::vector<Scalar>& to) const;
    template <class Scalar>
    void solve_down(const Scalar* values, double* x) const;
    template <class Scalar>
    void solve_up(const Scalar* values, double* x);
    void solve_with(const float* values, double* x);
    void solve_with(const double* values, double* x);

    struct Group {
        int first = 0;  // column
        int width = 0;
        int num_rows = 0;   // below the group
        int rows = 0;       // first in rows_
        long triangle = 0;  // first value of the dense triangle, by columns and by rows
        long block = 0;     // first value of the rows below, column by column
    };
    std::vector<Group> groups_;
    std::vector<int> rows_;
    long num_values_ = 0;
    bool in_single_ = false;
    std::vector<double> double_;  // values, in one of the two
    std::vector<float> single_;
    Eigen::VectorXd inverse_D_;
    Eigen::VectorXd gathered_;
};

}  // namespace ancora
