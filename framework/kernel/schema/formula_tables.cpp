// SPDX-License-Identifier: BSD-3-Clause
// Rows in the place of the files that formulas name.
#include "formula_tables.hpp"

#include <algorithm>
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

/// One `table("road.csv", "height", ` of a text.
struct NamedTable {
    std::size_t begin, end;  ///< from the first quote to behind the last
    std::vector<std::string> names;
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
        NamedTable found{here, here, {}};
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

void read_value(const std::string& label, Value& value, const Place& place, const Place& home) {
    const Place where = value.place().known() ? value.place() : place;
    if (auto* const text = std::get_if<std::string>(&value.data())) {
        for (std::size_t at = 0; const auto named = next_table(*text, at);) {
            const std::string rows = rows_of(*named, label, where, where.line > 0 ? where : home);
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
