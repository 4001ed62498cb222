// SPDX-License-Identifier: BSD-3-Clause
// The records of a motion.
#pragma once

#include "assembly.hpp"
#include "breaking.hpp"
#include "energy_accounting.hpp"
#include "joint_values.hpp"
#include "reactions.hpp"
#include "releases.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"
#include "violations.hpp"

namespace ancora {

/// The records of accepted states: residuals of constraints, energies and momenta, reactions, turns
/// of joints, broken and released rows.
struct Accounts {
    Accounts(const SystemData& of, const StepParts& extra, StepRows& rows)
        : violations(of.parts),
          energy(of.parts, of.state, of.trial, extra),
          reactions(of, extra, rows.independent),
          joints(of.parts.model, of.parts.space),
          breaking(of.parts, of.state, energy),
          releases(of.parts, of.state, energy) {}

    Violations violations;
    EnergyAccounting energy;
    Reactions reactions;
    JointValues joints;
    Breaking breaking;
    Releases releases;
};

}  // namespace ancora
