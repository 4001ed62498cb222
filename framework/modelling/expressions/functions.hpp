// SPDX-License-Identifier: BSD-3-Clause
// The functions and constants that an expression may use.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ancora {

/// What a function asks of its arguments' dimensions, and what it gives.
enum class Rule {
    none_to_none,  ///< sin
    none_to_same,  ///< floor: depends on the unit, so it may have none
    same_to_same,  ///< abs, max
    same_to_none,  ///< sign, atan2
    root,          ///< sqrt
};

struct Function {
    std::string_view name;
    int num_arguments;  ///< -1: two or more
    Rule rule;
    double (*of_one)(double) = nullptr;
    double (*of_two)(double, double) = nullptr;  ///< of many: of the first two, and so on
};

struct Constant {
    std::string_view name;
    double value;
};

/// Null if there is none of that name.
const Function* find_function(std::string_view name);
const Constant* find_constant(std::string_view name);

/// In alphabetical order.
std::vector<std::string> function_names();
std::span<const Constant> constants();

}  // namespace ancora
