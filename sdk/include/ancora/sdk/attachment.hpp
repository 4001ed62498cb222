// SPDX-License-Identifier: BSD-3-Clause
// Attachments: named material points and directions of a body as functions of its coordinates.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace ancora {

/// Which point or direction of a body is meant: what stands behind the '@' of "body@...".
struct Locator {
    enum class Kind : std::int32_t {
        coordinates,  ///< "[x, y, z]": a material point, or a direction, in body axes
        index,        ///< "3": a node, counted from 0
        name,         ///< "corner_1": something that the body has a name for
    };
    Kind kind = Kind::coordinates;
    bool is_direction = false;
    std::array<double, 3> xyz{};
    std::int64_t index = 0;
    std::string_view name;
};

/// An attachment that an object asks for: by the parameter that holds it, {"point"}, or by a text
/// of its own, {.kind = Kind::direction, .text = "box@x", .key = "axes"}.
struct AttachmentRequest {
    enum class Kind : std::int32_t {
        point,       ///< "box@[1, 0, 0]", "net@3", "ground@[x, y, z]"
        direction,   ///< the same forms, as a direction
        coordinate,  ///< "box.x": a coordinate of the reference point or one that the body names,
                     ///< in the first of the attachment's three scalars; the others are zero
        points,      ///< forces only. Every point of a group, "net@rim", or of a body, "net@*": as
                     ///< many attachments as BodyNames::group has entries, in their order
        measure,     ///< "elbow.angle": the attachments that the measure is a function of
    };
    const char* parameter = nullptr;  ///< name of the one that holds it; null: the text does
    Kind kind = Kind::point;
    const char* text = "";
    const char* key = "";    ///< parameter that the text comes from, for the place of messages
    const char* where = "";  ///< where the text stands within the parameter's value, put behind
                             ///< messages about it: "position 7\n    2*bx.x = 1\n      ^"
};

/// Receives the map from a body's coordinates to the three inertial components of an attachment.
class AttachmentSink {
public:
    /// Linear attachment r = c + W q: adds `weight` to W(component, coordinate).
    virtual void weight(int component, int coordinate, double weight) = 0;
    /// Sets an entry of c.
    virtual void constant(int component, double value) = 0;
    /// Nonlinear attachment: it depends on these coordinates, and the kernel calls
    /// Body::evaluate_attachment with `id` for its value and derivatives.
    virtual void nonlinear(int id, std::span<const std::int32_t> coordinates) = 0;

protected:
    ~AttachmentSink() = default;
};

/// Value and derivatives of a nonlinear attachment r(q) on k coordinates.
struct AttachmentValues {
    std::span<double> r;     ///< 3
    std::span<double> J;     ///< dr/dq on the attachment's coordinates, 3 x k, row by row
    std::span<double> bias;  ///< (dJ/dt) q', so that r'' = J q'' + bias; 3
};

}  // namespace ancora
