// SPDX-License-Identifier: BSD-3-Clause
// Equations of motion in independent coordinates of joints.
#pragma once

#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/framework/joint_space.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// Conditions on positions and rates at a state, rows at unit length.
struct ConditionRows {
    Eigen::MatrixXd A;        ///< m x n
    Eigen::VectorXd gap;      ///< pi of conditions on positions, of others zero
    Eigen::VectorXd pi_t, b;  ///< of their rates, A q' + pi_t = 0, and of A q'' = b
    Eigen::VectorXd length;   ///< of each row before
    std::vector<int> row;     ///< in the row set
    std::vector<int> kept;    ///< independent ones, ascending
    Eigen::MatrixXd Z;        ///< n x r, orthonormal: what they leave

    /// Of all conditions but unilateral ones, and these.
    /// @param with_rates also conditions on velocities alone
    static ConditionRows of(KernelSystem& system,
                            const Eigen::VectorXd& q,
                            const Eigen::VectorXd& v,
                            bool with_rates,
                            const std::vector<int>& unilateral = {});
    /// The least dq, in the norm of the coordinates, with A dq = r for the rows that are kept.
    Eigen::VectorXd least_motion(const Eigen::VectorXd& r) const;
};

/// With q' = T p' + (of what is given over time), T of the conditions A and the rows J of the
/// coordinates,
///
///   [A; J] T = [0; 1],   [A; J] T' = -[A'; J'] T,   [A; J] c = [b; -J' q']                (1)
///
///   M = T^T M_q T,   C = T^T (M_q T' + C_q T),   bias = T^T (M_q c - Q - C_force)         (2)
///
/// C_q x is the bilinear form of dT/dq - (dM/dt) q' where the mass of bodies is not constant. For
/// coordinates with values T = dq/dp, and (2) are Christoffel's symbols in p.
/// @param by names of coordinates; empty: measures in their order, then bodies that float, each
///           that does not follow from those before it
/// @param of points, bodies and measures whose Jacobians are wanted
/// @throws Error (usage) where `by` are too few or depend on each other, (numerical) where no
///         measures and no frames tell of all motions
JointSpace joint_space_of(KernelSystem& system,
                          const std::vector<std::string>& by,
                          const std::vector<std::string>& of);

}  // namespace ancora
