// SPDX-License-Identifier: BSD-3-Clause
// The parameter that both constraint types have, and how it is read.
#pragma once

#include <string_view>

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

}  // namespace ancora::nonholonomic
