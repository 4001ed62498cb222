// SPDX-License-Identifier: BSD-3-Clause
// Values as TOML text, read back without loss.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ancora/framework/value.hpp"

namespace ancora {

/// A string in quotes, with escapes.
std::string toml_text(std::string_view text);
/// A floating-point number with 17 digits at most; nan and inf are TOML, too.
std::string toml_number(double x);
/// An array of numbers on one line.
std::string toml_numbers(std::span<const double> numbers);
/// Any value; tables are written inline.
std::string toml_value(const Value& value);
/// A key, bare or in quotes.
std::string toml_key(std::string_view key);

}  // namespace ancora
