// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `distance`: two points keep their distance, as on a massless rod.
#pragma once

#include "ancora/sdk/authoring.hpp"

namespace ancora::joints {

/// phi = (r . r - L^2) / (2 L) = 0, r = r_b - r_a: quadratic, and in metres near L.
class Distance final : public HolonomicConstraint<Distance> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point; the reaction is the force on it").required(),
        parameter::point("b", "the other point").required(),
        parameter::number("length", "m", "their distance; left out: that at the start")
            .positive()
            .sensitive(),
    };
    static constexpr const char* kRowName = "length";

    explicit Distance(const Arguments& arguments) {
        if (arguments.has("length")) {
            length_ = arguments.number("length");
            return;
        }
        const Vec3 a = vec3(arguments.frame_of("a").motion.position);
        length_ = (vec3(arguments.frame_of("b").motion.position) - a).norm();
        if (!(length_ > 0.0))
            arguments.fail("b",
                           "is at the same point as a at the start; tie points that coincide by a "
                           "joint of type \"spherical\"");
    }

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        const Vector3<S> r = b - a;
        return (dot(r, r) - length_ * length_) * (0.5 / length_);
    }

private:
    double length_ = 1.0;
};

}  // namespace ancora::joints
