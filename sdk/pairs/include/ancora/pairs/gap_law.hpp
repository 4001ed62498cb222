// SPDX-License-Identifier: BSD-3-Clause
// The law of a contact's gaps, as its keys say it.
#pragma once

#include <string_view>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora::contact {

/// Of `law` and `restitution`.
inline RowLaw gap_law(const Arguments& arguments) {
    const std::string_view law = arguments.text("law");
    return {.kind = RowKind::unilateral,
            .restitution = arguments.number("restitution"),
            .impact = law == "newton"      ? ImpactLaw::newton
                      : law == "energetic" ? ImpactLaw::energetic
                                           : ImpactLaw::poisson};
}

}  // namespace ancora::contact
