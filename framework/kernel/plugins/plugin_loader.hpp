// SPDX-License-Identifier: BSD-3-Clause
// Examines plugin files, reads what they say of themselves, and opens them, once per process.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "ancora/framework/plugin_registry.hpp"
#include "library_note.hpp"
#include "trusted_file.hpp"

namespace ancora {

/// A plugin's file before anything of it runs.
struct PluginFile {
    std::filesystem::path named;  ///< as it was asked for; its stem is the plugin's name
    TrustedFile file;
    bool allows_unchecked = false;
    std::optional<PluginNote> note;  ///< null if ANCORA_PLUGIN left none in it
    std::string problem;             ///< why it is refused; as in OpenedPlugin
};

/// Examines the file and reads its note. Runs nothing.
PluginFile read_plugin_file(const std::filesystem::path& file, bool allows_unchecked);
/// The same, of a file that is open.
PluginFile read_plugin_file(const std::filesystem::path& named,
                            TrustedFile file,
                            bool allows_unchecked);

/// A plugin, or why there is none.
struct OpenedPlugin {
    const Plugin* plugin = nullptr;  ///< lives as long as the process
    std::string problem;             ///< to be read after 'plugin "truss" (/path/truss.so) '
};

/// Opens the library and checks its descriptor; a file that is open already is shared. Libraries
/// are never closed, not even refused ones: code of theirs may still be referred to.
///
/// What runs are the bytes that were hashed, whatever happens to the file: see PluginImage. In a
/// program that is started with ANCORA_PLUGINS_IN_PLACE in its environment it is the file itself,
/// for profilers that read it.
///
/// May be called from several threads.
///
/// @param admit  gets name, version (empty if the file has none), file and hash before any code
///        runs, and throws to prevent it; may be empty
OpenedPlugin open_plugin(const PluginFile& file, const std::function<void(const Plugin&)>& admit);

/// Whether the file is open in this process already.
bool is_open(const PluginFile& file);

/// The problem of a file that does not have its plugin's name.
std::string other_name(const std::string& plugin);

}  // namespace ancora
