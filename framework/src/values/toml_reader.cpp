// SPDX-License-Identifier: BSD-3-Clause
// TOML text to tables and values, through toml++.
#include "toml_reader.hpp"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <fmt/format.h>

// Debian's libtomlplusplus is a compiled library; CMake's target says so too.
#ifndef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 0
#endif
#ifndef TOML_SHARED_LIB
#define TOML_SHARED_LIB 1
#endif
#include <toml++/toml.h>

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
        std::string why = escaped(error.description());
        if (why.find("utf-8") != std::string::npos) why += "; save the file as UTF-8";
        throw Error(ErrorKind::manifest,
                    why,
                    {std::move(file), static_cast<int>(at.line), static_cast<int>(at.column)});
    }
}

Value read_toml_value(std::string_view text, const Place& place) {
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
