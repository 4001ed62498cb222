// SPDX-License-Identifier: BSD-3-Clause
// Orientations as users write them: quaternion, axis and angle, named angles, two directions.
#pragma once

#include <cmath>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <Eigen/Core>
#include <Eigen/Geometry>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

/// The table forms of an orientation.
inline constexpr Parameter kOrientationForms[] = {
    parameter::vector("axis", 3, "", "direction of the axis, of any length; with angle"),
    parameter::number("angle", "rad", "angle of the rotation about it"),
    parameter::text("sequence",
                    "axes of three rotations one after the other, each about the axis as turned by "
                    "those before: \"zxz\" (Euler), \"xyz\" (Cardan), \"zyx\" (yaw, pitch, roll), "
                    "any three of x, y, z; with angles"),
    parameter::vector("angles", 3, "rad", "their angles"),
    parameter::vector("x", 3, "", "direction of the x axis; two of x, y, z say how it lies"),
    parameter::vector("y", 3, "", "direction of the y axis"),
    parameter::vector("z", 3, "", "direction of the z axis"),
};

/// The parameter that read_orientation() reads.
constexpr Parameter orientation_parameter(const char* doc, const char* key = "orientation") {
    return parameter::vector(key, 4, "", doc)
        .or_table(kOrientationForms)
        .otherwise("[1.0, 0.0, 0.0, 0.0]");
}

namespace detail {

inline Mat3 turn_about(int axis, double angle) {
    return Eigen::AngleAxisd(angle, Vec3::Unit(axis)).toRotationMatrix();
}

inline Vec3 read_direction(const Arguments& table, const char* key) {
    const Vec3 x = vec3(table.numbers(key));
    if (!(x.norm() > 0.0)) table.fail(key, "has length zero");
    return x.normalized();
}

inline Mat3 read_sequence(const Arguments& table) {
    const std::string_view sequence = table.text("sequence");
    if (sequence.size() != 3 || sequence.find_first_not_of("xyz") != std::string_view::npos ||
        sequence[0] == sequence[1] || sequence[1] == sequence[2])
        table.fail("sequence",
                   "is no sequence of axes; write three of x, y, z, no two alike side by side, "
                   "such as \"zxz\" or \"xyz\"");
    if (!table.has("angles")) table.fail("angles", "is missing beside sequence");
    Mat3 R = Mat3::Identity();
    for (std::size_t i = 0; i < 3; ++i)
        R = R * turn_about(sequence[i] - 'x', table.numbers("angles")[i]);
    return R;
}

// The first of the two is kept, the second made perpendicular to it.
inline Mat3 read_directions(const Arguments& table) {
    constexpr const char* kAxes[] = {"x", "y", "z"};
    int first = -1, second = -1;
    for (int i = 0; i < 3; ++i) {
        if (!table.has(kAxes[i])) continue;
        if (second >= 0) table.fail(kAxes[i], "is one direction too many; write two of x, y, z");
        (first < 0 ? first : second) = i;
    }
    if (second < 0) table.fail(kAxes[first], "needs a second direction; write two of x, y, z");
    const Vec3 a = read_direction(table, kAxes[first]);
    const Vec3 given = read_direction(table, kAxes[second]);
    Vec3 b = given - a * a.dot(given);
    constexpr double kParallel = 1e-9;
    if (!(b.norm() > kParallel)) table.fail(kAxes[second], "is parallel to the other direction");
    b.normalize();
    Mat3 R;
    R.col(first) = a;
    R.col(second) = b;
    const int third = 3 - first - second;
    R.col(third) = (second - first + 3) % 3 == 1 ? Vec3(a.cross(b)) : Vec3(b.cross(a));
    return R;
}

}  // namespace detail

/// [assembly] Axes whose z axis has this direction; x lies as the inertial axis that is most nearly
/// perpendicular to it, so that the same axis gives the same frame on both sides of a joint.
inline Mat3 frame_about(const Vec3& axis) {
    const Vec3 z = axis.normalized();
    int least = 0;
    z.cwiseAbs().minCoeff(&least);
    Mat3 R;
    R.col(2) = z;
    R.col(0) = (Vec3::Unit(least) - z * z(least)).normalized();
    R.col(1) = z.cross(R.col(0));
    return R;
}

/// [assembly] Reads `orientation`, or another key like it, as a rotation, columns: its axes.
/// Refuses through Arguments::fail what is none.
inline Mat3 read_orientation(const Arguments& arguments, const char* name = "orientation") {
    // Rounding of what a user types, relative: of a quaternion's norm.
    constexpr double kRounding = 1e-6;
    if (arguments.shape(name) == Shape::table) {
        const Arguments& table = arguments.table(name);
        const bool by_axis = table.has("axis") || table.has("angle");
        const bool by_angles = table.has("sequence") || table.has("angles");
        const bool by_directions = table.has("x") || table.has("y") || table.has("z");
        if (by_axis + by_angles + by_directions != 1)
            arguments.fail(name,
                           "expected one of {axis = [...], angle = ...}, {sequence = \"zxz\", "
                           "angles = [...]}, and two directions such as {x = [...], z = [...]}");
        if (by_directions) return detail::read_directions(table);
        if (by_angles) {
            if (!table.has("sequence")) table.fail("sequence", "is missing beside angles");
            return detail::read_sequence(table);
        }
        for (const char* key : {"axis", "angle"})
            if (!table.has(key))
                table.fail(
                    key,
                    std::string("missing key \"") + key + "\"; write {axis = [...], angle = ...}");
        const Vec3 axis = vec3(table.numbers("axis"));
        if (!(axis.norm() > 0.0)) table.fail("axis", "the axis has length zero");
        return Eigen::AngleAxisd(table.number("angle"), axis.normalized()).toRotationMatrix();
    }
    const std::span<const double> p = arguments.numbers(name);
    const Eigen::Quaterniond rotation(p[0], p[1], p[2], p[3]);
    if (!(std::abs(rotation.norm() - 1.0) <= kRounding)) {
        char norm[32];
        std::snprintf(norm, sizeof norm, "%.9g", rotation.norm());
        arguments.fail(name,
                       std::string("the quaternion [w, x, y, z] has norm ") + norm +
                           " and a rotation needs 1; or write {axis = [...], angle = ...}");
    }
    return rotation.normalized().toRotationMatrix();
}

}  // namespace ancora
