// SPDX-License-Identifier: BSD-3-Clause
// Looks for the usual slips in a line that is no TOML.
#include "toml_slips.hpp"

#include <algorithm>
#include <cctype>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "escaped.hpp"

namespace ancora {
namespace {

constexpr std::size_t kLongestLine = 200;

bool is_digit(char c) {
    return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

bool is_key(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.';
    });
}

/// KEY = VALUE, both without blanks at their ends; no key where it is none.
std::pair<std::string_view, std::string_view> key_and_value(std::string_view line) {
    const std::size_t equals = std::min(line.find('='), line.size());
    const std::string_view key = without_blanks(line.substr(0, equals));
    if (!is_key(key) || equals == line.size()) return {};
    return {key, without_blanks(line.substr(equals + 1))};
}

/// As it is read as a number by people: 1000, -0.5, 1e3, 1,5, 1000., .5
bool is_number_by_people(std::string_view text) {
    return text.find_first_of("0123456789") != std::string_view::npos &&
           text.find_first_not_of("0123456789+-.,eE_") == std::string_view::npos &&
           std::isalpha(static_cast<unsigned char>(text.front())) == 0;
}

/// 1000. and .5 with a digit on both sides of the point, 1,5 with a point.
std::string as_number(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] == ',' ? '.' : text[i];
        if (c == '.' && (out.empty() || !is_digit(out.back()))) out += '0';
        out += c;
        if (c == '.' && (i + 1 == text.size() || !is_digit(text[i + 1]))) out += '0';
    }
    return out;
}

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
    std::vector<std::string_view> out;
    while (true) {
        const std::size_t end = std::min(text.find_first_of(at), text.size());
        if (const std::string_view part = without_blanks(text.substr(0, end)); !part.empty())
            out.push_back(part);
        if (end == text.size()) return out;
        text.remove_prefix(end + 1);
    }
}

/// An array of numbers as TOML has it; empty where the entries are others.
std::string as_array(std::string_view inside) {
    const bool has_semicolons = inside.find(';') != std::string_view::npos;
    std::string out;
    for (const std::string_view entry : split(inside, has_semicolons ? ";" : ", \t")) {
        if (!is_number_by_people(entry)) return {};
        out += (out.empty() ? "" : ", ") + as_number(entry);
    }
    return out.empty() ? out : "[" + out + "]";
}

/// What stands between brackets that open and close the whole value.
std::string_view between(std::string_view value, char open, char close) {
    if (value.size() < 2 || value.front() != open || value.back() != close) return {};
    return value.substr(1, value.size() - 2);
}

/// Of a header that stands twice; the first is sought.
std::string header_twice(std::string_view text, std::size_t line_number) {
    const std::string_view header = without_blanks(line_of(text, line_number));
    for (std::size_t i = 1; i < line_number; ++i)
        if (without_blanks(line_of(text, i)) == header)
            return fmt::format(
                "{} stands twice, first in line {}; write its keys there", escaped(header), i);
    return {};
}

/// The line of an array that is still open where another table or key begins, and what to write.
std::string open_array(std::string_view text, std::size_t line_number) {
    for (std::size_t i = line_number; i > 0; --i) {
        const auto [key, value] = key_and_value(without_blanks(line_of(text, i)));
        if (key.empty() || value.empty() || value.front() != '[') continue;
        if (std::ranges::count(value, '[') == std::ranges::count(value, ']')) return {};
        return fmt::format(
            "the array of \"{}\" in line {} is not closed; write ] at its end", key, i);
    }
    return {};
}

std::string slip_of_header(std::string_view line) {
    const std::size_t depth = line.starts_with("[[") ? 2 : 1;
    const std::string_view name = without_blanks(line.substr(depth).substr(
        0, std::min(line.substr(depth).find_first_of("]#"), line.size() - depth)));
    if (!is_key(name)) return {};
    return fmt::format("the header is not closed; write {}{}{}",
                       std::string(depth, '['),
                       name,
                       std::string(depth, ']'));
}

/// The line in which the table begins that `line_number` is in, 0: above all tables.
std::size_t header_above(std::string_view text, std::size_t line_number) {
    while (--line_number > 0)
        if (without_blanks(line_of(text, line_number)).starts_with('[')) break;
    return line_number;
}

std::string given_twice(std::string_view text, std::size_t line_number, std::string_view key) {
    const std::size_t header = header_above(text, line_number);
    for (std::size_t i = header + 1; i < line_number; ++i) {
        if (key_and_value(without_blanks(line_of(text, i))).first != key) continue;
        const std::string_view name = without_blanks(line_of(text, header));
        const bool is_below = name.starts_with("[[") && name.find("frame") != std::string::npos;
        const bool is_joint =
            name.starts_with("[[") && (name.find("joint") != std::string::npos ||
                                       name.find("constraint") != std::string::npos);
        return fmt::format(
            "\"{}\" stands twice in one table, first in line {}; remove one{}",
            key,
            i,
            is_below   ? fmt::format(", or, if it is the body's, write it above {}", escaped(name))
            : is_joint ? ", or, if it is a second law, make it a [[force]] on the joint's measure"
                       : "");
    }
    return {};
}

/// Of `value`, of which a part that begins with `mark` is a comment in other languages.
std::string_view before_comment(std::string_view value, std::string_view mark) {
    const std::size_t at = value.find(mark);
    if (at == std::string_view::npos || at == 0) return {};
    const std::string_view before = without_blanks(value.substr(0, at));
    return before.find('"') == std::string_view::npos || before.ends_with('"') ? before
                                                                               : std::string_view();
}

std::string slip_of_value(std::string_view key, std::string_view value) {
    const auto write = [key](std::string_view why, std::string_view right) {
        return fmt::format("{}; write {} = {}", why, key, escaped(right));
    };
    if (value.starts_with('='))
        return write("one = stands between a key and its value", without_blanks(value.substr(1)));
    if (value.ends_with(';'))
        return write("a line ends without ;", without_blanks(value.substr(0, value.size() - 1)));
    for (const std::string_view mark : {"//", "%", "/*"})
        if (const std::string_view before = before_comment(value, mark);
            !before.empty() && (before.ends_with('"') || is_number_by_people(before)))
            return write("a comment begins with #",
                         fmt::format("{}  # {}",
                                     before,
                                     without_blanks(value.substr(value.find(mark) + mark.size()))));
    if (value.front() == '"' || value.front() == '\'') {
        if (std::ranges::count(value, value.front()) % 2 == 1)
            return write("the text is not closed", fmt::format("{}{}", value, value.front()));
        const std::size_t end = value.find(value.front(), 1);
        if (const std::string_view rest = without_blanks(value.substr(end + 1));
            !rest.empty() && std::string_view("+-*/").find(rest.front()) != std::string_view::npos)
            return "an expression stands as a whole in one pair of quotes, such as \"2 N + 3 N\"";
        return {};
    }
    value = without_blanks(value.substr(0, value.find('#')));
    if (value == "True" || value == "TRUE" || value == "yes")
        return write("it has no value", "true");
    if (value == "False" || value == "FALSE" || value == "no")
        return write("it has no value", "false");
    for (const auto& [open, close] : {std::pair('(', ')'), std::pair('{', '}')})
        if (const std::string array = as_array(between(value, open, close)); !array.empty())
            return write("an array stands in square brackets", array);
    if (const std::string array = as_array(between(value, '[', ']'));
        !array.empty() && array != value)
        return write(value.find(';') != std::string_view::npos
                         ? "a point stands before decimals and a comma between entries"
                         : "entries of an array stand between commas, a digit on both sides of a "
                           "point",
                     array);
    if (!is_number_by_people(value) || as_number(value) == value) return {};
    if (value.find(',') != std::string_view::npos) {
        if (std::ranges::count(value, ',') > 1 || value.find('.') != std::string_view::npos)
            return "an array stands in square brackets, and numbers have no commas inside";
        return write("a point stands before decimals", as_number(value));
    }
    return write("a digit stands on both sides of a point", as_number(value));
}

}  // namespace

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\r";
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::string_view line_of(std::string_view text, std::size_t number) {
    for (std::size_t k = 1; k < number; ++k) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(0, text.find('\n'));
}

std::string number_as_toml(std::string_view text) {
    if (text.empty() || !is_number_by_people(text) || text.find(',') != std::string_view::npos)
        return {};
    std::string out = as_number(text);
    return out == text ? std::string() : out;
}

std::string toml_slip(std::string_view text, std::size_t line_number, std::string_view says) {
    if (without_blanks(text.substr(0, text.find('\n'))).starts_with('<'))
        return "this is XML and no TOML; `ancora import FILE` makes a model of a URDF, MJCF or SDF";
    const std::string_view line = line_of(text, line_number);
    if (line.size() > kLongestLine) return {};
    const std::string_view trimmed = without_blanks(line);
    if (trimmed.starts_with('[') && says.find("redefine") != std::string_view::npos)
        if (std::string twice = header_twice(text, line_number); !twice.empty()) return twice;
    if (trimmed.starts_with('[') && says.find("header") != std::string_view::npos)
        return slip_of_header(trimmed);
    if (says.find("parsing array") != std::string_view::npos)
        if (std::string open = open_array(text, line_number); !open.empty()) return open;
    for (const std::string_view mark : {"//", "/*", "%", "--"})
        if (trimmed.starts_with(mark))
            return fmt::format("a comment begins with #; write # {}",
                               escaped(without_blanks(trimmed.substr(mark.size()))));
    if (says.find("dangling comma") != std::string_view::npos)
        return "a table in braces has no comma behind its last value: { a = 1, b = 2 }";
    if (says.find("inline table") != std::string_view::npos &&
        says.find("'\\n'") != std::string_view::npos)
        return "a table in braces stays in one line; close it by } there, or give it a header of "
               "its own, [[body]] or [model], with a key in each line";
    const auto [key, value] = key_and_value(trimmed);
    if (key.empty()) {
        const std::size_t colon = std::min(trimmed.find(':'), trimmed.size());
        const std::string_view before = without_blanks(trimmed.substr(0, colon));
        if (colon == trimmed.size() || !is_key(before)) return {};
        return fmt::format("between a key and its value stands =; write {} = {}",
                           before,
                           escaped(without_blanks(trimmed.substr(colon + 1))));
    }
    if (value.empty()) return fmt::format("\"{}\" has no value; write {} = ...", key, key);
    if (says.find("cannot redefine") != std::string_view::npos)
        return given_twice(text, line_number, key);
    return slip_of_value(key, value);
}

}  // namespace ancora
