// SPDX-License-Identifier: BSD-3-Clause
// Dry friction in the free measure of a joint.
#pragma once

#include "ancora/sdk/authoring.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// Friction of a joint that turns or slides, on the force N that its point bears:
///
///   slip:   effort = -(mu N r + c |m'|) sign m'                                          (1)
///   stick:  m' = 0, |effort| <= mu_s N r                                                 (2)
///
/// r is the radius of the bearing for an angle, 1 for a displacement. The kernel decides between
/// both and solves for N with them.
class JointFriction final : public FrictionLaw<JointFriction> {
public:
    static constexpr Parameter kParameters[] = {
        kFrictionKeys[0], kFrictionKeys[1], kFrictionKeys[2], kFrictionKeys[3], kFrictionKeys[4]};

    explicit JointFriction(const Arguments& arguments)
        : arm_(arguments.has("radius") ? arguments.number("radius") : 1.0),
          viscous_(arguments.number("viscous")) {
        if (!arguments.has("mu")) arguments.fail("mu", "is missing");
        if (arguments.has("radius") != is_angle(arguments.measure_of("on").kind))
            arguments.fail("radius",
                           arguments.has("radius")
                               ? "is for joints that turn; what slides has friction mu N"
                               : "is missing: on an angle, friction acts on the radius of the "
                                 "bearing");
        mu_ = arguments.number("mu");
        mu_static_ = arguments.has("mu_static") ? arguments.number("mu_static") : mu_;
        if (mu_static_ < mu_) arguments.fail("mu_static", "is less than mu");
    }

    template <class S>
    S friction(const S& N, const S& speed) const {
        return mu_ * arm_ * N + viscous_ * speed;
    }

private:
    double stick_limit(double N) const override { return mu_static_ * arm_ * N; }

    double arm_, viscous_, mu_ = 0.0, mu_static_ = 0.0;
};

}  // namespace ancora::joints
