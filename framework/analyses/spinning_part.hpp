// SPDX-License-Identifier: BSD-3-Clause
// The spin of one body in itself, about an axis through its matter.
#pragma once

#include <optional>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"

namespace ancora {

/// Coordinates of a body as a place and three vectors, y = (r, d_1, d_2, d_3) = W q: the point x of
/// its matter is at r + sum x_i d_i. Bodies of twelve coordinates for which that is linear have it.
class BodyAxes {
public:
    /// [assembly]
    /// @returns nothing if the body is not of that kind
    static std::optional<BodyAxes> of(const Model& model, int body);

    /// How the body moves.
    struct Motion {
        Eigen::Vector3d rate;   ///< of its axes [rad/s]
        Eigen::Vector3d drift;  ///< velocity of its matter at the origin of space [m/s]
    };
    /// Of these velocities of all coordinates.
    Motion motion(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

    /// Velocities N q that turn the matter in itself,
    ///
    ///   d_j' = sum d_i X_ij,   r' = - sum d_i (X x_0)_i,                                    (1)
    ///
    /// with X the turn at its rate about the axis u through x_0, both in the body. An axisymmetric
    /// body about u is unchanged.
    struct Spin {
        Eigen::MatrixXd N;      ///< on the body's own coordinates, 12 x 12
        Eigen::Vector3d along;  ///< rate times u, in space at present [rad/s]
        double rate;            ///< [rad/s]
    };
    /// The spin that has the velocities v of all coordinates.
    /// @returns nothing if they are none, since the axis moves or the body is strained
    std::optional<Spin> spin(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;

private:
    Eigen::Matrix<double, 3, 4> columns(const Eigen::VectorXd& x) const;

    int first_ = 0;
    Eigen::MatrixXd W_;
};

}  // namespace ancora
