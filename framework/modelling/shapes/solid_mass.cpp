// SPDX-License-Identifier: BSD-3-Clause
// Solids, and surfaces by Gauss's theorem.
#include "solid_mass.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <variant>

#include <Eigen/Geometry>

namespace ancora {
namespace {

constexpr double kPi = std::numbers::pi;

SolidMass solid(double volume, const Vec3& moments_per_volume) {
    SolidMass out;
    out.mass = volume;
    out.inertia = volume * Mat3(moments_per_volume.asDiagonal());
    return out;
}

/// J = tr(P) I - P with the second moments P.
Mat3 inertia_of(const Mat3& P) {
    return P.trace() * Mat3::Identity() - P;
}

}  // namespace

SolidMass mass_of_box(const Vec3& a) {
    const Vec3 squares = a.cwiseAbs2() / 12.0;
    return solid(a.prod(), Vec3::Constant(squares.sum()) - squares);
}

SolidMass mass_of_ellipsoid(const Vec3& a) {
    const Vec3 squares = a.cwiseAbs2() / 5.0;
    return solid(4.0 / 3.0 * kPi * a.prod(), Vec3::Constant(squares.sum()) - squares);
}

SolidMass mass_of_cylinder(double r, double l) {
    const double across = r * r / 4.0 + l * l / 12.0;
    return solid(kPi * r * r * l, {across, across, r * r / 2.0});
}

SolidMass mass_of_capsule(double r, double l) {
    SolidMass out = mass_of_cylinder(r, l);
    // Both caps are one sphere that is cut: the centroid of a half lies 3/8 r from the cut
    const double ball = 4.0 / 3.0 * kPi * r * r * r;
    const double shift = l / 2.0, centroid = 3.0 / 8.0 * r;
    const double along = 0.4 * ball * r * r;
    const double across = along + ball * (shift * shift + 2.0 * shift * centroid);
    out.mass += ball;
    out.inertia += Mat3(Vec3(across, across, along).asDiagonal());
    return out;
}

SolidMass mass_of_mesh(const TriangleMesh& mesh, const Vec3& scale) {
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
    SolidMass out;
    out.mass = sign * volume;
    if (!(out.mass > 0.0)) return out;
    out.center = first / volume;
    out.inertia = inertia_of(sign * second - out.mass * out.center * out.center.transpose());
    return out;
}

bool is_closed(const TriangleMesh& mesh) {
    constexpr double kClosed = 1e-4;  // of the area
    Vec3 sum = Vec3::Zero();
    double area = 0.0;
    const auto corner = [&](std::int32_t i) -> Vec3 {
        const auto& p = mesh.points[static_cast<std::size_t>(i)];
        return {p[0], p[1], p[2]};
    };
    for (const auto& triangle : mesh.triangles) {
        const Vec3 a = corner(triangle[0]);
        const Vec3 of_one = (corner(triangle[1]) - a).cross(corner(triangle[2]) - a);
        sum += of_one;
        area += of_one.norm();
    }
    return area > 0.0 && sum.norm() <= kClosed * area;
}

namespace {

Vec3 vector(const std::array<double, 3>& x) {
    return {x[0], x[1], x[2]};
}

SolidMass turned(const SolidMass& solid, const Mat3& R, const Vec3& x) {
    return {solid.mass, x + R * solid.center, R * solid.inertia * R.transpose()};
}

Mat3 turn(const std::array<double, 4>& q) {
    return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

template <class Round>
SolidMass round_solid(const Round& round, SolidMass (*about_z)(double, double)) {
    const Vec3 from = vector(round.from), to = vector(round.to);
    const Mat3 R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), to - from).toRotationMatrix();
    return turned(about_z(round.radius, (to - from).norm()), R, 0.5 * (from + to));
}

struct OfShape {
    std::span<const TriangleMesh> meshes;

    SolidMass operator()(const Box& box) const {
        return turned(mass_of_box(vector(box.size)), turn(box.quaternion), vector(box.center));
    }
    SolidMass operator()(const Sphere& sphere) const {
        return turned(mass_of_ellipsoid(Vec3::Constant(sphere.radius)),
                      Mat3::Identity(),
                      vector(sphere.center));
    }
    SolidMass operator()(const Cylinder& cylinder) const {
        return round_solid(cylinder, mass_of_cylinder);
    }
    SolidMass operator()(const Capsule& capsule) const {
        return round_solid(capsule, mass_of_capsule);
    }
    SolidMass operator()(const MeshShape& shape) const {
        return turned(
            mass_of_mesh(meshes[static_cast<std::size_t>(shape.mesh)], vector(shape.scale)),
            turn(shape.quaternion),
            vector(shape.center));
    }
};

}  // namespace

SolidMass mass_of_shape(const SceneShape& shape, std::span<const TriangleMesh> meshes) {
    return std::visit(OfShape{meshes}, shape);
}

SolidMass together(const SolidMass& a, const SolidMass& b) {
    SolidMass out;
    out.mass = a.mass + b.mass;
    if (!(out.mass > 0.0)) return a;
    out.center = (a.mass * a.center + b.mass * b.center) / out.mass;
    // Steiner: m (d.d 1 - d d^T) from each centre to the common one
    for (const SolidMass* one : {&a, &b}) {
        const Vec3 d = one->center - out.center;
        out.inertia +=
            one->inertia + one->mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
    }
    return out;
}

}  // namespace ancora
