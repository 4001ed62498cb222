// SPDX-License-Identifier: BSD-3-Clause
// Numbers with derivatives for step loops: Gradient<N> and Hessian<N>.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <utility>

#include "ancora/sdk/numbers/taylor.hpp"

namespace ancora {
namespace autodiff {

/// Value and first derivatives in N directions, as Dual<N> and with the same rules, but laid out
/// for speed: derivatives in pairs that fill a register, and every operation unrolled, so that a
/// function of them compiles to straight code without memory traffic. Costs compile time; for many
/// directions and long functions Dual<N> is the lighter one.
template <int N>
struct Gradient {
    static constexpr int kOrder = 1;
    static constexpr std::size_t kPairs = (static_cast<std::size_t>(N) + 1) / 2;
    using Pair [[gnu::vector_size(16)]] = double;
    using Pairs = std::make_index_sequence<kPairs>;

    double value;
    Pair pairs[kPairs];

    Gradient() = default;
    /// A constant.
    [[gnu::always_inline]] constexpr Gradient(double x) : value(x), pairs{} {}
    /// The variable of direction i.
    [[gnu::always_inline]] constexpr Gradient(double x, std::size_t i) : value(x), pairs{} {
        pairs[i / 2][i % 2] = 1.0;
    }

    [[gnu::always_inline]] constexpr double d(std::size_t i) const { return pairs[i / 2][i % 2]; }

    /// The function with value f and derivative f1 at this number.
    [[gnu::always_inline]] constexpr Gradient chain(double f, double f1, double /* f2 */) const {
        if (!(f1 - f1 == 0.0)) [[unlikely]]
            return steep(f, f1);
        return map(
            f, [&](std::size_t i) __attribute__((always_inline)) { return f1 * pairs[i]; });
    }
    [[gnu::always_inline]] static constexpr Gradient chain(const Gradient& a,
                                                           const Gradient& b,
                                                           const Partials& p) {
        return a.map(
            p.f, [&](std::size_t i) __attribute__((always_inline)) {
                return p.x * a.pairs[i] + p.y * b.pairs[i];
            });
    }

    [[gnu::always_inline]] friend constexpr Gradient operator+(const Gradient& a,
                                                               const Gradient& b) {
        return a.map(
            a.value + b.value, [&](std::size_t i) __attribute__((always_inline)) {
                return a.pairs[i] + b.pairs[i];
            });
    }
    [[gnu::always_inline]] friend constexpr Gradient operator-(const Gradient& a,
                                                               const Gradient& b) {
        return a.map(
            a.value - b.value, [&](std::size_t i) __attribute__((always_inline)) {
                return a.pairs[i] - b.pairs[i];
            });
    }
    [[gnu::always_inline]] friend constexpr Gradient operator*(const Gradient& a,
                                                               const Gradient& b) {
        return a.map(
            a.value * b.value, [&](std::size_t i) __attribute__((always_inline)) {
                return b.value * a.pairs[i] + a.value * b.pairs[i];
            });
    }
    [[gnu::always_inline]] friend constexpr Gradient operator/(const Gradient& a,
                                                               const Gradient& b) {
        const double f = a.value / b.value;
        const double by_a = 1.0 / b.value;
        const double by_b = -f * by_a;
        return a.map(
            f, [&](std::size_t i) __attribute__((always_inline)) {
                return by_a * a.pairs[i] + by_b * b.pairs[i];
            });
    }
    [[gnu::always_inline]] friend constexpr Gradient operator+(const Gradient& a, double b) {
        Gradient out = a;
        out.value += b;
        return out;
    }
    [[gnu::always_inline]] friend constexpr Gradient operator*(const Gradient& a, double b) {
        return a.map(
            a.value * b, [&](std::size_t i) __attribute__((always_inline)) {
                return b * a.pairs[i];
            });
    }
    friend constexpr std::partial_ordering operator<=>(const Gradient& a, const Gradient& b) {
        return a.value <=> b.value;
    }

private:
    template <class Function>
    [[gnu::always_inline]] static constexpr Gradient map(double f, Function pair) {
        return map(f, pair, Pairs{});
    }
    template <class Function, std::size_t... I>
    [[gnu::always_inline]] static constexpr Gradient map(double f,
                                                         Function pair,
                                                         std::index_sequence<I...>) {
        Gradient out;
        out.value = f;
        ((out.pairs[I] = pair(I)), ...);
        return out;
    }
    /// An infinite slope does no harm where nothing moves.
    constexpr Gradient steep(double f, double f1) const {
        Gradient out(f);
        for (std::size_t i = 0; i < static_cast<std::size_t>(N); ++i)
            out.pairs[i / 2][i % 2] = slope_times(f1, d(i));
        return out;
    }
};

/// Value, gradient and matrix of second derivatives in N variables; no heap. A number that is
/// linear in the variables is marked as such and has no matrix: a function often begins with
/// differences and means of its arguments.
template <int N>
struct Hessian {
    static constexpr int kOrder = 2;
    static constexpr std::size_t kSize = static_cast<std::size_t>(N);

    double value;
    std::array<double, kSize> d;
    std::array<double, kSize*(kSize + 1) / 2> dd;  ///< lower triangle, row by row; none if linear
    bool is_linear;

    Hessian() = default;
    constexpr Hessian(const Hessian& x) : value(x.value), d(x.d), is_linear(x.is_linear) {
        if (!is_linear) dd = x.dd;
    }
    constexpr Hessian& operator=(const Hessian& x) {
        value = x.value;
        d = x.d;
        is_linear = x.is_linear;
        if (!is_linear) dd = x.dd;
        return *this;
    }
    /// A constant.
    constexpr Hessian(double x) : value(x), d{}, is_linear(true) {}
    /// Variable i.
    constexpr Hessian(double x, std::size_t i) : value(x), d{}, is_linear(true) { d[i] = 1.0; }

    constexpr double second(std::size_t i, std::size_t j) const {
        if (is_linear) return 0.0;
        return i < j ? dd[j * (j + 1) / 2 + i] : dd[i * (i + 1) / 2 + j];
    }

    /// The function with value f and derivatives f1, f2 at this number.
    constexpr Hessian chain(double f, double f1, double f2) const {
        Hessian out = first_order(f, [&](std::size_t i) {
            return slope_times(f1, d[i]);
        });
        out.is_linear = false;
        out.for_each([&](std::size_t k, std::size_t i, std::size_t j) {
            return slope_times(f2, d[i] * d[j]) + (is_linear ? 0.0 : slope_times(f1, dd[k]));
        });
        return out;
    }
    static constexpr Hessian chain(const Hessian& a, const Hessian& b, const Partials& p) {
        Hessian out = first_order(p.f, [&](std::size_t i) {
            return slope_times(p.x, a.d[i]) + slope_times(p.y, b.d[i]);
        });
        out.is_linear = false;
        out.for_each([&](std::size_t k, std::size_t i, std::size_t j) {
            return (a.is_linear ? 0.0 : slope_times(p.x, a.dd[k])) +
                   (b.is_linear ? 0.0 : slope_times(p.y, b.dd[k])) +
                   slope_times(p.xx, a.d[i] * a.d[j]) + slope_times(p.yy, b.d[i] * b.d[j]) +
                   slope_times(p.xy, a.d[i] * b.d[j] + b.d[i] * a.d[j]);
        });
        return out;
    }

    friend constexpr Hessian operator+(const Hessian& a, const Hessian& b) {
        Hessian out = first_order(a.value + b.value, [&](std::size_t i) {
            return a.d[i] + b.d[i];
        });
        out.is_linear = a.is_linear && b.is_linear;
        if (out.is_linear) return out;
        if (a.is_linear)
            out.dd = b.dd;
        else if (b.is_linear)
            out.dd = a.dd;
        else
            for (std::size_t k = 0; k < out.dd.size(); ++k) out.dd[k] = a.dd[k] + b.dd[k];
        return out;
    }
    friend constexpr Hessian operator-(const Hessian& a, const Hessian& b) {
        Hessian out = first_order(a.value - b.value, [&](std::size_t i) {
            return a.d[i] - b.d[i];
        });
        out.is_linear = a.is_linear && b.is_linear;
        if (out.is_linear) return out;
        if (b.is_linear)
            out.dd = a.dd;
        else
            for (std::size_t k = 0; k < out.dd.size(); ++k)
                out.dd[k] = (a.is_linear ? 0.0 : a.dd[k]) - b.dd[k];
        return out;
    }
    friend constexpr Hessian operator*(const Hessian& a, const Hessian& b) {
        Hessian out = first_order(a.value * b.value, [&](std::size_t i) {
            return a.d[i] * b.value + a.value * b.d[i];
        });
        out.is_linear = false;
        if (a.is_linear && b.is_linear)
            out.for_each([&](std::size_t, std::size_t i, std::size_t j) {
                return a.d[i] * b.d[j] + b.d[i] * a.d[j];
            });
        else
            out.for_each([&](std::size_t k, std::size_t i, std::size_t j) {
                return (a.is_linear ? 0.0 : a.dd[k] * b.value) +
                       (b.is_linear ? 0.0 : a.value * b.dd[k]) + a.d[i] * b.d[j] + b.d[i] * a.d[j];
            });
        return out;
    }
    friend constexpr Hessian operator/(const Hessian& a, const Hessian& b) {
        const double f = a.value / b.value;
        Hessian out = first_order(f, [&](std::size_t i) {
            return (a.d[i] - f * b.d[i]) / b.value;
        });
        out.is_linear = false;
        out.for_each([&](std::size_t k, std::size_t i, std::size_t j) {
            return ((a.is_linear ? 0.0 : a.dd[k]) - (b.is_linear ? 0.0 : f * b.dd[k]) -
                    out.d[i] * b.d[j] - out.d[j] * b.d[i]) /
                   b.value;
        });
        return out;
    }
    friend constexpr Hessian operator+(const Hessian& a, double b) {
        Hessian out = a;
        out.value += b;
        return out;
    }
    friend constexpr Hessian operator*(const Hessian& a, double b) {
        Hessian out = first_order(a.value * b, [&](std::size_t i) {
            return a.d[i] * b;
        });
        out.is_linear = a.is_linear;
        if (!out.is_linear)
            for (std::size_t k = 0; k < out.dd.size(); ++k) out.dd[k] = a.dd[k] * b;
        return out;
    }
    friend constexpr std::partial_ordering operator<=>(const Hessian& a, const Hessian& b) {
        return a.value <=> b.value;
    }

private:
    template <class First>
    static constexpr Hessian first_order(double f, First first) {
        Hessian out;
        out.value = f;
        out.is_linear = true;
        for (std::size_t i = 0; i < kSize; ++i) out.d[i] = first(i);
        return out;
    }
    template <class Second>
    constexpr void for_each(Second second) {
        for (std::size_t i = 0, k = 0; i < kSize; ++i)
            for (std::size_t j = 0; j <= i; ++j, ++k) dd[k] = second(k, i, j);
    }
};

template <int N>
constexpr bool is_zero(const Gradient<N>& x) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(N); ++i)
        if (x.d(i) != 0.0) return false;
    return x.value == 0.0;
}
template <int N>
constexpr bool is_zero(const Hessian<N>& x) {
    return x.value == 0.0 && x.d == decltype(x.d){} && (x.is_linear || x.dd == decltype(x.dd){});
}

}  // namespace autodiff

using autodiff::Gradient;
using autodiff::Hessian;

}  // namespace ancora
