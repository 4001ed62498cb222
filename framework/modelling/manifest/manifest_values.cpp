// SPDX-License-Identifier: BSD-3-Clause
// Values of a manifest by their keys.
#include "manifest_values.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "wording.hpp"

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

std::span<const Parameter> children_of(const Parameter& parameter) {
    return {parameter.children, static_cast<std::size_t>(parameter.num_children)};
}

/// "KEY" or "TABLE.KEY"; "*" stands for names that the model chooses.
const Parameter* find_in(std::span<const Parameter> schema, std::string_view path) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    for (const Parameter& parameter : schema) {
        if (parameter.name != name && std::string_view(parameter.name) != "*") continue;
        return dot == std::string_view::npos
                   ? &parameter
                   : find_in(children_of(parameter), path.substr(dot + 1));
    }
    return nullptr;
}

/// Adds the keys of numbers, a path in front, that a table gives to sensitive parameters.
void add_sensitive(std::span<const Parameter> schema,
                   const Table& given,
                   const std::string& path,
                   std::vector<std::string>& keys) {
    for (const Table::Entry& entry : given.entries()) {
        const Parameter* const parameter = find_in(schema, entry.key);
        if (parameter == nullptr) continue;
        const std::string key = path + '.' + entry.key;
        if (const Table* const inner = entry.value.as<Table>()) {
            add_sensitive(children_of(*parameter), *inner, key, keys);
            continue;
        }
        if (!parameter->is_sensitive) continue;
        const auto is_finite = [](const Value& value) {
            const std::optional<double> number = number_in(value);
            return number && std::isfinite(*number);
        };
        if (is_finite(entry.value)) {
            keys.push_back(key);
        } else if (const Array* const array = entry.value.as<Array>();
                   array != nullptr && std::ranges::all_of(*array, is_finite)) {
            for (std::size_t i = 0; i < array->size(); ++i)
                keys.push_back(key + '[' + std::to_string(i) + ']');
        }
    }
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
        return find_in(std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)),
                       parts.key);
    } catch (const Error&) {
        // a joint that is several constraints, say
    }
    return nullptr;
}

bool has_object(const Manifest& manifest, std::string_view key) {
    return object_of(manifest, parts_of(key)) != nullptr;
}

std::string why_no_value(const Manifest& manifest, std::string_view key, PluginRegistry& registry) {
    const KeyParts parts = parts_of(key);
    struct Kind {
        std::string_view name;
        const std::vector<ObjectSpec>& list;
    };
    const Kind kinds[] = {{"body", manifest.bodies},
                          {"joint", manifest.constraints},
                          {"constraint", manifest.constraints},
                          {"force", manifest.forces}};
    const auto* const kind = std::ranges::find(kinds, parts.kind, &Kind::name);
    if (parts.kind == "model")
        return "the model has no value of it; there are model.gravity[0] to [2], and where gravity "
               "is a table its own keys, such as model.gravity.mu";
    if (kind == std::end(kinds)) {
        for (const Kind& other : kinds)
            for (const ObjectSpec& one : other.list)
                if (one.name == parts.kind)
                    return fmt::format("it begins with the kind of the object: {}.{}{}",
                                       one.is_joint ? "joint" : other.name,
                                       one.name,
                                       parts.name.empty() ? "" : ".KEY");
        return "it is none of KIND.NAME.KEY as for --set, with KIND body, joint, constraint or "
               "force, parameters.NAME and model.gravity[0] to [2]";
    }
    const ObjectSpec* const object = object_of(manifest, parts);
    if (object == nullptr) {
        std::vector<std::string> names;
        for (const ObjectSpec& one : kind->list) names.push_back(one.name);
        return fmt::format("there is no {} {}{}",
                           parts.kind,
                           in_quotes(parts.name),
                           hint(parts.name, names, "there are"));
    }
    if (schema_of(manifest, key, registry) == nullptr) {
        std::vector<std::string> names;
        try {
            const TypeDescriptor& type = *registry.find_type(object->kind, object->type).type;
            for (const Parameter& parameter :
                 std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)))
                names.emplace_back(parameter.name);
        } catch (const Error&) {
            // its parts have the parameters
        }
        if (!names.empty())
            return fmt::format("the type {} has no parameter {}{}",
                               in_quotes(object->type),
                               in_quotes(parts.key),
                               hint(parts.key, names, "it has"));
    }
    return fmt::format("{} {} gives it no value; write one into the model", parts.kind, parts.name);
}

std::vector<std::string> sensitive_keys(const Manifest& manifest,
                                        std::string_view object,
                                        PluginRegistry& registry) {
    std::vector<std::string> keys;
    const auto add = [&](const char* kind, const std::vector<ObjectSpec>& list) {
        for (const ObjectSpec& one : list) {
            const std::string path = (one.is_joint ? "joint" : kind) + ('.' + one.name);
            const bool is_named = object == path || object == kind + ('.' + one.name);
            if (!object.empty() && !is_named) continue;
            try {
                const TypeDescriptor& type = *registry.find_type(one.kind, one.type).type;
                add_sensitive(
                    std::span(type.parameters, static_cast<std::size_t>(type.num_parameters)),
                    one.parameters,
                    path,
                    keys);
            } catch (const Error&) {
                // a joint that is several constraints, say
            }
        }
    };
    add("body", manifest.bodies);
    add("constraint", manifest.constraints);
    add("force", manifest.forces);
    return keys;
}

}  // namespace ancora
