// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `knife_edge`: a skate, a sled, a wheel without mass.
#pragma once

#include <string_view>

#include "ancora/sdk/authoring.hpp"
#include "reading.hpp"

namespace ancora::nonholonomic {

/// A point of a body does not move across an edge that the body carries:
///
///   psi = (n x d) . r_p' = 0                                                             (1)
///   A = (n x d)^T on r_p,   b = -(n x d') . r_p'                                         (2)
///
/// Terms, inertial axes, u = (r_p, d):
///   r_p   `point` of the edge [m]
///   d     `direction` along the edge, carried by the body, of unit length
///   n     `normal` of the plane that the edge runs on, fixed in space, of unit length
/// (2) is derived from (1). Nothing here keeps the point on the plane or the body upright.
/// Where d comes to stand along n the edge has no side, and (1) is void. The reaction is a force on
/// the point, across the edge and along the plane; it does no work. The inertial frame takes its
/// moment.
///
/// Source: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972.
class KnifeEdge final : public NonholonomicConstraint<KnifeEdge> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::body("body", "the body that carries the edge").required(),
        parameter::vector("point", 3, "m", "point of the edge, body axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        parameter::vector("direction", 3, "", "along the edge, body axes, of any length")
            .required(),
        kNormal,
    };
    static constexpr ArgumentKind kArguments[] = {ArgumentKind::point, ArgumentKind::direction};
    static constexpr const char* kRowName = "velocity across the edge";

    /// [assembly] Refuses through Arguments::fail directions that are zero.
    explicit KnifeEdge(const Arguments& arguments) : n_(unit_vector(arguments, "normal")) {
        const std::string_view body = arguments.text("body");
        ask(attachment_text(body, vec3(arguments.numbers("point"))), "body");
        ask(attachment_text(body, unit_vector(arguments, "direction")), "body");
    }

    template <class S>
    S psi(const Vector3<S>&,
          const Vector3<S>& d,
          const Vector3<S>& p_rate,
          const Vector3<S>&) const {
        return dot(cross(n_, d), p_rate);
    }

    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    Vec3 n_;
};

}  // namespace ancora::nonholonomic
