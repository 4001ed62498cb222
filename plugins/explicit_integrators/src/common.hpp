// SPDX-License-Identifier: BSD-3-Clause
// What the explicit integrators have in common.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/integrator.hpp"
#include "ancora/sdk/system.hpp"

namespace ancora::explicit_integrators {

/// Events in one step beyond which a contact is said to chatter.
inline constexpr int kMostPieces = 100'000;

inline IntegratorTraits read_traits(const Arguments& arguments) {
    IntegratorTraits traits;
    traits.face = Face::continuous;
    traits.projects = arguments.boolean("projection");
    traits.baumgarte = arguments.number("baumgarte");
    return traits;
}

inline void refuse_chatter(System& system, double t) {
    system.refuse(t,
                  "contacts change between stick and slip without end; check their coefficients "
                  "of friction (too large ones may leave no solution, Painleve's paradox), or take "
                  "a shorter step");
}

}  // namespace ancora::explicit_integrators
