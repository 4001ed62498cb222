// SPDX-License-Identifier: BSD-3-Clause
// A number that finds the polynomial degree of a function by being put through it.
#pragma once

#include <algorithm>
#include <compare>

#include "ancora/sdk/numbers/taylor.hpp"

namespace ancora {
namespace autodiff {

/// Counts instead of differentiating: put through a function, it comes out with bounds of the
/// degrees of its terms in the variables. The bounds are sharp for sums, products and whole powers;
/// any other function of a variable counts as general. A term that cancels still counts.
///
///   bool branches = false;
///   const auto x = PolynomialDegree::variable(1.0, branches);
///   const auto t = PolynomialDegree::parameter(0.3, branches);
///   (x * x + t * x).highest                                   // 2, and .timed is 1
///
/// A function that compares its numbers may be another one elsewhere: `branches` is then set, and
/// nothing can be said.
struct PolynomialDegree {
    static constexpr int kOrder = 0;
    static constexpr int kGeneral = 1000;

    double value;
    int lowest;      ///< degree of the lowest term; kGeneral for zero
    int highest;     ///< of the highest; kGeneral if it is no polynomial
    int timed;       ///< of the highest term that a parameter multiplies; -1: none
    bool* branches;  ///< set when a number was compared

    PolynomialDegree() = default;
    /// A constant.
    constexpr PolynomialDegree(double x)
        : PolynomialDegree(x, x == 0.0 ? kGeneral : 0, 0, -1, nullptr) {}
    constexpr PolynomialDegree(double x, int low, int high, int timed_, bool* flag)
        : value(x), lowest(low), highest(high), timed(timed_), branches(flag) {}

    static constexpr PolynomialDegree variable(double x, bool& branches) {
        return {x, 1, 1, -1, &branches};
    }
    /// Something that varies but is not counted, such as time.
    static constexpr PolynomialDegree parameter(double x, bool& branches) {
        return {x, 0, 0, 0, &branches};
    }

    constexpr PolynomialDegree chain(double f, double, double) const {
        return highest == 0 ? PolynomialDegree(f, 0, 0, timed, branches)
                            : PolynomialDegree(f, 0, kGeneral, timed < 0 ? -1 : kGeneral, branches);
    }
    static constexpr PolynomialDegree chain(const PolynomialDegree& a,
                                            const PolynomialDegree& b,
                                            const Partials& p) {
        return (a * b).chain(p.f, p.x, p.y);
    }

    friend constexpr PolynomialDegree operator+(const PolynomialDegree& a,
                                                const PolynomialDegree& b) {
        return {a.value + b.value,
                std::min(a.lowest, b.lowest),
                std::max(a.highest, b.highest),
                std::max(a.timed, b.timed),
                a.flag(b)};
    }
    friend constexpr PolynomialDegree operator-(const PolynomialDegree& a,
                                                const PolynomialDegree& b) {
        PolynomialDegree out = a + b;
        out.value = a.value - b.value;
        return out;
    }
    friend constexpr PolynomialDegree operator*(const PolynomialDegree& a,
                                                const PolynomialDegree& b) {
        const int degree = std::max(a.timed < 0 ? -1 : a.timed + b.highest,
                                    b.timed < 0 ? -1 : b.timed + a.highest);
        return {a.value * b.value,
                std::min(a.lowest + b.lowest, kGeneral),
                std::min(a.highest + b.highest, kGeneral),
                std::min(degree, kGeneral),
                a.flag(b)};
    }
    friend constexpr PolynomialDegree operator/(const PolynomialDegree& a,
                                                const PolynomialDegree& b) {
        return a * b.chain(1.0 / b.value, 0.0, 0.0);
    }
    friend constexpr PolynomialDegree operator+(const PolynomialDegree& a, double b) {
        return a + PolynomialDegree(b);
    }
    friend constexpr PolynomialDegree operator*(const PolynomialDegree& a, double b) {
        return {a.value * b, a.lowest, a.highest, a.timed, a.branches};
    }
    friend constexpr std::partial_ordering operator<=>(const PolynomialDegree& a,
                                                       const PolynomialDegree& b) {
        a.compared();
        b.compared();
        return a.value <=> b.value;
    }

    constexpr void compared() const {
        if (branches != nullptr && (highest > 0 || timed >= 0)) *branches = true;
    }

private:
    constexpr bool* flag(const PolynomialDegree& b) const {
        return branches != nullptr ? branches : b.branches;
    }
};

/// abs, min, max and sign look at the value, and so compare.
constexpr double value_of(const PolynomialDegree& x) {
    x.compared();
    return x.value;
}
constexpr bool is_zero(const PolynomialDegree& x) {
    x.compared();
    return x.value == 0.0;
}
constexpr PolynomialDegree integer_power(const PolynomialDegree& x, int n) {
    if (n < 0) return integer_power(x, -n).chain(integer_power(x.value, n), 0.0, 0.0);
    PolynomialDegree power(1.0);
    for (; n > 0; --n) power = power * x;
    return power;
}
inline PolynomialDegree pow(const PolynomialDegree& x, double p) {
    const bool is_small_whole = p >= 0.0 && p <= 8.0 && p == static_cast<int>(p);
    return is_small_whole ? integer_power(x, static_cast<int>(p))
                          : x.chain(std::pow(x.value, p), 0.0, 0.0);
}

}  // namespace autodiff

using autodiff::PolynomialDegree;

}  // namespace ancora
