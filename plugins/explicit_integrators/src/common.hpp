// SPDX-License-Identifier: BSD-3-Clause
// What the explicit integrators have in common.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora::explicit_integrators {

/// What is left in a step of what steps before were like.
inline constexpr double kForgotten = 0.97;

inline IntegratorTraits read_traits(const Arguments& arguments) {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    traits.projects = arguments.boolean("projection");
    traits.baumgarte = arguments.number("baumgarte");
    return traits;
}

}  // namespace ancora::explicit_integrators
