// SPDX-License-Identifier: BSD-3-Clause
// The law of the bristles on a measure.
#include "bristle_friction.hpp"

#include <cmath>

namespace ancora::bristle_friction {

BristleFriction::BristleFriction(const Arguments& arguments)
    : EffortLaw(arguments),
      kinetic_(arguments.number("kinetic")),
      static_(arguments.has("static") ? arguments.number("static") : kinetic_),
      stiffness_(arguments.number("stiffness")),
      damping_(arguments.number("damping")),
      viscous_(arguments.number("viscous")) {
    if (static_ < kinetic_)
        arguments.fail("static", "is less than kinetic; breaking away takes no less than sliding");
    const bool has_peak = static_ > kinetic_;
    if (has_peak && !arguments.has("stribeck_velocity"))
        arguments.fail("stribeck_velocity",
                       "is missing; it says within which rate static falls to kinetic");
    if (!has_peak && arguments.has("stribeck_velocity"))
        arguments.fail("stribeck_velocity", "says nothing, since static is not above kinetic");
    if (has_peak) stribeck_ = 1.0 / arguments.number("stribeck_velocity");
}

/// (1)
double BristleFriction::rate(double v, double z) const {
    const double part = v * stribeck_;
    const double g = kinetic_ + (static_ - kinetic_) * std::exp(-part * part);
    return v - stiffness_ * std::abs(v) * z / g;
}

double BristleFriction::effort(const MeasureReading& on, double, const OwnValues& own) const {
    const double z = own.x[0];
    return -own.inputs[0] * (stiffness_ * z + damping_ * rate(on.rate, z)) - viscous_ * on.rate;
}

}  // namespace ancora::bristle_friction
