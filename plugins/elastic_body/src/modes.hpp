// SPDX-License-Identifier: BSD-3-Clause
// Vibrations and static shapes of a reduced model.
#pragma once

#include "reduced_model.hpp"
#include "reduction.hpp"

namespace ancora::elastic {

/// Eigenvalues, ascending, and eigenvectors of a symmetric matrix by Jacobi's rotations.
void diagonalise(MatrixXd A, VectorXd& values, MatrixXd& vectors);

struct Modes {
    VectorXd omega_squared;
    MatrixXd x;  ///< as ReducedModel has it, phi.M phi = 1
    HeldVibrations held;
};

/// [assembly] Diagonalised together, without rigid motions.
/// @throws std::domain_error what is wrong with the model
Modes find_modes(const ReducedModel& reduced,
                 const Vec3& center,
                 double mass,
                 const ReductionSettings& settings);

}  // namespace ancora::elastic
