// SPDX-License-Identifier: BSD-3-Clause
// The lowest modes of a large model, by Lanczos' method.
#pragma once

#include <Eigen/Core>

#include "linear_equations.hpp"

namespace ancora {

/// Eigenvalues w^2 of K x = w^2 M x + A^T y, A x = 0, ascending, and vectors with x^T M x = 1.
struct LowestModes {
    Eigen::VectorXd squares;
    Eigen::MatrixXd shapes;
};

/// x.K x / x.M x of each shape, zero where it is but the rounding of its terms.
Eigen::VectorXd squares_of(const LinearEquations& equations, const Eigen::MatrixXd& shapes);

/// Those nearest to zero or below, by Lanczos' method on (K + s M)^-1 M within the conditions, with
/// full reorthogonalisation; s > 0 keeps what is free to move from making it singular, and comes
/// down to the squares that are found. The stiffness of `equations` is that of the face. To be
/// called where linear_equations() has just been.
LowestModes lowest_modes(KernelSystem& system, const LinearEquations& equations, int count);

/// The lowest eigenvalues w of S x = w K x + A^T y, A x = 0, as `squares`, in the same manner, with
/// x^T K x = 1. To be called where K, which is positive definite within the conditions, has just
/// been taken.
LowestModes lowest_values(KernelSystem& system,
                          const Eigen::SparseMatrix<double>& K,
                          const Eigen::SparseMatrix<double>& S,
                          int count);

}  // namespace ancora
