// SPDX-License-Identifier: BSD-3-Clause
// The constraints that forces act on or whose reactions they depend on.
#include "force_targets.hpp"

#include <cstddef>
#include <string>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"

namespace ancora {

namespace {

/// Index of the constraint that a force's parameter names.
int find_constraint(const Model& model,
                    const ForcePart& part,
                    const BoundArguments& arguments,
                    const char* key) {
    const std::string name(arguments.text(key));
    const int found = model.constraint_names.find(name);
    if (found >= 0) return found;
    throw Error(ErrorKind::manifest,
                fmt::format("{}: there is no constraint \"{}\"{}",
                            part.object.label,
                            name,
                            did_you_mean(name, names_of(model.constraints))),
                arguments.place_of(key));
}

}  // namespace

int find_reaction_constraint(const Model& model,
                             const ForcePart& part,
                             const BoundArguments& arguments,
                             const char* key) {
    const int index = find_constraint(model, part, arguments, key);
    const ConstraintPart& constraint = model.constraints[index];
    if (constraint.reaction != ReactionKind::force)
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: the reaction of {} (type {}) is no force on a point; "
                                "listen to a constraint of points, such as \"position\"",
                                part.object.label,
                                constraint.object.label,
                                constraint.object.type->name),
                    arguments.place_of(key));
    return index;
}

void put_on_constraint(const Model& model,
                       const BoundArguments& arguments,
                       ForcePart& part,
                       std::vector<int>& friction_on) {
    const char* const key = part.law().constraint();
    part.constraint = find_constraint(model, part, arguments, key);
    const ConstraintPart& on = model.constraints[part.constraint];
    if (!on.tangents())
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: nothing slides on {} (type {}); friction needs a "
                                "constraint with tangential directions, such as a point kept "
                                "on a plane, a line or a curve",
                                part.object.label,
                                on.object.label,
                                on.object.type->name),
                    arguments.place_of(key));
    int& friction = friction_on[part.constraint];
    if (friction >= 0)
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: {} has friction already, by {}",
                                part.object.label,
                                on.object.label,
                                model.forces[friction].object.label),
                    arguments.place_of(key));
    friction = static_cast<int>(model.forces.size());
    for (const RowBlock& block : on.tangents().blocks())
        part.num_slides += block.num_items * block.rows_per_item;
    part.arms = part.law().arms();
    part.surface = part.law().surface_velocity();
    part.is_external |= on.is_tied_to_ground;
}

}  // namespace ancora
