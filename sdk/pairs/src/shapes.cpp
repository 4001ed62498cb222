// SPDX-License-Identifier: BSD-3-Clause
// Reads shapes.
#include "ancora/pairs/shapes.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ancora::contact {

namespace {

constexpr const char* kKinds[] = {"box", "sphere", "cylinder", "capsule", "hull"};

/// Axes whose third is a unit vector.
Mat3 axes_about(const Vec3& axis) {
    Eigen::Index least = 0;
    axis.cwiseAbs().minCoeff(&least);
    Mat3 R;
    R.col(2) = axis;
    R.col(0) = (Vec3::Unit(least) - axis(least) * axis).normalized();
    R.col(1) = axis.cross(R.col(0));
    return R;
}

}  // namespace

double ContactShape::reach() const {
    switch (kind) {
        case Kind::sphere:
            return radius;
        case Kind::capsule:
            return half_length + radius;
        case Kind::cylinder:
            return std::hypot(half_length, radius);
        case Kind::hull:
            return hull->reach();
        case Kind::box:
            break;
    }
    return half.norm();
}

std::string ContactShape::take_hull(std::span<const Vec3> points) {
    std::string why;
    Hull found = convex_hull(points, why);
    if (found.empty()) return why;
    kind = Kind::hull;
    const Vec3 middle = found.middle();
    for (Vec3& corner : found.corners) corner -= middle;
    for (Hull::Face& face : found.faces) face.d -= face.n.dot(middle);
    position += axes * middle;
    hull = std::make_shared<const Hull>(std::move(found));
    return {};
}

Hull ContactShape::polyhedron() const {
    if (kind == Kind::hull) return *hull;
    std::vector<Vec3> corners;
    for (int k = 0; k < 8; ++k)
        corners.push_back(half.cwiseProduct(
            Vec3(k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0)));
    std::string why;
    return convex_hull(corners, why);
}

ContactShape read_shape(const Arguments& arguments, const char* key) {
    const Arguments& table = arguments.table(key);
    const auto given = std::ranges::count_if(kKinds, [&](const char* kind) {
        return table.given(kind);
    });
    if (given == 0)
        table.fail("", "is no shape: write one of box, sphere, cylinder, capsule and hull");
    if (given > 1)
        table.fail("",
                   "is several shapes: write a contact for each of box, sphere, cylinder, "
                   "capsule, hull");
    ContactShape shape;
    shape.position = vec3(table.numbers("position"));
    shape.axes = read_orientation(table);
    if (table.given("sphere")) {
        shape.radius = table.number("sphere");
        return shape;
    }
    if (table.given("box")) {
        shape.kind = ContactShape::Kind::box;
        shape.half = 0.5 * vec3(table.numbers("box"));
        return shape;
    }
    if (table.given("hull")) {
        const std::span<const double> rows = table.numbers("hull");
        std::vector<Vec3> points;
        for (std::size_t i = 0; i + 2 < rows.size(); i += 3) points.push_back(vec3(rows, i));
        const std::string why = shape.take_hull(points);
        if (!why.empty()) table.fail("hull", why);
        return shape;
    }
    const bool is_capsule = table.given("capsule");
    shape.kind = is_capsule ? ContactShape::Kind::capsule : ContactShape::Kind::cylinder;
    const Arguments& round = table.table(is_capsule ? "capsule" : "cylinder");
    shape.radius = round.number("radius");
    const Vec3 from = vec3(round.numbers("from")), to = vec3(round.numbers("to"));
    shape.half_length = 0.5 * (to - from).norm();
    if (!(shape.half_length > 0.0))
        round.fail("to",
                   is_capsule ? "is the point from: write a sphere"
                              : "is the point from, which leaves no volume");
    shape.position += shape.axes * (0.5 * (from + to));
    shape.axes = (shape.axes * axes_about((to - from).normalized())).eval();
    return shape;
}

}  // namespace ancora::contact
