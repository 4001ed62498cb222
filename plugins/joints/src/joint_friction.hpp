// SPDX-License-Identifier: BSD-3-Clause
// Dry friction in what a joint leaves free.
#pragma once

#include <array>
#include <string>

#include "ancora/sdk/authoring.hpp"
#include "law_keys.hpp"

namespace ancora::joints {

/// Friction of a joint, on the force N that its point bears, and of a part F that is always there:
///
///   slip:   C = -(F + mu N r + c |w|) w / |w|                                            (1)
///   stick:  w = 0, |C| <= F + mu_s N r                                                   (2)
///
/// Where a joint turns, w is its rate, C a torque and r the radius of the bearing; where it slides
/// r is 1 and C a force. What turns and slides in one bearing has w = (r angle', displacement'),
/// the velocity on the bearing's surface, and C is a force there; in a ball joint w is the relative
/// spin and C a moment. The kernel decides between both and solves for N with them.
class JointFriction final : public FrictionLaw<JointFriction> {
public:
    static constexpr Parameter kParameters[] = {kFrictionKeys[0],
                                                kFrictionKeys[1],
                                                kFrictionKeys[2],
                                                kFrictionKeys[3],
                                                kFrictionKeys[4],
                                                kFrictionKeys[5]};

    explicit JointFriction(const Arguments& arguments)
        : effort_(arguments.number("effort")), viscous_(arguments.number("viscous")) {
        const bool has_mu = arguments.has("mu");
        if (!has_mu && !arguments.given("effort"))
            arguments.fail("mu", "is missing; or give effort, a part that is always there");
        const std::string joint(arguments.text("on"));
        const MeasureStart* const only = arguments.find_measure(joint);
        const bool slides_alone = only != nullptr && !is_angle(only->kind);
        const bool needs_radius = has_mu || only == nullptr;
        if (slides_alone ? arguments.has("radius") : needs_radius && !arguments.has("radius"))
            arguments.fail("radius",
                           slides_alone
                               ? "is for joints that turn; what slides has friction mu N"
                               : "is missing: on an angle, friction acts on the radius of the "
                                 "bearing");
        const double radius = arguments.has("radius") ? arguments.number("radius") : 1.0;
        if (only == nullptr && arguments.find_measure(joint + ".angle") != nullptr)
            arms_[0] = radius;
        else
            arm_ = radius;
        mu_ = has_mu ? arguments.number("mu") : 0.0;
        mu_static_ = arguments.has("mu_static") ? arguments.number("mu_static") : mu_;
        if (mu_static_ < mu_) arguments.fail("mu_static", "is less than mu");
    }

    template <class S>
    S friction(const S& N, const S& speed) const {
        return effort_ + mu_ * arm_ * N + viscous_ * speed;
    }

private:
    double stick_limit(double N) const override { return effort_ + mu_static_ * arm_ * N; }
    std::array<double, 3> arms() const override { return arms_; }

    double arm_ = 1.0, effort_, viscous_, mu_ = 0.0, mu_static_ = 0.0;
    std::array<double, 3> arms_{1.0, 1.0, 1.0};
};

}  // namespace ancora::joints
