// SPDX-License-Identifier: BSD-3-Clause
// Expressions in a manifest: "2*pi*r", "10 mm", "mod(i + 1, n)".
#pragma once

#include <string>
#include <string_view>

#include "quantity.hpp"
#include "symbols.hpp"

namespace ancora {

/// Computes an expression: operators, conditions and functions are those of formulas (see
/// detail::FormulaGrammar), and
///
///   primary  = (number | "(" condition ")") [unit] | name ["[" sum "]"]
///            | function "(" condition {"," condition} ")"
///   unit     = name ["^" exponent] {[" " | "*" | "/"] ...}
///
/// Behind a number or a bracket, a name is a unit; it goes on over "*" and "/" as long as units
/// follow. A name there that is a unit and a symbol is refused, since either may be meant.
///
/// Dimensions: a sum, a comparison, a choice (min, max, mod, hypot, atan2, if) needs equal ones; a
/// product has their product. A number without unit fits in every sum and scales in a product. What
/// holds an open quantity in a product is open.
///
/// @throws FormulaError with the position of the first character that is wrong
Quantity evaluate(std::string_view text, const Symbols& symbols);

/// The array that `text` names, or the row "p[2]" of an array of rows, if it is that and nothing
/// else.
Symbol named_array(std::string_view text, const Symbols& symbols);

/// Why a name cannot be that of a parameter or an index; empty if it can.
std::string name_problem(std::string_view name);

/// If `text` is a number with a unit and nothing else, its unit; else empty.
std::string_view written_unit(std::string_view text);

/// The value as text: an integer where it is one, else the shortest that reads back the same.
std::string number_text(double x);

}  // namespace ancora
