// SPDX-License-Identifier: BSD-3-Clause
// TOML text to tables and values; the only file that knows the TOML library is its source.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "ancora/framework/value.hpp"

namespace ancora {

/// Most arrays, tables and parts of a dotted key that may stand one in another.
constexpr std::size_t kMostTomlDepth = 100;

/// Reads a whole document. Every key and value has its place; entries stand in the order of the
/// file.
/// @throws Error (manifest) if the text is not TOML 1.0 in UTF-8, nested deeper than that, or holds
///         a date or a time
Table read_toml(std::string_view text, std::shared_ptr<const std::string> file);

/// Reads one value, as after `key =`; text that is no TOML value is taken as a string. The value
/// and all in it get the same place.
/// @throws Error (manifest) if it is nested too deep
Value read_toml_value(std::string_view text, const Place& place);

}  // namespace ancora
