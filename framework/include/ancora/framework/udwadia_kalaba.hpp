// SPDX-License-Identifier: BSD-3-Clause
// Udwadia and Kalaba's equation for given matrices: accelerations and constraint forces.
#pragma once

#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/export.hpp"

namespace ancora {

/// How constrained equations of motion are solved. Both ways give the same numbers.
enum class SolverPath : std::int32_t {
    automatic,  ///< dense for small systems, sparse for large ones
    dense,      ///< orthogonal factors that reveal the rank
    sparse,     ///< L D L^T of the whole system, slightly regularised, and refinement
};

/// Motion and forces of a constrained system at one instant; see udwadia_kalaba().
struct ConstrainedMotion {
    Eigen::VectorXd acceleration;     ///< a, n
    Eigen::VectorXd F_L;              ///< force of the ideal constraints, n
    Eigen::VectorXd F_C;              ///< what C adds to it, n
    Eigen::VectorXd reaction;         ///< A^T lambda = F_L + F_C - C, the force across the rows, n
    Eigen::VectorXd lambda_L;         ///< multipliers of F_L = A^T lambda_L, m
    Eigen::VectorXd lambda_C;         ///< multipliers of F_C = C + A^T lambda_C, m
    int rank = 0;                     ///< of A
    std::vector<int> redundant_rows;  ///< m - rank rows, the last ones of each dependent set
    std::vector<int> nonunique_rows;  ///< rows whose multipliers are not unique
    double smallest_kept = 0.0;       ///< smallest pivot that counts, relative to the largest
    double largest_dropped = 0.0;     ///< largest pivot that does not
    bool is_rank_doubtful = false;    ///< a pivot lies between 1e-14 and 1e-8
};

/// The motion of a system with constraints that do work:
///
///   M a = Q + F_L + F_C,   A a = b                                                       (1)
///   F_L = M^1/2 (A M^-1/2)^+ (b - A M^-1 Q)                                              (2)
///   F_C = M^1/2 [I - (A M^-1/2)^+ (A M^-1/2)] M^-1/2 C                                   (3)
///
///   M   mass matrix, symmetric, positive semidefinite, n x n
///   Q   generalized forces without constraint forces, n
///   A   constraint Jacobian, m x n, of any rank; rows may have any scale
///   b   bias of A a = b, m
///   C   work-producing part of a nonideal constraint force, n; d(q) . F = d(q) . C for every
///       virtual displacement, A d(q) = 0
///
/// (3) is linear in C, a force: its last factor is M^-1/2 C. Multipliers are the least ones in the
/// sense of sum_k D_k lambda_k^2, D_k = A_k M^-1 A_k^T. The rank counts pivots of A M^-1/2, rows
/// scaled to unit length, above 1e-10 of the largest.
///
/// A singular M is accepted where (M; A) has full column rank; (2) and (3) then hold with
/// M + sigma A^+ A for M and Q + sigma A^+ b for Q, sigma = tr(M)/n, and F_L is M a - Q with C = 0.
///
/// [assembly] Allocates. For many right-hand sides or states the kernel keeps its own factors.
///
/// @throws Error (usage) if sizes do not fit, a number is not finite or M is not symmetric;
///         (numerical) if M is indefinite, if a is not unique, naming a coordinate, or if rows
///         contradict each other, naming one
///
/// F. E. Udwadia, R. E. Kalaba, Y. Fan, Is analytical dynamics a theoretical or an experimental
/// science?, Nonlinear Analysis 63, 2005, eqs (8)-(11). F. E. Udwadia, P. Phohomsiri, Explicit
/// equations of motion for constrained mechanical systems with singular mass matrices, Proc. R.
/// Soc. A 462, 2006.
ANCORA_FRAMEWORK_EXPORT ConstrainedMotion udwadia_kalaba(const Eigen::Ref<const Eigen::MatrixXd>& M,
                                                         const Eigen::Ref<const Eigen::MatrixXd>& A,
                                                         const Eigen::Ref<const Eigen::VectorXd>& b,
                                                         const Eigen::Ref<const Eigen::VectorXd>& Q,
                                                         const Eigen::Ref<const Eigen::VectorXd>& C,
                                                         SolverPath path = SolverPath::automatic);

}  // namespace ancora
