// SPDX-License-Identifier: BSD-3-Clause
// What both constraint types read from their parameters.
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::nonholonomic {

/// A vector parameter at unit length; refuses zero through Arguments::fail.
inline Vec3 unit_vector(const Arguments& arguments, std::string_view key) {
    const Vec3 x = vec3(arguments.numbers(key));
    const double length = x.stableNorm();
    if (!(length > 0.0)) arguments.fail(key, "the direction [0, 0, 0] points nowhere");
    return x / length;
}

/// "BODY@[x, y, z]" with the shortest digits that read back as the same doubles, whatever the
/// locale.
inline std::string attachment_text(std::string_view body, const Vec3& x) {
    std::string out(body);
    const char* before = "@[";
    for (const double component : x) {
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.begin(), digits.end(), component).ptr;
        out += before;
        out.append(digits.begin(), end);
        before = ", ";
    }
    return out + "]";
}

}  // namespace ancora::nonholonomic
