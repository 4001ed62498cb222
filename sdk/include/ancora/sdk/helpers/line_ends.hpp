// SPDX-License-Identifier: BSD-3-Clause
// The two ends of what leads from one place to another, a rod, a beam, a rope: given in space, or
// as frames and points of other bodies, with which they move.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora::lines {

/// A place: three numbers, or a frame or point of another body or of the ground.
constexpr Parameter end_parameter(const char* key, const char* doc) {
    return parameter::vector(key, 3, "m", doc).with(Shape::frame);
}

/// An end, and how the body moves whose point it is at the start; inertial axes.
struct End {
    Vec3 x, v = Vec3::Zero(), w = Vec3::Zero();
    bool is_carried = false;
};

/// [assembly]
inline End read_end(const Arguments& arguments, const char* key) {
    if (arguments.shape(key) != Shape::frame) return {vec3(arguments.numbers(key))};
    const RigidMotion& motion = arguments.frame_of(key).motion;
    return {vec3(motion.position), vec3(motion.velocity), vec3(motion.angular_velocity), true};
}

struct Ends {
    End from, to;

    Vec3 way() const { return to.x - from.x; }
    bool are_carried() const { return from.is_carried || to.is_carried; }
    /// Angular velocity of the line between them, across it.
    Vec3 turning() const { return way().cross(to.v - from.v) / way().squaredNorm(); }
};

}  // namespace ancora::lines
