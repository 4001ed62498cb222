// SPDX-License-Identifier: BSD-3-Clause
// Reads the coefficients of dry friction.
#include "coulomb_friction.hpp"

namespace ancora::coulomb_friction {

CoulombFriction::CoulombFriction(const Arguments& arguments)
    : viscous_(arguments.number("viscous")),
      inv_stribeck_(arguments.has("stribeck_velocity") ? 1.0 / arguments.number("stribeck_velocity")
                                                       : 0.0),
      surface_velocity_(arguments.triple("surface_velocity")) {
    const bool has_static = arguments.has("mu_static");
    const bool has_kinetic = arguments.has("mu_kinetic");
    if (!has_static && !has_kinetic)
        arguments.fail("mu_kinetic",
                       "no coefficient of friction is given; give mu_static, mu_kinetic or both");
    mu_static_ = arguments.number(has_static ? "mu_static" : "mu_kinetic");
    mu_kinetic_ = arguments.number(has_kinetic ? "mu_kinetic" : "mu_static");
    if (mu_static_ < mu_kinetic_)
        arguments.fail("mu_static",
                       "is smaller than mu_kinetic; what rests would be harder to hold than to "
                       "move, so give mu_static >= mu_kinetic");
}

}  // namespace ancora::coulomb_friction
