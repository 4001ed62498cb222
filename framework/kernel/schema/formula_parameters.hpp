// SPDX-License-Identifier: BSD-3-Clause
// Parameters by their names in formulas: "k*sin(t)".
#pragma once

#include <string>
#include <string_view>

#include "symbols.hpp"

namespace ancora {

/// The formula with numbers in the place of parameters, for a type that knows none: a name alone
/// ("k") or an entry of an array ("tip[0]"), but no object ("k.x", "'k'.x") and no function. Names
/// that formulas have themselves (t; x, vx ... of a load's point; value and rate of a motor) keep
/// that meaning; a parameter of such a name enters as ${x}.
/// @throws FormulaError with the position in `formula`
std::string with_parameters(std::string_view formula, const Symbols& symbols);

/// Whether a text that may be a formula of time names t where [parameters] have one, too.
bool mistakes_time(std::string_view formula, const Symbols& symbols);

}  // namespace ancora
