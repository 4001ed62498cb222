// SPDX-License-Identifier: BSD-3-Clause
// A recorded call made once more.
#pragma once

#include <string_view>
#include <vector>

#include "ancora/sdk/plugin.hpp"
#include "plugin_call.hpp"

namespace ancora {

/// Whether objects of a kind have a call of this name in the table.
bool has_call(TypeKind kind, std::string_view name);

// Make the call; outputs begin with zeros. They throw what the plugin throws, and Error (file) for
// inputs of other sizes than the kernel's, since a record may have been edited.
std::vector<CallValues> make_call(const Body& body, const PluginCall& call);
std::vector<CallValues> make_call(const Constraint& constraint, const PluginCall& call);
std::vector<CallValues> make_call(const NonidealForce& force, const PluginCall& call);
std::vector<CallValues> make_call(const RowSource& rows, const PluginCall& call);

}  // namespace ancora
