// SPDX-License-Identifier: BSD-3-Clause
// Reads the text of a formula.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
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
    {"step", FormulaOp::max, 3},
};
inline constexpr std::string_view kFormulaTable = "table";

/// Recursive descent over the grammar of Formula; one function per rule.
class FormulaParser final : FormulaScanner {
public:
    FormulaParser(std::string_view text, FormulaScope& scope)
        : FormulaScanner(text, {"formula", true}), scope_(scope) {}

    std::vector<FormulaNode> expression() {
        begin();
        const int value = condition();
        end();
        return builder_.finish(value);
    }
    /// What the operations read besides numbers; after the text has been read.
    std::vector<std::shared_ptr<const FormulaTable>> take_tables() {
        return builder_.take_tables();
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
        check_length(length_of_tables());
        skip_space();
        if (at_end()) fail(at_, "the formula is empty, expected " + operand());
    }
    void end() {
        skip_space();
        if (at_end()) return;
        const char c = peek();
        fail_found(std::string("an operator or the end of the formula") +
                   (c == '?'               ? "; a choice is written if(condition, this, else that)"
                    : c == '&' || c == '|' ? "; conditions are joined by \"and\" and \"or\""
                    : c == '%'             ? "; the rest of a division is mod(a, b)"
                                           : ""));
    }
    /// Rows of tables come from files and count for themselves.
    std::size_t length_of_tables() const {
        std::size_t length = 0;
        for (std::size_t at = 0; (at = text_.find("[[", at)) != std::string_view::npos;) {
            const std::size_t end = text_.find("]]", at);
            if (end == std::string_view::npos) break;
            length += end - at;
            at = end;
        }
        return length;
    }

    /// Conditions are 1 where they are true, else 0.
    int condition() {
        int value = conjunction();
        for (;;) {
            const std::size_t position = next();
            if (!accept_word("or")) return value;
            require_condition(value, position);
            const int right = conjunction();
            require_condition(right, position);
            value = truth(builder_.binary(FormulaOp::max, value, right, position + 1));
        }
    }
    int conjunction() {
        int value = negation();
        for (;;) {
            const std::size_t position = next();
            if (!accept_word("and")) return value;
            require_condition(value, position);
            const int right = negation();
            require_condition(right, position);
            value = truth(builder_.binary(FormulaOp::min, value, right, position + 1));
        }
    }
    int negation() {
        const std::size_t position = next();
        if (!accept_word("not")) return comparison();
        const Level level(*this);
        const int value = negation();
        require_condition(value, position);
        return truth(
            builder_.binary(FormulaOp::subtract, builder_.constant(1.0), value, position + 1));
    }
    int comparison() {
        const int left = sum();
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
        const int right = sum();
        next();
        if (peek() == '<' || peek() == '>')
            fail(at_,
                 "found a second comparison, expected one on each side of \"and\", such as "
                 "0 < t and t < 1");
        return truth(c == '<' ? builder_.binary(op, left, right, position + 1)
                              : builder_.binary(op, right, left, position + 1));
    }
    int truth(int node) {
        conditions_.push_back(node);
        return node;
    }
    bool is_condition(int node) const {
        return std::ranges::find(conditions_, node) != conditions_.end();
    }
    void require_condition(int node, std::size_t at) const {
        if (!is_condition(node)) fail(at, "found a number, expected a condition such as t < 1");
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
            const int value = condition();
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
        if (word == kFormulaTable) return table(begin);
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
            arguments.push_back(condition());
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
        if (name == "if") {
            require_condition(arguments[0], begin);
            return builder_.select(arguments[0], arguments[1], arguments[2]);
        }
        if (name == "ceil")
            return builder_.negate(
                builder_.unary(FormulaOp::floor, builder_.negate(arguments[0]), position));
        if (name == "mod") return remainder(arguments[0], arguments[1], position);
        if (name == "step") return smooth_step(arguments[0], arguments[1], arguments[2], position);
        if (arguments.size() == 1) return builder_.unary(function.op, arguments[0], position);
        int value = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
            value = builder_.binary(function.op, value, arguments[i], position);
        return value;
    }

    /// a - b floor(a / b), which has the sign of b.
    int remainder(int a, int b, std::size_t position) {
        const int quotient = builder_.binary(FormulaOp::divide, a, b, position);
        const int whole = builder_.unary(FormulaOp::floor, quotient, position);
        return builder_.binary(FormulaOp::subtract,
                               a,
                               builder_.binary(FormulaOp::multiply, b, whole, position),
                               position);
    }

    /// s^3 (10 - 15 s + 6 s^2) with s = (x - from) / (to - from), kept in 0 to 1: rate and second
    /// derivative are continuous.
    int smooth_step(int x, int from, int to, std::size_t position) {
        using enum FormulaOp;
        if (builder_.is_constant(from) && builder_.is_constant(to) &&
            !(builder_.number(from) < builder_.number(to)))
            fail(position - 1,
                 "found a step that ends before it begins, expected step(x, from, to) with from < "
                 "to; one that falls is 1 - step(x, from, to)");
        const auto with = [&](FormulaOp op, int a, int b) {
            return builder_.binary(op, a, b, position);
        };
        const int part = with(divide, with(subtract, x, from), with(subtract, to, from));
        const int s = with(min, with(max, part, builder_.constant(0.0)), builder_.constant(1.0));
        const int inner =
            with(subtract, with(multiply, s, builder_.constant(6.0)), builder_.constant(15.0));
        return with(multiply,
                    builder_.power(s, builder_.constant(3.0), position),
                    with(add, with(multiply, s, inner), builder_.constant(10.0)));
    }

    /// table([[x, y], ...], argument)
    int table(std::size_t begin) {
        if (peek() != '(') fail_found("\"(\" behind the function \"table\"");
        const std::size_t bracket = at_++;
        next();
        if (peek() == '"' || peek() == '\'')
            fail(at_, "found the name of a file, which only a model can read");
        FormulaTable rows;
        const auto open = [&] {
            next();
            if (!accept('[')) fail_found("\"[\" and rows such as [[0, 1], [2, 5]] in \"table\"");
        };
        const auto signed_number = [&] {
            next();
            const bool is_negative = peek() == '-';
            if (is_negative || peek() == '+') ++at_;
            if (!number_begins()) fail_found("a number in \"table\"");
            const double x = read_number();
            return is_negative ? -x : x;
        };
        const std::size_t first = next();
        open();
        do {
            open();
            const std::size_t row = at_;
            const double x = signed_number();
            if (!rows.x.empty() && !(x > rows.x.back()))
                fail(row, "the first numbers of rows in \"table\" must increase");
            rows.x.push_back(x);
            next();
            if (!accept(',')) fail_found("\",\" and a second number in \"table\"");
            rows.y.push_back(signed_number());
            close(row - 1, ']');
        } while (next(), accept(','));
        close(first, ']');
        if (rows.x.size() < 2) fail(first, "found a table of one row, expected two or more");
        next();
        if (!accept(',')) fail_found("\",\" and the argument of \"table\"");
        const int argument = condition();
        close(bracket);
        return builder_.table(std::move(rows), argument, begin + 1);
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
        names.emplace_back(kFormulaTable);
        return names;
    }
    std::string operand() const {
        return "a number, a function, " + scope_.expected() + " or \"(\"";
    }

    FormulaScope& scope_;
    FormulaBuilder builder_;
    std::vector<int> conditions_;  ///< operations that are comparisons or made of them
};

}  // namespace ancora::detail
