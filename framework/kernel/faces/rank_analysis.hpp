// SPDX-License-Identifier: BSD-3-Clause
// Rank of the constraint rows at a state, and which rows depend on the others.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "mass_matrix.hpp"
#include "rank.hpp"
#include "row_set.hpp"

namespace ancora {

/// Decides the rank of the constraint rows of `A` (values in the row set's pattern) in the metric
/// of the mass matrix' diagonal. Up to a few hundred rows by dense pivoted QR, and the rows named
/// are the last ones of each dependent set. Beyond that a sparse L D L^T of the rows' Gram matrix
/// finds the candidates, and each candidate's distance from the span of the others decides.
RankAnalysis analyse_rank(const RowSet& rows, const Eigen::VectorXd& A, const MassMatrix& mass);

/// The constraint rows as columns, scaled by M^-1/2 (its diagonal) and to unit length.
struct ScaledRows {
    /// @param lightest share of the largest mass that none counts less than: beside a much heavier
    ///        one rows on a light coordinate would all look alike
    ScaledRows(const RowSet& rows,
               const Eigen::VectorXd& A,
               const MassMatrix& mass,
               double lightest = 0.0);

    std::vector<int> chosen;  ///< row of each column
    std::vector<double> length;
    std::vector<double> mass;  ///< of each coordinate, the mean where there is none
    Eigen::SparseMatrix<double> columns;
};

/// Rows that the others determine, as many as there are dependencies, chosen so that those that
/// stay are as independent as they can be; ascending. The rows of bodies stay where possible.
/// @param instead rows left out so far, which stay if that is nearly as good
std::vector<int> dependent_rows(const RowSet& rows,
                                const Eigen::VectorXd& A,
                                const MassMatrix& mass,
                                const std::vector<int>& instead);

/// Stresses of all rows that make no force, general ones, as columns: what answers to none of them
/// is determined by the motion.
/// @param dependent rows that the others determine
Eigen::MatrixXd self_stresses(const RowSet& rows,
                              const Eigen::VectorXd& A,
                              const MassMatrix& mass,
                              const std::vector<int>& dependent,
                              int count);

/// How independent the constraint rows are, as many of them as are not left out: pivots of the rows
/// at unit length, ascending. One that falls to zero on the way between two positions marks a
/// singular one.
std::vector<double> independence(const RowSet& rows,
                                 const Eigen::VectorXd& A,
                                 const MassMatrix& mass,
                                 const std::vector<int>& dropped);

/// One Gauss-Newton step on the gaps `pi` of the constraint rows.
struct GapClosing {
    Eigen::VectorXd
        displacement;      ///< least dq in the mass metric with A dq = pi, as far as possible
    Eigen::VectorXd left;  ///< per row, the part of pi that no displacement reaches
};
GapClosing close_gaps(const RowSet& rows,
                      const Eigen::VectorXd& A,
                      const MassMatrix& mass,
                      const Eigen::VectorXd& pi);

}  // namespace ancora
