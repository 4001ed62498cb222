// SPDX-License-Identifier: BSD-3-Clause
// TOML text to tables and values, through toml++.
#include "toml_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

// Debian's libtomlplusplus is a compiled library; CMake's target defines it too.
#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 0
#endif
#ifndef TOML_SHARED_LIB
#define TOML_SHARED_LIB 1
#endif
#include <toml++/toml.h>

#include "toml_slips.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

// Copies toml++'s tree. Places are those of the file, or `fixed_place_` for all if it is known.
class Converter {
public:
    explicit Converter(std::shared_ptr<const std::string> file) : file_(std::move(file)) {}
    explicit Converter(Place fixed_place) : fixed_place_(std::move(fixed_place)) {}

    Table table(const toml::table& from) const {
        std::vector<Table::Entry> entries;
        entries.reserve(from.size());
        for (const auto& [key, node] : from) {
            const std::string name(key.str());
            entries.push_back({name, place(key.source()), value(node, name)});
        }
        // toml++ sorts by name
        std::ranges::stable_sort(entries, {}, [](const Table::Entry& entry) {
            return std::tuple(entry.place.line, entry.place.column);
        });
        Table to;
        for (Table::Entry& entry : entries) to.add(std::move(entry));
        return to;
    }

private:
    Value value(const toml::node& node, const std::string& key) const {
        Place at = place(node.source());
        switch (node.type()) {
            case toml::node_type::boolean:
                return {node.as_boolean()->get(), std::move(at)};
            case toml::node_type::integer:
                return {node.as_integer()->get(), std::move(at)};
            case toml::node_type::floating_point:
                return {node.as_floating_point()->get(), std::move(at)};
            case toml::node_type::string:
                return {node.as_string()->get(), std::move(at)};
            case toml::node_type::array:
                return {array(*node.as_array(), key), std::move(at)};
            case toml::node_type::table:
                return {table(*node.as_table()), std::move(at)};
            default:
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: dates and times have no use in a manifest; put the "
                                        "value in quotes if it is a text",
                                        key),
                            std::move(at));
        }
    }

    Array array(const toml::array& from, const std::string& key) const {
        Array to;
        to.reserve(from.size());
        for (const toml::node& node : from) to.push_back(value(node, key));
        return to;
    }

    Place place(const toml::source_region& source) const {
        if (!file_) return fixed_place_;
        return {file_, static_cast<int>(source.begin.line), static_cast<int>(source.begin.column)};
    }

    std::shared_ptr<const std::string> file_;
    Place fixed_place_;
};

/// How deep values stand in each other, found before they are parsed: who reads, copies or frees
/// tables calls itself for each level. Follows brackets, and the dots of keys, which make tables
/// too; strings and comments are passed over. Text that is no TOML is left to the parser.
class NestingCheck {
public:
    explicit NestingCheck(std::string_view text) : text_(text) {}

    /// Where it goes too deep, as line and column; line 0 if it does not.
    std::pair<int, int> find() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            switch (c) {
                case '#':
                    at_ = std::min(text_.find('\n', at_), text_.size());
                    continue;
                case '"':
                case '\'':
                    pass_string(c);
                    continue;
                case '[':
                case '{':
                    // What stands in a value of a dotted key stands below all its tables.
                    open_.push_back(depth_);
                    ++depth_;
                    break;
                case ']':
                case '}':
                    if (!open_.empty()) {
                        depth_ = open_.back();
                        open_.pop_back();
                    }
                    break;
                case '.':
                    ++depth_;
                    break;
                case ',':
                case '\n':
                    // The next key or value of this bracket
                    depth_ = open_.empty() ? 0 : open_.back() + 1;
                    break;
                default:
                    break;
            }
            if (depth_ > kMostTomlDepth) return place();
            ++at_;
        }
        return {0, 0};
    }

private:
    void pass_string(char quote) {
        const std::string three(3, quote);
        const bool is_long = text_.substr(at_).starts_with(three);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '\\' && quote == '"') {
                at_ += 2;
            } else if (is_long ? text_.substr(at_).starts_with(three) : text_[at_] == quote) {
                at_ += is_long ? 3 : 1;
                // Two more may stand before the three that close.
                for (int more = 0; is_long && more < 2 && text_.substr(at_).starts_with(quote);
                     ++more)
                    ++at_;
                return;
            } else if (!is_long && text_[at_] == '\n') {
                return;  // not closed, which is an error
            } else {
                ++at_;
            }
        }
    }

    std::pair<int, int> place() const {
        const std::string_view before = text_.substr(0, at_);
        const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is none
        return {static_cast<int>(std::ranges::count(before, '\n')) + 1,
                static_cast<int>(at_ - line_begin) + 1};
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::size_t depth_ = 0;
    std::vector<std::size_t> open_;  // depth outside of each open bracket
};

/// Whether it would be a value if it stood in quotes, as "emm", "2 kg" or "ground@[0, 0, 0]" would.
bool lacks_quotes(std::string_view value) {
    if (value.empty() || value.find_first_of("\"'") != std::string_view::npos) return false;
    if (value.front() == '[' || value.front() == '{') return false;
    // a number that is none is no text
    if (value.find_first_not_of("0123456789+-._eE") == std::string_view::npos) return false;
    try {
        static_cast<void>(toml::parse(fmt::format("value = {}", value)));
        return false;
    } catch (const toml::parse_error&) {
        return true;
    }
}

/// The most frequent slip of people who are new to TOML, looked for in a line that is no TOML:
/// type = emm, mass = 2 kg, plugins = [emm, truss].
std::string hint_at_quotes(std::string_view text, std::size_t line_number) {
    constexpr std::size_t kLongest = 200;
    std::string_view line = line_of(text, line_number);
    if (line.size() > kLongest) return {};
    const std::size_t equals = line.find('=');
    const std::string_view key = without_blanks(line.substr(0, equals));
    if (equals == std::string_view::npos || key.empty()) return {};
    std::string_view value = without_blanks(line.substr(equals + 1));
    if (value.find_first_of("\"'") == std::string_view::npos)
        value = without_blanks(value.substr(0, value.find('#')));
    constexpr const char* kRule = "; texts, formulas and numbers with units stand in quotes: ";
    if (lacks_quotes(value))
        return fmt::format("{}{} = \"{}\"", kRule, escaped(key), escaped(value));
    if (!value.starts_with('[') && !value.starts_with('{')) return {};
    value.remove_prefix(1);
    while (!value.empty()) {
        const std::size_t end = std::min(value.find_first_of(",][{"), value.size());
        std::string_view entry = without_blanks(value.substr(0, end));
        // Of a table in braces the value alone.
        if (const std::size_t last = entry.rfind('='); last != std::string_view::npos)
            entry = without_blanks(entry.substr(last + 1));
        entry = without_blanks(entry.substr(0, entry.find('}')));
        if (const std::string number = number_as_toml(entry); !number.empty())
            return fmt::format("; a digit stands on both sides of a point: {}", number);
        if (entry.size() > 1 && entry.front() == '-' && entry[1] == ' ' &&
            entry.find_first_not_of("0123456789.eE+- ") == std::string_view::npos)
            return fmt::format("; a sign stands at its number: -{}",
                               without_blanks(entry.substr(1)));
        if (lacks_quotes(entry)) return fmt::format("{}\"{}\"", kRule, escaped(entry));
        value.remove_prefix(std::min(end + 1, value.size()));
    }
    return {};
}

/// A line with its typographic quotes made straight; nothing if it has none.
std::string with_straight_quotes(std::string_view line) {
    constexpr std::pair<std::string_view, char> kQuotes[] = {{"\u201c", '"'},
                                                             {"\u201d", '"'},
                                                             {"\u201e", '"'},
                                                             {"\u201f", '"'},
                                                             {"\u00ab", '"'},
                                                             {"\u00bb", '"'},
                                                             {"\u2033", '"'},
                                                             {"\u2018", '\''},
                                                             {"\u2019", '\''},
                                                             {"\u201a", '\''},
                                                             {"\u2032", '\''}};
    constexpr std::size_t kLongest = 200;
    if (line.size() > kLongest) return {};
    std::string out(without_blanks(line));
    bool any = false;
    for (const auto& [typographic, straight] : kQuotes)
        for (std::size_t at = 0; (at = out.find(typographic)) != std::string::npos; any = true)
            out.replace(at, typographic.size(), 1, straight);
    return any ? out : std::string();
}

/// Of [body] where lists are meant: the first such line, 0 if there is none, and what to write.
std::pair<int, std::string> single_of_list(std::string_view text, std::size_t line_number) {
    const std::string_view at = without_blanks(line_of(text, line_number));
    for (const char* const list :
         {"body", "joint", "constraint", "force", "generate", "shape", "frame"}) {
        const std::string one = fmt::format("[{}]", list);
        if (!at.starts_with(one) && !at.starts_with(fmt::format("[{}]", one))) continue;
        int number = 1;
        for (std::string_view rest = text; !rest.empty(); ++number) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            if (without_blanks(rest.substr(0, end)).starts_with(one))
                return {
                    number,
                    fmt::format("\"{0}\" must be a list of tables, not one table; write [[{0}]] "
                                "above each {0}",
                                list)};
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    return {};
}

}  // namespace

Table read_toml(std::string_view text, std::shared_ptr<const std::string> file) {
    if (const auto [line, column] = NestingCheck(text).find(); line > 0)
        throw Error(ErrorKind::manifest,
                    fmt::format("arrays, tables and dotted keys stand more than {} deep in each "
                                "other",
                                kMostTomlDepth),
                    {std::move(file), line, column});
    try {
        return Converter(file).table(toml::parse(text));
    } catch (const toml::parse_error& error) {
        const toml::source_position at = error.source().begin;
        if (const auto [line, why] = single_of_list(text, at.line); line > 0)
            throw Error(ErrorKind::manifest, why, {std::move(file), line, 1});
        if (const std::string straight = with_straight_quotes(line_of(text, at.line));
            !straight.empty())
            throw Error(ErrorKind::manifest,
                        fmt::format("quotes are typographic, as a word processor makes them; write "
                                    "straight ones: {}",
                                    escaped(straight)),
                        {std::move(file), static_cast<int>(at.line), static_cast<int>(at.column)});
        std::string why = toml_slip(text, at.line, error.description());
        if (why.empty()) why = escaped(error.description()) + hint_at_quotes(text, at.line);
        if (why.find("utf-8") != std::string::npos) why += "; save the file as UTF-8";
        throw Error(ErrorKind::manifest,
                    why,
                    {std::move(file), static_cast<int>(at.line), static_cast<int>(at.column)});
    }
}

namespace {

/// Values in their plainest form, -0.5, 3, 1e-3, true, "text", and arrays of them: large models
/// have them by the hundred thousand, as points of bodies and as defaults. All else is left to
/// toml++.
class PlainValue {
public:
    PlainValue(std::string_view text, const Place& place) : rest_(text), place_(place) {}

    std::optional<Value> read() {
        std::optional<Value> out = value(0);
        skip_blanks();
        return rest_.empty() ? out : std::nullopt;
    }

private:
    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool take(char c) {
        skip_blanks();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<Value> value(int depth) {
        if (!take('[')) return scalar();
        Array out;
        if (depth == kMostTomlDepth) return std::nullopt;
        if (!take(']')) do {
                std::optional<Value> entry = value(depth + 1);
                if (!entry) return std::nullopt;
                out.push_back(std::move(*entry));
                if (take(']')) break;
                if (!take(',')) return std::nullopt;
            } while (!take(']'));
        return Value(std::move(out), place_);
    }
    std::optional<Value> scalar() {
        for (const bool truth : {false, true}) {
            const std::string_view word = truth ? "true" : "false";
            if (!rest_.starts_with(word)) continue;
            rest_.remove_prefix(word.size());
            return Value(truth, place_);
        }
        if (!rest_.starts_with('"')) return number();
        std::size_t end = 1;
        const auto is_plain = [](char c) {
            return c >= ' ' && c != '"' && c != '\\' && c != 0x7f;
        };
        while (end < rest_.size() && is_plain(rest_[end])) ++end;
        if (end == rest_.size() || rest_[end] != '"') return std::nullopt;
        Value out(std::string(rest_.substr(1, end - 1)), place_);
        rest_.remove_prefix(end + 1);
        return out;
    }
    std::size_t num_digits(std::size_t at) const {
        std::size_t count = 0;
        while (at + count < rest_.size() && rest_[at + count] >= '0' && rest_[at + count] <= '9')
            ++count;
        return count;
    }
    std::optional<Value> number() {
        // -?(0|[1-9][0-9]*)(.[0-9]+)?(e[+-]?[0-9]+)?
        std::size_t end = rest_.starts_with('-') ? 1 : 0;
        const std::size_t whole = num_digits(end);
        if (whole == 0 || (whole > 1 && rest_[end] == '0')) return std::nullopt;
        end += whole;
        bool is_whole = true;
        if (end < rest_.size() && rest_[end] == '.') {
            const std::size_t digits = num_digits(end + 1);
            if (digits == 0) return std::nullopt;
            end += 1 + digits;
            is_whole = false;
        }
        if (end < rest_.size() && (rest_[end] == 'e' || rest_[end] == 'E')) {
            ++end;
            if (end < rest_.size() && (rest_[end] == '+' || rest_[end] == '-')) ++end;
            const std::size_t digits = num_digits(end);
            if (digits == 0) return std::nullopt;
            end += digits;
            is_whole = false;
        }
        const char* const last = rest_.data() + end;
        const auto read_as = [&](auto x) -> std::optional<Value> {
            const auto [stop, error] = std::from_chars(rest_.data(), last, x);
            if (error != std::errc() || stop != last) return std::nullopt;
            rest_.remove_prefix(end);
            return Value(x, place_);
        };
        return is_whole ? read_as(std::int64_t{0}) : read_as(0.0);
    }

    std::string_view rest_;
    const Place& place_;
};

}  // namespace

Value read_toml_value(std::string_view text, const Place& place) {
    if (std::optional<Value> plain = PlainValue(text, place).read()) return std::move(*plain);
    if (NestingCheck(text).find().first > 0)
        throw Error(
            ErrorKind::manifest,
            fmt::format("arrays and tables stand more than {} deep in each other", kMostTomlDepth),
            place);
    try {
        const Table table = Converter(place).table(toml::parse(fmt::format("value = {}", text)));
        // text with a line break in it may have brought keys of its own
        if (table.entries().size() == 1) return table.entries().front().value;
    } catch (const toml::parse_error&) {
    } catch (const Error&) {
        // a date
    }
    return {std::string(text), place};
}

}  // namespace ancora
