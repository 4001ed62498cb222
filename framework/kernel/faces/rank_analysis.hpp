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
/// of the mass matrix' diagonal. Up to a few hundred rows by dense QR with column pivoting
/// (rank-revealing); the rows named are the last ones of each dependent set. Beyond that a sparse
/// L D L^T of the rows' Gram matrix finds the candidates, and the distance of each from the span of
/// the others decides.
RankAnalysis analyse_rank(const RowSet& rows, const Eigen::VectorXd& A, const MassMatrix& mass);

/// The constraint rows as columns, scaled by M^-1/2 (its diagonal) and to unit length.
struct ScaledRows {
    /// @param lightest lower bound of masses, relative to the largest one: without it rows on a
    ///        light coordinate would be nearly parallel beside a much heavier one
    ScaledRows(const RowSet& rows,
               const Eigen::VectorXd& A,
               const MassMatrix& mass,
               double lightest = 0.0);

    std::vector<int> chosen;  ///< row of each column
    std::vector<double> length;
    std::vector<double> mass;  ///< of each coordinate, the mean where there is none
    Eigen::SparseMatrix<double> columns;
};

/// Redundant rows, as many as there are dependencies, chosen so that the kept ones are as well
/// conditioned as possible; ascending. The rows of bodies are kept where possible.
/// @param instead rows dropped so far, which stay dropped if that is nearly as well conditioned
std::vector<int> dependent_rows(const RowSet& rows,
                                const Eigen::VectorXd& A,
                                const MassMatrix& mass,
                                const std::vector<int>& instead);

/// States of self-stress, random combinations of the null space of A^T, as columns: a quantity that
/// depends on none of them is determined by the motion.
/// @param dependent rows that the others determine
Eigen::MatrixXd self_stresses(const RowSet& rows,
                              const Eigen::VectorXd& A,
                              const MassMatrix& mass,
                              const std::vector<int>& dependent,
                              int count);

/// Pivots of the kept constraint rows at unit length, ascending: a measure of their independence. A
/// pivot that falls to zero between two positions indicates a singular position.
std::vector<double> independence(const RowSet& rows,
                                 const Eigen::VectorXd& A,
                                 const MassMatrix& mass,
                                 const std::vector<int>& dropped);

/// One Gauss-Newton step on the residuals `pi` of the constraint rows.
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
