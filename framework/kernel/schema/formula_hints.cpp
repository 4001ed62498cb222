// SPDX-License-Identifier: BSD-3-Clause
// Recognises what other languages have by what the reader of formulas says that it found.
#include "formula_hints.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace ancora {
namespace {

constexpr std::string_view kFound = "found \"";

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// @param found     what stands there
/// @param expected  what the reader wanted in its place
/// @param formula   the excerpt that a message shows, empty where it shows none
std::string hint_at_formula(std::string_view found,
                            std::string_view expected,
                            std::string_view formula) {
    const bool wants_operator = expected.starts_with("an operator");
    if (wants_operator && found == ",") return "; a point stands before decimals, such as 0.5";
    if (found == "\u00d7" || found == "\u00b7" || found == "\u22c5")
        return "; a product is written with *";
    if (found == "\u00b0") return "; degrees are written deg behind a number, in formulas *pi/180";
    if (found == "\u2212" || found == "\u2013") return "; minus is the sign - of the keyboard";
    if (found == "{" || found == "$") return "; a parameter k is written k, and ${k} in a text";
    for (const std::string_view module : {"np.", "math.", "numpy."})
        if (formula.find(module) != std::string_view::npos)
            return fmt::format("; functions are written without {}, such as sin(t)", module);
    if (found == "ln(" || found == "ln") return "; the natural logarithm is log";
    if (expected.find("behind the function \"if\"") != std::string_view::npos)
        return "; a choice is written if(condition, this, else that)";
    if (wants_operator && !found.empty() && (is_letter(found.front()) || found == "("))
        return found == "(" ? "; a product is written with *"
                            : "; a product is written with *, and formulas are in SI without units";
    return {};
}

}  // namespace

std::string with_formula_hint(std::string message) {
    const std::size_t found = message.find(kFound);
    if (found == std::string::npos) return message;
    const std::size_t begin = found + kFound.size();
    const std::size_t quote = message.find('"', begin);
    const std::size_t line_end = std::min(message.find('\n'), message.size());
    if (quote == std::string::npos || quote > line_end) return message;
    constexpr std::string_view kExpected = "expected ";
    const std::size_t expected = std::min(message.find(kExpected, quote), line_end);
    const std::string_view all = message;
    const std::string_view wanted =
        expected == line_end
            ? std::string_view()
            : all.substr(expected + kExpected.size(), line_end - expected - kExpected.size());
    // what is said already
    if (all.substr(0, line_end).find(';', quote) != std::string_view::npos) return message;
    const std::string hint =
        hint_at_formula(all.substr(begin, quote - begin), wanted, all.substr(line_end));
    return message.insert(line_end, hint);
}

}  // namespace ancora
