// SPDX-License-Identifier: BSD-3-Clause
// What a model uses from outside: plugins and files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// A file that the model names.
struct InputFile {
    std::string key;  ///< "body.net.mesh"
    std::filesystem::path path;
    std::string sha256;       ///< hexadecimal, of its bytes when the model was made
    bool is_of_look = false;  ///< a body is drawn with it; the motion does not depend on it
};

/// A plugin that a model names or takes types from.
struct UsedPlugin {
    const Plugin* plugin = nullptr;
    std::vector<const TypeDescriptor*> types;  ///< that the model takes from it; may be none
};

}  // namespace ancora
