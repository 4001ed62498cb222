// SPDX-License-Identifier: BSD-3-Clause
// Householder QR with column pivoting (rank-revealing), in preallocated storage.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace ancora {

/// X P = Q R of an n x m matrix, stopped where the columns that are left are negligible:
///
///   R = [ R11  R12 ]   r rows, R11 upper triangular, r the rank; what stands below is dropped
///
/// (Golub, Van Loan, Matrix Computations, 4th ed., sections 5.4.1 and 5.4.2). After the constructor
/// nothing allocates.
class PivotedQr {
public:
    PivotedQr() = default;
    PivotedQr(int max_rows, int max_cols);

    /// The matrix to be factorised, to be filled by the caller; columns stand one after another.
    void resize(int rows, int cols);
    double* column(int j) { return values_.data() + static_cast<long>(j) * rows_; }
    const double* column(int j) const { return values_.data() + static_cast<long>(j) * rows_; }

    /// @param threshold pivots up to this part of the largest are dropped; 0 keeps all
    /// @param has_pivoting false keeps the order of the columns
    void factorise(double threshold, bool has_pivoting = true);
    /// The same with pivots chosen by `weight` (per column) times the remaining norm of a column,
    /// among those whose norm is above the threshold.
    void factorise_weighted(double threshold, const double* weight);

    int rank() const { return rank_; }
    /// Modulus of pivot k < r relative to the largest; for k = r the first one dropped, or 0.
    double relative_pivot(int k) const;
    /// Column of X in place j of X P.
    int source(int j) const { return source_[j]; }

    /// v := Q^T v and v := Q v, with n entries
    void apply_Qt(double* v) const;
    void apply_Q(double* v) const;
    /// v := R11^-1 v and v := R11^-T v, with r entries
    void solve_R(double* v) const;
    void solve_Rt(double* v) const;

private:
    void swap_columns(int a, int b);
    template <class Pivot>
    void reduce(double threshold, bool has_pivoting, const Pivot& pivot);

    int rows_ = 0;
    int cols_ = 0;
    int rank_ = 0;
    double dropped_ = 0.0;  // the first pivot that was dropped
    Eigen::VectorXd values_;
    Eigen::VectorXd tau_;
    Eigen::VectorXd norm_;       // remaining norm of each column, updated
    Eigen::VectorXd norm_then_;  // the same when it was last computed afresh
    std::vector<int> source_;
};

}  // namespace ancora
