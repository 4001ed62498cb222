// SPDX-License-Identifier: BSD-3-Clause
// Places of a mechanism at which points, frames and measures are where they are wanted.
#pragma once

#include <span>

#include <Eigen/Core>

#include "ancora/framework/joint_space.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// A place that meets the targets as well as it can, beginning at the present state.
struct Placement {
    InverseKinematics found;
    Eigen::VectorXd q, v;  ///< v: what is prescribed over time, else none
};

/// Minimises |e|^2 for the differences e to the targets, angles times the model's size, along the
/// motions dq = Z y that the conditions leave, by Levenberg's and Marquardt's method in the norm of
/// the kinetic energy,
///
///   dq = N G^T (G G^T + mu 1)^-1 e,   G = J N,   N N^T = Z (Z^T M Z)^-1 Z^T,              (1)
///
/// each step closed by Newton's method on the conditions. Of many places this is one near the
/// start. Stops and contacts that it would pass become conditions.
/// @throws Error (usage) for targets that are none, (numerical) where conditions cannot be met
Placement place(KernelSystem& system, std::span<const KinematicTarget> targets);

}  // namespace ancora
