// SPDX-License-Identifier: BSD-3-Clause
// The frame in which a model rests: space, or one that turns with a steady spin.
#pragma once

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "steady_spin.hpp"

namespace ancora {

/// In a spin bodies move with v = S q + offset + drift, and rest in the frame that turns with S:
/// there the force F has - M S (S q + offset) besides.
struct RestFrame {
    SteadySpin spin;
    Eigen::VectorXd drift;  ///< velocity of the axis
    bool is_free = false;   ///< neither tied to the ground nor pushed: the spin drifts

    /// Space.
    explicit RestFrame(int num_coordinates) : drift(Eigen::VectorXd::Zero(num_coordinates)) {}
    /// The spin that the bodies' velocities are. The equations turn with it from then on.
    /// @throws Error (numerical) if they are something else
    RestFrame(KernelSystem& system, ImplicitFace& face);

    /// S q + offset.
    Eigen::VectorXd turning(const Eigen::VectorXd& q) const { return spin.S * q + spin.offset; }
    /// Of a model that rests in the frame at q.
    Eigen::VectorXd velocity(const Eigen::VectorXd& q) const;
    /// A free model is neither rotated nor translated rigidly, which forces do not determine: takes
    /// out what x, at q, has of these in the norm of M.
    void take_rigid_motion_out(const KernelSystem& system,
                               const CompressedMatrix& M,
                               const Eigen::VectorXd& q,
                               Eigen::VectorXd& x) const;
    /// Whether objects that do not turn with it brake or drive the spin at the present state.
    /// @throws Error (numerical) if so, naming them
    void require_steady(KernelSystem& system) const;
};

}  // namespace ancora
