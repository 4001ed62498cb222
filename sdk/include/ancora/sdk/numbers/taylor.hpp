// SPDX-License-Identifier: BSD-3-Clause
// Numbers that carry exact derivatives forward: Dual<N> and Taylor2.
#pragma once

#include <array>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstddef>

namespace ancora {

/// Forward differentiation in fixed-size numbers without allocation. Write a function once as a
/// template and call elementary functions without a namespace, after `using std::sin;` where it
/// must serve double too:
///
///   Dual<2> x(3.0, {1.0, 0.0}), y(4.0, {0.0, 1.0});
///   sqrt(x * x + y * y);                     // 5, gradient (0.6, 0.8)
///   sin(Taylor2(0.0, 2.0, 0.0));             // along x = 2 t: value 0, first 2, second 0
///
/// Derivatives are exact to rounding wherever the function has them. Where it has none: abs and
/// sign have the derivative 0 at 0, min and max of equal numbers that of the first argument, sqrt
/// at 0 an infinite one. Outside the domain of a function all is NaN. Numbers are ordered by value.
namespace autodiff {

/// Partial derivatives of f(x, y) up to the second order.
struct Partials {
    double f, x, y, xx, xy, yy;
};

/// f times dx, where dx = 0 means that nothing moves: an infinite slope then does no harm.
constexpr double slope_times(double f, double dx) {
    return dx == 0.0 ? 0.0 : f * dx;
}

/// Value and first derivatives in N directions.
template <int N>
struct Dual {
    static constexpr int kOrder = 1;

    // No initialisers, so that an array of them costs nothing until it is used.
    double value;
    std::array<double, N> d;

    Dual() = default;
    /// A constant.
    constexpr Dual(double x) : value(x), d{} {}
    constexpr Dual(double x, const std::array<double, N>& dx) : value(x), d(dx) {}

    /// The function with value f and derivative f1 at this number.
    constexpr Dual chain(double f, double f1, double /* f2 */) const {
        return map(f, [&](std::size_t i) {
            return slope_times(f1, d[i]);
        });
    }
    static constexpr Dual chain(const Dual& a, const Dual& b, const Partials& p) {
        return a.map(p.f, [&](std::size_t i) {
            return slope_times(p.x, a.d[i]) + slope_times(p.y, b.d[i]);
        });
    }

    friend constexpr Dual operator+(const Dual& a, const Dual& b) {
        return a.map(a.value + b.value, [&](std::size_t i) {
            return a.d[i] + b.d[i];
        });
    }
    friend constexpr Dual operator-(const Dual& a, const Dual& b) {
        return a.map(a.value - b.value, [&](std::size_t i) {
            return a.d[i] - b.d[i];
        });
    }
    friend constexpr Dual operator*(const Dual& a, const Dual& b) {
        return a.map(a.value * b.value, [&](std::size_t i) {
            return a.d[i] * b.value + a.value * b.d[i];
        });
    }
    friend constexpr Dual operator/(const Dual& a, const Dual& b) {
        const double f = a.value / b.value;
        return a.map(f, [&](std::size_t i) {
            return (a.d[i] - f * b.d[i]) / b.value;
        });
    }
    friend constexpr Dual operator+(const Dual& a, double b) { return {a.value + b, a.d}; }
    friend constexpr Dual operator*(const Dual& a, double b) {
        return a.map(a.value * b, [&](std::size_t i) {
            return a.d[i] * b;
        });
    }
    friend constexpr std::partial_ordering operator<=>(const Dual& a, const Dual& b) {
        return a.value <=> b.value;
    }

private:
    template <class Derivative>
    constexpr Dual map(double f, Derivative derivative) const {
        Dual out(f);
        for (std::size_t i = 0; i < static_cast<std::size_t>(N); ++i) out.d[i] = derivative(i);
        return out;
    }
};

/// Value, first and second derivative along a curve, most often in time.
struct Taylor2 {
    static constexpr int kOrder = 2;

    double value;
    double first;
    double second;

    Taylor2() = default;
    /// A constant.
    constexpr Taylor2(double x) : value(x), first(0.0), second(0.0) {}
    constexpr Taylor2(double x, double dx, double ddx) : value(x), first(dx), second(ddx) {}

    /// The function with value f and derivatives f1, f2 at this number.
    constexpr Taylor2 chain(double f, double f1, double f2) const {
        return {
            f, slope_times(f1, first), slope_times(f1, second) + slope_times(f2, first * first)};
    }
    static constexpr Taylor2 chain(const Taylor2& a, const Taylor2& b, const Partials& p) {
        return {p.f,
                slope_times(p.x, a.first) + slope_times(p.y, b.first),
                slope_times(p.x, a.second) + slope_times(p.y, b.second) +
                    slope_times(p.xx, a.first * a.first) +
                    2.0 * slope_times(p.xy, a.first * b.first) +
                    slope_times(p.yy, b.first * b.first)};
    }

    friend constexpr Taylor2 operator+(const Taylor2& a, const Taylor2& b) {
        return {a.value + b.value, a.first + b.first, a.second + b.second};
    }
    friend constexpr Taylor2 operator-(const Taylor2& a, const Taylor2& b) {
        return {a.value - b.value, a.first - b.first, a.second - b.second};
    }
    friend constexpr Taylor2 operator*(const Taylor2& a, const Taylor2& b) {
        return {a.value * b.value,
                a.first * b.value + a.value * b.first,
                a.second * b.value + 2.0 * (a.first * b.first) + a.value * b.second};
    }
    friend constexpr Taylor2 operator/(const Taylor2& a, const Taylor2& b) {
        const double f = a.value / b.value;
        const double f1 = (a.first - f * b.first) / b.value;
        return {f, f1, (a.second - 2.0 * (f1 * b.first) - f * b.second) / b.value};
    }
    friend constexpr Taylor2 operator+(const Taylor2& a, double b) {
        return {a.value + b, a.first, a.second};
    }
    friend constexpr Taylor2 operator*(const Taylor2& a, double b) {
        return {a.value * b, a.first * b, a.second * b};
    }
    friend constexpr std::partial_ordering operator<=>(const Taylor2& a, const Taylor2& b) {
        return a.value <=> b.value;
    }
};

template <class X>
concept Number = requires(const X x) {
    { X::kOrder } -> std::convertible_to<int>;
    { x.value } -> std::convertible_to<double>;
    { x.chain(0.0, 0.0, 0.0) } -> std::same_as<X>;
};

template <Number X>
constexpr X operator-(const X& a) {
    return a * -1.0;
}
template <Number X>
constexpr X operator+(double a, const X& b) {
    return b + a;
}
template <Number X>
constexpr X operator-(const X& a, double b) {
    return a + -b;
}
template <Number X>
constexpr X operator-(double a, const X& b) {
    return -b + a;
}
template <Number X>
constexpr X operator*(double a, const X& b) {
    return b * a;
}
template <Number X, class Y>
constexpr X& operator+=(X& a, const Y& b) {
    return a = a + b;
}
template <Number X, class Y>
constexpr X& operator-=(X& a, const Y& b) {
    return a = a - b;
}
template <Number X, class Y>
constexpr X& operator*=(X& a, const Y& b) {
    return a = a * b;
}

template <std::floating_point T>
constexpr T value_of(T x) {
    return x;
}
template <Number X>
constexpr double value_of(const X& x) {
    return x.value;
}

template <std::floating_point T>
constexpr bool is_zero(T x) {
    return x == T(0);
}
template <int N>
constexpr bool is_zero(const Dual<N>& x) {
    return x.value == 0.0 && x.d == std::array<double, N>{};
}
constexpr bool is_zero(const Taylor2& x) {
    return x.value == 0.0 && x.first == 0.0 && x.second == 0.0;
}

template <Number X>
X sqrt(const X& x) {
    const double f = std::sqrt(x.value);
    const double f1 = 0.5 / f;
    return x.chain(f, f1, -0.5 * f1 / x.value);
}
template <Number X>
X exp(const X& x) {
    const double f = std::exp(x.value);
    return x.chain(f, f, f);
}
template <Number X>
X log(const X& x) {
    const double f = std::log(x.value);
    const double f1 = x.value < 0.0 ? f : 1.0 / x.value;
    return x.chain(f, f1, -f1 * f1);
}
template <Number X>
X log10(const X& x) {
    const double f = std::log10(x.value);
    const double f1 = x.value < 0.0 ? f : 1.0 / (x.value * std::log(10.0));
    return x.chain(f, f1, -f1 / x.value);
}
template <Number X>
X sin(const X& x) {
    const double f = std::sin(x.value);
    return x.chain(f, std::cos(x.value), -f);
}
template <Number X>
X cos(const X& x) {
    const double f = std::cos(x.value);
    return x.chain(f, -std::sin(x.value), -f);
}
template <Number X>
X tan(const X& x) {
    const double f = std::tan(x.value);
    const double f1 = 1.0 + f * f;
    return x.chain(f, f1, 2.0 * f * f1);
}
template <Number X>
X asin(const X& x) {
    const double f1 = 1.0 / std::sqrt((1.0 - x.value) * (1.0 + x.value));
    return x.chain(std::asin(x.value), f1, x.value * f1 * f1 * f1);
}
template <Number X>
X acos(const X& x) {
    const double f1 = -1.0 / std::sqrt((1.0 - x.value) * (1.0 + x.value));
    return x.chain(std::acos(x.value), f1, x.value * f1 * f1 * f1);
}
template <Number X>
X atan(const X& x) {
    const double f1 = 1.0 / (1.0 + x.value * x.value);
    return x.chain(std::atan(x.value), f1, -2.0 * x.value * f1 * f1);
}
template <Number X>
X sinh(const X& x) {
    const double f = std::sinh(x.value);
    return x.chain(f, std::cosh(x.value), f);
}
template <Number X>
X cosh(const X& x) {
    const double f = std::cosh(x.value);
    return x.chain(f, std::sinh(x.value), f);
}
template <Number X>
X tanh(const X& x) {
    const double f = std::tanh(x.value);
    const double c = std::cosh(x.value);  // 1 - f^2 would cancel
    const double f1 = 1.0 / (c * c);
    return x.chain(f, f1, -2.0 * f * f1);
}
/// Angle of (x, y) in (-pi, pi].
template <Number X>
X atan2(const X& y, const X& x) {
    const double r2 = x.value * x.value + y.value * y.value;
    const double c = x.value / r2;
    const double s = y.value / r2;
    return X::chain(
        y, x, {std::atan2(y.value, x.value), c, -s, -2.0 * c * s, s * s - c * c, 2.0 * c * s});
}

/// x^n by squaring, exact where the products are.
template <std::floating_point T>
constexpr T integer_power(T x, int n) {
    if (n < 0) return T(1) / integer_power(x, -n);
    T power(1);
    for (; n > 0; n /= 2, x *= x)
        if (n % 2 != 0) power *= x;
    return power;
}
template <Number X>
constexpr X integer_power(const X& x, int n) {
    if (n == 0) return X(1.0);
    double f2 = 0.0;
    if constexpr (X::kOrder > 1)
        if (n != 1) f2 = double(n) * double(n - 1) * integer_power(x.value, n - 2);
    return x.chain(integer_power(x.value, n), n * integer_power(x.value, n - 1), f2);
}
/// x^p, x > 0 unless p is a whole number.
template <Number X>
X pow(const X& x, double p) {
    if (p == 0.0) return X(1.0);
    double f2 = 0.0;
    if constexpr (X::kOrder > 1)
        if (p != 1.0) f2 = p * (p - 1.0) * std::pow(x.value, p - 2.0);
    return x.chain(std::pow(x.value, p), p * std::pow(x.value, p - 1.0), f2);
}
/// x^y. At x = 0 the derivatives with regard to y are their limits for y > 1, which are zero.
template <Number X>
X pow(const X& x, const X& y) {
    const double p = y.value;
    if (x.value == 0.0) return pow(x, p);
    const double f = std::pow(x.value, p);
    const double l = std::log(x.value);
    const double by_x = p * std::pow(x.value, p - 1.0);
    return X::chain(x,
                    y,
                    {f,
                     by_x,
                     f * l,
                     p * (p - 1.0) * std::pow(x.value, p - 2.0),
                     std::pow(x.value, p - 1.0) * (1.0 + p * l),
                     f * l * l});
}

template <class T>
constexpr double sign(const T& x) {
    const auto value = static_cast<double>(value_of(x));
    return value > 0.0 ? 1.0 : value < 0.0 ? -1.0 : value;
}
template <Number X>
constexpr X abs(const X& x) {
    return x * sign(x);
}
/// Whether min or max takes the second of two numbers; NaN is always taken.
template <class T>
constexpr bool min_is_second(const T& a, const T& b) {
    return value_of(b) < value_of(a) || value_of(b) != value_of(b);
}
template <class T>
constexpr bool max_is_second(const T& a, const T& b) {
    return value_of(b) > value_of(a) || value_of(b) != value_of(b);
}
template <Number X>
constexpr X min(const X& a, const X& b) {
    return min_is_second(a, b) ? b : a;
}
template <Number X>
constexpr X max(const X& a, const X& b) {
    return max_is_second(a, b) ? b : a;
}

}  // namespace autodiff

using autodiff::Dual;
using autodiff::Taylor2;

}  // namespace ancora
