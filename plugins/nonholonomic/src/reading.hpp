// SPDX-License-Identifier: BSD-3-Clause
// The parameter that the constraint types have, and how it is read.
#pragma once

#include <array>
#include <cmath>
#include <string_view>

#include <Eigen/Geometry>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::nonholonomic {

inline constexpr Parameter kNormal =
    parameter::vector("normal", 3, "", "normal of the plane below, inertial axes, of any length")
        .otherwise("[0.0, 0.0, 1.0]");

/// A vector parameter at unit length; refuses zero through Arguments::fail.
inline Vec3 unit_vector(const Arguments& arguments, std::string_view key) {
    const Vec3 x = vec3(arguments.numbers(key));
    const double length = x.stableNorm();
    if (!(length > 0.0)) arguments.fail(key, "the direction [0, 0, 0] points nowhere");
    return x / length;
}

/// Two axes perpendicular to n: x and y for n = z. Zeros of n stay exact zeros.
inline std::array<Vec3, 2> directions_across(const Vec3& n) {
    Eigen::Index largest = 0;
    n.cwiseAbs().maxCoeff(&largest);
    const Eigen::Index next = (largest + 1) % 3;
    const Eigen::Index after = (largest + 2) % 3;
    const Eigen::Index axis = std::abs(n(next)) < std::abs(n(after)) ? next : after;
    const Vec3 t2 = (Vec3::Unit(axis) - n(axis) * n).normalized();
    return {t2.cross(n), t2};
}

}  // namespace ancora::nonholonomic
