// SPDX-License-Identifier: BSD-3-Clause
// Units of all keys of all types: another dimension is refused wherever numbers stand, the own one
// is taken.
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/value.hpp"
#include "schema_expressions.hpp"
#include "schema_words.hpp"

namespace ancora {
namespace {

std::string row(int first, int entries, const std::string& text, int number) {
    std::string out = "[";
    for (int i = 0; i < entries; ++i)
        out += i < first ? fmt::format("{}, ", number) : fmt::format("\"{}\", ", text);
    return out + "]";
}

/// The forms of a parameter's values in which a number may be written with a unit.
std::vector<std::string> forms(const Parameter& p, const std::string& text, int first_column) {
    std::vector<std::string> out;
    const bool takes_formula = p.allows(Shape::text) || p.allows(Shape::signal);
    if (p.allows(Shape::number)) out.push_back(fmt::format("\"{}\"", text));
    if (p.allows(Shape::vector) && !p.allows(Shape::texts))
        out.push_back(row(0, p.length > 0 ? p.length : 2, text, 0));
    if (!p.allows(Shape::matrix)) return out;
    const int columns = p.columns > 0 ? p.columns : 2;
    const bool is_over_time = takes_formula || p.allows(Shape::number) || p.allows(Shape::vector);
    const int first = is_over_time && columns > p.length ? 1 : first_column;
    if (p.allows(Shape::vector) && p.columns == p.length) return out;
    out.push_back(
        fmt::format("[{}, {}]", row(first, columns, text, 0), row(first, columns, text, 1)));
    return out;
}

std::string refusal(const Parameter& p, const std::string& value) {
    Table table;
    table.add({p.name, {}, parse_value(value)});
    try {
        compute_expressions("x", table, {&p, 1}, NoSymbols{});
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

int check_units(std::span<const Parameter> schema, const std::string& owner) {
    int count = 0;
    for (const Parameter& p : schema) {
        const std::string name = fmt::format("{}.{}", owner, p.name);
        CAPTURE(name);
        count += check_units({p.children, static_cast<std::size_t>(p.num_children)}, name);
        if (*p.unit == '\0') continue;
        const bool is_by_column = unit_of_column(p, 1) != p.unit;
        for (const std::string& value : forms(p, "3 kg*K", is_by_column ? 1 : 0)) {
            CAPTURE(value);
            CHECK(refusal(p, value).find(", got kg*K") != std::string::npos);
            ++count;
        }
        if (is_by_column || !has_unit(p)) continue;
        for (const std::string_view unit : unit_alternatives(p.unit))
            for (const std::string_view one : unit_list(unit)) {
                // What is nothing but a quotient is written as a product here
                const std::string written = one.starts_with("1/")
                                                ? fmt::format("1 m/(m {})", one.substr(2))
                                                : fmt::format("1 {}", one);
                for (const std::string& value : forms(p, written, 0)) {
                    CAPTURE(value);
                    CHECK(refusal(p, value) == "");
                }
            }
    }
    return count;
}

TEST_SUITE("units") {
    TEST_CASE("no key of any type takes another dimension than its own") {
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        int count = 0;
        for (const FoundPlugin& found : registry.scan()) {
            if (found.plugin == nullptr) continue;
            const PluginDescriptor& plugin = *found.plugin->descriptor;
            for (const TypeDescriptor& type : std::span(plugin.types, plugin.num_types))
                count += check_units(
                    {type.parameters, static_cast<std::size_t>(type.num_parameters)}, type.name);
        }
        CHECK(count > 500);
    }
}

}  // namespace
}  // namespace ancora
