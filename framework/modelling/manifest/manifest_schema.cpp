// SPDX-License-Identifier: BSD-3-Clause
// The JSON Schema of manifests.
#include "ancora/framework/manifest_schema.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/version.hpp"
#include "body_look.hpp"
#include "manifest_plugins.hpp"
#include "manifest_reader.hpp"
#include "schema_words.hpp"
#include "traps_off.hpp"

namespace ancora {
namespace {

using Json = nlohmann::ordered_json;

std::span<const Parameter> children(const Parameter& p) {
    return {p.children, static_cast<std::size_t>(p.num_children)};
}

Json reference(std::string_view definition) {
    return {{"$ref", fmt::format("#/definitions/{}", definition)}};
}

// --- values

Json to_json(const Value& value) {
    struct Convert {
        Json operator()(bool x) const { return x; }
        Json operator()(std::int64_t x) const { return x; }
        Json operator()(double x) const { return std::isfinite(x) ? Json(x) : Json(); }
        Json operator()(const std::string& x) const { return x; }
        Json operator()(const Array& x) const {
            Json out = Json::array();
            for (const Value& entry : x) out.push_back(to_json(entry));
            return out;
        }
        Json operator()(const Table& x) const {
            Json out = Json::object();
            for (const Table::Entry& entry : x.entries()) out[entry.key] = to_json(entry.value);
            return out;
        }
    };
    return std::visit(Convert{}, value.data());
}

Json number(const Parameter& p, bool is_integer) {
    Json out = {{"type", is_integer ? "integer" : "number"}};
    // editors hand on TOML's inf as null, since JSON has none
    if (p.may_be_infinite) out["type"] = {"number", "null"};
    if (!std::isinf(p.minimum))
        out[p.minimum_is_excluded ? "exclusiveMinimum" : "minimum"] = p.minimum;
    if (!std::isinf(p.maximum))
        out[p.maximum_is_excluded ? "exclusiveMaximum" : "maximum"] = p.maximum;
    return out;
}

Json number_or_expression(const Parameter& p) {
    return {{"anyOf", {number(p, false), reference("expression")}}};
}

Json array_of(Json items, int length) {
    Json out = {{"type", "array"}, {"items", std::move(items)}};
    if (length > 0) {
        out["minItems"] = length;
        out["maxItems"] = length;
    }
    return out;
}

Json text(const Parameter& p) {
    const std::vector<std::string> choices = choices_of(p);
    if (choices.empty()) return {{"type", "string"}};
    return {{"enum", choices}};
}

Json object_of(std::span<const Parameter> schema);

// One schema for each kind of value that the parameter takes.
std::vector<Json> alternatives_of(const Parameter& p) {
    std::vector<Json> out;
    const bool is_choice = p.allows(Shape::text) && p.choices != nullptr;
    if (p.allows(Shape::boolean)) out.push_back({{"type", "boolean"}});
    if (p.allows(Shape::text)) out.push_back(text(p));
    if (is_choice) out.push_back(reference("interpolation"));
    if (p.allows(Shape::number) || p.allows(Shape::integer)) {
        out.push_back(number(p, !p.allows(Shape::number)));
        out.push_back(reference("expression"));
    }
    if (is_list_of_booleans(p)) {
        out.push_back(array_of({{"type", "boolean"}}, p.length));
    } else if (p.allows(Shape::vector)) {
        out.push_back(array_of(number_or_expression(p), p.length));
        out.push_back(reference("array_name"));
        if (p.length == 3 && !has_unit(p) && !p.allows(Shape::number))
            out.push_back(reference("axis"));
    }
    if (p.allows(Shape::matrix)) {
        const Json row = array_of(number_or_expression(p), p.columns);
        out.push_back(array_of({{"anyOf", {row, reference("array_name")}}}, p.rows));
        out.push_back(reference("columns_of_file"));
    }
    if (p.allows(Shape::texts)) out.push_back(array_of(text(p), 0));
    if (p.allows(Shape::table)) out.push_back(object_of(children(p)));
    const auto is_name = [&](Shape shape) {
        return p.allows(shape);
    };
    if (std::ranges::any_of(std::initializer_list<Shape>{Shape::point,
                                                         Shape::direction,
                                                         Shape::body,
                                                         Shape::object,
                                                         Shape::file,
                                                         Shape::frame,
                                                         Shape::measure},
                            is_name))
        out.push_back({{"type", "string"}});
    return out;
}

std::string description(const Parameter& p) {
    std::string out = fmt::format("{}: {}", p.doc, shape_text(p));
    if (has_unit(p)) out += fmt::format(" [{}]", p.unit);
    if (const std::string range = range_text(p); !range.empty()) out += ", " + range;
    if (p.may_be_infinite) out += ", may be inf";
    if (p.default_value != nullptr) out += fmt::format("; default {}", p.default_value);
    return out;
}

Json value_of(const Parameter& p) {
    Json out = {{"title", has_unit(p) ? fmt::format("{} [{}]", p.name, p.unit) : p.name},
                {"description", description(p)}};
    if (p.default_value != nullptr)
        if (Json value = to_json(parse_value(p.default_value)); !value.is_null())
            out["default"] = std::move(value);
    std::vector<Json> alternatives = alternatives_of(p);
    if (alternatives.size() == 1) {
        out.update(alternatives.front());
        return out;
    }
    // editors show what stands nearest
    for (Json& alternative : alternatives)
        if (!alternative.contains("$ref")) alternative["description"] = out["description"];
    out["anyOf"] = std::move(alternatives);
    return out;
}

Json object_of(std::span<const Parameter> schema) {
    Json out = {{"type", "object"}};
    if (schema.size() == 1 && schema.front().name == std::string_view("*")) {
        out["additionalProperties"] = value_of(schema.front());
        return out;
    }
    Json properties = Json::object();
    Json required = Json::array();
    for (const Parameter& p : schema) {
        properties[p.name] = value_of(p);
        if (p.is_required) required.push_back(p.name);
    }
    out["properties"] = std::move(properties);
    if (!required.empty()) out["required"] = std::move(required);
    out["additionalProperties"] = false;
    return out;
}

// --- types

std::vector<const TypeDescriptor*> types_of(PluginRegistry& registry, TypeKind kind) {
    std::vector<const TypeDescriptor*> types;
    for (const FoundPlugin& found : registry.scan()) {
        if (found.plugin == nullptr) continue;
        for (const TypeDescriptor& type :
             std::span(found.plugin->descriptor->types, found.plugin->descriptor->num_types)) {
            const bool is_known = std::ranges::any_of(types, [&](const TypeDescriptor* other) {
                return std::string_view(other->name) == type.name;
            });
            if (type.kind == kind && !is_known) types.push_back(&type);
        }
    }
    std::ranges::sort(types, {}, [](const TypeDescriptor* type) {
        return std::string_view(type->name);
    });
    return types;
}

std::span<const Parameter> parameters(const TypeDescriptor& type) {
    return {type.parameters, static_cast<std::size_t>(type.num_parameters)};
}

// The names of the types, each with its line for the editor's list.
Json choice_of(const std::vector<const TypeDescriptor*>& types) {
    Json names = Json::array();
    Json docs = Json::array();
    for (const TypeDescriptor* const type : types) {
        names.push_back(type->name);
        docs.push_back(type->doc);
    }
    return {{"enum", std::move(names)}, {"x-taplo", {{"docs", {{"enumValues", std::move(docs)}}}}}};
}

Json object_name() {
    return {{"title", "name"},
            {"description", "letters, digits, _ and -, unique over all objects"},
            {"type", "string"},
            {"pattern", R"(^([A-Za-z_][A-Za-z0-9_-]*|[\s\S]*\$\{[\s\S]*)$)"},
            {"not", {{"enum", reserved_names()}}}};
}

// What every body may have.
Json body_shape() {
    const Json one = reference(kShapeKey);
    return {{"title", kShapeKey},
            {"description",
             "what the body looks like: a shape, an array of them, or \"none\"; nothing in it acts "
             "on the motion"},
            {"anyOf", {{{"const", kNoShape}}, one, array_of(one, 0)}}};
}

// One object of this kind: what is common, and for each type what it takes.
Json kind_of(TypeKind kind, const std::vector<const TypeDescriptor*>& types, Json& definitions) {
    Json required = Json::array();
    Json common = Json::object();
    for (const Parameter& p : object_keys()) {
        common[p.name] = value_of(p);
        if (p.is_required) required.push_back(p.name);
    }
    common["name"] = object_name();
    common["type"].erase("type");
    common["type"].update(choice_of(types));
    if (kind == TypeKind::constraint) {
        const Json keys = object_of(release_keys());
        common[kReleaseKey] = {
            {"title", kReleaseKey},
            {"description",
             "when it opens for good: a time [s], or a table with a time, a condition or another "
             "constraint"},
            {"anyOf", {{{"type", "number"}}, reference("expression"), keys}}};
    }
    if (kind == TypeKind::body) {
        common[kShapeKey] = body_shape();
        common["frame"] = array_of(object_of(frame_keys()), 0);
        common["frame"]["title"] = "frame";
        common["frame"]["description"] =
            "frames that the body names, [[body.frame]]: BODY.NAME means one elsewhere";
    }

    Json branches = Json::array();
    for (const TypeDescriptor* const type : types) {
        Json branch = object_of(parameters(*type));
        Json properties = common;
        properties["type"] = {{"const", type->name}};
        properties.update(branch["properties"]);
        Json keys = required;
        for (const Json& key : branch.value("required", Json::array())) keys.push_back(key);
        const std::string name = fmt::format("{}.{}", to_text(kind), type->name);
        definitions[name] = {{"title", type->name},
                             {"description", type->doc},
                             {"type", "object"},
                             {"properties", std::move(properties)},
                             {"required", std::move(keys)},
                             {"additionalProperties", false}};
        // if and then for exact messages; anyOf, which is always true, since editors look for keys
        // to offer there and not behind if
        branches.push_back(
            {{"if", {{"properties", {{"type", {{"const", type->name}}}}}, {"required", {"type"}}}},
             {"then", reference(name)},
             {"anyOf", {reference(name), true}}});
    }
    branches.push_back({{"properties", std::move(common)}});
    return {{"title", to_text(kind)},
            {"type", "object"},
            {"required", std::move(required)},
            {"allOf", std::move(branches)}};
}

// --- the kernel's tables

Json index_values() {
    const Json entry = {{"anyOf", {{{"type", "number"}}, {{"type", "string"}}}}};
    return {{"anyOf",
             {{{"type", "integer"}, {"minimum", 0}},
              reference("expression"),
              {{"type", "array"}, {"items", entry}, {"minItems", 1}}}}};
}

Json generate() {
    const Json number = {{"anyOf", {{{"type", "number"}}, reference("expression")}}};
    Json properties = {
        {"for",
         {{"description",
           "indices: a count, [first, last], or a list of values or names; the first runs fastest"},
          {"type", "object"},
          {"minProperties", 1},
          {"propertyNames", reference("parameter_name")},
          {"additionalProperties", index_values()}}},
        {"let",
         {{"description", "local names, by the indices, parameters and names before them"},
          {"type", "object"},
          {"propertyNames", reference("parameter_name")},
          {"additionalProperties", {{"anyOf", {number, array_of(number, 0)}}}}}}};
    for (const char* const kind : {"body", "constraint", "force"})
        properties[kind] = array_of(reference(kind), 0);
    properties["joint"] = properties["constraint"];
    return {{"description", "objects by the many"},
            {"type", "object"},
            {"properties", std::move(properties)},
            {"required", {"for"}},
            {"additionalProperties", false}};
}

Json integrator(const std::vector<const TypeDescriptor*>& types) {
    Json out = object_of(integrator_keys());
    out.erase("required");  // may stand in another file
    out["properties"]["type"].erase("type");
    out["properties"]["type"].update(choice_of(types));
    for (const TypeDescriptor* const type : types) {
        Json own = object_of(parameters(*type));
        own["title"] = fmt::format("[integrator.{}]", type->name);
        own["description"] = type->doc;
        out["properties"][type->name] = std::move(own);
    }
    return out;
}

Json definitions() {
    const Json number = {{"type", {"number", "null"}}};
    const Json quantity = {{"anyOf", {number, reference("expression")}}};
    return {
        {"expression",
         {{"title", "expression"},
          {"description",
           "a number to be computed, with or without unit: \"2*pi*r\", \"10 mm\", \"70 GPa\""},
          {"type", "string"},
          {"pattern", R"(^[A-Za-z0-9_µμ\s+\-*/^().,\[\]${}<>=]+$)"}}},
        {"interpolation",
         {{"description", "a text with ${EXPRESSION} in it"},
          {"type", "string"},
          {"pattern", R"(\$\{)"}}},
        {"array_name",
         {{"description", "the name of an array in [parameters]"},
          {"type", "string"},
          {"pattern", R"(^\s*[A-Za-z_][A-Za-z0-9_]*\s*$)"}}},
        {"axis",
         {{"description", "a direction along an axis"},
          {"type", "string"},
          {"pattern", R"(^[+\-]?[xyz]$)"}}},
        {"columns_of_file",
         {{"description", "columns of a text file with many: names or numbers from 1"},
          {"type", "object"},
          {"properties",
           {{"file", {{"type", "string"}}},
            {"column", {{"type", {"string", "integer"}}}},
            {"columns", array_of({{"type", {"string", "integer"}}}, 0)},
            {"time", {{"type", {"string", "integer"}}}},
            {"unit", {{"type", "string"}}},
            {"decimal", {{"enum", {".", ","}}}}}},
          {"required", {"file"}},
          {"additionalProperties", false}}},
        {"parameter_name", {{"pattern", "^[A-Za-z_][A-Za-z0-9_]*$"}}},
        {"parameter",
         {{"description", "a number in SI units, an expression in quotes, or an array of these"},
          {"anyOf", {number, reference("expression"), array_of(quantity, 0)}}}},
    };
}

}  // namespace

std::string manifest_schema(PluginRegistry& registry) {
    const TrapsOff traps_off;
    Json all = definitions();
    all[kShapeKey] = object_of(shape_keys());
    Json properties = {
        {"include",
         {{"description", "files whose tables are joined with these, relative to this file"},
          {"anyOf", {{{"type", "string"}}, array_of({{"type", "string"}}, 0)}}}},
        {"parameters",
         {{"description", "names for numbers, to be used in expressions"},
          {"type", "object"},
          {"propertyNames", reference("parameter_name")},
          {"additionalProperties", reference("parameter")}}},
        {"model", object_of(model_keys())}};
    for (const TypeKind kind : {TypeKind::body, TypeKind::constraint, TypeKind::force}) {
        std::vector<const TypeDescriptor*> types = types_of(registry, kind);
        // A force may be written as rows
        if (kind == TypeKind::force)
            for (const TypeDescriptor* const type : types_of(registry, TypeKind::constraint))
                types.push_back(type);
        Json of_kind = kind_of(kind, types, all);
        all[to_text(kind)] = std::move(of_kind);
        properties[to_text(kind)] = array_of(reference(to_text(kind)), 0);
    }
    properties["joint"] = array_of(reference("constraint"), 0);
    properties["joint"]["description"] = "another name for [[constraint]]";
    const auto of_ground = [](Json one) {
        one["properties"]["body"] = {{"const", "ground"}};
        return array_of(std::move(one), 0);
    };
    properties["shape"] = of_ground(object_of(shape_keys()));
    properties["shape"]["description"] = "what stands on the ground, for looks alone";
    properties["frame"] = of_ground(object_of(frame_keys()));
    properties["frame"]["description"] = "frames of the ground: ground.NAME means one elsewhere";
    properties["generate"] = array_of(generate(), 0);
    properties["integrator"] = integrator(types_of(registry, TypeKind::integrator));
    properties["output"] = object_of(output_keys());
    const Json schema = {{"$schema", "http://json-schema.org/draft-07/schema#"},
                         {"title", "Ancora manifest"},
                         {"description",
                          fmt::format("Made by `ancora schema` of Ancora {} from the plugins that "
                                      "it found.",
                                      version())},
                         {"type", "object"},
                         {"properties", std::move(properties)},
                         {"additionalProperties", false},
                         {"definitions", std::move(all)}};
    return schema.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace ancora
