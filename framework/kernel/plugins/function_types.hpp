// SPDX-License-Identifier: BSD-3-Clause
// Plugins that no library holds: types of the program itself, among them its functions.
#pragma once

#include <memory>
#include <string>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// A plugin of the program, and what its descriptor points to.
struct ProgramPlugin {
    std::string name, doc;
    TypeDescriptor type;
    PluginDescriptor descriptor;
    Plugin plugin;
};

/// What stands where a plugin has its file.
inline constexpr const char* kThisProgram = "this program";

std::unique_ptr<ProgramPlugin> plugin_of(const PluginDescriptor& descriptor);
/// @throws Error (usage) if there is no function, or a constraint has no rows
std::unique_ptr<ProgramPlugin> plugin_of(ForceFunction function);
std::unique_ptr<ProgramPlugin> plugin_of(ConstraintFunction function);

}  // namespace ancora
