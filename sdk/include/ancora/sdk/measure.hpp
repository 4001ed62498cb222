// SPDX-License-Identifier: BSD-3-Clause
// Measures: scalars of two bodies, such as a joint's angle, that laws act on and results show.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ancora {

/// What a measure is, as a function of attachments (theory (49)).
enum class MeasureKind : std::int32_t {
    distance,      ///< |r_b - r_a| of points a, b [m]
    displacement,  ///< (r_b - r_a) . d of points a, b along a direction d [m]
    angle,         ///< of direction b about p1 x p2: atan2(p2 . b, p1 . b) of directions p1, p2, b
                   ///< [rad]; the kernel counts its turns
    between,       ///< the angle between directions a and b, 0 to pi [rad]
};

/// Attachments that a measure of this kind is a function of, three scalars each.
constexpr int num_attachments(MeasureKind kind) {
    return kind == MeasureKind::distance || kind == MeasureKind::between ? 2 : 3;
}
constexpr bool is_angle(MeasureKind kind) {
    return kind == MeasureKind::angle || kind == MeasureKind::between;
}
constexpr const char* unit_of(MeasureKind kind) {
    return is_angle(kind) ? "rad" : "m";
}

/// A measure of a joint: "elbow.angle" is the measure "angle" of the joint "elbow".
struct Measure {
    const char* name = "";
    MeasureKind kind = MeasureKind::angle;
    std::array<std::int32_t, 3> attachments{};  ///< of the joint's, in the order of its u
    double start = 0.0;  ///< value at the start, right to half a turn; what it is exactly follows
                         ///< from the state
};

/// What a text such as "elbow.angle" means to an object that acts on it: its function u consists of
/// num_attachments(kind) attachments.
struct MeasureStart {
    MeasureKind kind = MeasureKind::angle;
    double value = 0.0;       ///< at the start [rad, m]
    double rate = 0.0;        ///< at the start [rad/s, m/s]
    std::string_view base{};  ///< the body from which it is seen, a of its joint; "ground" for the
                              ///< inertial frame
};

}  // namespace ancora
