// SPDX-License-Identifier: BSD-3-Clause
// Cubics in positions and slopes at both ends, and the points at which cables are integrated.
#pragma once

#include <array>
#include <cstddef>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::beam {

/// Weights of e = (r_a, r'_a, r_b, r'_b), the positions and slopes at the ends of an element.
using CubicWeights = std::array<double, 4>;

/// Hermite's cubics and their first and second derivatives along an element of length l, at the
/// part x of it.
inline CubicWeights position_weights(double x, double l) {
    const double y = 1.0 - x;
    return {y * y * (1.0 + 2.0 * x), l * x * y * y, x * x * (3.0 - 2.0 * x), -l * x * x * y};
}
inline CubicWeights slope_weights(double x, double l) {
    const double a = 6.0 * x * (1.0 - x) / l;
    return {-a, (1.0 - x) * (1.0 - 3.0 * x), a, x * (3.0 * x - 2.0)};
}
inline CubicWeights curve_weights(double x, double l) {
    const double a = (6.0 - 12.0 * x) / (l * l);
    return {-a, (6.0 * x - 4.0) / l, a, (6.0 * x - 2.0) / l};
}

/// sum of w_i e_i of an element whose e begins at u
inline Vec3 combine(const CubicWeights& w, const double* u) {
    Vec3 out = Vec3::Zero();
    for (std::size_t i = 0; i < w.size(); ++i) out += w[i] * Eigen::Map<const Vec3>(u + 3 * i);
    return out;
}

/// Integral of N_i N_j along an element, lower triangle, of the product of two cubics.
inline std::array<CubicWeights, 4> cubic_products(double l) {
    const double unit = l / 420.0;
    return {{{156.0 * unit, 0.0, 0.0, 0.0},
             {22.0 * l * unit, 4.0 * l * l * unit, 0.0, 0.0},
             {54.0 * unit, 13.0 * l * unit, 156.0 * unit, 0.0},
             {-13.0 * l * unit, -3.0 * l * l * unit, -22.0 * l * unit, 4.0 * l * l * unit}}};
}

struct LinePoint {
    double x, weight;  ///< part of an element, and its share of the length
};
/// Gauss' rules on [0, 1]: of three points for stretch, and of two for curvature, whose square they
/// integrate exactly.
inline constexpr std::array<LinePoint, 3> kStretchPoints = {
    {{0.11270166537925831, 5.0 / 18.0}, {0.5, 8.0 / 18.0}, {0.88729833462074169, 5.0 / 18.0}}};
inline constexpr std::array<LinePoint, 2> kCurvePoints = {
    {{0.21132486540518712, 0.5}, {0.78867513459481288, 0.5}}};

}  // namespace ancora::beam
