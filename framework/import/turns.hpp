// SPDX-License-Identifier: BSD-3-Clause
// Angles and rotations as descriptions write them.
#pragma once

#include <cmath>
#include <numbers>

#include <Eigen/Geometry>

#include "ancora/sdk/helpers/orientation.hpp"
#include "robot.hpp"

namespace ancora::robot {

// What is meant by an angle with some ten digits of a multiple of 15 degrees is that multiple
// [rad].
inline constexpr double kTypedAngle = 1e-9;

/// An angle as it was meant: "1.5707963268" is a quarter turn.
inline double meant_angle(double angle) {
    constexpr double kStep = std::numbers::pi / 12.0;
    const double near = std::round(angle / kStep) * kStep;
    return std::abs(angle - near) < kTypedAngle ? near : angle;
}

/// The turn about a coordinate axis, exact for quarter turns.
inline Mat3 turn_about_axis(int axis, double angle) {
    const double quarters = meant_angle(angle) / (0.5 * std::numbers::pi);
    if (std::abs(quarters) < 1e6 && quarters == std::round(quarters)) {
        constexpr int kCos[] = {1, 0, -1, 0}, kSin[] = {0, 1, 0, -1};
        const int n = static_cast<int>(((static_cast<long>(quarters) % 4) + 4) % 4);
        const int j = (axis + 1) % 3, k = (axis + 2) % 3;
        Mat3 R = Mat3::Identity();
        R(j, j) = R(k, k) = kCos[n];
        R(j, k) = -kSin[n];
        R(k, j) = kSin[n];
        return R;
    }
    return detail::turn_about(axis, meant_angle(angle));
}

/// URDF and SDF: roll about x, then pitch about y, then yaw about z, axes at rest.
inline Mat3 from_roll_pitch_yaw(const Vec3& rpy) {
    return turn_about_axis(2, rpy(2)) * turn_about_axis(1, rpy(1)) * turn_about_axis(0, rpy(0));
}

}  // namespace ancora::robot
