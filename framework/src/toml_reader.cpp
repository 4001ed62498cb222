// SPDX-License-Identifier: BSD-3-Clause
// TOML text to tables and values, through toml++.
#include "toml_reader.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

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

}  // namespace

Table read_toml(std::string_view text, std::shared_ptr<const std::string> file) {
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
