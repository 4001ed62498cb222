// SPDX-License-Identifier: BSD-3-Clause
// Right-handed axes (t1, t2, n) about a direction that a body or the ground carries.
#pragma once

#include <array>
#include <span>
#include <string>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::point_contact {

/// Unit vectors t1, t2, n with t1 x t2 = n. n is what the manifest gives; t2 is the coordinate axis
/// most perpendicular to n, made perpendicular, so that
///
///   n = z: t1 = x, t2 = y        n = (-sin a, 0, cos a): t1 = (cos a, 0, sin a), t2 = y
///
/// and zeros of n stay exact zeros. Axes carried by a body are attachments: n by the object's own
/// parameter, t1 and t2 by their texts. Axes of the ground are numbers.
class Axes {
public:
    /// [assembly] Reads the direction parameter `key`: "BODY@[x, y, z]", "ground@[x, y, z]" or
    /// [x, y, z] in the ground.
    /// Refuses through Arguments::fail a zero vector and a direction without components.
    /// @param origin  the parameter of the point that `point` is seen from
    Axes(const Arguments& arguments, const char* origin, const char* key);
    Axes(const Axes&) = delete;
    Axes& operator=(const Axes&) = delete;

    bool on_ground() const { return body_.empty(); }
    /// In the axes of the body, or of the ground; unit length.
    const Vec3& t1() const { return t1_; }
    const Vec3& t2() const { return t2_; }
    const Vec3& n() const { return n_; }
    /// Of the constraint: `point` and origin, and n, t1, t2 if a body carries them.
    std::span<const AttachmentRequest> attachments() const {
        return std::span(attachments_).first(on_ground() ? 2 : 5);
    }

private:
    std::string body_;
    Vec3 t1_, t2_, n_;
    std::array<std::string, 2> texts_;
    std::array<AttachmentRequest, 5> attachments_;
};

}  // namespace ancora::point_contact
