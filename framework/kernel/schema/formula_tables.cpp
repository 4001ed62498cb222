// SPDX-License-Identifier: BSD-3-Clause
// Rows in the place of the files that formulas name.
#include "formula_tables.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/formula/scanner.hpp"
#include "expression.hpp"
#include "table_file.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr std::string_view kCall = "table";

// Of a map's shorter side: a formula has so many operations and no more.
constexpr std::size_t kMostColumns = 40;

/// One `table("road.csv", "height", ` of a text.
struct NamedTable {
    std::size_t begin, end;  ///< from the first quote to behind the last
    std::vector<std::string> names;
    // Of a table of two arguments.
    std::vector<std::string> arguments;        ///< two, or none
    std::size_t call_begin = 0, call_end = 0;  ///< from its name to behind its bracket
};

std::size_t behind_space(std::string_view text, std::size_t at) {
    return std::min(text.find_first_not_of(" \t\r\n", at), text.size());
}

/// A text in quotes at `at`, which goes behind it.
std::optional<std::string> in_its_quotes(std::string_view text, std::size_t& at) {
    if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return std::nullopt;
    const std::size_t end = text.find(text[at], at + 1);
    if (end == std::string_view::npos) return std::nullopt;
    std::string out(text.substr(at + 1, end - at - 1));
    at = end + 1;
    return out;
}

/// Behind the names of a table: its arguments, if there are two of them.
void read_arguments(std::string_view text, std::size_t call_begin, NamedTable& found) {
    std::size_t at = behind_space(text, found.end);
    if (at >= text.size() || text[at] != ',') return;
    std::vector<std::string> arguments;
    int depth = 0;
    char quote = '\0';
    std::size_t first = ++at;
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == '[') {
            ++depth;
        } else if (depth == 0 && (c == ',' || c == ')')) {
            arguments.emplace_back(text.substr(first, at - first));
            first = at + 1;
            if (c == ')') break;
        } else if (c == ')' || c == ']') {
            --depth;
        }
    }
    if (at >= text.size() || arguments.size() != 2) return;
    found.arguments = std::move(arguments);
    found.call_begin = call_begin;
    found.call_end = at + 1;
}

std::optional<NamedTable> next_table(std::string_view text, std::size_t from) {
    const auto is_part = [](char c) {
        return detail::FormulaScanner::is_word(c) || c == '.' || c == '@';
    };
    for (std::size_t at = from; (at = text.find(kCall, at)) != std::string_view::npos;
         at += kCall.size()) {
        if (at > 0 && is_part(text[at - 1])) continue;
        std::size_t here = behind_space(text, at + kCall.size());
        if (here >= text.size() || text[here] != '(') continue;
        here = behind_space(text, here + 1);
        NamedTable found{here, here, {}, {}};
        if (auto file = in_its_quotes(text, here)) {
            found.names.push_back(std::move(*file));
            found.end = here;
            std::size_t then = behind_space(text, here);
            if (then < text.size() && text[then] == ',') {
                then = behind_space(text, then + 1);
                // A name in quotes that a dot follows is an object's
                std::size_t last = then;
                const auto column = in_its_quotes(text, last);
                const bool is_object =
                    last < text.size() && (text[last] == '.' || text[last] == '@');
                if (column && !is_object) {
                    found.names.push_back(*column);
                    found.end = last;
                }
            }
            if (found.names.size() == 1) read_arguments(text, at, found);
            return found;
        }
    }
    return std::nullopt;
}

bool has_table(const Value& value) {
    if (const auto* const text = value.as<std::string>()) return next_table(*text, 0).has_value();
    if (const Array* const array = value.as<Array>()) return std::ranges::any_of(*array, has_table);
    const Table* const table = value.as<Table>();
    return table != nullptr && has_table_files(*table);
}

std::string rows_of(const NamedTable& named,
                    const std::string& label,
                    const Place& where,
                    const Place& home) {
    Table keys;
    keys.add({"file", where, {named.names[0], where}});
    if (named.names.size() > 1) keys.add({"column", where, {named.names[1], where}});
    const TableFile read = read_table_file(label, keys, where, home, 2);
    std::string out = "[";
    for (std::size_t k = 0; k < read.numbers.size(); k += 2) {
        if (k > 0 && !(read.numbers[k] > read.numbers[k - 2]))
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: {}: row {} of numbers begins with {}, the one before it "
                                    "with {}; what the table is a function of must increase from "
                                    "row to row",
                                    label,
                                    in_quotes(named.names[0]),
                                    k / 2 + 1,
                                    number_text(read.numbers[k]),
                                    number_text(read.numbers[k - 2])),
                        where);
        out += fmt::format("{}[{}, {}]",
                           k > 0 ? ", " : "",
                           number_text(read.numbers[k]),
                           number_text(read.numbers[k + 1]));
    }
    return out + ']';
}

/// (1)
std::string map_of(const NamedTable& named,
                   const std::string& label,
                   const Place& where,
                   const Place& home) {
    Table keys;
    keys.add({"file", where, {named.names[0], where}});
    const TableFile read = read_table_file(label, keys, where, home, kMapColumns);
    const auto num_rows = static_cast<std::size_t>(read.rows);
    const std::size_t width = read.numbers.size() / num_rows;
    const auto refuse = [&](const std::string& why) {
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: {}: {}", label, in_quotes(named.names[0]), why),
                    where);
    };
    if (num_rows < 3 || width < 3)
        refuse(
            fmt::format("a table of two arguments has the values of the second in its first "
                        "row, those of the first in its first column, and two or more of each; "
                        "found {} by {}",
                        num_rows - 1,
                        width - 1));
    // Along the first argument, along the second.
    std::array<std::vector<double>, 2> places;
    for (std::size_t i = 1; i < num_rows; ++i) places[0].push_back(read.numbers[i * width]);
    for (std::size_t k = 1; k < width; ++k) places[1].push_back(read.numbers[k]);
    for (const std::size_t side : {0u, 1u})
        for (std::size_t i = 1; i < places[side].size(); ++i)
            if (!(places[side][i] > places[side][i - 1]))
                refuse(
                    fmt::format("the values of its {} argument, in the first {}, must increase: "
                                "{} comes behind {}",
                                side == 0 ? "first" : "second",
                                side == 0 ? "column" : "row",
                                number_text(places[side][i]),
                                number_text(places[side][i - 1])));
    const std::size_t of_hats = places[0].size() < places[1].size() ? 0 : 1;
    const std::vector<double>&along = places[1 - of_hats], &across = places[of_hats];
    if (across.size() > kMostColumns)
        refuse(fmt::format("it is {} by {}; its shorter side may have {} values at most",
                           places[0].size(),
                           places[1].size(),
                           kMostColumns));
    std::string out = "(";
    for (std::size_t k = 0; k < across.size(); ++k) {
        out += fmt::format("{}table([", k > 0 ? " + " : "");
        for (std::size_t i = 0; i < along.size(); ++i) {
            const std::size_t row = of_hats == 1 ? i : k, column = of_hats == 1 ? k : i;
            out += fmt::format("{}[{}, {}]",
                               i > 0 ? ", " : "",
                               number_text(along[i]),
                               number_text(read.numbers[(row + 1) * width + column + 1]));
        }
        out += fmt::format("], ({}))*table([", named.arguments[1 - of_hats]);
        const std::size_t first = k > 0 ? k - 1 : 0;
        for (std::size_t j = first; j < std::min(k + 2, across.size()); ++j)
            out += fmt::format(
                "{}[{}, {}]", j > first ? ", " : "", number_text(across[j]), j == k ? 1 : 0);
        out += fmt::format("], ({}))", named.arguments[of_hats]);
    }
    return out + ')';
}

void read_value(const std::string& label, Value& value, const Place& place, const Place& home) {
    const Place where = value.place().known() ? value.place() : place;
    if (auto* const text = std::get_if<std::string>(&value.data())) {
        for (std::size_t at = 0; const auto named = next_table(*text, at);) {
            const Place& from = where.line > 0 ? where : home;
            if (!named->arguments.empty()) {
                // Its arguments may have tables themselves.
                text->replace(named->call_begin,
                              named->call_end - named->call_begin,
                              map_of(*named, label, where, from));
                at = named->call_begin;
                continue;
            }
            const std::string rows = rows_of(*named, label, where, from);
            text->replace(named->begin, named->end - named->begin, rows);
            at = named->begin + rows.size();
        }
    } else if (auto* const array = std::get_if<Array>(&value.data())) {
        for (Value& entry : *array) read_value(label, entry, where, home);
    } else if (auto* const table = std::get_if<Table>(&value.data())) {
        for (Table::Entry& entry : table->entries())
            read_value(fmt::format("{}.{}", label, entry.key), entry.value, entry.place, home);
    }
}

}  // namespace

bool has_table_files(const Table& values) {
    return std::ranges::any_of(values.entries(), [](const Table::Entry& entry) {
        return has_table(entry.value);
    });
}

void read_table_files(const std::string& label, Table& values, const Place& home) {
    for (Table::Entry& entry : values.entries())
        read_value(fmt::format("{}: {}", label, entry.key), entry.value, entry.place, home);
}

}  // namespace ancora
