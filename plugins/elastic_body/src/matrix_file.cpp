// SPDX-License-Identifier: BSD-3-Clause
// Reads matrices and refuses those that are not symmetric.
#include "matrix_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <system_error>
#include <tuple>
#include <utility>

#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::elastic {
namespace {

using nodes::text;

// Of an entry and its mirror, relative to the diagonal: what programs round as they write.
constexpr double kSymmetry = 1e-8;
constexpr double kMostRows = 300'000'000.0;

std::string numbers_of(std::int32_t i, std::int32_t j) {
    return '(' + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ')';
}
std::string quoted_word(std::string_view word) {
    constexpr std::size_t kLongest = 40;
    return '"' + std::string(word.substr(0, kLongest)) + (word.size() > kLongest ? "...\"" : "\"");
}

/// Words of a text, line by line; what follows %, # or ** is a comment.
class Lines {
public:
    explicit Lines(std::string_view all) : rest_(all) {}

    /// Goes to the next line with words; false at the end.
    bool next() {
        words.clear();
        while (words.empty() && !rest_.empty()) {
            ++line;
            const std::size_t end = rest_.find('\n');
            const std::string_view whole = rest_.substr(0, end);
            rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
            split(whole.substr(0, std::min(whole.find_first_of("%#"), whole.find("**"))));
        }
        return !words.empty();
    }

    std::vector<std::string_view> words;
    std::int32_t line = 0;  ///< counted from 1

private:
    void split(std::string_view line_text) {
        constexpr std::string_view kBetween = " \t\r,;";
        std::size_t at = line_text.find_first_not_of(kBetween);
        while (at != std::string_view::npos) {
            const std::size_t end =
                std::min(line_text.find_first_of(kBetween, at), line_text.size());
            words.push_back(line_text.substr(at, end - at));
            at = line_text.find_first_not_of(kBetween, end);
        }
    }

    std::string_view rest_;
};

/// The text of a file, which is refused where it is none.
std::string text_of(const MatrixPlace& place, const char* advice) {
    std::ifstream file(std::string(place.arguments.path(place.key)), std::ios::binary);
    std::string all((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad() || !file) place.fail(0, "cannot be read");
    if (all.find('\0') != std::string::npos) place.fail(0, std::string("is no text; ") + advice);
    return all;
}

/// 0, 1, 2 of "1", "UX" or "x"; 3 of a rotation; -1 of what is no axis.
int axis_of(std::string_view word) {
    if (word.size() == 1 && word[0] >= '1' && word[0] <= '6') return std::min(word[0] - '1', 3);
    if (word.size() == 4 && (word.starts_with("ROT") || word.starts_with("rot"))) return 3;
    if (word.size() == 2 && (word[0] == 'U' || word[0] == 'u')) word.remove_prefix(1);
    if (word.size() != 1) return -1;
    const std::size_t k = std::string_view("xyzXYZ").find(word[0]);
    return k == std::string_view::npos ? -1 : static_cast<int>(k % 3);
}

double number_of(const MatrixPlace& place, std::string_view word, std::int32_t line) {
    std::string_view digits = word;
    if (digits.starts_with('+')) digits.remove_prefix(1);
    // 1.5D+03, as Fortran writes
    std::string fortran;
    if (const std::size_t d = digits.find_first_of("dD"); d != std::string_view::npos) {
        fortran = digits;
        fortran[d] = 'e';
        digits = fortran;
    }
    double x = 0.0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    // Too large, or below the smallest, which is nothing
    if (error == std::errc::result_out_of_range)
        x = std::strtod(std::string(digits).c_str(), nullptr);
    if (error == std::errc::invalid_argument || end != digits.data() + digits.size())
        place.fail(line, quoted_word(word) + " is no number");
    if (!std::isfinite(x)) place.fail(line, quoted_word(word) + " is not finite");
    return x;
}

/// 3 node + axis
std::int32_t displacement_of(const MatrixPlace& place,
                             std::int32_t line,
                             std::string_view node,
                             std::string_view axis,
                             const NodeOf& node_of) {
    const double id = number_of(place, node, line);
    const std::int32_t found = node_of(id);
    if (found < 0) place.fail(line, "there is no node " + text(id));
    const int k = axis_of(axis);
    if (k == 3)
        place.fail(line,
                   "nodes with rotations are not taken: use solid elements, or condense the "
                   "rotations");
    if (k < 0) place.fail(line, std::string(axis) + " is no axis; they are 1, 2, 3");
    return 3 * found + k;
}

class MatrixReader {
public:
    MatrixReader(const MatrixPlace& place, std::int32_t num_displacements, const NodeOf& node_of)
        : place_(place), num_displacements_(num_displacements), node_of_(node_of) {}

    SymmetricMatrix read() {
        if (place_.is_file)
            read_file();
        else
            read_list();
        if (entries_.empty()) place_.fail(0, "the matrix has no entries");
        return fold();
    }

private:
    double number(std::string_view word, std::int32_t line) const {
        return number_of(place_, word, line);
    }
    std::int32_t index(double x, std::int32_t line) const {
        if (x != std::floor(x) || x < 1.0 || x > kMostRows)
            place_.fail(line, text(x) + " is no row or column; they count from 1");
        if (size_ > 0 && x > size_)
            place_.fail(line,
                        "there is no row or column " + text(x) + " in a matrix of size " +
                            std::to_string(size_));
        return static_cast<std::int32_t>(x) - 1;
    }
    std::int32_t displacement(const Lines& lines, std::size_t k) const {
        return displacement_of(place_, lines.line, lines.words[k], lines.words[k + 1], node_of_);
    }
    std::string pair_text(std::int32_t i, std::int32_t j) const {
        // Of displacements the file's own numbers stand in its line
        return is_by_nodes_ ? std::string("of these nodes and axes") : numbers_of(i, j);
    }
    void add(double row, double column, double value, std::int32_t line) {
        entries_.push_back({index(row, line), index(column, line), value, line});
    }

    void read_list() {
        const std::span<const double> x = place_.arguments.numbers(place_.key);
        for (std::size_t k = 0; k + 2 < x.size(); k += 3)
            add(x[k], x[k + 1], x[k + 2], static_cast<std::int32_t>(k / 3) + 1);
    }

    void read_file() {
        const std::string all =
            text_of(place_, "write the matrix in MatrixMarket's format, as text");
        Lines lines(all);
        if (!all.starts_with("%%MatrixMarket")) return read_entries(lines, 0);
        const bool is_array = read_heading(std::string_view(all).substr(0, all.find('\n')));
        if (!lines.next()) place_.fail(lines.line, "the file ends before its sizes");
        const std::size_t wanted = is_array ? 2 : 3;
        if (lines.words.size() != wanted)
            place_.fail(lines.line,
                        "expected " + std::to_string(wanted) + " sizes, found " +
                            std::to_string(lines.words.size()));
        const double rows = number(lines.words[0], lines.line);
        const double columns = number(lines.words[1], lines.line);
        if (rows != columns)
            place_.fail(lines.line,
                        "the matrix has " + text(rows) + " rows and " + text(columns) +
                            " columns; it must be square");
        size_ = index(rows, lines.line) + 1;
        if (is_array) return read_array(lines);
        const double count = number(lines.words[2], lines.line);
        if (count != std::floor(count) || count < 1.0)
            place_.fail(lines.line, text(count) + " is no number of entries");
        read_entries(lines, count);
    }

    /// Of "%%MatrixMarket matrix coordinate real symmetric": whether it is an array.
    bool read_heading(std::string_view heading) {
        Lines lines(heading.substr(2));
        lines.next();
        std::vector<std::string> words;
        for (const std::string_view word : lines.words) {
            words.emplace_back(word);
            for (char& c : words.back())
                if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
        }
        words.resize(5);
        const auto one_of = [&](std::size_t k, std::initializer_list<const char*> allowed) {
            for (const char* word : allowed)
                if (words[k] == word) return;
            std::string all;
            for (const char* word : allowed) all += (all.empty() ? "" : " or ") + std::string(word);
            place_.fail(1,
                        "the heading says \"" + words[k] + "\" where " + all +
                            " is expected: %%MatrixMarket matrix coordinate real symmetric");
        };
        one_of(1, {"matrix"});
        one_of(2, {"coordinate", "array"});
        one_of(3, {"real", "integer"});
        one_of(4, {"symmetric", "general"});
        is_half_ = words[4] == "symmetric";
        return words[2] == "array";
    }

    /// @param count  of entries, as the file says; 0: to the end
    void read_entries(Lines& lines, double count) {
        while (lines.next()) {
            if (entries_.empty() && count == 0.0 && lines.words.size() == 5) is_by_nodes_ = true;
            if (lines.words.size() != (is_by_nodes_ ? 5 : 3))
                place_.fail(lines.line,
                            "found " + std::to_string(lines.words.size()) + " columns, expected " +
                                (is_by_nodes_ ? "5: node, axis, node, axis, value"
                                              : "3: row, column, value"));
            if (is_by_nodes_) {
                entries_.push_back({displacement(lines, 0),
                                    displacement(lines, 2),
                                    number(lines.words[4], lines.line),
                                    lines.line});
                continue;
            }
            if (count > 0.0 && static_cast<double>(entries_.size()) >= count)
                place_.fail(
                    lines.line,
                    "there are more entries than the " + text(count) + " that the file announces");
            add(number(lines.words[0], lines.line),
                number(lines.words[1], lines.line),
                number(lines.words[2], lines.line),
                lines.line);
        }
        if (count > 0.0 && static_cast<double>(entries_.size()) < count)
            place_.fail(lines.line,
                        "the file ends after " + std::to_string(entries_.size()) + " of " +
                            text(count) + " entries");
    }

    /// By columns, of a symmetric one from the diagonal on.
    void read_array(Lines& lines) {
        for (std::int32_t j = 0; j < size_; ++j)
            for (std::int32_t i = is_half_ ? j : 0; i < size_; ++i) {
                if (!lines.next() || lines.words.size() != 1)
                    place_.fail(lines.line,
                                "expected entry " + pair_text(i, j) + ", one number in a line");
                const double value = number(lines.words[0], lines.line);
                if (value != 0.0) entries_.push_back({i, j, value, lines.line});
            }
        if (lines.next()) place_.fail(lines.line, "there are more entries than rows and columns");
    }

    /// One triangle of what was read.
    SymmetricMatrix fold() {
        SymmetricMatrix out;
        out.is_by_nodes = is_by_nodes_;
        if (is_by_nodes_) size_ = num_displacements_;
        for (const MatrixEntry& e : entries_)
            out.size = std::max({out.size, e.i + 1, e.j + 1, size_});
        std::vector<double> diagonal(static_cast<std::size_t>(out.size), 0.0);
        bool has_lower = false, has_upper = false;
        for (const MatrixEntry& e : entries_) {
            if (e.i == e.j) diagonal[static_cast<std::size_t>(e.i)] = std::abs(e.value);
            has_lower |= e.i > e.j;
            has_upper |= e.i < e.j;
        }
        // Both triangles: each entry has a mirror, a general matrix has it even where one alone
        // is given
        const bool is_whole = has_lower && has_upper && !is_half_;
        std::ranges::sort(entries_, {}, [](const MatrixEntry& e) {
            return std::tuple(std::max(e.i, e.j), std::min(e.i, e.j), e.i < e.j, e.line);
        });
        for (std::size_t k = 0; k < entries_.size();) {
            const MatrixEntry& first = entries_[k];
            const std::int32_t i = std::max(first.i, first.j), j = std::min(first.i, first.j);
            std::size_t end = k + 1;
            while (end < entries_.size() && std::max(entries_[end].i, entries_[end].j) == i &&
                   std::min(entries_[end].i, entries_[end].j) == j)
                ++end;
            for (std::size_t l = k + 1; l < end; ++l)
                if (entries_[l].i == entries_[l - 1].i || !is_whole)
                    place_.fail(entries_[l].line,
                                "entry " + pair_text(entries_[l].i, entries_[l].j) +
                                    " is given a second time, first in line " +
                                    std::to_string(entries_[l - 1].line));
            const double size = std::sqrt(diagonal[static_cast<std::size_t>(i)] *
                                          diagonal[static_cast<std::size_t>(j)]);
            const double mirror = !is_whole || i == j ? first.value
                                  : end == k + 2      ? entries_[k + 1].value
                                                      : 0.0;
            if (!(std::abs(first.value - mirror) <=
                  kSymmetry * std::max(size, std::abs(first.value))))
                place_.fail(first.line,
                            "the matrix is not symmetric: entry " + pair_text(first.i, first.j) +
                                " is " + text(first.value) + " and " + pair_text(first.j, first.i) +
                                " is " + text(mirror));
            out.lower.push_back({i, j, 0.5 * (first.value + mirror), first.line});
            k = end;
        }
        return out;
    }

    const MatrixPlace& place_;
    std::int32_t num_displacements_;
    const NodeOf& node_of_;
    std::vector<MatrixEntry> entries_;
    bool is_by_nodes_ = false;
    std::int32_t size_ = 0;  ///< as the heading says; 0: none
    bool is_half_ = false;   ///< said to be symmetric
};

}  // namespace

void MatrixPlace::fail(std::int32_t line, const std::string& message) const {
    if (is_file) arguments.fail_in_file(key, line, 0, message);
    arguments.fail(key, line > 0 ? "row " + std::to_string(line) + ": " + message : message);
}

SymmetricMatrix read_symmetric_matrix(const MatrixPlace& place,
                                      std::int32_t num_displacements,
                                      const NodeOf& node_of) {
    return MatrixReader(place, num_displacements, node_of).read();
}

std::vector<std::int32_t> read_row_order(const MatrixPlace& place,
                                         std::int32_t num_displacements,
                                         const NodeOf& node_of) {
    const std::string all = text_of(place, "write node and axis of each row, as text");
    const auto n = static_cast<std::size_t>(num_displacements);
    std::vector<std::int32_t> out(n, -1);
    std::vector<bool> is_there(n, false);
    std::size_t count = 0;
    Lines lines(all);
    while (lines.next()) {
        std::vector<std::string_view>& words = lines.words;
        const auto has_digit = [](std::string_view word) {
            return word.find_first_of("0123456789") != std::string_view::npos;
        };
        if (count == 0 && std::ranges::none_of(words, has_digit)) continue;  // a heading
        double row = static_cast<double>(count + 1);
        if (words.size() == 3) {
            row = number_of(place, words[0], lines.line);
            words.erase(words.begin());
        } else if (words.size() == 1) {
            const std::string_view both = words[0];
            const std::size_t dot = std::min(both.find('.'), both.size());
            words = {both.substr(0, dot), both.substr(std::min(dot + 1, both.size()))};
        }
        if (words.size() != 2)
            place.fail(lines.line,
                       "found " + std::to_string(words.size()) +
                           " columns, expected node and axis, or row, node and axis");
        ++count;
        if (row != std::floor(row) || row < 1.0 || row > num_displacements)
            continue;  // there are too many of them
        const std::int32_t dof = displacement_of(place, lines.line, words[0], words[1], node_of);
        if (is_there[static_cast<std::size_t>(dof)])
            place.fail(lines.line,
                       "axis " + std::string(words[1]) + " of node " + std::string(words[0]) +
                           " stands there twice");
        is_there[static_cast<std::size_t>(dof)] = true;
        std::int32_t& place_of_row = out[static_cast<std::size_t>(row) - 1];
        if (place_of_row >= 0) place.fail(lines.line, "row " + text(row) + " stands there twice");
        place_of_row = dof;
    }
    if (count != n)
        place.fail(0,
                   "the file has " + std::to_string(count) + " rows, and there are " +
                       std::to_string(n) + " displacements");
    if (const auto missing = std::ranges::find(out, -1); missing != out.end())
        place.fail(0, "row " + std::to_string(missing - out.begin() + 1) + " is missing");
    return out;
}

}  // namespace ancora::elastic
