// SPDX-License-Identifier: BSD-3-Clause
// Reads the text of a formula.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <memory>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/formula/builder.hpp"
#include "ancora/sdk/formula/grammar.hpp"
#include "ancora/sdk/formula/scanner.hpp"
#include "ancora/sdk/formula/scope.hpp"

namespace ancora::detail {

// Functions of what changes, which an expression does not have
inline constexpr std::string_view kFormulaTable = "table";
inline constexpr FormulaFunction kFormulaStep = {"step", FormulaOp::max, 3};

/// The grammar of Formula: FormulaGrammar on operations, which are named by their numbers.
class FormulaParser final : FormulaGrammar<FormulaParser, int> {
    using Grammar = FormulaGrammar<FormulaParser, int>;
    friend Grammar;

public:
    FormulaParser(std::string_view text, FormulaScope& scope)
        : Grammar(text, {"formula", true}), scope_(scope) {}

    std::vector<FormulaNode> expression() {
        begin();
        const int value = condition().value;
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
        fail_found("an operator or the end of the formula" + hint_at_end());
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

    // What the grammar asks for; a message's position counts from 1
    int constant(double x) { return builder_.constant(x); }
    int negate(int a) { return builder_.negate(a); }
    int binary(FormulaOp op, int a, int b, std::size_t position) {
        return builder_.binary(op, a, b, position + 1);
    }
    int power(int a, int b, std::size_t position, std::size_t) {
        return builder_.power(a, b, position + 1);
    }
    int select(int condition, int a, int b, std::size_t) {
        return builder_.select(condition, a, b);
    }

    bool is_skipped(int condition, bool is_first) const {
        return builder_.is_constant(condition) && (builder_.number(condition) != 0.0) != is_first;
    }
    void skip(int change) {
        skipped_ += change;
        builder_.allow_undefined(skipped_ > 0);
    }

    Term primary() {
        const std::size_t begin = next();
        if (accept('(')) {
            const Term inner = condition();
            close(begin);
            return inner;
        }
        return {operand_at(begin)};
    }

    int operand_at(std::size_t begin) {
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
        if (const FormulaFunction* const function = find_formula_function(word))
            return call(*function, begin);
        if (word == kFormulaStep.name) return call(kFormulaStep, begin);
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

    int apply(const FormulaFunction& function, std::span<const int> arguments, std::size_t begin) {
        const std::string_view name = function.name;
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
        if (name == "ceil")
            return builder_.negate(
                builder_.unary(FormulaOp::floor, builder_.negate(arguments[0]), position));
        if (name == "round") return nearest_whole(arguments[0], position);
        if (name == "mod") return remainder(arguments[0], arguments[1], position);
        if (name == "step") return smooth_step(arguments[0], arguments[1], arguments[2], position);
        if (arguments.size() == 1) return builder_.unary(function.op, arguments[0], position);
        int value = arguments[0];
        for (std::size_t i = 1; i < arguments.size(); ++i)
            value = builder_.binary(function.op, value, arguments[i], position);
        return value;
    }

    /// sign(x) floor(|x| + 1/2): halves go away from zero.
    int nearest_whole(int x, std::size_t position) {
        const int size = builder_.unary(FormulaOp::abs, x, position);
        const int above = builder_.binary(FormulaOp::add, size, builder_.constant(0.5), position);
        return builder_.binary(FormulaOp::multiply,
                               builder_.unary(FormulaOp::sign, x, position),
                               builder_.unary(FormulaOp::floor, above, position),
                               position);
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
        const int argument = condition().value;
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
        names.emplace_back(kFormulaStep.name);
        names.emplace_back(kFormulaTable);
        return names;
    }
    std::string operand() const {
        return "a number, a function, " + scope_.expected() + " or \"(\"";
    }

    FormulaScope& scope_;
    FormulaBuilder builder_;
    int skipped_ = 0;
};

}  // namespace ancora::detail
