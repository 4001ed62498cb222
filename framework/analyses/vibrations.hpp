// SPDX-License-Identifier: BSD-3-Clause
// Small vibrations about rest or steady spin.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/linear_model.hpp"
#include "kernel_system.hpp"
#include "linear_equations.hpp"

namespace ancora {

/// Theory (65). Modes about the present state: (lambda^2 M + lambda D + K) x = A^T y, A x = 0. In
/// axes that turn with a steady spin S of space, and with parts that spin in themselves besides, N,
///
///   M -> M,   D -> D + 2 M T,   K -> K + D T + M T^2,   T = S + N                         (1)
///
/// which is constant where the equations are invariant under the rotation: with N, the parts are
/// axisymmetric.
/// @param most_dense coordinates up to which all modes are computed, of larger models the lowest
/// @throws Error (numerical) if the state is neither at rest nor steady
Modes find_modes(KernelSystem& system, const ModesOptions& options, int most_dense = kMostDense);

/// A force on the coordinates per unit of each input, and the outputs' values at a state.
struct LinearPorts {
    Eigen::MatrixXd forces;  ///< n x inputs
    std::function<std::vector<double>(const Eigen::VectorXd& q, const Eigen::VectorXd& v)> outputs;
};

/// The linear model at rest.
LinearModel linear_model(KernelSystem& system, const LinearPorts& ports);

}  // namespace ancora
