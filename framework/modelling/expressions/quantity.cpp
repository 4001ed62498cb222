// SPDX-License-Identifier: BSD-3-Clause
// Numbers with dimensions.
#include "quantity.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "units.hpp"

namespace ancora {

bool Dimension::operator==(const Dimension& other) const {
    constexpr double kRounding = 1e-9;  // of thirds, say
    for (std::size_t i = 0; i < exponents.size(); ++i)
        if (!(std::abs(exponents[i] - other.exponents[i]) < kRounding)) return false;
    return true;
}

Dimension Dimension::operator*(const Dimension& other) const {
    Dimension out = *this;
    for (std::size_t i = 0; i < exponents.size(); ++i) out.exponents[i] += other.exponents[i];
    return out;
}

Dimension Dimension::operator/(const Dimension& other) const {
    return *this * other.to_power(-1.0);
}

Dimension Dimension::to_power(double exponent) const {
    Dimension out = *this;
    for (double& x : out.exponents) x *= exponent;
    return out;
}

std::string to_text(const Dimension& dimension) {
    if (dimension.is_none()) return "a number without dimension";
    for (const char* const name : {"N", "Pa", "J", "W"})
        if (find_unit(name)->dimension == dimension) return name;
    constexpr std::string_view kNames[] = {"m", "kg", "s", "K", "A"};
    std::string above;
    std::string below;
    int num_below = 0;
    for (std::size_t i : {1, 0, 2, 3, 4}) {  // "kg m/s"
        const double exponent = dimension.exponents[i];
        if (std::abs(exponent) < 1e-9) continue;
        std::string& to = exponent > 0.0 ? above : below;
        if (exponent < 0.0) ++num_below;
        to += fmt::format("{}{}", to.empty() ? "" : " ", kNames[i]);
        if (std::abs(exponent) != 1.0) to += fmt::format("^{:g}", std::abs(exponent));
    }
    if (below.empty()) return above;
    if (num_below > 1) below = "(" + below + ")";
    return fmt::format("{}/{}", above.empty() ? "1" : above, below);
}

}  // namespace ancora
