// SPDX-License-Identifier: BSD-3-Clause
// "${...}" in the strings of a manifest.
#pragma once

#include <string>
#include <string_view>

#include "ancora/framework/value.hpp"
#include "symbols.hpp"

namespace ancora {

/// Replaces each "${EXPRESSION}" in the strings of `value`, at any depth, by its value; "$${"
/// stands for "${".
/// @throws Error (manifest) at the string's place
void interpolate(Value& value, const Symbols& scope);
void interpolate(Table& table, const Symbols& scope);

/// Whether a string in it holds "${".
bool holds_interpolation(const Value& value);
bool holds_interpolation(const Table& table);

/// The string so that interpolate() gives it back.
std::string without_interpolation(std::string_view text);

}  // namespace ancora
