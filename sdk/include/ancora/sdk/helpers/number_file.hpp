// SPDX-License-Identifier: BSD-3-Clause
// Rows of numbers from a text file (CSV), with the place of every mistake.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "ancora/sdk/arguments.hpp"

namespace ancora {

/// Rows of equal length.
struct NumberRows {
    std::vector<std::string> names;  ///< of the columns, where a heading was asked for
    std::vector<double> values;      ///< row by row
    std::vector<int> lines;          ///< line of each row in the file, counted from 1
    std::vector<int> columns;        ///< where each row's first number begins in it, counted from 1

    int num_rows() const { return static_cast<int>(lines.size()); }
};

namespace detail {

/// Reads one file for one parameter.
class NumberFile {
public:
    NumberFile(const Arguments& arguments, std::string_view key, std::string_view expected)
        : arguments_(arguments), key_(key), expected_(expected) {}

    NumberRows read(int num_columns) {
        std::ifstream file(std::string(arguments_.path(key_)), std::ios::binary);
        const std::string text((std::istreambuf_iterator<char>(file)),
                               std::istreambuf_iterator<char>());
        if (file.bad() || !file) arguments_.fail_in_file(key_, 0, 0, "cannot be read");
        std::string_view rest = text;
        if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // byte-order mark
        NumberRows rows;
        bool is_first = true;
        for (line_ = 1; !rest.empty(); ++line_) {
            const std::size_t end = rest.find('\n');
            std::string_view line = rest.substr(0, end);
            rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
            line = line.substr(0, line.find('#'));
            while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
            if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
            split(line);
            const bool is_header = is_first && !has_number();
            if (is_first && num_columns == 0) {
                if (!is_header)
                    fail(cells_.front(),
                         "the first line is no heading; it names the columns, of " + expected_);
                expected_.clear();
                for (const Cell& cell : cells_) {
                    expected_ += (expected_.empty() ? "" : ", ") + std::string(cell.text);
                    rows.names.emplace_back(cell.text);
                }
                num_columns = static_cast<int>(cells_.size());
            }
            is_first = false;
            if (!is_header) read_row(num_columns, rows);
        }
        return rows;
    }

private:
    struct Cell {
        std::string_view text;
        int column;
    };

    static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

    /// Cells of a line: between semicolons if it has some, else commas, else blanks.
    void split(std::string_view line) {
        cells_.clear();
        const char mark = line.find(';') != std::string_view::npos   ? ';'
                          : line.find(',') != std::string_view::npos ? ','
                                                                     : ' ';
        for (std::size_t at = 0; at <= line.size();) {
            while (at < line.size() && is_blank(line[at])) ++at;
            std::size_t end = at;
            while (end < line.size() && (mark == ' ' ? !is_blank(line[end]) : line[end] != mark))
                ++end;
            std::string_view cell = line.substr(at, end - at);
            while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
            cells_.push_back({cell, static_cast<int>(at) + 1});
            at = end + 1;
        }
    }

    static std::optional<double> number(std::string_view text) {
        if (text.starts_with('+')) text.remove_prefix(1);
        double x = 0.0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
        if (error == std::errc::result_out_of_range) return HUGE_VAL;
        if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return x;
    }
    bool has_number() const {
        for (const Cell& cell : cells_)
            if (number(cell.text)) return true;
        return false;
    }

    void read_row(int num_columns, NumberRows& rows) {
        const auto wanted = static_cast<std::size_t>(num_columns);
        for (std::size_t k = 0; k < cells_.size() && k < wanted; ++k) {
            const Cell& cell = cells_[k];
            if (cell.text.empty()) fail(cell, "a number is missing; the columns are " + expected_);
            const std::optional<double> x = number(cell.text);
            if (!x)
                fail(cell,
                     shown(cell) + " is no number" +
                         (cell.text.find(',') != std::string_view::npos
                              ? "; write a point before decimals"
                              : ""));
            if (!std::isfinite(*x)) fail(cell, shown(cell) + " is not finite");
            rows.values.push_back(*x);
        }
        const std::string found = "found " + std::to_string(cells_.size()) + " columns, expected " +
                                  std::to_string(wanted) + ": " + expected_;
        if (cells_.size() > wanted) fail(cells_[wanted], found);
        if (cells_.size() < wanted) fail(cells_.back(), found);
        rows.lines.push_back(line_);
        rows.columns.push_back(cells_.front().column);
    }

    /// A cell in quotes, shortened: a file without separators is one cell.
    static std::string shown(const Cell& cell) {
        constexpr std::size_t kLongest = 40;
        return '"' + std::string(cell.text.substr(0, kLongest)) +
               (cell.text.size() > kLongest ? "...\"" : "\"");
    }

    void fail(const Cell& cell, const std::string& message) const {
        arguments_.fail_in_file(key_, line_, cell.column, message);
    }

    const Arguments& arguments_;
    std::string_view key_;
    std::string expected_;
    int line_ = 0;
    std::vector<Cell> cells_;
};

}  // namespace detail

/// [assembly] Reads rows of `num_columns` numbers from the file that `key` names. Numbers are
/// separated by semicolons, commas or blanks and have a decimal point; what follows a # is a
/// comment; blank lines do not count; a first line without any number is a heading.
/// @param num_columns  0: as many as the heading has, which must be there and names them
/// @param expected  the columns in words, for messages: "t, x, y, z"
/// @throws through Arguments::fail_in_file, with line and column, what is no finite number and rows
///         with another number of columns
inline NumberRows read_numbers(const Arguments& arguments,
                               std::string_view key,
                               int num_columns,
                               std::string_view expected) {
    return detail::NumberFile(arguments, key, expected).read(num_columns);
}

}  // namespace ancora
