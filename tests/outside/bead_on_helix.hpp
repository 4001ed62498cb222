// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `bead_on_helix`: a curve in space as two implicit rows.
#pragma once

#include <array>
#include <numbers>

#include <ancora/sdk/authoring.hpp>

namespace outside {

using namespace ancora;

/// With d = r - r_o, orthonormal e_x, e_y of a body and e_z = e_x x e_y, the bead is on the helix
/// of radius R and pitch p, kappa = 2 pi / p:
///
///   d.e_x - R cos(kappa d.e_z) = 0,   d.e_y - R sin(kappa d.e_z) = 0                       (1)
class BeadOnHelix final : public HolonomicConstraint<BeadOnHelix> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("bead", "what slides on the helix").required(),
        parameter::point("origin", "a point of its axis").required(),
        parameter::direction("x", "across the axis, to where the helix begins").required(),
        parameter::direction("y", "across the axis and x").required(),
        parameter::number("radius", "m", "R").positive().required(),
        parameter::number("pitch", "m", "p, rise of one turn").positive().required(),
    };

    explicit BeadOnHelix(const Arguments& arguments)
        : radius_(arguments.number("radius")),
          kappa_(2.0 * std::numbers::pi / arguments.number("pitch")) {}

    template <class S>
    std::array<S, 2> phi(const Vector3<S>& bead,
                         const Vector3<S>& origin,
                         const Vector3<S>& x,
                         const Vector3<S>& y) const {
        const Vector3<S> d = bead - origin;
        const S angle = kappa_ * dot(d, cross(x, y));
        return {dot(d, x) - radius_ * cos(angle), dot(d, y) - radius_ * sin(angle)};
    }

private:
    double radius_, kappa_;
};

constexpr TypeDescriptor kBeadOnHelix =
    type<BeadOnHelix>("bead_on_helix",
                      {.doc = "a bead slides on a helix that is fixed to a body",
                       .equation = "d.e_x = R cos(kappa d.e_z), d.e_y = R sin(kappa d.e_z)",
                       .source = "any textbook of mechanics",
                       .examples = {"bead = \"a@[0.3, 0.1, -0.2]\"\n"
                                    "origin = \"b@[-0.4, 0.2, 0.1]\"\n"
                                    "x = \"b@[1.0, 0.0, 0.0]\"\n"
                                    "y = \"b@[0.0, 1.0, 0.0]\"\n"
                                    "radius = 0.5\n"
                                    "pitch = 2.0"},
                       .claims = {Claim::rigid_motion_invariant}},
                      BeadOnHelix::kParameters);

}  // namespace outside
