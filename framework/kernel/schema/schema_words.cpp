// SPDX-License-Identifier: BSD-3-Clause
// A parameter's schema in words.
#include "schema_words.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "traps_off.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

std::string array_of_rows(const Parameter& p) {
    const std::string columns = p.columns == 0 ? "" : fmt::format("{} ", p.columns);
    const std::string rows = p.rows == 0 ? "" : fmt::format("{} ", p.rows);
    return fmt::format("an array of {}rows of {}numbers", rows, columns);
}

}  // namespace

std::vector<std::string> shape_texts(const Parameter& p) {
    std::vector<std::string> phrases;
    const auto add_if = [&](Shape shape, std::string phrase) {
        if (p.allows(shape)) phrases.push_back(std::move(phrase));
    };
    add_if(Shape::boolean, "true or false");
    // A whole number passes wherever a number does.
    if (!p.allows(Shape::number)) add_if(Shape::integer, "an integer");
    add_if(Shape::number, "a number");
    if (p.choices == nullptr)
        add_if(Shape::text,
               p.allows(Shape::signal)
                   ? "a formula such as \"2*sin(t) - elbow.angle\" or \"motor.current\""
                   : "a text");
    for (const std::string& choice : choices_of(p)) add_if(Shape::text, in_quotes(choice));
    add_if(Shape::vector,
           is_list_of_booleans(p) ? "an array of them"
                                  : array_of_numbers(static_cast<std::size_t>(p.length)));
    add_if(Shape::matrix, array_of_rows(p));
    add_if(Shape::texts, "an array of texts");
    add_if(Shape::table, "a table");
    add_if(Shape::point, "a point such as \"box@[1, 0, 0]\"");
    add_if(Shape::direction, "a direction such as \"box@[1, 0, 0]\"");
    add_if(Shape::body, "the name of a body");
    add_if(Shape::object, "the name of an object");
    add_if(Shape::file, "the name of a file");
    add_if(Shape::frame, "a body, or a frame or point of it such as \"arm.tip\" or \"ground\"");
    add_if(Shape::measure, "a measure such as \"elbow.angle\"");
    return phrases;
}

bool is_list_of_booleans(const Parameter& p) {
    return p.allows(Shape::vector) && p.allows(Shape::boolean) && !p.allows(Shape::number);
}

std::string shape_text(const Parameter& p) {
    return alternatives(shape_texts(p));
}

std::string range_text(const Parameter& p) {
    const TrapsOff traps_off;
    std::vector<std::string> bounds;
    if (!std::isinf(p.minimum))
        bounds.push_back(fmt::format("{} {}", p.minimum_is_excluded ? ">" : ">=", p.minimum));
    if (!std::isinf(p.maximum))
        bounds.push_back(fmt::format("{} {}", p.maximum_is_excluded ? "<" : "<=", p.maximum));
    return fmt::format("{}", fmt::join(bounds, " and "));
}

std::string expected_text(const Parameter& p) {
    std::vector<std::string> choices = choices_of(p);
    if (choices.empty()) return "a text";
    std::ranges::transform(choices, choices.begin(), [](const auto& text) {
        return in_quotes(text);
    });
    return alternatives(choices);
}

std::string expected_range(const Parameter& p) {
    std::string range = "a value " + range_text(p);
    return range + unit_behind(p);
}

std::string array_of_numbers(std::size_t count) {
    if (count == 0) return "an array of numbers";
    return fmt::format("an array of {} number{}", count, count == 1 ? "" : "s");
}

std::string described(const Parameter& p) {
    const std::string unit = has_unit(p) ? fmt::format(" [{}]", p.unit) : "";
    if (std::string_view(p.doc).empty()) return in_quotes(p.name) + unit;
    return fmt::format("{} ({}{})", in_quotes(p.name), p.doc, unit);
}

std::string_view shape_name(Shape shape) {
    switch (shape) {
        case Shape::boolean:
            return "a boolean";
        case Shape::integer:
            return "an integer";
        case Shape::number:
            return "a number";
        case Shape::text:
            return "a text";
        case Shape::vector:
            return "a vector";
        case Shape::matrix:
            return "a matrix";
        case Shape::texts:
            return "an array of texts";
        case Shape::table:
            return "a table";
        case Shape::point:
            return "a point";
        case Shape::direction:
            return "a direction";
        case Shape::body:
            return "the name of a body";
        case Shape::object:
            return "the name of an object";
        case Shape::file:
            return "the name of a file";
        case Shape::frame:
            return "a frame";
        case Shape::measure:
            return "a measure";
        case Shape::signal:
            return "a signal";
    }
    return "something else";
}

std::vector<std::string> choices_of(const Parameter& p) {
    std::vector<std::string> choices;
    if (!p.choices) return choices;
    std::string_view rest = p.choices;
    for (std::size_t bar = rest.find('|'); bar != std::string_view::npos; bar = rest.find('|')) {
        choices.emplace_back(rest.substr(0, bar));
        rest.remove_prefix(bar + 1);
    }
    choices.emplace_back(rest);
    return choices;
}

bool is_choice(const Parameter& p, std::string_view text) {
    if (!p.choices) return true;
    const std::vector<std::string> choices = choices_of(p);
    return std::ranges::find(choices, text) != choices.end();
}

std::string hint_at_choice(const Parameter& p, std::string_view text) {
    return did_you_mean(text, choices_of(p));
}

std::string hint_at_form(const Parameter& p, const Value& value) {
    const std::string* const text = value.as<std::string>();
    const bool is_flag = p.allows(Shape::boolean) && !p.allows(Shape::number);
    if (is_flag && (text != nullptr || value.as<std::int64_t>() != nullptr))
        return "; write true or false, without quotes";
    if (text != nullptr && p.allows(Shape::texts) && !p.allows(Shape::text))
        return fmt::format("; write [{}]", in_quotes(*text));
    if (text != nullptr && (p.allows(Shape::vector) || p.allows(Shape::matrix)) &&
        text->find(',') != std::string::npos &&
        text->find_first_not_of("0123456789+-.,eE []") == std::string::npos)
        return fmt::format("; write it without quotes: {}",
                           text->find('[') == std::string::npos ? "[" + *text + "]" : *text);
    const bool is_triple = p.allows(Shape::vector) && p.length == 3 && !p.allows(Shape::number);
    if (value.as<Table>() != nullptr) return is_triple ? "; write [x, y, z]" : "";
    const Array* const array = value.as<Array>();
    const bool may_be_rows = array != nullptr && p.allows(Shape::matrix);
    if (is_triple && !may_be_rows && (text == nullptr || !p.allows(Shape::texts))) {
        if (array != nullptr && array->size() > 3)
            return "; write [x, y, z], with a point before decimals";
        if (text == nullptr || has_unit(p)) return "; write [x, y, z]";
        if (!p.allows(Shape::table)) return "; write [x, y, z], or \"x\", \"-y\" for an axis";
    }
    if (!p.allows(Shape::table) || p.num_children == 0 ||
        p.children[0].name == std::string_view("*"))
        return {};
    std::string keys;
    for (int i = 0; i < p.num_children; ++i)
        keys += fmt::format("{}{}", i == 0 ? "" : ", ", p.children[i].name);
    return fmt::format("; a table is written {{ KEY = VALUE, ... }}, with keys of {}", keys);
}

namespace {

std::vector<std::string_view> split(std::string_view text, std::string_view at) {
    std::vector<std::string_view> out;
    for (std::size_t end = text.find(at); end != std::string_view::npos; end = text.find(at)) {
        out.push_back(text.substr(0, end));
        text.remove_prefix(end + at.size());
    }
    out.push_back(text);
    return out;
}

}  // namespace

std::vector<std::string_view> unit_alternatives(std::string_view unit) {
    return split(unit, " or ");
}

namespace {
bool is_chosen(const std::vector<std::string_view>& all, ActsOn measure) {
    return all.size() == 2 && measure != ActsOn::unknown;
}
}  // namespace

std::vector<std::string_view> unit_alternatives(std::string_view unit, ActsOn measure) {
    std::vector<std::string_view> all = unit_alternatives(unit);
    if (is_chosen(all, measure)) all = {all[measure == ActsOn::angle ? 1 : 0]};
    return all;
}

const char* why_unit(std::string_view unit, ActsOn measure) {
    if (!is_chosen(unit_alternatives(unit), measure)) return "";
    return measure == ActsOn::angle ? ", since it acts on an angle" : ", since it acts on a length";
}

std::vector<std::string_view> unit_list(std::string_view unit) {
    return split(unit, ", ");
}

std::string_view unit_of_column(const Parameter& p, std::size_t column) {
    const std::vector<std::string_view> all = unit_list(p.unit);
    const bool is_by_column = all.size() > 1 && static_cast<int>(all.size()) == p.columns;
    return is_by_column && column < all.size() ? all[column] : std::string_view(p.unit);
}

std::string unit_behind(const Parameter& p) {
    const bool is_one = unit_alternatives(p.unit).size() == 1 && unit_list(p.unit).size() == 1;
    return has_unit(p) && is_one ? fmt::format(" {}", p.unit) : "";
}

bool has_unit(const Parameter& p) {
    const std::string_view unit = p.unit;
    return !unit.empty() && unit != "-";
}

}  // namespace ancora
