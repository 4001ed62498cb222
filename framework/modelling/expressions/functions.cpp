// SPDX-License-Identifier: BSD-3-Clause
// The functions and constants that an expression may use.
#include "functions.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>

namespace ancora {
namespace {

/// Each with one address, which those of the standard library need not have.
struct Of {
    static double abs(double x) { return std::abs(x); }
    static double acos(double x) { return std::acos(x); }
    static double asin(double x) { return std::asin(x); }
    static double atan(double x) { return std::atan(x); }
    static double atan2(double y, double x) { return std::atan2(y, x); }
    static double ceil(double x) { return std::ceil(x); }
    static double cos(double x) { return std::cos(x); }
    static double cosh(double x) { return std::cosh(x); }
    static double exp(double x) { return std::exp(x); }
    static double floor(double x) { return std::floor(x); }
    static double hypot(double x, double y) { return std::hypot(x, y); }
    static double log(double x) { return std::log(x); }
    static double log10(double x) { return std::log10(x); }
    static double max(double x, double y) { return std::max(x, y); }
    static double min(double x, double y) { return std::min(x, y); }
    static double round(double x) { return std::round(x); }
    static double sin(double x) { return std::sin(x); }
    static double sinh(double x) { return std::sinh(x); }
    static double sqrt(double x) { return std::sqrt(x); }
    static double tan(double x) { return std::tan(x); }
    static double tanh(double x) { return std::tanh(x); }
    static double sign(double x) { return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0; }
    /// In [0, b), so that mod(i - 1, n) goes around a ring.
    static double mod(double a, double b) {
        const double rest = std::fmod(a, b);
        return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
    }
};

constexpr Function kFunctions[] = {
    {"abs", 1, Rule::same_to_same, Of::abs},
    {"acos", 1, Rule::none_to_none, Of::acos},
    {"asin", 1, Rule::none_to_none, Of::asin},
    {"atan", 1, Rule::none_to_none, Of::atan},
    {"atan2", 2, Rule::same_to_none, nullptr, Of::atan2},
    {"ceil", 1, Rule::none_to_same, Of::ceil},
    {"cos", 1, Rule::none_to_none, Of::cos},
    {"cosh", 1, Rule::none_to_none, Of::cosh},
    {"exp", 1, Rule::none_to_none, Of::exp},
    {"floor", 1, Rule::none_to_same, Of::floor},
    {"hypot", -1, Rule::same_to_same, nullptr, Of::hypot},
    {"log", 1, Rule::none_to_none, Of::log},
    {"log10", 1, Rule::none_to_none, Of::log10},
    {"max", -1, Rule::same_to_same, nullptr, Of::max},
    {"min", -1, Rule::same_to_same, nullptr, Of::min},
    {"mod", 2, Rule::same_to_same, nullptr, Of::mod},
    {"round", 1, Rule::none_to_same, Of::round},
    {"sign", 1, Rule::same_to_none, Of::sign},
    {"sin", 1, Rule::none_to_none, Of::sin},
    {"sinh", 1, Rule::none_to_none, Of::sinh},
    {"sqrt", 1, Rule::root, Of::sqrt},
    {"tan", 1, Rule::none_to_none, Of::tan},
    {"tanh", 1, Rule::none_to_none, Of::tanh},
};

constexpr Constant kConstants[] = {{"pi", std::numbers::pi},
                                   {"e", std::numbers::e},
                                   {"inf", std::numeric_limits<double>::infinity()}};

template <class Named, std::size_t size>
const Named* find(const Named (&named)[size], std::string_view name) {
    const auto found = std::ranges::find(named, name, &Named::name);
    return found == std::end(named) ? nullptr : found;
}

}  // namespace

const Function* find_function(std::string_view name) {
    return find(kFunctions, name);
}

const Constant* find_constant(std::string_view name) {
    return find(kConstants, name);
}

std::vector<std::string> function_names() {
    std::vector<std::string> names;
    for (const Function& function : kFunctions) names.emplace_back(function.name);
    return names;
}

std::span<const Constant> constants() {
    return kConstants;
}

}  // namespace ancora
