// SPDX-License-Identifier: BSD-3-Clause
// Reads and computes an expression in one go: it is needed once. Its rules and functions are those
// of formulas, on numbers with dimensions; it has units and entries of arrays besides, and nothing
// of time.
#include "expression.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "ancora/sdk/formula/grammar.hpp"
#include "functions.hpp"
#include "trimmed.hpp"
#include "unit_reader.hpp"

namespace ancora {
namespace {

bool is_name(std::string_view text) {
    using Scanner = detail::FormulaScanner;
    return !text.empty() && Scanner::is_letter(text.front()) &&
           std::ranges::all_of(text, Scanner::is_word);
}

class Evaluator final : detail::FormulaGrammar<Evaluator, Quantity> {
    using Grammar = detail::FormulaGrammar<Evaluator, Quantity>;
    using Op = detail::FormulaOp;
    friend Grammar;

public:
    Evaluator(std::string_view text, const Symbols& symbols)
        : Grammar(text, {"expression"}), symbols_(symbols) {}

    Quantity evaluate() {
        check_length();
        skip_space();
        if (at_end()) fail(at_, "the expression is empty");
        const Quantity value = condition().value;
        skip_space();
        if (!at_end()) fail_found(expected_at_end());
        return value;
    }

    /// NAME[index] of an array of rows: the row.
    Symbol row() {
        skip_space();
        if (!is_letter(peek())) return {};
        const Symbol symbol = symbols_.find(read_word());
        skip_space();
        if (symbol.columns == 0 || peek() != '[') return {};
        const std::size_t first = index(symbol.values.size() / symbol.columns) * symbol.columns;
        skip_space();
        if (!at_end()) return {};
        return {symbol.values.subspan(first, symbol.columns), true};
    }

    /// A number with a unit and no more: the unit.
    std::string_view unit_alone() {
        skip_space();
        if (peek() == '-' || peek() == '+') ++at_;
        if (!is_digit(peek()) && peek() != '.') return {};
        number();
        skip_space();
        const std::size_t begin = at_;
        if (!unit_begins(text_, at_)) return {};
        read_unit(text_, at_, symbols_);
        skip_space();
        return at_end() ? trimmed(text_.substr(begin)) : std::string_view();
    }

private:
    // --- what the grammar asks for

    static Quantity constant(double x) { return {x, {}, {}}; }

    static Quantity negate(Quantity a) {
        a.value = -a.value;
        return a;
    }

    static bool is_skipped(const Quantity& condition, bool is_first) {
        return (condition.value != 0.0) != is_first;
    }
    void skip(int change) { skipped_ += change; }

    Quantity binary(Op op, const Quantity& a, const Quantity& b, std::size_t position) const {
        const auto with = [&](Quantity of, double value) {
            of.value = checked(value, position, a.value, b.value);
            return of;
        };
        switch (op) {
            case Op::add:
                return with(alike(a, b, position, "added to"), a.value + b.value);
            case Op::subtract:
                return with(alike(a, b, position, "subtracted from"), a.value - b.value);
            case Op::multiply:
                return with(combined(a, b, 1.0), a.value * b.value);
            case Op::divide:
                if (b.value == 0.0 && skipped_ == 0) fail(position, "division by zero");
                return with(combined(a, b, -1.0), a.value / b.value);
            case Op::less:
            case Op::less_equal:
                alike(a, b, position, "compared with");
                return constant(op == Op::less ? a.value < b.value : a.value <= b.value);
            default:  // min and max of conditions
                return constant(value_of(op, a.value, b.value));
        }
    }

    Quantity power(Quantity base,
                   const Quantity& exponent,
                   std::size_t position,
                   std::size_t of_exponent) const {
        require_none(exponent, "an exponent", of_exponent);
        base.dimension = base.dimension.to_power(exponent.value);
        base.value =
            checked(std::pow(base.value, exponent.value), position, base.value, exponent.value);
        return base;
    }

    static Quantity select(const Quantity& condition,
                           const Quantity& a,
                           const Quantity& b,
                           std::size_t begin) {
        Quantity out = alike(a, b, begin, "in \"if\" with");
        out.value = condition.value != 0.0 ? a.value : b.value;
        return out;
    }

    Quantity apply(const detail::FormulaFunction& function,
                   std::span<const Quantity> arguments,
                   std::size_t begin) const {
        const Rule rule = rule_of(function);
        Quantity value = arguments.front();
        if (rule == Rule::none_to_none || rule == Rule::none_to_same)
            require_none(value, fmt::format("\"{}\"", function.name), begin);
        if (arguments.size() > 1) {
            for (const Quantity& right : arguments.subspan(1)) {
                if (function.name == "mod" && right.value == 0.0 && skipped_ == 0)
                    fail(begin, "division by zero");
                const double left = value.value;
                const double result = value_of(function, left, right.value);
                value = alike(value, right, begin, fmt::format("in \"{}\" with", function.name));
                value.value = checked(result, begin, left, right.value);
            }
        } else {
            value.value = checked(value_of(function, value.value), begin, value.value);
        }
        if (rule == Rule::root) value.dimension = value.dimension.to_power(0.5);
        if (rule == Rule::none_to_none || rule == Rule::same_to_none) value = constant(value.value);
        return value;
    }

    Term primary() {
        skip_space();
        const std::size_t begin = at_;
        if (!accept('(')) return {quantity(begin)};
        const Term inner = condition();
        close(begin);
        skip_space();
        if (inner.is_condition && !unit_begins(text_, at_)) return inner;
        return {with_unit(inner.value, begin)};
    }

    // --- numbers, names and entries of arrays

    double number() {
        const double value = read_number();
        if (peek() == '.') fail_found("an operator");
        return value;
    }

    Quantity quantity(std::size_t begin) {
        if (number_begins()) return with_unit(constant(number()), begin);
        if (!is_letter(peek())) fail_found("a number, a name, a function or \"(\"");

        const std::string_view name = read_word();
        skip_space();
        if (const auto* const function = detail::find_formula_function(name))
            return call(*function, begin);
        if (peek() == '(')
            fail(begin,
                 fmt::format("found \"{}(\", expected a function{}", name, function_help(name)));
        if (const Constant* const constant = find_constant(name))
            return this->constant(constant->value);
        const Symbol symbol = symbols_.find(name);
        if (!symbol.is_array && symbol.values.empty()) fail_unknown(name, begin);
        if (!symbol.is_array) {
            if (peek() == '[')
                fail(at_, fmt::format("\"{}\" is one number, it has no entries", name));
            return symbol.values.front();
        }
        return entry(name, symbol);
    }

    Quantity entry(std::string_view name, const Symbol& symbol) {
        const std::size_t bracket = at_;
        if (!accept('['))
            fail_found(
                fmt::format("\"[\" and an index: \"{}\" is an array, take \"{}[0]\"", name, name));
        --at_;
        if (symbol.values.empty()) fail(bracket + 1, fmt::format("\"{}\" is an empty array", name));
        if (symbol.columns == 0) return symbol.values[index(symbol.values.size())];
        const std::size_t row = index(symbol.values.size() / symbol.columns);
        skip_space();
        if (peek() != '[')
            fail_found(
                fmt::format("a second index: \"{}\" has rows, take \"{}[0][0]\"", name, name));
        return symbol.values[row * symbol.columns + index(symbol.columns)];
    }

    /// "[" sum "]": a whole number from 0 to size - 1.
    std::size_t index(std::size_t size) {
        const std::size_t bracket = at_++;
        const Quantity index = sum();
        close(bracket, ']');
        require_none(index, "an index", bracket + 1);
        if (skipped_ > 0) return 0;
        if (index.value != std::floor(index.value) || index.value < 0.0 ||
            index.value >= static_cast<double>(size))
            fail(bracket + 1,
                 fmt::format("the index is {}, expected a whole number from 0 to {}",
                             number_text(index.value),
                             size - 1));
        return static_cast<std::size_t>(index.value);
    }

    Quantity with_unit(Quantity value, std::size_t begin) {
        skip_space();
        if (!unit_begins(text_, at_)) return value;
        if (value.knowledge == Knowledge::unit && !value.dimension.is_none())
            fail(at_,
                 fmt::format("found a unit behind what has one already, {}",
                             to_text(value.dimension)));
        const Unit unit = read_unit(text_, at_, symbols_);
        return {checked(value.value * unit.factor / unit.divisor, begin, value.value),
                Knowledge::unit,
                unit.dimension};
    }

    // --- dimensions

    /// The dimension of a sum: numbers fit everywhere.
    static Quantity alike(const Quantity& a,
                          const Quantity& b,
                          std::size_t position,
                          std::string_view how) {
        if (a.knowledge == Knowledge::unit && b.knowledge == Knowledge::unit &&
            a.dimension != b.dimension)
            fail(position,
                 fmt::format("{} {} {}", to_text(b.dimension), how, to_text(a.dimension)));
        if (a.knowledge == Knowledge::unit) return a;
        if (b.knowledge == Knowledge::unit) return b;
        return a.knowledge == Knowledge::open ? a : b;
    }

    /// a * b^exponent, with a's value.
    static Quantity combined(const Quantity& a, const Quantity& b, double exponent) {
        if (a.knowledge == Knowledge::open || b.knowledge == Knowledge::open)
            return {a.value, Knowledge::open, {}};
        if (a.knowledge == Knowledge::number && b.knowledge == Knowledge::number)
            return {a.value, Knowledge::number, {}};
        return {a.value, Knowledge::unit, a.dimension * b.dimension.to_power(exponent)};
    }

    static void require_none(const Quantity& x, std::string_view what, std::size_t position) {
        if (x.knowledge == Knowledge::unit && !x.dimension.is_none())
            fail(position,
                 fmt::format(
                     "{} takes a number without dimension, got {}", what, to_text(x.dimension)));
    }

    // --- text

    /// Behind a call of what is no function: the one that is meant, or those that there are.
    static std::string function_help(std::string_view name) {
        if (name == "pow" || name == "power") return "; a power is written a^b";
        const std::vector<std::string> known = function_names();
        if (std::string near = suggestion(name, known); !near.empty()) return near;
        return fmt::format("; there are {}", fmt::join(known, ", "));
    }

    [[noreturn]] void fail_unknown(std::string_view name, std::size_t begin) const {
        std::vector<std::string> known = symbols_.names();
        std::string help;
        if (find_unit(name)) {
            help = fmt::format("; a unit stands behind a number: \"1 {}\"", name);
        } else if (const std::string unit = usual_unit(name);
                   !unit.empty() && stands_in_unit(begin)) {
            fail(begin, fmt::format("found \"{}\", which is no unit; write {}", name, unit));
        } else {
            const std::vector<std::string> parameters = known;
            for (const Constant& constant : constants()) known.emplace_back(constant.name);
            for (const std::string& function : function_names()) known.push_back(function);
            help = name == "rate" || name == "value"
                       ? "; a law of value and rate is a formula, as a \"motor\" has it"
                       : suggestion(name, known);
            if (help.empty() && !parameters.empty())
                help = fmt::format("; there are: {}", listed(parameters));
            if (help.empty()) help = "; there are none in [parameters]";
        }
        fail(begin, fmt::format("found \"{}\", which is no parameter{}", name, help));
    }

    /// Whether a unit and "/" or "*" stand before it.
    bool stands_in_unit(std::size_t begin) const {
        const std::string_view before = trimmed(text_.substr(0, begin));
        return before.size() > 1 && (before.back() == '/' || before.back() == '*') &&
               is_letter(trimmed(before.substr(0, before.size() - 1)).back());
    }

    std::string expected_at_end() {
        const std::string usual = "an operator or the end of the expression" + hint_at_end();
        const std::size_t begin = at_;
        if (!is_letter(peek())) return usual;
        const std::string_view word = read_word();
        at_ = begin;
        return find_unit(word)
                   ? usual + "; a unit stands behind a number or a bracket, such as (2*k) " +
                         std::string(word)
                   : usual;
    }

    static std::string listed(const std::vector<std::string>& names) {
        constexpr std::size_t kMost = 20;
        const auto end = names.begin() + static_cast<long>(std::min(names.size(), kMost));
        return fmt::format(
            "{}{}", fmt::join(names.begin(), end, ", "), names.size() > kMost ? ", ..." : "");
    }

    /// Infinity goes through from an operand, but is not made.
    double checked(double x, std::size_t position, double a, double b = 0.0) const {
        if (skipped_ > 0) return x;
        if (std::isnan(x)) fail(position, "the result is not a number");
        if (std::isinf(x) && std::isfinite(a) && std::isfinite(b))
            fail(position, "the result is not finite");
        return x;
    }

    const Symbols& symbols_;
    int skipped_ = 0;
};

}  // namespace

Quantity evaluate(std::string_view text, const Symbols& symbols) {
    return Evaluator(text, symbols).evaluate();
}

Symbol named_array(std::string_view text, const Symbols& symbols) {
    text = trimmed(text);
    if (text.ends_with(']')) {
        const std::string_view name = trimmed(text.substr(0, text.find('[')));
        return is_name(name) && symbols.knows(name) ? Evaluator(text, symbols).row() : Symbol{};
    }
    if (!is_name(text) || !symbols.knows(text)) return {};
    const Symbol symbol = symbols.find(text);
    return symbol.is_array ? symbol : Symbol{};
}

std::string name_problem(std::string_view name) {
    if (!is_name(name)) return "a name here is a letter or _, then letters, digits or _";
    if (detail::joins_conditions(name)) return "this word joins conditions; choose another";
    if (detail::find_formula_function(name))
        return "this is the name of a function; choose another";
    if (find_constant(name)) return "this is the name of a constant; choose another";
    return {};
}

std::string_view written_unit(std::string_view text) {
    try {
        return Evaluator(text, NoSymbols{}).unit_alone();
    } catch (const FormulaError&) {
        return {};
    }
}

std::string number_text(double x) {
    constexpr double kMostWhole = 1e15;
    if (x == std::floor(x) && std::abs(x) < kMostWhole && !(x == 0.0 && std::signbit(x)))
        return fmt::format("{}", static_cast<long long>(x));
    return fmt::format("{}", x);
}

}  // namespace ancora
