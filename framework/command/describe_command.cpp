// SPDX-License-Identifier: BSD-3-Clause
// `ancora describe`: a type's equation, parameters and source, from its schema alone.
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

std::string count_text(int count) {
    return count > 0 ? fmt::format("{}", count) : "any";
}

/// One phrase for each shape that the value may have.
std::vector<std::string> shape_texts(const Parameter& parameter) {
    std::vector<std::string> texts;
    const auto add = [&](Shape shape, std::string text) {
        if (parameter.allows(shape)) texts.push_back(std::move(text));
    };
    add(Shape::boolean, "true or false");
    add(Shape::integer, "whole number");
    add(Shape::number, "number");
    if (parameter.choices == nullptr) {
        add(Shape::text, "text");
    } else if (parameter.allows(Shape::text)) {
        std::string_view rest = parameter.choices;
        while (true) {
            const std::size_t bar = rest.find('|');
            texts.push_back(fmt::format("\"{}\"", rest.substr(0, bar)));
            if (bar == std::string_view::npos) break;
            rest.remove_prefix(bar + 1);
        }
    }
    add(Shape::vector,
        parameter.length > 0 ? fmt::format("{} numbers", parameter.length) : "list of numbers");
    add(Shape::matrix,
        fmt::format("{} x {} numbers", count_text(parameter.rows), count_text(parameter.columns)));
    add(Shape::texts, "list of texts");
    add(Shape::table, "table");
    add(Shape::point, "point such as \"box@[1, 0, 0]\"");
    add(Shape::direction, "direction such as \"box@[1, 0, 0]\"");
    add(Shape::body, "name of a body");
    add(Shape::object, "name of an object");
    return texts;
}

std::string range_text(const Parameter& parameter) {
    std::string text;
    if (std::isfinite(parameter.minimum))
        text =
            fmt::format("{} {:g}", parameter.minimum_is_excluded ? ">" : ">=", parameter.minimum);
    if (std::isfinite(parameter.maximum))
        text += fmt::format("{}{} {:g}",
                            text.empty() ? "" : " and ",
                            parameter.maximum_is_excluded ? "<" : "<=",
                            parameter.maximum);
    if (parameter.may_be_infinite) text += text.empty() ? "may be inf" : ", may be inf";
    return text;
}

std::span<const Parameter> children(const Parameter& parameter) {
    return {parameter.children, static_cast<std::size_t>(parameter.num_children)};
}

void add_parameters(std::span<const Parameter> parameters,
                    const std::string& indent,
                    std::string& text) {
    for (const Parameter& parameter : parameters) {
        text += fmt::format(
            "{}{}: {}", indent, parameter.name, fmt::join(shape_texts(parameter), " or "));
        if (*parameter.unit != '\0') text += fmt::format(" [{}]", parameter.unit);
        if (parameter.is_required)
            text += ", required";
        else if (parameter.default_value != nullptr)
            text += fmt::format(", default {}", parameter.default_value);
        else
            text += ", optional";
        if (const std::string range = range_text(parameter); !range.empty()) text += ", " + range;
        text += fmt::format("\n{}    {}\n", indent, parameter.doc);
        add_parameters(children(parameter), indent + "    ", text);
    }
}

/// A text of one or more lines under its title.
std::string section(const char* title, std::string_view body) {
    if (body.empty()) return "";
    std::string text = fmt::format("\n{}:\n  ", title);
    for (const char c : body) {
        text += c;
        if (c == '\n') text += "  ";
    }
    return text + '\n';
}

std::span<const Parameter> parameters(const TypeDescriptor& type) {
    return {type.parameters, static_cast<std::size_t>(type.num_parameters)};
}

std::string to_text(const PluginType& entry) {
    const TypeDescriptor& type = *entry.type;
    std::string text = fmt::format("{} \"{}\": {}\n", to_text(type.kind), type.name, type.doc);
    text += section(
        "Plugin",
        fmt::format(
            "{} {}, {}", entry.plugin->name, entry.plugin->version, entry.plugin->file.string()));
    text += section("Equation", type.equation);
    text += section("Tolerance", type.tolerance);
    const bool is_integrator = type.kind == TypeKind::integrator;
    text += is_integrator ? fmt::format("\nParameters in [integrator.{}]:\n", type.name)
                          : "\nParameters:\n";
    if (type.num_parameters == 0) text += "  none of its own\n";
    add_parameters(parameters(type), "  ", text);
    return text + section("Source", type.source);
}

/// A limit of a range; null where there is none.
Json limit(double value) {
    return std::isfinite(value) ? Json(value) : Json();
}

Json to_json(std::span<const Parameter> parameters) {
    Json list = Json::array();
    for (const Parameter& parameter : parameters) {
        Json object = {
            {"name", parameter.name},
            {"shapes", shape_texts(parameter)},
            {"unit", parameter.unit},
            {"doc", parameter.doc},
            {"required", parameter.is_required},
            {"default", parameter.default_value ? Json(parameter.default_value) : Json()},
            {"minimum", limit(parameter.minimum)},
            {"minimum_is_excluded", parameter.minimum_is_excluded},
            {"maximum", limit(parameter.maximum)},
            {"maximum_is_excluded", parameter.maximum_is_excluded},
            {"may_be_infinite", parameter.may_be_infinite},
        };
        if (parameter.num_children > 0) object["parameters"] = to_json(children(parameter));
        list.push_back(std::move(object));
    }
    return list;
}

Json to_json(const PluginType& entry) {
    const TypeDescriptor& type = *entry.type;
    return {{"kind", ancora::to_text(type.kind)},
            {"name", type.name},
            {"doc", type.doc},
            {"plugin",
             {{"name", entry.plugin->name},
              {"version", entry.plugin->version},
              {"file", entry.plugin->file.string()}}},
            {"equation", type.equation},
            {"tolerance", type.tolerance},
            {"parameters", to_json(parameters(type))},
            {"source", type.source}};
}

/// Every type of this name, whatever its kind.
std::vector<PluginType> find_types(PluginRegistry& registry, const std::string& name) {
    std::vector<PluginType> found;
    std::vector<std::string> names;
    std::set<const Plugin*> seen;
    for (const auto& [file, plugin, problem] : registry.scan()) {
        if (plugin == nullptr || !seen.insert(plugin).second) continue;
        for (const TypeDescriptor& type :
             std::span(plugin->descriptor->types, plugin->descriptor->num_types)) {
            names.emplace_back(type.name);
            if (name == type.name) found.push_back({plugin, &type});
        }
    }
    if (!found.empty()) return found;

    const std::string nearest = nearest_name(name, names);
    throw Error(ErrorKind::manifest,
                fmt::format("unknown type \"{}\"{} (\"ancora plugins\" lists the types)",
                            name,
                            nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
}

}  // namespace

int describe(const Options& options) {
    PluginRegistry registry;
    for (const auto& folder : options.plugin_dirs) registry.add_folder(folder);
    std::string text;
    Json list = Json::array();
    for (const PluginType& entry : find_types(registry, options.operand)) {
        if (!text.empty()) text += '\n';
        text += to_text(entry);
        list.push_back(to_json(entry));
    }
    if (options.json) text = list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    write_out(text);
    return 0;
}

}  // namespace ancora::command
