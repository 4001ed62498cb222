// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `wall`: a point stays on one side of a plane that a body carries.
#include <ancora/sdk/authoring.hpp>

namespace {

using namespace ancora;

/// One row on the point, a point of the plane, and its normal:
///
///   g = n . (r - r_0) >= 0                                                               (1)
///
/// g is the gap [m], positive where the point is free. Where it closes, the kernel takes the impact
/// with the restitution; where the wall then pulls, the row opens. All else is derived from (1).
class Wall final : public UnilateralConstraint<Wall> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("point", "may not pass the plane").required(),
        parameter::point("origin", "a point of the plane").required(),
        parameter::direction("normal", "of the plane, towards the free side").required(),
        parameter::number("restitution", "", "speed after an impact per speed before, 0 to 1")
            .otherwise("0.0"),
    };

    explicit Wall(const Arguments& arguments)
        : UnilateralConstraint(arguments.number("restitution")) {
        const double e = arguments.number("restitution");
        if (!(e >= 0.0 && e <= 1.0)) arguments.fail("restitution", "must be 0 to 1");
    }

    template <class S>
    S phi(const Vector3<S>& r, const Vector3<S>& r_0, const Vector3<S>& n) const {
        return dot(n, r - r_0);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Wall>("wall",
               {.doc = "a point stays on one side of a plane",
                .equation = "g = n . (r - r_0) >= 0",
                .source = "Glocker, Set-Valued Force Laws, Springer, 2001",
                .examples = {"point = \"a@[0.3, 0.1, -0.2]\"\n"
                             "origin = \"ground@[0.0, 0.0, -5.0]\"\n"
                             "normal = \"ground@[0.0, 0.0, 1.0]\"\n"
                             "restitution = 0.5"},
                .claims = {Claim::rigid_motion_invariant}},
               Wall::kParameters),
};

}  // namespace

ANCORA_PLUGIN("wall", "0.1.0", kTypes)
