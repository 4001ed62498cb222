// SPDX-License-Identifier: BSD-3-Clause
// The spin that the velocities of a whole model are, if they are one.
#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "kernel_system.hpp"

namespace ancora {

/// Velocities v = S q + offset of a turn of space, and perhaps a drift.
struct SteadySpin {
    bool is_spinning = false;
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();  ///< [rad/s]
    Eigen::SparseMatrix<double> S;
    Eigen::VectorXd offset;
};

/// How the coordinates move with a translation of space: n x 3.
Eigen::MatrixXd translations_of_space(const Space& space, int n);

/// Of the present state.
/// @param what asks, such as "modes"
/// @param advice what to do where it is none
/// @throws Error (numerical) if the velocities are something else, or if coordinates do not turn
///         with space
SteadySpin spin_of(const KernelSystem& system, const char* what, const char* advice);

/// Whether accelerations are those of the spin, S (v - drift).
bool is_steady(const SteadySpin& spin,
               const Eigen::VectorXd& v,
               const Eigen::VectorXd& drift,
               const Eigen::VectorXd& acceleration);

}  // namespace ancora
