// SPDX-License-Identifier: BSD-3-Clause
// Eigen views of the spans that cross the plugin boundary.
#pragma once

#include <array>
#include <span>

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace ancora {

using Vec3 = Eigen::Vector3d;
using Mat3 = Eigen::Matrix3d;

/// Views of three doubles; no copy.
inline Eigen::Map<const Vec3> vec3(std::span<const double> x, std::size_t first = 0) {
    return Eigen::Map<const Vec3>(x.data() + first);
}
inline Eigen::Map<Vec3> vec3(std::span<double> x, std::size_t first = 0) {
    return Eigen::Map<Vec3>(x.data() + first);
}
inline Eigen::Map<const Vec3> vec3(const std::array<double, 3>& x) {
    return Eigen::Map<const Vec3>(x.data());
}
inline Eigen::Map<Vec3> vec3(std::array<double, 3>& x) {
    return Eigen::Map<Vec3>(x.data());
}

/// The cross-product matrix: skew(a) b = a x b.
inline Mat3 skew(const Vec3& a) {
    Mat3 S;
    S << 0.0, -a.z(), a.y(), a.z(), 0.0, -a.x(), -a.y(), a.x(), 0.0;
    return S;
}

}  // namespace ancora
