// SPDX-License-Identifier: BSD-3-Clause
// What functions of formulas make of numbers with dimensions, and the constants of expressions.
#include "functions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace ancora {
namespace {

constexpr Constant kConstants[] = {{"pi", std::numbers::pi},
                                   {"e", std::numbers::e},
                                   {"inf", std::numeric_limits<double>::infinity()}};

/// In [0, b), so that mod(i - 1, n) goes around a ring.
double remainder_of(double a, double b) {
    const double rest = std::fmod(a, b);
    return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

}  // namespace

Rule rule_of(const detail::FormulaFunction& function) {
    using Op = detail::FormulaOp;
    if (function.name == "mod" || function.name == "hypot") return Rule::same_to_same;
    switch (function.op) {
        case Op::abs:
        case Op::max:
        case Op::min:
            return Rule::same_to_same;
        case Op::sign:
        case Op::atan2:
            return Rule::same_to_none;
        case Op::floor:  // ceil and round are made of it
            return Rule::none_to_same;
        case Op::sqrt:
            return Rule::root;
        default:
            return Rule::none_to_none;
    }
}

double value_of(const detail::FormulaFunction& function, double a, double b) {
    // What a formula makes of several operations is one on numbers, with its last digits
    if (function.name == "ceil") return std::ceil(a);
    if (function.name == "round") return std::round(a);
    if (function.name == "hypot") return std::hypot(a, b);
    if (function.name == "mod") return remainder_of(a, b);
    return value_of(function.op, a, b);
}

double value_of(detail::FormulaOp op, double a, double b) {
    const double operands[] = {a, b};
    return detail::formula_value<double>({.op = op, .a = 0, .b = 1}, operands, nullptr, 0.0);
}

const Constant* find_constant(std::string_view name) {
    const auto* const found = std::ranges::find(kConstants, name, &Constant::name);
    return found == std::end(kConstants) ? nullptr : found;
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const detail::FormulaFunction& function : detail::kFormulaFunctions)
        names.emplace_back(function.name);
    return names;
}

std::span<const Constant> constants() {
    return kConstants;
}

}  // namespace ancora
