// SPDX-License-Identifier: BSD-3-Clause
// What rounding leaves of friction's residuals.
#pragma once

#include "contacts.hpp"
#include "rest_islands.hpp"
#include "step_friction.hpp"
#include "step_part.hpp"

namespace ancora {

/// Adds the forces of contacts to the terms of motion, and judges their rows. [step]
void measure_friction(const StepTrial& trial,
                      const Trial& step,
                      const Contacts& contacts,
                      const RestIslands& islands,
                      const StepFriction& friction,
                      PartResidual& defect);

/// Where several contacts stick they may contradict each other by roundings of positions, which no
/// motion closes; this is the size of positions that counts for row k of one of them.
double unreachable(const Contacts& contacts,
                   const RestIslands& islands,
                   const Contact& contact,
                   int k,
                   const TrialSizes& sizes);

}  // namespace ancora
