// SPDX-License-Identifier: BSD-3-Clause
// Parameters of mass from solids of uniform density.
#include "shape_weight.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "body_look.hpp"
#include "manifest_plugins.hpp"
#include "solid_mass.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr std::string_view kDensity = "density";

/// The density, in SI.
double density_of(const Manifest& manifest, const ObjectSpec& spec, const ObjectRef& object) {
    const Table::Entry& given = *spec.parameters.find(kDensity);
    const std::span<const Parameter> schema(object.type->parameters,
                                            static_cast<std::size_t>(object.type->num_parameters));
    Table one, storage;
    one.add(given);
    const Value& value =
        with_numbers(manifest, spec.scope.get(), object.label, one, schema, storage)
            .find(kDensity)
            ->value;
    if (const auto* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
    const auto* const number = value.as<double>();
    if (number == nullptr || !(*number > 0.0))
        throw Error(
            ErrorKind::manifest,
            fmt::format(
                "{}: density: expected a number above zero, got {}", object.label, in_words(value)),
            given.place);
    return *number;
}

Value numbers(const Vec3& x, const Place& place) {
    Array out;
    for (const double component : x) out.push_back({component, place});
    return {std::move(out), place};
}

}  // namespace

bool weigh_by_shape(const Manifest& manifest,
                    const ObjectSpec& spec,
                    const ObjectRef& object,
                    Table& weighed) {
    const auto has = [&](std::string_view key) {
        return spec.parameters.find(key) != nullptr;
    };
    const std::span<const Parameter> schema(object.type->parameters,
                                            static_cast<std::size_t>(object.type->num_parameters));
    const auto knows = [&](std::string_view key) {
        return std::ranges::find(schema, key, &Parameter::name) != schema.end();
    };
    if (!spec.shape || !has(kDensity) || has("size") || has("mass") || has("inertia") ||
        has("radius") || !knows("mass") || !knows("inertia") || !knows("center_of_mass"))
        return false;
    const Place place = spec.shape->place().known() ? spec.shape->place() : spec.place;
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::manifest, fmt::format("{}: shape: {}", object.label, why), place);
    };
    for (const char* const key : {"center_of_mass", "inertia_orientation"})
        if (has(key))
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: {}: the shape and its density say where its mass is and "
                                    "how it lies; leave it out, or give mass and inertia",
                                    object.label,
                                    key),
                        spec.parameters.find(key)->place);
    MeshFiles files;
    const BodyLook look = read_look(
        object.label, *spec.shape, spec.place, symbols_of(manifest, spec.scope.get()), files);
    SolidMass sum;
    for (const SceneSolid& solid : look.solids) {
        const auto* const mesh = std::get_if<MeshShape>(&solid.shape);
        if (mesh != nullptr && !is_closed(files.meshes[static_cast<std::size_t>(mesh->mesh)]))
            refuse(
                fmt::format("the surface of {} is not closed, so that it holds no volume of the "
                            "density; close it, or give mass and inertia",
                            in_quotes(files.meshes[static_cast<std::size_t>(mesh->mesh)].name)));
        sum = together(sum, mass_of_shape(solid.shape, files.meshes));
    }
    if (!(sum.mass > 0.0))
        refuse(
            "it has no volume, which the density needs; give a solid that is not hidden, or "
            "size, or mass and inertia");
    const double density = density_of(manifest, spec, object);
    const Place& at = spec.parameters.find(kDensity)->place;
    for (const Table::Entry& entry : spec.parameters.entries())
        if (entry.key != kDensity) weighed.add(entry);
    const Mat3 J = 0.5 * density * (sum.inertia + sum.inertia.transpose());
    Array rows;
    for (Eigen::Index i = 0; i < 3; ++i) rows.push_back(numbers(J.row(i), at));
    weighed.add({"mass", at, {density * sum.mass, at}});
    weighed.add({"center_of_mass", at, numbers(sum.center, at)});
    weighed.add({"inertia", at, {std::move(rows), at}});
    return true;
}

}  // namespace ancora
