// SPDX-License-Identifier: BSD-3-Clause
// What functions of formulas make of numbers with dimensions, and the constants of expressions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/formula/grammar.hpp"

namespace ancora {

/// What a function asks of its arguments' dimensions, and what it gives.
enum class Rule {
    none_to_none,  ///< sin
    none_to_same,  ///< floor: depends on the unit, so it may have none
    same_to_same,  ///< abs, max
    same_to_none,  ///< sign, atan2
    root,          ///< sqrt
};

struct Constant {
    std::string_view name;
    double value;
};

Rule rule_of(const detail::FormulaFunction& function);
/// Of one number, or of two; of many it is that of the first two, and so on.
double value_of(const detail::FormulaFunction& function, double a, double b = 0.0);
double value_of(detail::FormulaOp op, double a, double b);

/// Null if there is none of that name.
const Constant* find_constant(std::string_view name);

/// In alphabetical order.
std::vector<std::string> function_names();
std::span<const Constant> constants();

}  // namespace ancora
