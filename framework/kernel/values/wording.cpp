// SPDX-License-Identifier: BSD-3-Clause
// Pieces of messages.
#include "wording.hpp"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "usual_words.hpp"

namespace ancora {
namespace {

constexpr std::size_t kLongestQuote = 60;  // bytes
constexpr std::size_t kMostNamesListed = 40;

template <class T>
bool all_are(const Array& array) {
    return std::ranges::all_of(array, [](const Value& x) {
        return x.as<T>() != nullptr;
    });
}

bool all_numbers(const Array& array) {
    return std::ranges::all_of(array, [](const Value& x) {
        return x.as<double>() || x.as<std::int64_t>();
    });
}

std::string counted(std::size_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "2 rows of 3 numbers", or "2 rows" where they differ
std::string rows_in_words(const Array& rows) {
    const std::size_t columns = rows.front().as<Array>()->size();
    const bool is_matrix = std::ranges::all_of(rows, [columns](const Value& row) {
        return row.as<Array>()->size() == columns && all_numbers(*row.as<Array>());
    });
    const std::string count = counted(rows.size(), "row");
    return is_matrix ? count + " of " + counted(columns, "number") : count;
}

std::string in_words(const Array& array) {
    if (array.empty()) return "an empty array";
    std::string items = counted(array.size(), "value") + " of mixed kinds";
    if (all_numbers(array)) items = counted(array.size(), "number");
    if (all_are<std::string>(array)) items = counted(array.size(), "text");
    if (all_are<bool>(array)) items = counted(array.size(), "boolean");
    if (all_are<Table>(array)) items = counted(array.size(), "table");
    if (all_are<Array>(array)) items = rows_in_words(array);
    return "an array of " + items;
}

// A whole number keeps its ".0", so that it is not taken for an integer.
std::string in_words(double x) {
    std::string text = fmt::format("{}", x);
    if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
    return text;
}

}  // namespace

std::string in_quotes(std::string_view text) {
    if (text.size() <= kLongestQuote) return '"' + escaped(text) + '"';
    // not through the middle of a UTF-8 sequence
    std::size_t end = kLongestQuote;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
    return '"' + escaped(text.substr(0, end)) + "...\"";
}

std::string alternatives(std::span<const std::string> phrases) {
    if (phrases.empty()) return {};
    if (phrases.size() == 1) return phrases.front();
    return fmt::format(
        "{} or {}", fmt::join(phrases.first(phrases.size() - 1), ", "), phrases.back());
}

std::string hint(std::string_view name, std::span<const std::string> names, std::string_view what) {
    if (names.empty()) return {};
    if (name == "diameter" && std::ranges::find(names, "radius") != names.end())
        return "; write \"radius\", half of it";
    if (const std::string_view usual = usual_word(name, names); !usual.empty())
        return fmt::format("; here it is called \"{}\"", usual);
    if (std::string nearest = did_you_mean(name, names); !nearest.empty()) return nearest;
    const auto listed = names.first(std::min(names.size(), kMostNamesListed));
    return fmt::format(
        "; {}: {}{}", what, fmt::join(listed, ", "), listed.size() < names.size() ? ", ..." : "");
}

std::string in_words(const Value& value) {
    struct Words {
        std::string operator()(bool x) const { return x ? "true" : "false"; }
        std::string operator()(std::int64_t x) const { return fmt::format("{}", x); }
        std::string operator()(double x) const { return in_words(x); }
        std::string operator()(const std::string& x) const { return in_quotes(x); }
        std::string operator()(const Array& x) const { return in_words(x); }
        std::string operator()(const Table&) const { return "a table"; }
    };
    return std::visit(Words{}, value.data());
}

}  // namespace ancora
