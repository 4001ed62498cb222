// SPDX-License-Identifier: BSD-3-Clause
// Directions across a normal.
#pragma once

#include <array>
#include <cmath>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {

/// Two unit vectors across a unit vector n, t_1 x t_2 = n: t_2 is the coordinate axis most
/// perpendicular to it of the two behind its largest component, made perpendicular.
inline std::array<Vec3, 2> across(const Vec3& n) {
    Eigen::Index largest = 0;
    n.cwiseAbs().maxCoeff(&largest);
    const Eigen::Index next = (largest + 1) % 3;
    const Eigen::Index after = (largest + 2) % 3;
    const Eigen::Index axis = std::abs(n(next)) < std::abs(n(after)) ? next : after;
    const Vec3 second = (Vec3::Unit(axis) - n(axis) * n).normalized();
    return {second.cross(n), second};
}

}  // namespace ancora::contact
