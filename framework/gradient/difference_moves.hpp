// SPDX-License-Identifier: BSD-3-Clause
// Distances of central differences by places and by time.
#pragma once

#include <algorithm>
#include <cmath>

namespace ancora {

/// Of a coordinate q in a model of this size [m]: a part of what q is, or of 1 m.
inline double move_of_place(double q, double extent) {
    constexpr double kMoveOfPlace = 0x1p-15;
    return kMoveOfPlace * std::max(std::abs(q), std::min(1.0, extent));
}

/// df / dt at an instant, (f(t + d) - f(t - d)) / (2 d).
template <class Function>
auto slope_by_time(const Function& f, double t) {
    constexpr double kMoveOfTime = 0x1p-20;  // [s]
    return (f(t + kMoveOfTime) - f(t - kMoveOfTime)) / (2.0 * kMoveOfTime);
}

}  // namespace ancora
