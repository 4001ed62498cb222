// SPDX-License-Identifier: BSD-3-Clause
// Reads the units behind a number: "N s/m", "kg/(m s^2)".
#pragma once

#include <cstddef>
#include <string_view>

#include "symbols.hpp"
#include "units.hpp"

namespace ancora {

/// Whether a unit may begin there: a letter, or the other sign for micro, and no word that joins
/// conditions.
bool unit_begins(std::string_view text, std::size_t at);

/// Reads one unit or several from `at` on, as far as they go, and moves `at` behind them.
/// @throws FormulaError
Unit read_unit(std::string_view text, std::size_t& at, const Symbols& symbols);

}  // namespace ancora
