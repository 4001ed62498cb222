// SPDX-License-Identifier: BSD-3-Clause
#include "mass_properties.hpp"

#include <cmath>
#include <numbers>

namespace ancora::robot {
namespace {

constexpr double kPi = std::numbers::pi;

Inertial solid(double volume, const Vec3& moments_per_volume) {
    Inertial out;
    out.mass = volume;
    out.inertia = volume * Mat3(moments_per_volume.asDiagonal());
    return out;
}

/// J = tr(P) I - P with the second moments P.
Mat3 inertia_of(const Mat3& P) {
    return P.trace() * Mat3::Identity() - P;
}

}  // namespace

Inertial of_box(const Vec3& a) {
    const Vec3 squares = a.cwiseAbs2() / 12.0;
    return solid(a.prod(), Vec3::Constant(squares.sum()) - squares);
}

Inertial of_ellipsoid(const Vec3& a) {
    const Vec3 squares = a.cwiseAbs2() / 5.0;
    return solid(4.0 / 3.0 * kPi * a.prod(), Vec3::Constant(squares.sum()) - squares);
}

Inertial of_cylinder(double r, double l) {
    const double across = r * r / 4.0 + l * l / 12.0;
    return solid(kPi * r * r * l, {across, across, r * r / 2.0});
}

Inertial of_capsule(double r, double l) {
    Inertial out = of_cylinder(r, l);
    // Both caps are one sphere that is cut: the centroid of a half lies 3/8 r from the cut
    const double ball = 4.0 / 3.0 * kPi * r * r * r;
    const double shift = l / 2.0, centroid = 3.0 / 8.0 * r;
    const double along = 0.4 * ball * r * r;
    const double across = along + ball * (shift * shift + 2.0 * shift * centroid);
    out.mass += ball;
    out.inertia += Mat3(Vec3(across, across, along).asDiagonal());
    return out;
}

Inertial of_mesh(const TriangleMesh& mesh, const Vec3& scale) {
    const auto corner = [&](std::int32_t i) -> Vec3 {
        const auto& p = mesh.points[i];
        return Vec3(p[0], p[1], p[2]).cwiseProduct(scale);
    };
    double volume = 0.0;
    Vec3 first = Vec3::Zero();
    Mat3 second = Mat3::Zero();
    for (const auto& triangle : mesh.triangles) {
        const Vec3 a = corner(triangle[0]), b = corner(triangle[1]), c = corner(triangle[2]);
        const Vec3 s = a + b + c;
        const double det = a.dot(b.cross(c));
        volume += det / 6.0;
        first += det / 24.0 * s;
        second += det / 120.0 *
                  (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
    }
    const double sign = volume < 0.0 ? -1.0 : 1.0;
    Inertial out;
    out.mass = sign * volume;
    if (!(out.mass > 0.0)) return out;
    out.center = first / volume;
    out.inertia = inertia_of(sign * second - out.mass * out.center * out.center.transpose());
    return out;
}

Inertial times(const Inertial& inertial, double factor) {
    Inertial out = inertial;
    out.mass *= factor;
    out.inertia *= factor;
    return out;
}

}  // namespace ancora::robot
