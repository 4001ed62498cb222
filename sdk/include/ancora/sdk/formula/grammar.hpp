// SPDX-License-Identifier: BSD-3-Clause
// The rules that formulas and the expressions of a manifest share: operators, conditions, calls.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/formula/scanner.hpp"
#include "ancora/sdk/formula/tape.hpp"

namespace ancora::detail {

struct FormulaFunction {
    std::string_view name;
    FormulaOp op;
    int num_arguments;  ///< -1: two or more
};

inline constexpr FormulaFunction kFormulaFunctions[] = {
    {"abs", FormulaOp::abs, 1},
    {"acos", FormulaOp::acos, 1},
    {"asin", FormulaOp::asin, 1},
    {"atan", FormulaOp::atan, 1},
    {"atan2", FormulaOp::atan2, 2},
    {"cos", FormulaOp::cos, 1},
    {"cosh", FormulaOp::cosh, 1},
    {"exp", FormulaOp::exp, 1},
    {"floor", FormulaOp::floor, 1},
    {"log", FormulaOp::log, 1},
    {"log10", FormulaOp::log10, 1},
    {"max", FormulaOp::max, -1},
    {"min", FormulaOp::min, -1},
    {"sign", FormulaOp::sign, 1},
    {"sin", FormulaOp::sin, 1},
    {"sinh", FormulaOp::sinh, 1},
    {"sqrt", FormulaOp::sqrt, 1},
    {"tan", FormulaOp::tan, 1},
    {"tanh", FormulaOp::tanh, 1},
    // Made of several operations
    {"ceil", FormulaOp::floor, 1},
    {"hypot", FormulaOp::sqrt, -1},
    {"if", FormulaOp::select, 3},
    {"mod", FormulaOp::floor, 2},
    {"round", FormulaOp::floor, 1},
};

/// Null if there is none of that name.
constexpr const FormulaFunction* find_formula_function(std::string_view name) {
    for (const FormulaFunction& function : kFormulaFunctions)
        if (function.name == name) return &function;
    return nullptr;
}

/// Words between conditions.
constexpr bool joins_conditions(std::string_view word) {
    return word == "and" || word == "or" || word == "not";
}

/// Recursive descent, one function per rule:
///
///   condition = both { "or" both }                    1 where it holds, else 0
///   both      = one { "and" one }
///   one       = "not" one | sum [ ("<" | "<=" | ">" | ">=") sum ]
///   sum       = product { ("+" | "-") product }
///   product   = signed { ("*" | "/") signed }
///   signed    = ("+" | "-") signed | primary [ "^" signed ]
///
/// Reader derives from FormulaGrammar<Reader, Value> and says what stands at the lowest level, and
/// what comes out of an operation that stands at `position`, counted from 0:
///
///   Term primary();
///   Value constant(double x);
///   Value negate(const Value& a);
///   Value binary(FormulaOp op, const Value& a, const Value& b, std::size_t position);
///   Value power(const Value& a, const Value& b, std::size_t position, std::size_t of_exponent);
///   Value apply(const FormulaFunction& function, std::span<const Value> arguments,
///               std::size_t begin);
///   Value select(const Value& condition, const Value& a, const Value& b, std::size_t begin);
///   bool is_skipped(const Value& condition, bool is_first);   // known not to be the branch taken
///   void skip(int change);   // how many skipped branches what follows lies in: values there may
///                            // be undefined, as that of 1/n in if(n > 0, 1/n, 0)
template <class Reader, class Value>
class FormulaGrammar : protected FormulaScanner {
protected:
    struct Term {
        Value value{};
        bool is_condition = false;
    };

    using FormulaScanner::FormulaScanner;

    Term condition() {
        return joined("or", FormulaOp::max, [this] {
            return conjunction();
        });
    }

    Value sum() { return sum_term().value; }

    /// The arguments and what a function makes of them; at its opening bracket.
    Value call(const FormulaFunction& function, std::size_t begin) {
        if (peek() != '(')
            fail_found("\"(\" behind the function \"" + std::string(function.name) + "\"");
        std::vector<Value> arguments;
        bool begins_with_condition = false;
        read_arguments([&] {
            const bool is_skipped = function.op == FormulaOp::select && !arguments.empty() &&
                                    reader().is_skipped(arguments[0], arguments.size() == 1);
            if (is_skipped) reader().skip(+1);
            const Term term = condition();
            if (is_skipped) reader().skip(-1);
            if (arguments.empty()) begins_with_condition = term.is_condition;
            arguments.push_back(term.value);
        });
        check_arguments(function.name, function.num_arguments, arguments.size(), begin);
        if (function.op != FormulaOp::select) return reader().apply(function, arguments, begin);
        require_condition({arguments[0], begins_with_condition}, begin);
        return reader().select(arguments[0], arguments[1], arguments[2], begin);
    }

    /// What to say of a character that no rule takes.
    std::string hint_at_end() const {
        const char c = peek();
        return c == '?'               ? "; a choice is written if(condition, this, else that)"
               : c == '&' || c == '|' ? "; conditions are joined by \"and\" and \"or\""
               : c == '%'             ? "; the rest of a division is mod(a, b)"
                                      : "";
    }

private:
    Reader& reader() { return static_cast<Reader&>(*this); }

    template <class Rule>
    Term joined(std::string_view word, FormulaOp op, const Rule& rule) {
        Term left = rule();
        for (;;) {
            const std::size_t position = next();
            if (!accept_word(word)) return left;
            require_condition(left, position);
            const Term right = rule();
            require_condition(right, position);
            left = {reader().binary(op, left.value, right.value, position), true};
        }
    }
    Term conjunction() {
        return joined("and", FormulaOp::min, [this] {
            return negation();
        });
    }

    Term negation() {
        const std::size_t position = next();
        if (!accept_word("not")) return comparison();
        const Level level(*this);
        const Term term = negation();
        require_condition(term, position);
        return {reader().binary(FormulaOp::subtract, reader().constant(1.0), term.value, position),
                true};
    }

    Term comparison() {
        const Term left = sum_term();
        const std::size_t position = next();
        const char c = peek();
        if ((c == '=' || c == '!') && peek(1) == '=')
            fail(
                position,
                std::string("found \"") + c +
                    "=\", expected \"<\", \"<=\", \">\" or \">=\", since numbers that are computed "
                    "are hardly ever equal");
        if (c != '<' && c != '>') return left;
        ++at_;
        const FormulaOp op = accept('=') ? FormulaOp::less_equal : FormulaOp::less;
        const Value right = sum();
        next();
        if (peek() == '<' || peek() == '>')
            fail(at_,
                 "found a second comparison, expected one on each side of \"and\", such as "
                 "0 < t and t < 1");
        return {c == '<' ? reader().binary(op, left.value, right, position)
                         : reader().binary(op, right, left.value, position),
                true};
    }

    static void require_condition(const Term& term, std::size_t at) {
        if (!term.is_condition) fail(at, "found a number, expected a condition such as t < 1");
    }
    /// Reads a word that joins conditions; not the name of an object, as in or.x.
    bool accept_word(std::string_view word) {
        const std::size_t end = at_ + word.size();
        if (text_.substr(at_, word.size()) != word) return false;
        const char behind = end < text_.size() ? text_[end] : '\0';
        if (is_word(behind) || behind == '.' || behind == '@') return false;
        at_ = end;
        return true;
    }

    Term sum_term() {
        Term left = product();
        for (;;) {
            const std::size_t position = next();
            if (!accept('+') && !accept('-')) return left;
            const FormulaOp op = text_[position] == '+' ? FormulaOp::add : FormulaOp::subtract;
            const Value right = product().value;
            left = {reader().binary(op, left.value, right, position)};
        }
    }

    Term product() {
        Term left = signed_power();
        for (;;) {
            const std::size_t position = next();
            if (!accept('*') && !accept('/')) return left;
            if (peek() == '*' && text_[position] == '*')
                fail(position, "found \"**\", expected \"^\" for a power");
            const FormulaOp op = text_[position] == '*' ? FormulaOp::multiply : FormulaOp::divide;
            const Value right = signed_power().value;
            left = {reader().binary(op, left.value, right, position)};
        }
    }

    Term signed_power() {
        const Level level(*this);
        next();
        if (accept('-')) return {reader().negate(signed_power().value)};
        if (accept('+')) return {signed_power().value};
        const Term base = reader().primary();
        const std::size_t position = next();
        if (!accept('^')) return base;
        const std::size_t of_exponent = next();
        const Value exponent = signed_power().value;
        return {reader().power(base.value, exponent, position, of_exponent)};
    }
};

}  // namespace ancora::detail
