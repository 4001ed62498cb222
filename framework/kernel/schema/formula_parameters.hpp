// SPDX-License-Identifier: BSD-3-Clause
// Parameters by their names in formulas: "k*sin(t)".
#pragma once

#include <string>
#include <string_view>

#include "ancora/sdk/parameter.hpp"
#include "symbols.hpp"

namespace ancora {

/// The formula with numbers in the place of parameters, for a type that knows none: a name alone
/// ("k") or an entry of an array ("tip[0]"), but no object ("k.x", "'k'.x") and no function. The
/// time t and what the formula reads itself keep their meaning.
/// @throws FormulaError with the position in `formula`
std::string with_parameters(std::string_view formula,
                            const Symbols& symbols,
                            FormulaNames reads = FormulaNames::none);

/// The first name in a text that the formula reads itself and [parameters] have, too; or nothing.
std::string ambiguous_name(std::string_view formula, const Symbols& symbols, FormulaNames reads);

}  // namespace ancora
