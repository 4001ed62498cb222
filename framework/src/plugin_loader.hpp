// SPDX-License-Identifier: BSD-3-Clause
// Opens plugin files, once per process, and checks what they are.
#pragma once

#include <filesystem>
#include <string>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// A plugin, or why there is none.
struct OpenedPlugin {
    const Plugin* plugin = nullptr;  ///< lives as long as the process
    std::string problem;             ///< to be read after 'plugin "truss" (/path/truss.so) '
};

/// Opens the library and checks its descriptor; a file that is open already is shared. Libraries
/// are never closed, not even refused ones: code of theirs may still be referred to.
///
/// May be called from several threads.
///
/// @param file  absolute path of an existing file; its stem is the plugin's name
OpenedPlugin open_plugin(const std::filesystem::path& file);

}  // namespace ancora
