// SPDX-License-Identifier: BSD-3-Clause
// The constraints that forces act on or whose reactions they depend on.
#pragma once

#include <vector>

#include "bound_arguments.hpp"
#include "model.hpp"

namespace ancora {

/// The constraint whose reaction a force depends on, by the parameter that names it.
int find_reaction_constraint(const Model& model,
                             const ForcePart& part,
                             const BoundArguments& arguments,
                             const char* key);

/// Finds the constraint that friction acts on.
/// @param friction_on  the force that is the friction of each constraint, or -1
void put_on_constraint(const Model& model,
                       const BoundArguments& arguments,
                       ForcePart& part,
                       std::vector<int>& friction_on);

}  // namespace ancora
