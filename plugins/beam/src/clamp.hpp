// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `cable_clamp`: a cable's end in a grip.
#pragma once

#include <array>

#include "ancora/sdk/authoring.hpp"

namespace ancora::beam {

/// A point of a body without axes, such as a cable, and the direction that it has there are held by
/// another body:
///
///   phi = (r_b - r_a, c_1 . t, c_2 . t) = 0                                              (1)
///
/// Terms, inertial axes, u = (r_b, t, r_a, c_1, c_2):
///   r_b, t    point and direction of b; of a cable t = r', of any length
///   r_a       the place of r_b in a at the start
///   c_1, c_2  across `axis` and each other, carried by a, of unit length
/// The reaction of the first three rows is the force on b [N]. Turns of b about t are free.
class Clamp final : public HolonomicConstraint<Clamp> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::frame("a", "the body that holds it, or \"ground\"").required(),
        parameter::frame("b", "a point of a body that has a direction there: \"line@end\"")
            .required(),
        parameter::vector("axis", 3, "", "the direction of b at the start, inertial axes")
            .required(),
    };
    static constexpr ArgumentKind kArguments[] = {ArgumentKind::point,
                                                  ArgumentKind::direction,
                                                  ArgumentKind::point,
                                                  ArgumentKind::direction,
                                                  ArgumentKind::direction};

    /// [assembly] Refuses through Arguments::fail an axis without length and a body a without axes.
    explicit Clamp(const Arguments& arguments);

    template <class S>
    std::array<S, 5> phi(const Vector3<S>& r_b,
                         const Vector3<S>& t,
                         const Vector3<S>& r_a,
                         const Vector3<S>& c_1,
                         const Vector3<S>& c_2) const {
        const Vector3<S> gap = r_b - r_a;
        return {gap.x, gap.y, gap.z, dot(c_1, t), dot(c_2, t)};
    }
};

}  // namespace ancora::beam
