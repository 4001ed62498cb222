// SPDX-License-Identifier: BSD-3-Clause
// The constraints and forces of a manifest, those inside joints among them.
#include "actors.hpp"

#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "contact_shapes.hpp"
#include "manifest_plugins.hpp"
#include "table_file.hpp"

namespace ancora {

namespace {

/// The object that `joint.KEY` makes.
ObjectSpec law_inside(const ObjectSpec& joint, const Parameter& key, const Table::Entry& entry) {
    ObjectSpec law;
    law.kind = TypeKind::force;
    law.name = fmt::format("{}.{}", joint.name, key.name);
    law.type = key.makes;
    law.place = law.name_place = law.type_place = entry.place.known() ? entry.place : joint.place;
    law.scope = joint.scope;
    std::string on = joint.name;
    // { file = "traj.csv", column = "q3" } is a value, as rows of numbers are.
    const Table* const table = entry.value.as<Table>();
    if (table != nullptr && !names_columns(*table)) {
        law.parameters = *table;
        if (const Table::Entry* const inner = table->find("on")) {
            const std::string* const measure = inner->value.as<std::string>();
            if (measure != nullptr) on = fmt::format("{}.{}", joint.name, *measure);
        }
    } else {
        law.parameters.add({key.makes_key, entry.place, entry.value});
    }
    law.parameters.set("on", Value(on));
    return law;
}

}  // namespace

Actors::Actors(Model& model, const Manifest& manifest, ObjectTypes& types) {
    for (const auto* const list : {&manifest.constraints, &manifest.forces})
        for (const ObjectSpec& spec : *list) add(spec, types);
    for (const Actor& actor : list_)
        if (actor.object.type->kind == TypeKind::constraint)
            model.constraint_names.add(actor.object.name);
    model.constraints.resize(model.constraint_names.size());
}

void Actors::add(const ObjectSpec& spec, ObjectTypes& types) {
    Actor actor{&spec, types.refer(spec), &spec.parameters};
    const std::span<const Parameter> schema(
        actor.object.type->parameters, static_cast<std::size_t>(actor.object.type->num_parameters));
    std::vector<const ObjectSpec*> laws;
    actor.release = find_release(*actor.object.type, spec.parameters);
    if (actor.release != nullptr) {
        actor.parameters = &own_parameters_.emplace_back(spec.parameters);
        own_parameters_.back().erase(kReleaseKey);
    }
    for (const Parameter& p : schema) {
        actor.is_joint |= actor.object.type->kind == TypeKind::constraint &&
                          p.allows(Shape::frame) && !takes_shapes(*actor.object.type);
        if (p.makes == nullptr) continue;
        const Table::Entry* const entry = actor.parameters->find(p.name);
        if (entry == nullptr) continue;
        laws.push_back(&inner_laws_.emplace_back(law_inside(spec, p, *entry)));
        if (actor.parameters == &spec.parameters)
            actor.parameters = &own_parameters_.emplace_back(spec.parameters);
        own_parameters_.back().erase(p.name);
    }
    list_.push_back(std::move(actor));
    for (const ObjectSpec* const law : laws) add(*law, types);
}

}  // namespace ancora
