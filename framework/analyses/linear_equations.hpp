// SPDX-License-Identifier: BSD-3-Clause
// Mass, damping, stiffness and conditions at a state, and the motions that conditions leave.
#pragma once

#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "kernel_system.hpp"

namespace ancora {

/// M dq'' + D dq' + K dq = A^T dlambda for small motions about a state, K with the curvature of
/// conditions under their multipliers. Positions obey P dq = 0, velocities that and N dq' = 0.
struct LinearEquations {
    Eigen::SparseMatrix<double> M, D, K;
    Eigen::SparseMatrix<double, Eigen::RowMajor> P, N;
    std::vector<char> is_dropped;    ///< rows of P that others imply
    std::vector<int> position_rows;  ///< of P, in the row set
    Eigen::VectorXd acceleration, lambda;
    Eigen::VectorXd force;  ///< F without A^T lambda
};

/// Refuses objects that a linearisation does not cover: dry friction, and objects with states of
/// their own or values held between samples.
/// @param what asks, such as "equilibrium"
/// @throws Error (manifest) naming the first
void require_smooth(const KernelSystem& system, const char* what);

/// At the present state of the system.
LinearEquations linear_equations(KernelSystem& system);
/// At another one, where the system does not go.
LinearEquations linear_equations(KernelSystem& system,
                                 const Eigen::VectorXd& q,
                                 const Eigen::VectorXd& v);

/// Whether accelerations are what rounding of places and of sums leaves of forces.
bool is_rounding_of_forces(KernelSystem& system,
                           const LinearEquations& at,
                           const Eigen::VectorXd& acceleration);

/// How fast matter accelerates that starts from rest there [m/s^2]; none where the forces that
/// accelerate it are within the rounding-error bound of their sums,
///
///   |M a|_i <= sum_j |K_ij| 1e-13 l + 1e-15 sum_k |A_ki lambda_k|                         (1)
///
/// with the model's size l: as much as positions that are off by rounding make of stiff elements.
/// On light matter that may be far more than what really accelerates.
double acceleration_from_rest(KernelSystem& system, const LinearEquations& at);

/// A matrix of the linearised formulation.
Eigen::SparseMatrix<double> square_matrix(const CompressedMatrix& from);

/// Larger models are looked at by their lowest modes alone.
inline constexpr int kMostDense = 1500;

/// Rows at unit length that differ by less from a combination of others depend on them.
inline constexpr double kIndependent = 1e-9;

/// Orthonormal columns that span the vectors x with A x = 0, for small models.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A);

/// W^T K Z, with zeros where that is rounding of its terms: a motion without stiffness has none.
Eigen::MatrixXd projected(const Eigen::MatrixXd& W,
                          const Eigen::SparseMatrix<double>& K,
                          const Eigen::MatrixXd& Z);

/// Velocities of a rotation of space with this angular velocity about the origin, S dq.
/// @throws Error (numerical) if a model has coordinates that do not turn with space
Eigen::SparseMatrix<double> rotation_of_space(const KernelSystem& system,
                                              const Eigen::Vector3d& spin);

}  // namespace ancora
