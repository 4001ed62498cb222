// SPDX-License-Identifier: BSD-3-Clause
// `ancora plugins`: where was searched, what was found, what was refused and why.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/plugin_registry.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

std::span<const TypeDescriptor> types(const Plugin& plugin) {
    return {plugin.descriptor->types, plugin.descriptor->num_types};
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

/// Whether a finding is about `folder` itself or a file in it.
bool belongs(const FoundPlugin& found, const fs::path& folder) {
    return found.file == folder || found.file.parent_path() == folder;
}

std::span<const Parameter> parameters(const TypeDescriptor& type) {
    return {type.parameters, static_cast<std::size_t>(type.num_parameters)};
}

/// What a manifest writes above an object of this type. Rows that take frames are joints, those
/// that act on a measure are forces: springs, dampers, drives.
std::string heading_of(const TypeDescriptor& type) {
    const auto takes = [&](Shape shape) {
        return std::ranges::any_of(parameters(type), [shape](const Parameter& p) {
            return p.allows(shape);
        });
    };
    if (type.kind == TypeKind::integrator) return "[integrator]";
    if (type.kind == TypeKind::constraint && takes(Shape::frame)) return "[[joint]]";
    if (type.kind == TypeKind::constraint && takes(Shape::measure)) return "[[force]]";
    return fmt::format("[[{}]]", ancora::to_text(type.kind));
}

/// The key of a joint that makes a law of this type inside: "spring". Empty if there is none.
std::string joint_key_of(const TypeDescriptor& type, std::span<const FoundPlugin> all) {
    for (const FoundPlugin& found : all) {
        if (found.plugin == nullptr) continue;
        for (const TypeDescriptor& other : types(*found.plugin))
            for (const Parameter& p : parameters(other))
                if (p.makes != nullptr && std::string_view(p.makes) == type.name) return p.name;
    }
    return {};
}

std::string to_text(const FoundPlugin& found, std::span<const FoundPlugin> all) {
    if (found.plugin == nullptr) return fmt::format("  refused: {}\n", found.problem);
    std::string text = fmt::format(
        "  {} {}  {}\n", found.plugin->name, found.plugin->version, found.file.filename().string());
    TextTable table;
    for (const TypeDescriptor& type : types(*found.plugin)) {
        const std::string key = joint_key_of(type, all);
        table.add({"",
                   heading_of(type),
                   type.name,
                   key.empty() ? type.doc : fmt::format("{}; in a joint: key {}", type.doc, key)});
    }
    return text + table.text();
}

std::string to_text(std::span<const fs::path> folders, std::span<const FoundPlugin> found) {
    std::string text = "Folders, in the order of search:\n";
    for (const fs::path& folder : folders) {
        text +=
            fmt::format("\n{}{}\n", folder.string(), is_folder(folder) ? "" : "  (no such folder)");
        for (const FoundPlugin& each : found)
            if (belongs(each, folder)) text += to_text(each, found);
    }
    // What no folder of the list claims must be shown all the same.
    const auto is_lost = [&](const FoundPlugin& each) {
        return std::none_of(folders.begin(), folders.end(), [&](const auto& f) {
            return belongs(each, f);
        });
    };
    for (const FoundPlugin& each : found)
        if (is_lost(each))
            text += fmt::format("\n{}\n{}", each.file.string(), to_text(each, found));
    return text;
}

Json to_json(std::span<const fs::path> folders, std::span<const FoundPlugin> found) {
    Json folder_list = Json::array();
    for (const fs::path& folder : folders)
        folder_list.push_back({{"path", folder.string()}, {"exists", is_folder(folder)}});

    Json accepted = Json::array();
    Json refused = Json::array();
    for (const FoundPlugin& each : found) {
        if (each.plugin == nullptr) {
            refused.push_back({{"file", each.file.string()}, {"reason", each.problem}});
            continue;
        }
        Json type_list = Json::array();
        for (const TypeDescriptor& type : types(*each.plugin))
            type_list.push_back({{"kind", ancora::to_text(type.kind)},
                                 {"heading", heading_of(type)},
                                 {"joint_key", joint_key_of(type, found)},
                                 {"name", type.name},
                                 {"doc", type.doc}});
        accepted.push_back({{"name", each.plugin->name},
                            {"version", each.plugin->version},
                            {"file", each.file.string()},
                            {"sha256", each.plugin->sha256},
                            {"types", std::move(type_list)}});
    }
    return {{"folders", std::move(folder_list)},
            {"plugins", std::move(accepted)},
            {"refused", std::move(refused)}};
}

}  // namespace

void add_folders(PluginRegistry& registry, const Options& options) {
    for (const fs::path& folder : options.plugin_dirs) registry.add_folder(folder);
    registry.allow_unchecked_folders(options.unchecked_plugin_dirs);
}

int plugins(const Options& options) {
    PluginRegistry registry;
    add_folders(registry, options);
    const std::vector<fs::path> folders = registry.folders();
    const std::vector<FoundPlugin> found = registry.scan();
    if (options.json)
        write_out(to_json(folders, found).dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
    else
        write_out(to_text(folders, found));
    return 0;
}

}  // namespace ancora::command
