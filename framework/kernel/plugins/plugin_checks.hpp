// SPDX-License-Identifier: BSD-3-Clause
// Whether a plugin's descriptor may be believed: built for this program, complete, consistent.
#pragma once

#include <string>
#include <string_view>

#include "ancora/sdk/plugin.hpp"

namespace ancora {

/// True for [A-Za-z_][A-Za-z0-9_-]*, which names of plugins, types, parameters and objects match.
bool is_valid_name(std::string_view name);

/// Checks what the symbol `ancora_plugin_descriptor` of a library leads to: mark, SDK version,
/// size, fingerprint entry by entry, then names, types and schemas. Whatever it holds is read only
/// after what stands before it was found in order.
///
/// @returns what is wrong, to be read after 'plugin "truss" (/path/truss.so) '; empty if nothing
std::string find_flaw(const void* descriptor);

/// The flaw of a plugin that was built for another version of the SDK.
std::string other_sdk(std::uint32_t version);

}  // namespace ancora
