// SPDX-License-Identifier: BSD-3-Clause
// Forces that act on all matter of bodies.
#include "matter.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "body_builder.hpp"
#include "mass_points.hpp"

namespace ancora {

const Table& with_matter(const Model& model,
                         const Manifest& manifest,
                         const ObjectRef& object,
                         const Table& parameters,
                         Table& storage) {
    const std::span<const Parameter> schema(object.type->parameters,
                                            static_cast<std::size_t>(object.type->num_parameters));
    for (const std::string_view key : {"on", "points", "masses"})
        if (std::ranges::none_of(schema, [key](const Parameter& p) {
                return p.name == key;
            }))
            return parameters;
    const Table::Entry* const on = parameters.find("on");
    if (on == nullptr) return parameters;
    if (parameters.find("points") != nullptr)
        throw Error(
            ErrorKind::manifest,
            fmt::format("{}: on: names bodies, and \"points\" and \"masses\" stand beside it; "
                        "give one of them",
                        object.label),
            on->value.place());

    std::vector<int> bodies;
    const auto add = [&](const Value& value) {
        const std::string* const name = value.as<std::string>();
        if (name == nullptr) return;  // told by the schema
        if (*name != "*") {
            bodies.push_back(find_body(model, manifest, *name, value.place()));
            return;
        }
        for (std::size_t i = 0; i < manifest.bodies.size(); ++i)
            bodies.push_back(static_cast<int>(i));
    };
    if (const Array* const names = on->value.as<Array>())
        for (const Value& name : *names) add(name);
    else
        add(on->value);
    Array points, masses;
    for (const int body : bodies) {
        const BodyPart& part = model.bodies[body];
        if (part.mass_kind == MassKind::of_time)
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: the mass of {} changes with time, and this force takes "
                                    "masses as they are at the start; name the other bodies in "
                                    "`on`, and use a uniform `gravity` for this one",
                                    object.label,
                                    part.object.label),
                        on->value.place());
        for (const MassPoint& point : mass_points(model, body)) {
            points.emplace_back(point.text, on->value.place());
            masses.emplace_back(point.mass, on->value.place());
        }
    }
    storage = parameters;
    storage.set("points", Value(std::move(points), on->value.place()));
    storage.set("masses", Value(std::move(masses), on->value.place()));
    return storage;
}

}  // namespace ancora
