// SPDX-License-Identifier: BSD-3-Clause
// `ancora describe`: a type's equation, parameters and source, from its schema alone.
#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/schema_text.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

using Json = nlohmann::ordered_json;

// More files than this are not listed in a message.
constexpr std::size_t kMostRefusals = 8;

std::span<const Parameter> children(const Parameter& parameter) {
    return {parameter.children, static_cast<std::size_t>(parameter.num_children)};
}

/// The range, whether infinity is allowed and derivatives exist; may be empty.
std::string limits_text(const Parameter& parameter) {
    std::string text = range_text(parameter);
    if (parameter.may_be_infinite) text += text.empty() ? "may be inf" : ", may be inf";
    if (parameter.is_sensitive) text += text.empty() ? "sensitive" : ", sensitive";
    return text;
}

void add_parameters(std::span<const Parameter> parameters,
                    const std::string& indent,
                    std::string& text) {
    for (const Parameter& parameter : parameters) {
        text += fmt::format("{}{}: {}", indent, parameter.name, shape_text(parameter));
        if (*parameter.unit != '\0') text += fmt::format(" [{}]", parameter.unit);
        if (parameter.is_required)
            text += ", required";
        else if (parameter.default_value != nullptr)
            text += fmt::format(", default {}", parameter.default_value);
        else
            text += ", optional";
        if (const std::string limits = limits_text(parameter); !limits.empty())
            text += ", " + limits;
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

std::vector<const char*> examples(const TypeDescriptor& type) {
    const auto end = std::ranges::find(type.examples, nullptr);
    return {type.examples.begin(), end};
}

/// What the type promises, each in one phrase.
std::vector<std::string> claims(const TypeDescriptor& type) {
    std::vector<std::string> list;
    const auto add = [&](Claim claim, const char* phrase) {
        if (type.claims.has(claim)) list.emplace_back(phrase);
    };
    add(Claim::rigid_motion_invariant, "invariant under rigid motions");
    add(Claim::dissipative, "dissipative");
    add(Claim::frame_invariant, "frame invariant");
    if (type.order > 0) list.push_back(fmt::format("order {}", type.order));
    add(Claim::keeps_energy, "keeps energy");
    add(Claim::keeps_momentum, "keeps momentum");
    add(Claim::keeps_angular_momentum, "keeps angular momentum");
    return list;
}

/// The sources of the derivatives of a type's rows (DerivativeSource).
std::vector<std::pair<const char*, DerivativeSource>> derivatives(const TypeDescriptor& type) {
    if (type.kind != TypeKind::body && type.kind != TypeKind::constraint) return {};
    const DerivativeSources& of = type.derivatives;
    return {{"Jacobian", of.jacobian},
            {"bias", of.bias},
            {"discrete Jacobian", of.discrete_jacobian},
            {"tangent", of.tangent}};
}

/// "Jacobian automatic, bias analytic, ..."; "all analytic" where they are all of one source.
std::string derivatives_text(const TypeDescriptor& type) {
    const auto list = derivatives(type);
    if (list.empty()) return "";
    const auto of_first = [&](const auto& entry) {
        return entry.second == list.front().second;
    };
    if (std::ranges::all_of(list, of_first))
        return fmt::format("all {}", name_of(list.front().second));
    std::string text;
    for (const auto& [what, source] : list)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, name_of(source));
    return text;
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
    text += section("Claims", fmt::format("{}", fmt::join(claims(type), ", ")));
    text += section("Derivatives", derivatives_text(type));
    for (const char* example : examples(type))
        text += section("Example", *example != '\0' ? example : "# nothing but defaults");
    return text + section("Source", type.source);
}

/// Text for a cell of a Markdown table, in which '|' and a line's end would close the cell.
std::string cell(std::string_view text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '|') escaped += '\\';
        escaped += c == '\n' ? ' ' : c;
    }
    return escaped;
}

std::string code_cell(std::string_view text) {
    return text.empty() ? "" : fmt::format("`{}`", cell(text));
}

/// `prefix`: the keys of the tables around them, "spin.".
void add_markdown_rows(std::span<const Parameter> parameters,
                       const std::string& prefix,
                       std::string& text) {
    for (const Parameter& parameter : parameters) {
        const std::string key = prefix + parameter.name;
        const std::string otherwise =
            parameter.is_required
                ? "required"
                : code_cell(parameter.default_value != nullptr ? parameter.default_value : "");
        text += fmt::format("| `{}` | {} | {} | {} | {} | {} |\n",
                            key,
                            cell(shape_text(parameter)),
                            cell(parameter.unit),
                            otherwise,
                            cell(limits_text(parameter)),
                            cell(parameter.doc));
        add_markdown_rows(children(parameter), key + ".", text);
    }
}

std::string to_markdown(const PluginType& entry) {
    const TypeDescriptor& type = *entry.type;
    std::string text = fmt::format("## {} `{}`\n\n{}\n\nFrom the plugin `{}` {}.\n",
                                   ancora::to_text(type.kind),
                                   type.name,
                                   type.doc,
                                   entry.plugin->name,
                                   entry.plugin->version);
    if (*type.equation != '\0') text += fmt::format("\n```text\n{}\n```\n", type.equation);
    if (*type.tolerance != '\0') text += fmt::format("\nTolerance: {}\n", type.tolerance);
    if (type.num_parameters == 0) {
        text += "\nIt has no parameters of its own.\n";
    } else {
        if (type.kind == TypeKind::integrator)
            text += fmt::format("\nIts own keys stand in `[integrator.{}]`.\n", type.name);
        text +=
            "\n| key | value | unit | default | range | meaning |\n| --- | --- | --- | --- | --- | "
            "--- |\n";
        add_markdown_rows(parameters(type), "", text);
    }
    if (const std::vector<std::string> list = claims(type); !list.empty())
        text += fmt::format("\nClaims: {}.\n", fmt::join(list, ", "));
    if (const std::string sources = derivatives_text(type); !sources.empty())
        text += fmt::format("\nDerivatives: {}.\n", sources);
    for (const char* example : examples(type))
        if (*example != '\0') text += fmt::format("\n```toml\n{}\n```\n", example);
    if (*type.source != '\0') text += fmt::format("\nSource: {}\n", type.source);
    return text;
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
            {"sensitive", parameter.is_sensitive},
        };
        if (parameter.num_children > 0) object["parameters"] = to_json(children(parameter));
        list.push_back(std::move(object));
    }
    return list;
}

Json to_json(const PluginType& entry) {
    const TypeDescriptor& type = *entry.type;
    Json sources = Json::object();
    for (const auto& [what, source] : derivatives(type)) sources[what] = name_of(source);
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
            {"claims", claims(type)},
            {"derivatives", sources},
            {"examples", examples(type)},
            {"source", type.source}};
}

void sort_by_name(std::vector<PluginType>& types) {
    std::ranges::stable_sort(types, {}, [](const PluginType& entry) {
        return std::pair(entry.type->kind, std::string_view(entry.type->name));
    });
}

/// Every type of every plugin on the search path, by kind and then by name.
std::vector<PluginType> all_types(PluginRegistry& registry) {
    std::vector<PluginType> all;
    std::set<const Plugin*> seen;
    for (const auto& [file, plugin, problem] : registry.scan()) {
        if (plugin == nullptr || !seen.insert(plugin).second) continue;
        for (const TypeDescriptor& type :
             std::span(plugin->descriptor->types, plugin->descriptor->num_types))
            all.push_back({plugin, &type});
    }
    sort_by_name(all);
    return all;
}

/// Every type of this name, whatever its kind; no plugin is opened that offers none.
std::vector<PluginType> find_types(PluginRegistry& registry, const std::string& name) {
    std::vector<PluginType> found;
    std::vector<std::string> names;
    std::vector<std::string> refused;  // one of these may offer it
    // one file may be reached through several links
    const auto is_there = [&found](const TypeDescriptor* type) {
        return std::ranges::find(found, type, &PluginType::type) != found.end();
    };
    for (const ListedPlugin& listed : registry.list()) {
        if (!listed.problem.empty()) refused.push_back(listed.problem);
        for (const auto& [kind, type_name] : listed.types) {
            names.push_back(type_name);
            if (type_name != name) continue;
            const Plugin& plugin = registry.load_file(listed.file);
            for (const TypeDescriptor& type :
                 std::span(plugin.descriptor->types, plugin.descriptor->num_types))
                if (type.kind == kind && type.name == name && !is_there(&type))
                    found.push_back({&plugin, &type});
        }
    }
    if (!found.empty()) {
        sort_by_name(found);
        return found;
    }

    std::string text = fmt::format("unknown type \"{}\"{} (\"ancora plugins\" lists the types)",
                                   name,
                                   did_you_mean(name, names));
    for (std::size_t i = 0; i < refused.size() && i < kMostRefusals; ++i)
        text += "\n  refused: " + refused[i];
    if (refused.size() > kMostRefusals)
        text += fmt::format("\n  refused: {} more", refused.size() - kMostRefusals);
    throw Error(ErrorKind::manifest, text);
}

}  // namespace

int describe(const Options& options) {
    PluginRegistry registry;
    add_folders(registry, options);
    const std::vector<PluginType> entries =
        options.all ? all_types(registry) : find_types(registry, options.operand);

    std::string text = options.all && options.markdown ? "# Types\n" : "";
    Json list = Json::array();
    for (const PluginType& entry : entries) {
        if (!text.empty()) text += '\n';
        text += options.markdown ? to_markdown(entry) : to_text(entry);
        list.push_back(to_json(entry));
    }
    if (options.json) text = list.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
    write_out(text);
    return 0;
}

}  // namespace ancora::command
