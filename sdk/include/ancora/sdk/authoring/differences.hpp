// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by differences, for functions that are written for double alone.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "ancora/sdk/authoring/argument_list.hpp"

namespace ancora::differences {

// Relative steps that balance the error of the formulas, h^4, against rounding, 1e-16 / h^k:
// k = 1 leaves about 1e-12, k = 2 about 1e-10.
constexpr double kFirstStep = 0x1p-10;
constexpr double kSecondStep = 0x1p-8;

/// A power of two near `size`, so that steps are exact; 1 where size is no size.
inline double power_of_two(double size) {
    return size > 0.0 && std::isfinite(size) ? std::exp2(std::round(std::log2(size))) : 1.0;
}

/// The length on which a function of these arguments may change: for points the largest distance
/// from the first, or of a single point from the origin; for directions and scalars their size.
template <class Arguments>
double scale_of(std::size_t argument, const double* x) {
    const auto largest = [&](std::size_t i, const double* from) {
        double size = 0.0;
        for (std::size_t k = 0; k < Arguments::width(i); ++k)
            size = std::max(size, std::abs(x[Arguments::offset(i) + k] - from[k]));
        return size;
    };
    constexpr double origin[3] = {};
    if (Arguments::kKind[argument] != ArgumentKind::point)
        return power_of_two(largest(argument, origin));
    const double* first = nullptr;
    double size = 0.0;
    for (std::size_t i = 0; i < Arguments::kCount; ++i) {
        if (Arguments::kKind[i] != ArgumentKind::point) continue;
        if (first == nullptr) first = x + Arguments::offset(i);
        size = std::max(size, largest(i, first));
    }
    return power_of_two(size > 0.0 ? size : largest(argument, origin));
}

/// The time in which arguments at these rates change by their scale; of a function of time 1 s at
/// most [s].
template <class Arguments>
double time_scale_of(const double* x, const double* dx, bool is_timed) {
    double rate = is_timed ? 1.0 : 0.0;
    for (std::size_t i = 0; i < Arguments::kCount; ++i) {
        const double size = scale_of<Arguments>(i, x);
        for (std::size_t j = Arguments::offset(i); j < Arguments::offset(i + 1); ++j)
            rate = std::max(rate, std::abs(dx[j]) / size);
    }
    return 1.0 / power_of_two(rate);
}

/// f'(0) of R functions of one number, to fourth order in the step h.
template <std::size_t R, class Function>
std::array<double, R> first(const Function& f, double h) {
    const std::array<double, R> a = f(-2.0 * h), b = f(-h), c = f(h), d = f(2.0 * h);
    std::array<double, R> out;
    for (std::size_t r = 0; r < R; ++r) out[r] = (8.0 * (c[r] - b[r]) - (d[r] - a[r])) / (12.0 * h);
    return out;
}

/// f''(0), to fourth order in the step h.
template <std::size_t R, class Function>
std::array<double, R> second(const Function& f, double h) {
    const std::array<double, R> a = f(-2.0 * h), b = f(-h), m = f(0.0), c = f(h), d = f(2.0 * h);
    std::array<double, R> out;
    for (std::size_t r = 0; r < R; ++r)
        out[r] = (16.0 * ((c[r] - m[r]) + (b[r] - m[r])) - ((d[r] - m[r]) + (a[r] - m[r]))) /
                 (12.0 * h * h);
    return out;
}

}  // namespace ancora::differences
