// SPDX-License-Identifier: BSD-3-Clause
// The lowest modes of a large model with gyroscopic forces or damping.
#pragma once

#include <complex>

#include <Eigen/Core>

#include "linear_equations.hpp"
#include "steady_spin.hpp"

namespace ancora {

/// Small motions in the axes of a spin, where they have constant coefficients: D -> D + 2 M T,
/// K -> K + D T + M T^2, T = S + N, turns of space and of parts in themselves.
LinearEquations in_turning_frame(LinearEquations at, const SteadySpin& spin);

/// Eigenvalues by modulus, of a conjugate pair the one above the real axis, with their shapes.
struct GyroscopicModes {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd shapes;
};

/// The lowest ones of (l^2 M + l D + K) x = A^T y, A x = 0, by Arnoldi's method on
///
///   (x, w) -> (u, x + s u),   (s^2 M + s D + K) u = A^T y - M w - (D + s M) x,   A u = 0   (1)
///
/// w = l x, whose eigenvalues are 1 / (l - s), with a real s > 0 and one sparse factorisation.
/// Parts of the model that nothing else holds drift as a whole; this is known, and left out of (1).
/// @param inertial of a state with conditions on positions alone
/// @param free of a rest, displacements x with K x = D x = 0 by columns, which are left out of (1)
/// as drifts are, and out of the result; null where the drifts of parts are to be found
/// @throws Error (numerical)
GyroscopicModes gyroscopic_modes(const KernelSystem& system,
                                 const LinearEquations& inertial,
                                 const SteadySpin& spin,
                                 int count,
                                 const Eigen::MatrixXd* free = nullptr);

}  // namespace ancora
