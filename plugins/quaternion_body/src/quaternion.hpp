// SPDX-License-Identifier: BSD-3-Clause
// Algebra of a quaternion p = (w, u) that need not have unit norm.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::quaternion_body {

/// (w, x, y, z), w the scalar part.
using Vec4 = Eigen::Vector4d;
using Mat34 = Eigen::Matrix<double, 3, 4>;
using Mat43 = Eigen::Matrix<double, 4, 3>;

/// G(p) = [-u, w I - u^]: the vector part of p* o r is G(p) r, so the angular velocity in body axes
/// is 2 G(p) p'. G(p) r = -G(r) p.
inline Mat34 body_rates(const Vec4& p) {
    const Vec3 u = p.tail<3>();
    Mat34 G;
    G << -u, p(0) * Mat3::Identity() - skew(u);
    return G;
}

/// dp/dtheta when space turns by theta about the inertial axes: half the product (0, theta) o p.
inline Mat43 space_rotation(const Vec4& p) {
    const Vec3 u = p.tail<3>();
    Mat43 Xi;
    Xi << -u.transpose(), p(0) * Mat3::Identity() - skew(u);
    return 0.5 * Xi;
}

/// R(p) xi = (w^2 - u.u) xi + 2 u (u.xi) + 2 w u x xi: quadratic in p, a rotation for |p| = 1, and
/// |p|^2 times one otherwise.
inline Vec3 rotate(const Vec4& p, const Vec3& xi) {
    const Vec3 u = p.tail<3>();
    return (p(0) * p(0) - u.squaredNorm()) * xi + 2.0 * u.dot(xi) * u + 2.0 * p(0) * u.cross(xi);
}

/// d(R(p) xi)/dp.
inline Mat34 rotate_gradient(const Vec4& p, const Vec3& xi) {
    const Vec3 u = p.tail<3>();
    Mat34 J;
    J.col(0) = p(0) * xi + u.cross(xi);
    J.rightCols<3>() =
        u.dot(xi) * Mat3::Identity() + u * xi.transpose() - xi * u.transpose() - p(0) * skew(xi);
    return 2.0 * J;
}

}  // namespace ancora::quaternion_body
