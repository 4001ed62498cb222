// SPDX-License-Identifier: BSD-3-Clause
// Numbers with dimensions.
#pragma once

#include <array>
#include <string>

namespace ancora {

/// Exponents of m, kg, s, K and A. Angles have no dimension: rad = 1.
struct Dimension {
    std::array<double, 5> exponents{};

    /// True for angles and ratios, too.
    bool is_none() const { return *this == Dimension{}; }
    /// Exponents that differ by rounding alone are equal.
    bool operator==(const Dimension& other) const;
    Dimension operator*(const Dimension& other) const;
    Dimension operator/(const Dimension& other) const;
    Dimension to_power(double exponent) const;
};

/// `m/s^2`, `N`, `kg m^2`; `a number without dimension`.
std::string to_text(const Dimension& dimension);

/// What is known of a number's dimension.
enum class Knowledge {
    number,  ///< a number written in an expression, a count: it scales, and fits everywhere
    open,    ///< a parameter without unit, and what is computed with one: fits everywhere
    unit,    ///< it had a unit, or all it was computed from had
};

/// A value in SI units.
struct Quantity {
    double value = 0.0;
    Knowledge knowledge = Knowledge::number;
    Dimension dimension;  ///< only with Knowledge::unit
};

}  // namespace ancora
