// SPDX-License-Identifier: BSD-3-Clause
// The largest eigenvalues of an operator, by Arnoldi's method.
#pragma once

#include <functional>

#include <Eigen/Core>

namespace ancora {

/// Complex eigenvalues stand with their conjugates.
struct Eigenpairs {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
};

/// y = B x for a real operator B.
using LinearOperator = std::function<void(const Eigen::VectorXd& x, Eigen::VectorXd& y)>;

/// The modulus down to which eigenvalues are wanted, given those that are known or approximated; 0
/// while that is unknown.
using WantedModulus = std::function<double(const Eigen::VectorXcd& values)>;

/// All eigenvalues that are as large as wanted, those that are there several times as often as they
/// are, perhaps with smaller ones. A run of Arnoldi's method with full orthogonalisation finds each
/// once; the invariant subspace that it converges to is locked, and runs in what is orthogonal to
/// that follow until one finds nothing that is wanted. Vectors are B x / mu.
///
/// Source: Y. Saad, Numerical Methods for Large Eigenvalue Problems, 2nd ed. (2011), section 6.2.4.
///
/// @param known orthonormal eigenvectors, locked from the beginning
/// @param known_value their eigenvalue
/// @param expected how many are wanted, about
/// @throws Error (numerical) if they do not converge
Eigenpairs largest_eigenvalues(const LinearOperator& apply,
                               const Eigen::MatrixXd& known,
                               double known_value,
                               Eigen::Index expected,
                               const WantedModulus& wanted);

}  // namespace ancora
