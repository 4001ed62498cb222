// SPDX-License-Identifier: BSD-3-Clause
// The linear complementarity problem of a few contacts.
#pragma once

#include <Eigen/Core>

namespace ancora {

/// Which r, where rows depend on each other: that of least norm, in which what is alike bears
/// alike, or a basic one, whose rows with r_k > 0 are independent.
enum class OfSeveral { least_norm, basic };

/// Solves
///
///   w = W r + q,   0 <= r,   0 <= w,   r . w = 0                                         (1)
///
/// for W symmetric and positive semidefinite, by the active set of nonnegative least squares: r is
/// the least of r . W r / 2 + q . r over r >= 0, and w is unique. A row k enters where w_k < 0; one
/// that depends on rows in use takes over from them until one of these has nothing left, so that
/// rows in use are independent. One that nothing can stop, as all would bear more, stays as it is.
///
/// Source: C. L. Lawson, R. J. Hanson, Solving Least Squares Problems, Prentice-Hall, 1974, ch. 23.
/// @returns false if the active set did not settle; r then is the last one
bool solve_complementarity(const Eigen::MatrixXd& W,
                           const Eigen::VectorXd& q,
                           Eigen::VectorXd& r,
                           OfSeveral solution = OfSeveral::basic);

}  // namespace ancora
