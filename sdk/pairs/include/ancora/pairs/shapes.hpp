// SPDX-License-Identifier: BSD-3-Clause
// Shapes that meet: what a manifest says of them.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "ancora/pairs/hull.hpp"
#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/orientation.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::contact {

/// A solid in axes of its own, about its middle; what is round is so about the axis 3.
struct ContactShape {
    enum class Kind { sphere, capsule, cylinder, box, hull };

    Kind kind = Kind::sphere;
    double radius = 0.0;               ///< of what is round; a sphere without one is a point
    double half_length = 0.0;          ///< of the axis of a capsule or cylinder
    Vec3 half = Vec3::Zero();          ///< half the edges of a box
    std::shared_ptr<const Hull> hull;  ///< about its middle
    Vec3 position = Vec3::Zero();
    Mat3 axes = Mat3::Identity();  ///< columns, as seen from the body

    /// Makes it the hull of points about its origin.
    /// @returns what is wrong, or nothing
    std::string take_hull(std::span<const Vec3> points);
    /// The hull, or that of a box.
    Hull polyhedron() const;
    bool is_polyhedron() const { return kind == Kind::box || kind == Kind::hull; }
    bool is_sphere() const { return kind == Kind::sphere; }
    /// Of the ball about the middle that the shape fills.
    double reach() const;
};

inline constexpr Parameter kRoundShape[] = {
    parameter::number("radius", "m", "radius").positive().required(),
    parameter::vector("from", 3, "m", "one end of the axis").required(),
    parameter::vector("to", 3, "m", "the other end of the axis").required(),
};

/// The keys of a shape, those of the key `shape` of a body.
inline constexpr Parameter kShapeKeys[] = {
    parameter::vector("box", 3, "m", "a box of these edges along the shape's axes").positive(),
    parameter::number("sphere", "m", "a sphere of this radius").positive(),
    parameter::table("cylinder", kRoundShape, "a cylinder about the line between two points"),
    parameter::table("capsule", kRoundShape, "a cylinder with half a sphere at each end"),
    parameter::matrix("hull", 0, 3, "m", "the convex hull of these points, a row each"),
    parameter::vector("position", 3, "m", "origin of the shape from the point that is named")
        .otherwise("[0.0, 0.0, 0.0]"),
    orientation_parameter("rotation from shape to body axes"),
};

/// @throws through Arguments::fail where there is none of them, or one without volume
ContactShape read_shape(const Arguments& arguments, const char* key);

}  // namespace ancora::contact
