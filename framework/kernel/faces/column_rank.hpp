// SPDX-License-Identifier: BSD-3-Clause
// The rank of columns of unit length, and which of them depend on the others.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "rank.hpp"

namespace ancora {

/// Bound of the coefficients with which a dependent column is a combination of the others.
inline constexpr double kLargestCoefficient = 2.0;

/// Fills rank, pivots next to the threshold and the warning from the pivots' moduli.
void decide_by_pivots(const Eigen::VectorXd& pivots, RankAnalysis& out);

/// Columns that depend on those before them, by Gram-Schmidt with reorthogonalisation.
std::vector<int> dependent_columns(const Eigen::MatrixXd& columns, double threshold);

/// Rank of many unit columns. The Gram matrix squares the pivots, so those of its L D L^T only tell
/// which columns are clearly independent. For the rest the distance of each from the span of those
/// decides, once these are well conditioned.
/// @param weighed the same columns, longer where they are preferred
/// @returns the dependent columns
std::vector<int> decide_by_distances(const Eigen::SparseMatrix<double>& columns,
                                     const Eigen::SparseMatrix<double>& weighed,
                                     RankAnalysis& out);

/// Exchanges dependent columns for others until each is a combination of the kept ones without a
/// coefficient above `most`: the kept ones are then nearly as well conditioned as possible, since
/// the product of their singular values grows with every exchange (strong rank-revealing QR, M. Gu
/// and S. Eisenstat, SIAM J. Sci. Comput. 17 (1996) 848).
/// @returns whether there was any
bool strengthen(const Eigen::SparseMatrix<double>& columns,
                double most,
                std::vector<int>& dependent);

/// Whether these columns depend on the others, which are independent, with no coefficient above
/// `most`.
bool are_dependent(const Eigen::SparseMatrix<double>& columns,
                   const Eigen::SparseMatrix<double>& weighed,
                   const std::vector<int>& dependent,
                   double threshold,
                   double most);

}  // namespace ancora
