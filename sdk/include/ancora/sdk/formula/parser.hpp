// SPDX-License-Identifier: BSD-3-Clause
// Reads the text of a formula.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/formula/builder.hpp"
#include "ancora/sdk/formula/scanner.hpp"
#include "ancora/sdk/formula/scope.hpp"

namespace ancora::detail {

struct FormulaFunction {
    std::string_view name;
    FormulaOp op;
    int num_arguments;  ///< -1: two or more
};

inline constexpr FormulaFunction kFormulaFunctions[] = {
    {"abs", FormulaOp::abs, 1},     {"acos", FormulaOp::acos, 1},
    {"asin", FormulaOp::asin, 1},   {"atan", FormulaOp::atan, 1},
    {"atan2", FormulaOp::atan2, 2}, {"cos", FormulaOp::cos, 1},
    {"cosh", FormulaOp::cosh, 1},   {"exp", FormulaOp::exp, 1},
    {"hypot", FormulaOp::sqrt, -1},  // the root of the sum of squares
    {"log", FormulaOp::log, 1},     {"log10", FormulaOp::log10, 1},
    {"max", FormulaOp::max, -1},    {"min", FormulaOp::min, -1},
    {"sign", FormulaOp::sign, 1},   {"sin", FormulaOp::sin, 1},
    {"sinh", FormulaOp::sinh, 1},   {"sqrt", FormulaOp::sqrt, 1},
    {"tan", FormulaOp::tan, 1},     {"tanh", FormulaOp::tanh, 1},
};

/// Recursive descent over the grammar of Formula; one function per rule.
class FormulaParser final : FormulaScanner {
public:
    FormulaParser(std::string_view text, FormulaScope& scope)
        : FormulaScanner(text, {"formula", true}), scope_(scope) {}

    std::vector<FormulaNode> expression() {
        begin();
        const int value = sum();
        end();
        return builder_.finish(value);
    }

    std::vector<FormulaNode> equation() {
        begin();
        const int left = sum();
        skip_space();
        if (at_end()) fail(at_, "found the end of the formula, expected \"=\" as in \"... = 0\"");
        const std::size_t equals = at_;
        if (peek() != '=') fail_found("an operator or \"=\"");
        ++at_;
        if (peek() == '=') fail(at_, "found a second \"=\", expected one as in \"... = 0\"");
        const int right = sum();
        skip_space();
        if (peek() == '=') fail(at_, "found a second \"=\", expected one as in \"... = 0\"");
        end();
        return builder_.finish(builder_.binary(FormulaOp::subtract, left, right, equals + 1));
    }

private:
    void begin() {
        check_length();
        skip_space();
        if (at_end()) fail(at_, "the formula is empty, expected " + operand());
    }
    void end() {
        skip_space();
        if (!at_end()) fail_found("an operator or the end of the formula");
    }

    int sum() {
        int value = product();
        for (;;) {
            const std::size_t position = next();
            if (!accept('+') && !accept('-')) return value;
            const FormulaOp op = text_[position] == '+' ? FormulaOp::add : FormulaOp::subtract;
            const int right = product();
            value = builder_.binary(op, value, right, position + 1);
        }
    }

    int product() {
        int value = signed_power();
        for (;;) {
            const std::size_t position = next();
            if (!accept('*') && !accept('/')) return value;
            if (peek() == '*' && text_[position] == '*')
                fail(position, "found \"**\", expected \"^\" for a power");
            const FormulaOp op = text_[position] == '*' ? FormulaOp::multiply : FormulaOp::divide;
            const int right = signed_power();
            value = builder_.binary(op, value, right, position + 1);
        }
    }

    int signed_power() {
        const Level level(*this);
        next();
        if (accept('-')) return builder_.negate(signed_power());
        if (accept('+')) return signed_power();
        const int base = primary();
        const std::size_t position = next();
        if (!accept('^')) return base;
        return builder_.power(base, signed_power(), position + 1);
    }

    int primary() {
        const std::size_t begin = next();
        if (accept('(')) {
            const int value = sum();
            close(begin);
            return value;
        }
        if (number_begins()) return number();
        if (peek() == '\'') return variable(read_coordinate(false), begin);
        if (!is_letter(peek())) fail_found(operand());

        const std::string_view word = read_word();
        if (peek() == '.' || peek() == '@') {
            at_ = begin;
            return variable(read_coordinate(false), begin);
        }
        const std::size_t behind = at_;
        next();
        const bool is_call = peek() == '(';
        if (word == "der") {
            if (!is_call) fail_found("\"(\" behind \"der\"");
            return rate(begin);
        }
        for (const FormulaFunction& function : kFormulaFunctions)
            if (function.name == word) return call(function, begin);
        if (is_call)
            fail(begin,
                 "found \"" + std::string(word) + "(\", expected a function" +
                     suggestion(word, function_names()));
        at_ = behind;
        if (word == "t") return builder_.time();
        if (word == "pi") return builder_.constant(std::numbers::pi);
        if (word == "e") return builder_.constant(std::numbers::e);
        return variable({std::string(word), {}, {}, false}, begin);
    }

    int number() {
        const std::size_t begin = at_;
        const double value = read_number();
        if (is_letter(peek()) || peek() == '.')
            fail(at_,
                 "found " + found() + " behind the number \"" +
                     std::string(text_.substr(begin, at_ - begin)) + "\", expected an operator");
        return builder_.constant(value);
    }

    int call(const FormulaFunction& function, std::size_t begin) {
        const std::string name(function.name);
        if (peek() != '(') fail_found("\"(\" behind the function \"" + name + "\"");
        std::vector<int> arguments;
        read_arguments([&] {
            arguments.push_back(sum());
        });
        check_arguments(name, function.num_arguments, arguments.size(), begin);
        const std::size_t position = begin + 1;
        if (name == "hypot") {
            int squares = builder_.constant(0.0);
            for (const int x : arguments)
                squares = builder_.binary(FormulaOp::add,
                                          squares,
                                          builder_.binary(FormulaOp::multiply, x, x, position),
                                          position);
            return builder_.unary(FormulaOp::sqrt, squares, position);
        }
        if (arguments.size() == 1) return builder_.unary(function.op, arguments[0], position);
        int value = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
            value = builder_.binary(function.op, value, arguments[i], position);
        return value;
    }

    /// der(NAME.component)
    int rate(std::size_t begin) {
        const std::size_t bracket = at_++;
        next();
        if (peek() != '\'' && !is_letter(peek())) fail_found("one coordinate in \"der(...)\"");
        const FormulaName name = read_coordinate(true);
        next();
        if (peek() != ')')
            fail_found("\")\", since \"der\" at position " + std::to_string(begin + 1) +
                       " takes one coordinate");
        close(bracket);
        return variable(name, begin);
    }

    /// NAME.component, NAME@place.component, or a bare name.
    FormulaName read_coordinate(bool is_rate) {
        FormulaName out;
        out.is_rate = is_rate;
        out.offset = static_cast<int>(at_);
        const bool is_quoted = peek() == '\'';
        out.object = read_name();
        if (peek() == '@') {
            ++at_;
            out.place = read_place();
            if (peek() != '.') fail_found("\".\" and a component" + quotes_hint(at_));
        } else if (peek() != '.') {
            if (is_quoted) fail_found("\".\" or \"@\" behind the name");
            return out;
        }
        ++at_;
        if (!is_letter(peek())) fail_found("a component such as \"x\"");
        out.component = read_word();
        // "elbow.motor.current": of a law inside a joint
        while (out.place.empty() && peek() == '.' && at_ + 1 < text_.size() &&
               is_letter(text_[at_ + 1])) {
            ++at_;
            out.object += "." + out.component;
            out.component = read_word();
        }
        return out;
    }

    std::string read_place() {
        if (peek() == '[') {
            const std::size_t bracket = at_++;
            std::string place = "[";
            for (int i = 0; i < 3; ++i) {
                next();
                if (i > 0) {
                    if (!accept(',')) fail_found("\",\" and three numbers in \"[x, y, z]\"");
                    place += ", ";
                    next();
                }
                const bool is_negative = peek() == '-';
                if (is_negative || peek() == '+') ++at_;
                if (!is_digit(peek()) && peek() != '.') fail_found("a number in \"[x, y, z]\"");
                const double value = read_number();
                std::array<char, 32> digits;
                const auto result = std::to_chars(digits.data(),
                                                  digits.data() + digits.size(),
                                                  is_negative ? 0.0 - value : value);
                place.append(digits.data(), result.ptr);
            }
            next();
            if (!accept(']'))
                fail_found("\"]\" to close \"[\" at position " + std::to_string(bracket + 1));
            return place + "]";
        }
        if (is_digit(peek())) {
            const std::size_t begin = at_;
            while (is_digit(peek())) ++at_;
            return std::string(text_.substr(begin, at_ - begin));
        }
        if (peek() != '\'' && !is_letter(peek()))
            fail_found("a node, a name or \"[x, y, z]\" behind \"@\"");
        return read_name();
    }

    /// A word, or a name in quotes, which may hold '-'.
    std::string read_name() {
        if (peek() != '\'') return std::string(read_word());
        const std::size_t quote = at_++;
        const std::size_t begin = at_;
        if (is_letter(peek()))
            while (is_word(peek()) || peek() == '-') ++at_;
        if (at_ == begin || peek() != '\'')
            fail(quote,
                 "found " + found() +
                     " in a name in quotes, expected letters, digits, \"_\" and "
                     "\"-\" as in \"'my-box'.x\"");
        return std::string(text_.substr(begin, at_++ - begin));
    }

    int variable(const FormulaName& name, std::size_t begin) {
        int index = -1;
        try {
            index = scope_.find(name);
        } catch (const FormulaError&) {
            throw;
        } catch (const std::invalid_argument& reason) {
            fail(begin, reason.what());
        }
        if (index >= kFormulaMaxVariables)
            fail(begin,
                 "this is one variable too many, expected at most " +
                     std::to_string(kFormulaMaxVariables));
        if (index >= 0) return builder_.variable(index);
        std::vector<std::string> names = scope_.known_names();
        for (const char* constant : {"t", "pi", "e"}) names.emplace_back(constant);
        const std::string hint = name.component.empty() ? quotes_hint(begin) : std::string();
        if (hint.empty() && name.component.empty())
            for (const std::string& function : function_names()) names.push_back(function);
        const std::string text = name.text();
        fail(begin,
             "found \"" + (name.is_rate ? "der(" + text + ")" : text) + "\", expected " +
                 scope_.expected() + (hint.empty() ? suggestion(text, names) : hint));
    }

    /// If a name with '-' may have been meant at `begin`: how to write it.
    std::string quotes_hint(std::size_t begin) const {
        std::size_t first = begin;
        while (first > 0 && is_word(text_[first - 1])) --first;
        std::size_t last = begin;
        while (last < text_.size() && (is_word(text_[last]) || text_[last] == '-')) ++last;
        const std::string_view name = text_.substr(first, last - first);
        if (name.find('-') == std::string_view::npos || name.ends_with('-')) return "";
        if (last < text_.size() && text_[last] != '.' && text_[last] != '@') return "";
        return "; a name that holds \"-\" is written in quotes: '" + std::string(name) + "'";
    }

    static std::vector<std::string> function_names() {
        std::vector<std::string> names = {"der"};
        for (const FormulaFunction& function : kFormulaFunctions) names.emplace_back(function.name);
        return names;
    }
    std::string operand() const {
        return "a number, a function, " + scope_.expected() + " or \"(\"";
    }

    FormulaScope& scope_;
    FormulaBuilder builder_;
};

}  // namespace ancora::detail
