// SPDX-License-Identifier: BSD-3-Clause
// TOML text to tables and values; the only file that knows the TOML library is its source.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "ancora/framework/value.hpp"

namespace ancora {

/// Reads a whole document. Every key and value has its place; entries stand in the order of the
/// file.
/// @throws Error (manifest) if the text is not TOML 1.0 in UTF-8, or holds a date or a time
Table read_toml(std::string_view text, std::shared_ptr<const std::string> file);

/// Reads one value, as after `key =`; text that is no TOML value is taken as a string. The value
/// and all in it get the same place.
Value read_toml_value(std::string_view text, const Place& place);

}  // namespace ancora
