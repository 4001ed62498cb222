// SPDX-License-Identifier: BSD-3-Clause
// `ancora plugins`: where was searched, what was found, what was refused and why.
#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
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

std::string to_text(const FoundPlugin& found) {
    if (found.plugin == nullptr) return fmt::format("  refused: {}\n", found.problem);
    std::string text = fmt::format(
        "  {} {}  {}\n", found.plugin->name, found.plugin->version, found.file.filename().string());
    TextTable table;
    for (const TypeDescriptor& type : types(*found.plugin))
        table.add({"", ancora::to_text(type.kind), type.name, type.doc});
    return text + table.text();
}

std::string to_text(std::span<const fs::path> folders, std::span<const FoundPlugin> found) {
    std::string text = "Folders, in the order of search:\n";
    for (const fs::path& folder : folders) {
        text +=
            fmt::format("\n{}{}\n", folder.string(), is_folder(folder) ? "" : "  (no such folder)");
        for (const FoundPlugin& each : found)
            if (belongs(each, folder)) text += to_text(each);
    }
    // What no folder of the list claims must be shown all the same.
    const auto is_lost = [&](const FoundPlugin& each) {
        return std::none_of(folders.begin(), folders.end(), [&](const auto& f) {
            return belongs(each, f);
        });
    };
    for (const FoundPlugin& each : found)
        if (is_lost(each)) text += fmt::format("\n{}\n{}", each.file.string(), to_text(each));
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
            type_list.push_back(
                {{"kind", ancora::to_text(type.kind)}, {"name", type.name}, {"doc", type.doc}});
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
