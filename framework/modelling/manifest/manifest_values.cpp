// SPDX-License-Identifier: BSD-3-Clause
// Values of a manifest by their keys.
#include "manifest_values.hpp"

#include <span>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {
namespace {

/// "KIND.NAME.KEY" in its parts; names and keys may be empty.
struct KeyParts {
    std::string_view kind, name, key;
};

KeyParts parts_of(std::string_view text) {
    KeyParts parts;
    const auto next = [&text] {
        const std::size_t dot = text.find('.');
        const std::string_view word = text.substr(0, dot);
        text.remove_prefix(dot == std::string_view::npos ? text.size() : dot + 1);
        return word;
    };
    parts.kind = next();
    parts.name = next();
    parts.key = text;
    return parts;
}

std::optional<Value> find_in(const Table& table, std::string_view path) {
    const std::size_t dot = path.find('.');
    const Table::Entry* const entry = table.find(path.substr(0, dot));
    if (entry == nullptr) return std::nullopt;
    if (dot == std::string_view::npos) return entry->value;
    const Table* const inner = entry->value.as<Table>();
    return inner != nullptr ? find_in(*inner, path.substr(dot + 1)) : std::nullopt;
}

const ObjectSpec* object_of(const Manifest& manifest, const KeyParts& key) {
    const std::vector<ObjectSpec>* const list = key.kind == "body" ? &manifest.bodies
                                                : key.kind == "constraint" || key.kind == "joint"
                                                    ? &manifest.constraints
                                                : key.kind == "force" ? &manifest.forces
                                                                      : nullptr;
    if (list == nullptr) return nullptr;
    for (const ObjectSpec& object : *list)
        if (object.name == key.name) return &object;
    return nullptr;
}

}  // namespace

std::optional<Value> value_of(const Manifest& manifest, std::string_view key) {
    const IntegratorSettings& integrator = manifest.integrator;
    if (key == "integrator.step") return Value(integrator.step);
    if (key == "integrator.tolerance") return Value(integrator.tolerance.value_or(0.0));
    // gravity = { type = "central", mu = ..., center = ... } is a force by now
    constexpr std::string_view kGravity = "model.gravity";
    const ObjectSpec* const central = object_of(manifest, {"force", "gravity", {}});
    const bool is_central = central != nullptr && central->type.ends_with("_gravity");
    if (is_central && key.starts_with(kGravity))
        return key.size() > kGravity.size() + 1
                   ? find_in(central->parameters, key.substr(kGravity.size() + 1))
                   : std::nullopt;
    if (key == kGravity) {
        const auto& g = manifest.model.gravity;
        return Value(Array{Value(g[0]), Value(g[1]), Value(g[2])});
    }
    const KeyParts parts = parts_of(key);
    if (parts.key.empty()) return std::nullopt;
    if (parts.kind == "integrator") {
        const auto own = integrator.own.find(std::string(parts.name));
        return own != integrator.own.end() ? find_in(own->second, parts.key) : std::nullopt;
    }
    const ObjectSpec* const object = object_of(manifest, parts);
    return object != nullptr ? find_in(object->parameters, parts.key) : std::nullopt;
}

std::optional<double> number_in(const Value& value) {
    if (const auto* const number = value.as<double>()) return *number;
    if (const auto* const whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
    return std::nullopt;
}

const Parameter* schema_of(const Manifest& manifest,
                           std::string_view key,
                           PluginRegistry& registry) {
    const KeyParts parts = parts_of(key);
    const ObjectSpec* const object = object_of(manifest, parts);
    if (object == nullptr && parts.kind != "integrator") return nullptr;
    try {
        const TypeDescriptor& type =
            object != nullptr
                ? *registry.find_type(object->kind, object->type).type
                : *registry.find_type(TypeKind::integrator, std::string(parts.name)).type;
        for (const Parameter& parameter :
             std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)))
            if (parameter.name == parts.key) return &parameter;
    } catch (const Error&) {
        // a joint that is several constraints, say
    }
    return nullptr;
}

}  // namespace ancora
