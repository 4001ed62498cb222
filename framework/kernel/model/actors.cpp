// SPDX-License-Identifier: BSD-3-Clause
// The constraints and forces of a manifest, those inside joints among them.
#include "actors.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "contact_shapes.hpp"
#include "manifest_plugins.hpp"
#include "table_file.hpp"
#include "type_kind.hpp"
#include "wording.hpp"

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
    const Table* const table = entry.value.as<Table>();
    if (table != nullptr) {
        law.parameters =
            names_columns(*table) ? law_of_columns(key, *table, entry.value.place()) : *table;
        if (const Table::Entry* const inner = table->find("on")) {
            const std::string* const measure = inner->value.as<std::string>();
            if (measure != nullptr)
                on = measure->starts_with(joint.name + ".")
                         ? *measure
                         : fmt::format("{}.{}", joint.name, *measure);
        }
    } else {
        law.parameters.add({key.makes_key, entry.place, entry.value});
    }
    law.parameters.set("on", Value(on));
    return law;
}

/// A list where the law has a number, as in limits = [-1, 1]: the table that is meant.
void refuse_list(const ObjectSpec& law, const TypeDescriptor& type, const Parameter& key) {
    const Table::Entry* const entry = law.parameters.find(key.makes_key);
    const std::span<const Parameter> schema(type.parameters,
                                            static_cast<std::size_t>(type.num_parameters));
    const auto p = std::ranges::find(schema, std::string_view(key.makes_key), &Parameter::name);
    if (entry == nullptr || entry->value.as<Array>() == nullptr || p == schema.end() ||
        p->allows(Shape::vector) || p->allows(Shape::matrix) || p->allows(Shape::texts))
        return;
    std::string keys;
    for (const Parameter& own : schema)
        if (own.allows(Shape::number))
            keys += fmt::format("{}{} = ...", keys.empty() ? "" : ", ", own.name);
    throw Error(ErrorKind::manifest,
                fmt::format("{}: expected a number or a table {{ {} }}, got {}",
                            object_title(law.kind, law.name),
                            keys,
                            in_words(entry->value)),
                entry->value.place());
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

void Actors::add(const ObjectSpec& spec, ObjectTypes& types, const Parameter* makes) {
    Actor actor{&spec, types.refer(spec), &spec.parameters};
    if (makes != nullptr) refuse_list(spec, *actor.object.type, *makes);
    const std::span<const Parameter> schema(
        actor.object.type->parameters, static_cast<std::size_t>(actor.object.type->num_parameters));
    std::vector<std::pair<const ObjectSpec*, const Parameter*>> laws;
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
        laws.emplace_back(&inner_laws_.emplace_back(law_inside(spec, p, *entry)), &p);
        if (actor.parameters == &spec.parameters)
            actor.parameters = &own_parameters_.emplace_back(spec.parameters);
        own_parameters_.back().erase(p.name);
    }
    list_.push_back(std::move(actor));
    for (const auto& [law, key] : laws) add(*law, types, key);
}

}  // namespace ancora
