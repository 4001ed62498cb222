// SPDX-License-Identifier: BSD-3-Clause
// Finds the strings that stand for numbers, and computes them.
#include "schema_expressions.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/sdk/formula/error.hpp"
#include "argument_files.hpp"
#include "expression.hpp"
#include "formula_hints.hpp"
#include "formula_parameters.hpp"
#include "schema_words.hpp"
#include "units.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

bool takes_numbers(const Parameter& p) {
    return p.allows(Shape::number) || p.allows(Shape::integer);
}

// A number, or a formula that the type itself reads; of a signal it may be a condition alone.
bool takes_formula(const Parameter& p) {
    return (p.allows(Shape::number) || p.allows(Shape::signal)) && p.allows(Shape::text) &&
           p.choices == nullptr;
}

bool takes_text(const Parameter& p, std::string_view text) {
    for (const Shape shape : {Shape::point,
                              Shape::direction,
                              Shape::body,
                              Shape::object,
                              Shape::file,
                              Shape::frame,
                              Shape::measure})
        if (p.allows(shape)) return true;
    return p.allows(Shape::text) && is_choice(p, text);
}

/// Where a vector or a frame may stand: "tip" is an array of [parameters], "arm.tip" a frame.
bool may_name_array(const Parameter& p, std::string_view text) {
    return p.allows(Shape::vector) && p.allows(Shape::frame) &&
           text.find_first_of("@.") == std::string_view::npos;
}

// The string may be a number, or the name of an array of them.
bool is_expression(const Parameter& p, std::string_view text) {
    return (takes_numbers(p) || takes_formula(p) || p.allows(Shape::vector)) &&
           !is_list_of_booleans(p) && !text.empty() &&
           (takes_formula(p) || !takes_text(p, text) || may_name_array(p, text));
}

// Arrays of numbers, of which some may be strings.
bool is_vector(const Parameter& p, const Array& array) {
    return p.allows(Shape::vector) && !is_list_of_booleans(p) && !array.empty() &&
           !array.front().as<Array>() &&
           !(p.allows(Shape::texts) && array.front().as<std::string>());
}

bool is_matrix(const Parameter& p, const Array& array) {
    return p.allows(Shape::matrix) && !array.empty() &&
           std::ranges::any_of(array, [](const Value& row) {
               return row.as<Array>() != nullptr;
           });
}

bool has_string(const Array& array) {
    return std::ranges::any_of(array, [](const Value& value) {
        return value.as<std::string>() != nullptr;
    });
}

bool has_number(const Array& array) {
    return std::ranges::any_of(array, [](const Value& value) {
        return value.as<double>() != nullptr || value.as<std::int64_t>() != nullptr;
    });
}

/// Names beside numbers, where either alone is taken.
bool is_mixed(const Parameter& p, const Array& array) {
    return p.allows(Shape::vector) && p.allows(Shape::texts) && has_string(array) &&
           has_number(array);
}

/// What is given over time by rows or by formulas, which may stand beside numbers:
/// [0, 0, "sin(t)"].
bool holds_formulas(const Parameter& p, const Array& array) {
    return p.allows(Shape::matrix) && p.allows(Shape::texts) && has_string(array) &&
           std::ranges::none_of(array, [](const Value& entry) {
               return entry.as<Array>() != nullptr;
           });
}

bool has_expression(const Value& value, const Parameter& p) {
    if (const auto* const text = value.as<std::string>()) return is_expression(p, *text);
    if (const Array* const array = value.as<Array>()) {
        if (is_vector(p, *array) || is_mixed(p, *array)) return has_string(*array);
        if (holds_formulas(p, *array)) return true;
        if (is_matrix(p, *array))
            return has_string(*array) || std::ranges::any_of(*array, [](const Value& row) {
                       const Array* const numbers = row.as<Array>();
                       return numbers != nullptr && has_string(*numbers);
                   });
        return false;
    }
    const Table* const table = value.as<Table>();
    return table != nullptr && p.allows(Shape::table) &&
           has_expressions(*table, {p.children, static_cast<std::size_t>(p.num_children)});
}

const Parameter* find_parameter(std::span<const Parameter> schema, std::string_view key) {
    if (schema.size() == 1 && schema.front().name == std::string_view("*")) return schema.data();
    const auto found = std::ranges::find_if(schema, [key](const Parameter& p) {
        return p.name == key;
    });
    return found == schema.end() ? nullptr : &*found;
}

/// Units that a value may have, and their dimensions; none: any.
struct Units {
    std::string text;
    std::vector<Dimension> dimensions;
    const char* why = "";
};

class Computer {
public:
    Computer(const std::string& owner, const Symbols& symbols, ActsOn measure)
        : owner_(owner), symbols_(symbols), measure_(measure) {}

    void table(Table& values, std::span<const Parameter> schema, const std::string& prefix) {
        for (Table::Entry& entry : values.entries()) {
            const Parameter* const p = find_parameter(schema, entry.key);
            if (p == nullptr || !has_expression(entry.value, *p)) continue;
            value(entry.value, *p, prefix + entry.key);
        }
    }

private:
    Units units_of(const Parameter& p) const { return units_of(p.unit); }

    /// Of two alternatives that of the measure if it is known.
    Units units_of(std::string_view unit) const {
        const bool has_none = unit.empty() || unit == "-";
        Units out{has_none ? "a number without dimension" : std::string(unit), {}, ""};
        const std::vector<std::string_view> all = unit_alternatives(unit, measure_);
        out.why = why_unit(unit, measure_);
        if (*out.why != '\0') out.text = all.front();
        for (const std::string_view each : all)
            for (const std::string_view one : unit_list(each)) {
                const std::optional<Dimension> dimension = dimension_of(one);
                if (!dimension) return {out.text, {}, ""};
                out.dimensions.push_back(*dimension);
            }
        return out;
    }

    /// A parameter by the name of what the formula reads: either reading would be a guess.
    void refuse_ambiguous(const std::string& text,
                          const Value& value,
                          const Parameter& p,
                          const std::string& key) const {
        const std::string name = ambiguous_name(text, symbols_, p.formula_names);
        if (name.empty()) return;
        const std::string message =
            name == "t"
                ? fmt::format(
                      "t in {} is the time, and [parameters] or [[generate]] have a t, "
                      "too: give that another name",
                      in_quotes(text))
                : fmt::format(
                      "{0} in {1} is what this formula reads by that name ({2}), and "
                      "[parameters] or [[generate]] have {0}, too: give that another name, "
                      "or write ${{{0}}} for it",
                      name,
                      in_quotes(text),
                      p.formula_names == FormulaNames::measure ? "of its measure" : "of its point");
        throw Error(
            ErrorKind::manifest, fmt::format("{}: {}: {}", owner_, key, message), value.place());
    }

    void value(Value& value, const Parameter& p, const std::string& key) {
        if (const auto* const text = value.as<std::string>())
            string(value, *text, p, key);
        else if (Array* const entries = std::get_if<Array>(&value.data()))
            array(*entries, p, key);
        else if (Table* const inner = std::get_if<Table>(&value.data()))
            table(*inner, {p.children, static_cast<std::size_t>(p.num_children)}, key + '.');
    }

    void array(Array& entries, const Parameter& p, const std::string& key) const {
        const bool is_of_formulas = holds_formulas(p, entries);
        if (is_of_formulas)
            for (const Value& entry : entries)
                if (const auto* const text = entry.as<std::string>())
                    refuse_ambiguous(*text, entry, p, key);
        const bool may_be_numbers = p.allows(Shape::vector) && has_number(entries);
        if ((is_of_formulas || is_mixed(p, entries)) && (has_formula(entries) || !may_be_numbers)) {
            for (std::size_t i = 0; i < entries.size(); ++i)
                entries[i] = {formula_text(entries[i], p, fmt::format("{}[{}]", key, i)),
                              entries[i].place()};
            return;
        }
        const bool is_flat = is_vector(p, entries) || is_mixed(p, entries);
        // Rows over time have another unit in their first column.
        const int num_values = p.allows(Shape::vector) && p.length > 0 ? p.length : 1;
        const bool is_over_time = !is_flat && p.columns == num_values + 1 &&
                                  (p.allows(Shape::vector) || takes_numbers(p) ||
                                   p.allows(Shape::text) || p.allows(Shape::signal));
        const bool has_one_unit = is_flat || !p.allows(Shape::vector) || p.columns == p.length;
        const Units wanted = has_one_unit || is_over_time ? units_of(p) : Units{};
        const Units of_time{"s", {*dimension_of("s")}, ""};
        const auto of_column = [&](std::size_t j) {
            const std::string_view own = unit_of_column(p, j);
            if (own != p.unit) return units_of(own);
            return is_over_time && j == 0 ? of_time : wanted;
        };
        const auto compute = [&](Value& entry, const Units& units, const std::string& label) {
            if (const auto* const text = entry.as<std::string>())
                entry = {number(*text, entry, p, units, label), entry.place()};
        };
        for (std::size_t i = 0; i < entries.size(); ++i) {
            const std::string label = fmt::format("{}[{}]", key, i);
            if (is_flat) {
                compute(entries[i], wanted, label);
            } else if (const auto* const text = entries[i].as<std::string>()) {
                put_array(entries[i], *text, p, is_over_time ? Units{} : wanted, label);
            } else if (Array* const row = std::get_if<Array>(&entries[i].data())) {
                for (std::size_t j = 0; j < row->size(); ++j)
                    compute((*row)[j], of_column(j), fmt::format("{}[{}]", label, j));
            }
        }
    }

    /// Of numbers and texts, as in [0, 0, "sin(t)"]: whether one has no value beforehand.
    bool has_formula(const Array& entries) const {
        return std::ranges::any_of(entries, [&](const Value& entry) {
            const auto* const text = entry.as<std::string>();
            return text != nullptr && !value_of(*text);
        });
    }

    std::string formula_text(const Value& entry, const Parameter& p, const std::string& key) const {
        if (const auto* const number = entry.as<double>()) return number_text(*number);
        if (const auto* const number = entry.as<std::int64_t>()) return fmt::format("{}", *number);
        const auto* const text = entry.as<std::string>();
        if (text == nullptr) return {};
        if (!value_of(*text))
            return p.allows(Shape::matrix) ? formula(*text, entry, p, key) : *text;
        return number_text(number(*text, entry, p, units_of(p), key));
    }

    std::string formula(const std::string& text,
                        const Value& value,
                        const Parameter& p,
                        const std::string& key) const {
        try {
            return with_parameters(text, symbols_, p.formula_names);
        } catch (const FormulaError& error) {
            throw Error(ErrorKind::manifest,
                        fmt::format("{}: {}: {}: {}", owner_, key, in_quotes(text), error.what()),
                        value.place());
        }
    }

    std::optional<Quantity> value_of(const std::string& text) const {
        try {
            return evaluate(text, symbols_);
        } catch (const FormulaError&) {
            return std::nullopt;
        }
    }

    void string(Value& value, const std::string& text, const Parameter& p, const std::string& key) {
        const Units wanted = units_of(p);
        if (p.allows(Shape::vector) &&
            (put_array(value, text, p, wanted, key) || put_axis(value, text, p)))
            return;
        if (!takes_numbers(p) && !takes_formula(p)) return;
        // more likely a slip of one of the texts than of a number
        if (p.allows(Shape::text) && !hint_at_choice(p, text).empty() && !value_of(text)) return;
        if (takes_formula(p)) {
            refuse_ambiguous(text, value, p, key);
            // "2t" would be a mass; what is meant is a formula of time
            if (written_unit(text) == "t")
                throw Error(ErrorKind::manifest,
                            fmt::format("{}: {}: {} is {} tonnes; the time is multiplied: write "
                                        "\"{}*t\"",
                                        owner_,
                                        key,
                                        in_quotes(text),
                                        number_text(1e-3 * evaluate(text, symbols_).value),
                                        number_text(1e-3 * evaluate(text, symbols_).value)),
                            value.place());
            // What has a value beforehand is a number, perhaps with a unit
            if (!takes_numbers(p) || !value_of(text)) {
                if (!p.allows(Shape::file) || !looks_like_file(text))
                    value = {formula(text, value, p, key), value.place()};
                return;
            }
        }
        const double x = number(text, value, p, wanted, key);
        if (p.allows(Shape::number)) {
            value = {x, value.place()};
            return;
        }
        constexpr double kMostWhole = 9.0e15;
        if (x != std::floor(x) || std::abs(x) > kMostWhole)
            refuse(p, value, key, fmt::format("{} = {}", in_quotes(text), number_text(x)), "");
        value = {static_cast<std::int64_t>(x), value.place()};
    }

    /// "x", "-y": a direction along an axis.
    static bool put_axis(Value& value, std::string_view text, const Parameter& p) {
        const double sign = text.starts_with('-') ? -1.0 : 1.0;
        if (text.starts_with('-') || text.starts_with('+')) text.remove_prefix(1);
        if (p.length != 3 || has_unit(p) || takes_numbers(p) || text.size() != 1 ||
            text.front() < 'x' || text.front() > 'z')
            return false;
        Array direction;
        for (const char axis : {'x', 'y', 'z'})
            direction.emplace_back(text.front() == axis ? sign : 0.0, value.place());
        value = {std::move(direction), value.place()};
        return true;
    }

    /// Puts an array in the place of its name.
    bool put_array(Value& value,
                   const std::string& text,
                   const Parameter& p,
                   const Units& wanted,
                   const std::string& key) const {
        Symbol symbol;
        try {
            symbol = named_array(text, symbols_);
        } catch (const FormulaError& error) {
            refuse(p, value, key, in_quotes(text), fmt::format("; {}", error.what()));
        }
        if (!symbol.is_array || symbol.columns > 0) return false;
        Array array;
        for (const Quantity& x : symbol.values) {
            check_dimension(x, text, value, wanted, key);
            array.emplace_back(x.value, value.place());
        }
        value = {std::move(array), value.place()};
        return true;
    }

    double number(const std::string& text,
                  const Value& value,
                  const Parameter& p,
                  const Units& wanted,
                  const std::string& key) const {
        try {
            const Quantity x = evaluate(text, symbols_);
            check_dimension(x, text, value, wanted, key);
            return x.value;
        } catch (const FormulaError& error) {
            refuse(p,
                   value,
                   key,
                   in_quotes(text),
                   with_formula_hint(fmt::format("; {}", error.what())));
        }
    }

    void check_dimension(const Quantity& x,
                         const std::string& text,
                         const Value& value,
                         const Units& wanted,
                         const std::string& key) const {
        if (wanted.dimensions.empty() || x.knowledge != Knowledge::unit ||
            std::ranges::find(wanted.dimensions, x.dimension) != wanted.dimensions.end())
            return;
        const std::string_view written = written_unit(text);
        throw Error(ErrorKind::manifest,
                    written.empty() ? fmt::format("{}: {}: expected {}{}, got {}: {}",
                                                  owner_,
                                                  key,
                                                  wanted.text,
                                                  wanted.why,
                                                  to_text(x.dimension),
                                                  in_quotes(text))
                                    : fmt::format("{}: {}: expected {}{}, got {}",
                                                  owner_,
                                                  key,
                                                  wanted.text,
                                                  wanted.why,
                                                  written),
                    value.place());
    }

    [[noreturn]] void refuse(const Parameter& p,
                             const Value& value,
                             const std::string& key,
                             const std::string& got,
                             const std::string& why) const {
        const std::string expected = key.ends_with(']') ? "a number" : expected_value(p);
        throw Error(ErrorKind::manifest,
                    fmt::format("{}: {}: expected {}, got {}{}", owner_, key, expected, got, why),
                    value.place());
    }

    const std::string& owner_;
    const Symbols& symbols_;
    ActsOn measure_;
};

}  // namespace

bool has_expressions(const Table& values, std::span<const Parameter> schema) {
    return std::ranges::any_of(values.entries(), [&](const Table::Entry& entry) {
        const Parameter* const p = find_parameter(schema, entry.key);
        return p != nullptr && has_expression(entry.value, *p);
    });
}

void compute_expressions(const std::string& owner,
                         Table& values,
                         std::span<const Parameter> schema,
                         const Symbols& symbols,
                         ActsOn measure) {
    Computer(owner, symbols, measure).table(values, schema, "");
}

}  // namespace ancora
