// SPDX-License-Identifier: BSD-3-Clause
// A manifest written out: one file, plain numbers.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/used_plugin.hpp"

namespace ancora {

class Manifest;

/// The manifest as TOML that reads as the same model, from any folder: included files merged,
/// overrides applied, expressions computed in SI units, objects generated, files by their whole
/// paths. What a type's schema says of its values is checked on the way; nothing is assembled.
///
/// @throws Error (manifest, plugin, file) as Simulation does for the same mistakes
ANCORA_FRAMEWORK_EXPORT std::string expanded_text(const Manifest& manifest,
                                                  PluginRegistry& registry);

/// Where an expanded manifest is to lie, and with which plugins its model was made.
struct ExpandedForFolder {
    std::filesystem::path folder;
    std::vector<UsedPlugin> plugins;  ///< Simulation::used_plugins()
    /// Folders of plugins that the registry was given besides those of the manifest.
    std::vector<std::filesystem::path> more_plugin_dirs;
};

/// The same for a file in a folder. Files and folders are named from there, so that all may be
/// moved together; by their whole paths if they have no folder in common with it.
/// @throws Error (usage) if the plugins are not those of this manifest, (file)
ANCORA_FRAMEWORK_EXPORT std::string expanded_text(const Manifest& manifest,
                                                  const ExpandedForFolder& where);

}  // namespace ancora
