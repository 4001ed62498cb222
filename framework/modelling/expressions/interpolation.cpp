// SPDX-License-Identifier: BSD-3-Clause
// Putting values into texts.
#include "interpolation.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "ancora/sdk/formula/error.hpp"
#include "expression.hpp"
#include "trimmed.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

/// The entry "names[k - 1]" of a list of names; nothing if it is none.
std::optional<std::string> entry_of_names(std::string_view expression, const Symbols& scope) {
    const std::string_view whole = trimmed(expression);
    const std::size_t bracket = whole.find('[');
    if (bracket == std::string_view::npos || whole.back() != ']') return std::nullopt;
    const std::string_view name = trimmed(whole.substr(0, bracket));
    if (!scope.knows(name) || whole.find(']') + 1 != whole.size()) return std::nullopt;
    const Symbol list = scope.find(name);
    if (list.texts.empty()) return std::nullopt;
    // The numbers of such a list are the places in it
    return list.texts[static_cast<std::size_t>(evaluate(whole, scope).value)];
}

std::string text_of(std::string_view expression, const Symbols& scope, bool before_power) {
    if (std::optional<std::string> name = entry_of_names(expression, scope)) return *name;
    if (const std::string_view name = trimmed(expression); scope.knows(name))
        if (const Symbol symbol = scope.find(name); !symbol.text.empty())
            return std::string(symbol.text);
    if (const Symbol array = named_array(expression, scope); array.is_array) {
        std::string text = "[";
        for (std::size_t i = 0; i < array.values.size(); ++i) {
            const bool begins_row = array.columns > 0 && i % array.columns == 0;
            if (begins_row) text += i == 0 ? "[" : "], [";
            text += (i == 0 || begins_row ? "" : ", ") + number_text(array.values[i].value);
        }
        return text + (array.columns > 0 ? "]]" : "]");
    }
    const double x = evaluate(expression, scope).value;
    // "${a}^2" is the square of a, negative or not
    const std::string text = number_text(x);
    return before_power && x < 0.0 ? fmt::format("({})", text) : text;
}

/// A value that stands alone keeps its unit, so that it is held against the one that is wanted.
std::string with_unit(const std::string& number,
                      std::string_view expression,
                      const Symbols& scope) {
    if (named_array(expression, scope).is_array || !scope.find(trimmed(expression)).text.empty())
        return number;
    const Quantity x = evaluate(expression, scope);
    if (x.knowledge != Knowledge::unit || x.dimension.is_none()) return number;
    const std::string text = fmt::format("{} {}", number, to_text(x.dimension));
    try {
        const Quantity again = evaluate(text, scope);
        if (again.value == x.value && again.dimension == x.dimension) return text;
    } catch (const FormulaError&) {  // no unit can be written for it
    }
    return number;
}

std::string interpolated(const std::string& text, const Place& place, const Symbols& scope) {
    std::string out;
    std::size_t at = 0;
    for (;;) {
        const std::size_t dollar = text.find("${", at);
        if (dollar == std::string::npos) return out += text.substr(at);
        if (dollar > at && text[dollar - 1] == '$') {
            out += text.substr(at, dollar - at);  // with the first "$"
            out += '{';
            at = dollar + 2;
            continue;
        }
        out += text.substr(at, dollar - at);
        const std::size_t begin = dollar + 2;
        const std::size_t end = text.find('}', begin);
        const auto refuse = [&](std::size_t position, const std::string& why) {
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: position {}: {}", in_quotes(text), position, why),
                        place);
        };
        if (end == std::string::npos)
            refuse(dollar + 1, "found no \"}\" to close \"${\"; write \"$${\" for the text \"${\"");
        const std::size_t next = text.find_first_not_of(' ', end + 1);
        const bool before_power = next != std::string::npos && text[next] == '^';
        try {
            const std::string_view expression = std::string_view(text).substr(begin, end - begin);
            out += text_of(expression, scope, before_power);
            if (dollar == 0 && end + 1 == text.size()) return with_unit(out, expression, scope);
        } catch (const FormulaError& error) {
            refuse(begin + error.position(), error.message());
        }
        at = end + 1;
    }
}

}  // namespace

void interpolate(Value& value, const Symbols& scope) {
    if (auto* const text = std::get_if<std::string>(&value.data())) {
        if (text->find("${") != std::string::npos)
            *text = interpolated(*text, value.place(), scope);
    } else if (auto* const array = std::get_if<Array>(&value.data())) {
        for (Value& entry : *array) interpolate(entry, scope);
    } else if (auto* const table = std::get_if<Table>(&value.data())) {
        interpolate(*table, scope);
    }
}

void interpolate(Table& table, const Symbols& scope) {
    for (Table::Entry& entry : table.entries()) interpolate(entry.value, scope);
}

bool holds_interpolation(const Value& value) {
    if (const auto* const text = value.as<std::string>())
        return text->find("${") != std::string::npos;
    if (const Array* const array = value.as<Array>())
        return std::ranges::any_of(*array, [](const Value& entry) {
            return holds_interpolation(entry);
        });
    const Table* const table = value.as<Table>();
    return table != nullptr && holds_interpolation(*table);
}

bool holds_interpolation(const Table& table) {
    return std::ranges::any_of(table.entries(), [](const Table::Entry& entry) {
        return holds_interpolation(entry.value);
    });
}

std::string without_interpolation(std::string_view text) {
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text.substr(at).starts_with("${")) out += '$';
        out += text[at];
    }
    return out;
}

}  // namespace ancora
