// SPDX-License-Identifier: BSD-3-Clause
// Columns of a file with many, where a parameter takes a table.
#include "table_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "argument_files.hpp"
#include "expression.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

struct Cell {
    std::string_view text;
    int column = 0;  ///< where it begins in its line, counted from 1
};

/// A file as lines of cells.
class CellFile {
public:
    CellFile(std::string path, char decimal) : path_(std::move(path)), decimal_(decimal) {
        std::ifstream file(path_, std::ios::binary);
        text_.assign(std::istreambuf_iterator<char>(file), {});
        if (file.bad() || !file) refuse({}, "cannot be read");
        rest_ = text_;
        if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);  // byte-order mark
        if (rest_.find('\0') != std::string_view::npos)
            refuse({}, "is no text in UTF-8, UTF-16 perhaps; save it as CSV in UTF-8");
        // What spreadsheets write above tables
        if (rest_.starts_with("sep=") && rest_.size() > 5) {
            mark_ = rest_[4];
            rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size() - 1) + 1);
            ++line_;
        }
    }

    /// Goes to the next line with cells. @returns false at the end
    bool next() {
        while (!rest_.empty()) {
            const std::size_t end = rest_.find('\n');
            std::string_view line = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            ++line_;
            line = line.substr(0, line.find('#'));
            if (trimmed(line).empty()) continue;
            if (mark_ == '\0') mark_ = mark_of(line);
            split(line);
            return true;
        }
        return false;
    }

    const std::vector<Cell>& cells() const { return cells_; }
    int line() const { return line_; }

    std::optional<double> number(std::string_view text) const {
        std::string plain(text);
        if (decimal_ == ',') std::ranges::replace(plain, ',', '.');
        if (plain.starts_with('+')) plain.erase(0, 1);
        double x = 0.0;
        const char* const last = plain.data() + plain.size();
        const auto [end, error] = std::from_chars(plain.data(), last, x);
        if (end != last || plain.empty()) return std::nullopt;
        return error == std::errc::result_out_of_range ? HUGE_VAL : x;
    }

    [[noreturn]] void refuse(const Cell& cell, const std::string& why) const {
        throw Error(
            ErrorKind::manifest,
            why,
            {std::make_shared<const std::string>(path_), cell.column > 0 ? line_ : 0, cell.column});
    }

private:
    /// What separates cells, after the first line that has some.
    char mark_of(std::string_view line) const {
        for (const char mark : {'\t', ';', ','})
            if (line.find(mark) != std::string_view::npos && mark != decimal_) return mark;
        return ' ';
    }

    void split(std::string_view line) {
        cells_.clear();
        const auto is_blank = [](char c) {
            return kBlanks.find(c) != std::string_view::npos;
        };
        while (!line.empty() && is_blank(line.back()) && mark_ != '\t') line.remove_suffix(1);
        if (line.ends_with('\r')) line.remove_suffix(1);
        for (std::size_t at = 0; at <= line.size();) {
            if (mark_ != '\t')
                while (at < line.size() && is_blank(line[at])) ++at;
            std::size_t end = at;
            bool is_quoted = false;
            for (; end < line.size(); ++end) {
                if (line[end] == '"') is_quoted = !is_quoted;
                if (!is_quoted && (mark_ == ' ' ? is_blank(line[end]) : line[end] == mark_)) break;
            }
            std::string_view cell = trimmed(line.substr(at, end - at));
            if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"')
                cell = trimmed(cell.substr(1, cell.size() - 2));
            cells_.push_back({cell, static_cast<int>(at) + 1});
            at = end + 1;
        }
    }

    std::string path_, text_;
    std::string_view rest_;
    char decimal_, mark_ = '\0';
    int line_ = 0;
    std::vector<Cell> cells_;
};

/// "q3 [deg]" as name and unit; "[deg]", "(deg)" and "deg" as a unit without name.
struct Heading {
    std::string name;
    std::string unit;
};

Heading heading_of(std::string_view text) {
    for (const auto& [open, close] : {std::pair{'[', ']'}, std::pair{'(', ')'}}) {
        const std::size_t at = text.find(open);
        if (at == std::string_view::npos || !text.ends_with(close)) continue;
        return {std::string(trimmed(text.substr(0, at))),
                std::string(trimmed(text.substr(at + 1, text.size() - at - 2)))};
    }
    return {std::string(text), ""};
}

/// What one of `unit` is in SI; nothing if it is no unit.
std::optional<double> scale_of(const std::string& unit) {
    if (unit.empty() || unit == "-" || unit == "1") return 1.0;
    try {
        return evaluate(fmt::format("1 {}", unit), NoSymbols{}).value;
    } catch (const FormulaError&) {
        return std::nullopt;
    }
}

class TableFileReader {
public:
    TableFileReader(const std::string& label, const Table& value, const Place& where)
        : label_(label), value_(value), where_(where) {}

    TableFile read(const Place& home, int columns) {
        check_keys();
        TableFile out;
        out.path = find_file({label_ + ".file", text("file"), place("file"), home, false, 0});
        const std::string decimal = value_.find("decimal") != nullptr ? text("decimal") : ".";
        if (decimal != "." && decimal != ",")
            fail("decimal", "expected \".\" or \",\", got " + in_quotes(decimal));
        CellFile file(out.path, decimal.front());
        if (!file.next()) file.refuse({}, label_ + ": the file has no rows");
        const bool has_rows = read_headings(file);
        is_map_ = columns == kMapColumns;
        choose(file, columns);
        if (has_rows) do
                add_row(file, out);
            while (file.next());
        for (const Chosen& one : chosen_) out.units.push_back(one.unit);
        if (!headings_.empty())
            for (const Chosen& one : chosen_)
                out.names.push_back(one.index < headings_.size() ? headings_[one.index].name : "");
        if (out.rows < 2)
            file.refuse(
                {},
                fmt::format(
                    "{}: a table needs at least two rows of numbers, found {}", label_, out.rows));
        return out;
    }

private:
    struct Chosen {
        std::size_t index;
        double scale;
        std::string unit;
    };

    [[noreturn]] void fail(std::string_view key, const std::string& why) const {
        throw Error(ErrorKind::manifest, fmt::format("{}.{}: {}", label_, key, why), place(key));
    }
    Place place(std::string_view key) const {
        const Table::Entry* const entry = value_.find(key);
        return entry != nullptr && entry->value.place().known() ? entry->value.place() : where_;
    }
    std::string text(std::string_view key) const {
        const auto* const x = value_.find(key)->value.as<std::string>();
        if (x == nullptr) fail(key, "expected a text, got " + in_words(value_.find(key)->value));
        return *x;
    }

    void check_keys() const {
        for (const Table::Entry& entry : value_.entries())
            if (std::ranges::find(kColumnKeys, entry.key) == kColumnKeys.end())
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: unknown key {}{}",
                                        label_,
                                        in_quotes(entry.key),
                                        hint(entry.key, kColumnKeys, "valid keys")),
                            entry.place.known() ? entry.place : where_);
        if (value_.find("column") != nullptr && value_.find("columns") != nullptr)
            fail("columns", "stands beside \"column\"; give one of them");
    }

    static constexpr const char* kDecimalComma =
        "; are commas decimal ones? Then separate cells by semicolons or tabs, and write decimal = "
        "\",\"";

    /// Cells of a line, without empty ones at its end.
    static std::size_t count_of(const CellFile& file) {
        std::size_t count = file.cells().size();
        while (count > 1 && file.cells()[count - 1].text.empty()) --count;
        return count;
    }

    static bool has_number(const CellFile& file) {
        return std::ranges::any_of(file.cells(), [&](const Cell& cell) {
            return file.number(cell.text).has_value();
        });
    }

    /// Reads rows without numbers: names, then perhaps units. @returns whether a row of numbers
    /// follows
    bool read_headings(CellFile& file) {
        int count = 0;
        for (; !has_number(file); ++count) {
            for (std::size_t i = 0; i < file.cells().size(); ++i) {
                Heading found = heading_of(file.cells()[i].text);
                const bool is_unit_behind = count == 0 && i > 0 && found.name.empty() &&
                                            !found.unit.empty() && headings_.back().unit.empty();
                if (is_unit_behind) {
                    headings_.back().unit = std::move(found.unit);  // "t [s] q [deg]"
                } else if (count == 0) {
                    headings_.push_back(std::move(found));
                } else if (count == 1 && i < headings_.size()) {
                    headings_[i].unit = found.unit.empty() ? found.name : found.unit;
                }
            }
            if (!file.next()) return false;
        }
        if (count > 2)
            file.refuse(file.cells().front(),
                        label_ +
                            ": found more than two rows of headings, names and units; "
                            "begin the others with #");
        while (!headings_.empty() && headings_.back().name.empty() && headings_.back().unit.empty())
            headings_.pop_back();
        // A value may be missing at the end of a row
        num_columns_ = std::max(count_of(file), std::min(file.cells().size(), headings_.size()));
        if (!headings_.empty() && headings_.size() != num_columns_)
            file.refuse(file.cells().front(),
                        fmt::format("{}: the heading has {} columns and this row {}{}",
                                    label_,
                                    headings_.size(),
                                    num_columns_,
                                    headings_.size() < num_columns_ ? kDecimalComma : ""));
        return true;
    }

    /// The column that the entry `value` of `key` means, by its name or its number.
    std::size_t index_of(const std::string& key, const Value& value) const {
        if (const auto* const number = value.as<std::int64_t>()) {
            if (*number >= 1 && static_cast<std::size_t>(*number) <= num_columns_)
                return static_cast<std::size_t>(*number) - 1;
            fail(key, fmt::format("the file has columns 1 to {}, got {}", num_columns_, *number));
        }
        const auto* const name = value.as<std::string>();
        if (name == nullptr)
            fail(key, "expected the name or the number of a column, got " + in_words(value));
        std::vector<std::string> names;
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < headings_.size(); ++i) {
            if (headings_[i].name == *name) found.push_back(i);
            names.push_back(headings_[i].name);
        }
        if (found.size() > 1)
            fail(key,
                 fmt::format("columns {} and {} are both called {}; take the number",
                             found[0] + 1,
                             found[1] + 1,
                             in_quotes(*name)));
        if (!found.empty()) return found.front();
        fail(key,
             headings_.empty()
                 ? fmt::format("the file has no heading that names columns; take a number from 1 "
                               "to {}",
                               num_columns_)
                 : fmt::format("the file has no column {}{}",
                               in_quotes(*name),
                               hint(*name, names, "columns")));
    }

    std::size_t index_of_time() const {
        if (const Table::Entry* const entry = value_.find("time"))
            return index_of("time", entry->value);
        for (const char* const name : {"t", "time", "Time", "T"})
            for (std::size_t i = 0; i < headings_.size(); ++i)
                if (headings_[i].name == name) return i;
        return 0;
    }

    void choose(const CellFile& file, int columns) {
        const std::size_t time = index_of_time();
        add(time, "");
        const std::string unit = value_.find("unit") != nullptr ? text("unit") : "";
        if (const Table::Entry* const entry = value_.find("column")) {
            add(index_of("column", entry->value), unit);
        } else if (const Table::Entry* const list = value_.find("columns")) {
            const Array* const all = list->value.as<Array>();
            if (all == nullptr)
                fail("columns", "expected an array of names, got " + in_words(list->value));
            for (const Value& one : *all) add(index_of("columns", one), unit);
        } else {
            for (std::size_t i = 0; i < num_columns_; ++i)
                if (i != time) add(i, unit);
        }
        const std::size_t wanted = static_cast<std::size_t>(columns);
        if (columns <= 0 || chosen_.size() == wanted) return;
        const std::string what =
            fmt::format("{} beside that of the argument, got {}", columns - 1, chosen_.size() - 1);
        if (value_.find("column") != nullptr || value_.find("columns") != nullptr)
            fail(value_.find("column") != nullptr ? "column" : "columns",
                 "columns expected: " + what);
        file.refuse(file.cells().front(),
                    fmt::format("{}: columns expected: {}; say which with \"column{}\"",
                                label_,
                                what,
                                columns == 2 ? "" : "s"));
    }

    void add(std::size_t index, const std::string& unit) {
        std::string of_file = index < headings_.size() ? headings_[index].unit : "";
        if (of_file.find(',') != std::string::npos &&
            of_file.find_first_not_of("0123456789,+-eE") == std::string::npos)
            fail("file",
                 fmt::format("numbers of column {} have decimal commas; write decimal = \",\" "
                             "beside the file",
                             in_quotes(headings_[index].name)));
        if (!chosen_.empty() && chosen_.front().index == index)
            fail(value_.find("column") != nullptr ? "column" : "columns",
                 fmt::format("is column {}, which is that of the argument; take another, or say "
                             "with \"time\" which that is",
                             index + 1));
        const std::optional<double> scale = scale_of(unit.empty() ? of_file : unit);
        if (!unit.empty() && !of_file.empty() && scale && scale_of(of_file) != scale)
            fail("unit",
                 fmt::format("{} contradicts the heading of column {}, which says {}; leave it out",
                             in_quotes(unit),
                             in_quotes(headings_[index].name),
                             in_quotes(of_file)));
        if (unit.empty() && of_file.empty() && index < headings_.size()) refuse_unit_in_name(index);
        if (!scale)
            fail(
                unit.empty() ? "file" : "unit",
                fmt::format("{} is no unit{}",
                            in_quotes(unit.empty() ? of_file : unit),
                            unit.empty() ? " (heading of column " +
                                               in_quotes(headings_[index].name) + "); give \"unit\""
                                         : ""));
        chosen_.push_back({index, *scale, unit.empty() ? of_file : unit});
    }

    /// "q_deg": numbers that are not SI, most likely.
    void refuse_unit_in_name(std::size_t index) const {
        const std::string& name = headings_[index].name;
        const std::size_t at = name.find_last_of("_ .");
        if (at == std::string::npos) return;
        const std::string last = name.substr(at + 1);
        for (const char* const unit :
             {"deg", "rpm", "mm", "cm", "um", "ms", "us", "kN", "kPa", "MPa"}) {
            if (last != unit) continue;
            const bool is_argument = chosen_.empty();
            const char* const key = is_argument                         ? "time"
                                    : value_.find("column") != nullptr  ? "column"
                                    : value_.find("columns") != nullptr ? "columns"
                                                                        : "file";
            fail(key,
                 fmt::format(
                     "column {} has no unit, and its name says {}: write \"{} [{}]\" in the "
                     "heading{}",
                     in_quotes(name),
                     last,
                     name.substr(0, at),
                     last,
                     is_argument ? "" : fmt::format(", or unit = \"{}\" beside the file", last)));
        }
    }

    void add_row(const CellFile& file, TableFile& out) const {
        const std::vector<Cell>& cells = file.cells();
        if (count_of(file) > num_columns_)
            file.refuse(cells[num_columns_],
                        fmt::format("{}: found {} columns, expected {}{}",
                                    label_,
                                    count_of(file),
                                    num_columns_,
                                    kDecimalComma));
        for (const Chosen& one : chosen_) {
            if (one.index >= cells.size())
                file.refuse(
                    cells.back(),
                    fmt::format(
                        "{}: found {} columns, expected {}", label_, cells.size(), num_columns_));
            const Cell& cell = cells[one.index];
            std::optional<double> x = file.number(cell.text);
            if (!x && is_map_ && out.rows == 0 && one.index == 0) x = 0.0;
            if (!x)
                file.refuse(cell,
                            fmt::format("{}: {}{}",
                                        label_,
                                        cell.text.empty() ? "a number is missing"
                                                          : in_quotes(cell.text) + " is no number",
                                        cell.text.find(',') != std::string_view::npos
                                            ? "; for decimal commas write decimal = \",\""
                                            : ""));
            if (!std::isfinite(*x))
                file.refuse(cell,
                            fmt::format("{}: {} is not finite", label_, in_quotes(cell.text)));
            out.numbers.push_back(*x * one.scale);
        }
        ++out.rows;
    }

    const std::string& label_;
    const Table& value_;
    const Place& where_;
    std::vector<Heading> headings_;
    std::size_t num_columns_ = 0;
    std::vector<Chosen> chosen_;
    bool is_map_ = false;
};

}  // namespace

Table law_of_columns(const Parameter& key, const Table& value, const Place& where) {
    const std::span<const Parameter> keys(key.children, static_cast<std::size_t>(key.num_children));
    Table law, columns;
    for (const Table::Entry& entry : value.entries()) {
        const bool is_of_law = std::ranges::find(kColumnKeys, entry.key) == kColumnKeys.end() &&
                               std::ranges::find(keys, entry.key, &Parameter::name) != keys.end();
        (is_of_law ? law : columns).add(entry);
    }
    law.add({key.makes_key, where, Value(std::move(columns), where)});
    return law;
}

bool names_columns(const Table& value) {
    return value.find("file") != nullptr;
}

TableFile read_table_file(const std::string& label,
                          const Table& value,
                          const Place& where,
                          const Place& home,
                          int columns) {
    return TableFileReader(label, value, where).read(home, columns);
}

}  // namespace ancora
