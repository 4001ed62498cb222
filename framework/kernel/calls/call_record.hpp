// SPDX-License-Identifier: BSD-3-Clause
// What writing and reading the record of a failed call share.
#pragma once

#include <filesystem>
#include <string_view>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// The first line of every record, which distinguishes it from files that must not be overwritten.
inline constexpr std::string_view kRecordMark = "# A call of an Ancora plugin that failed.";
inline constexpr int kRecordFormat = 1;

/// Whether plugins are looked for in `folder`.
bool is_searched(const PluginRegistry& registry, const std::filesystem::path& folder);

}  // namespace ancora
