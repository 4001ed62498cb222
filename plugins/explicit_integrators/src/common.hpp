// SPDX-License-Identifier: BSD-3-Clause
// What the explicit integrators have in common.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/integrator.hpp"

namespace ancora::explicit_integrators {

inline IntegratorTraits read_traits(const Arguments& arguments) {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    traits.projects = arguments.boolean("projection");
    traits.baumgarte = arguments.number("baumgarte");
    return traits;
}

}  // namespace ancora::explicit_integrators
