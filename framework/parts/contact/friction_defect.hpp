// SPDX-License-Identifier: BSD-3-Clause
// Rounding-error bounds of friction's residuals.
#pragma once

#include "contacts.hpp"
#include "rest_islands.hpp"
#include "step_friction.hpp"
#include "step_part.hpp"

namespace ancora {

/// Adds the moduli of contact forces to the terms of motion, and scales the residuals of their
/// rows. [step]
void measure_friction(const StepTrial& trial,
                      const Trial& step,
                      const Contacts& contacts,
                      const RestIslands& islands,
                      const StepFriction& friction,
                      PartResidual& defect);

/// Where several contacts stick their rows may be inconsistent by the round-off of positions, which
/// no motion removes; this is the size of positions that bounds it for row k of one of them.
double unreachable(const Contacts& contacts,
                   const RestIslands& islands,
                   const Contact& contact,
                   int k,
                   const TrialSizes& sizes);

}  // namespace ancora
