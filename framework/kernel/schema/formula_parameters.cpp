// SPDX-License-Identifier: BSD-3-Clause
// Finds names of parameters in formulas, and puts their numbers there.
#include "formula_parameters.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/formula/scanner.hpp"
#include "expression.hpp"

namespace ancora {
namespace {

constexpr std::array<std::string_view, 2> kOfMeasure = {"value", "rate"};
constexpr std::array<std::string_view, 9> kOfPoint = {
    "x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz"};

bool is_own(std::string_view name, FormulaNames reads) {
    const auto among = [&](const auto& names, FormulaNames which) {
        return (static_cast<unsigned>(reads) & static_cast<unsigned>(which)) != 0 &&
               std::ranges::find(names, name) != names.end();
    };
    return name == "t" || among(kOfMeasure, FormulaNames::measure) ||
           among(kOfPoint, FormulaNames::point);
}

class Reader final : detail::FormulaScanner {
public:
    Reader(std::string_view formula, const Symbols& symbols, FormulaNames reads)
        : FormulaScanner(formula, {"formula"}), symbols_(symbols), reads_(reads) {}

    /// The first own name that is known otherwise, too.
    std::string ambiguous() {
        while (!at_end() && ambiguous_.empty()) read_one();
        return ambiguous_;
    }

    std::string replaced() {
        std::string out;
        while (!at_end()) {
            const std::size_t begin = at_;
            const std::string number = read_one();
            out += number.empty() ? text_.substr(begin, at_ - begin) : number;
        }
        return out;
    }

private:
    /// What stands here; returns the number to put in its place, or nothing.
    std::string read_one() {
        if (is_letter(peek())) return read_name();
        if (peek() == '\'' || peek() == '"') {
            skip_to(peek());
            skip_object();
        } else if (peek() == '[')
            skip_to(']');  // rows of a table
        else if (peek() == '$')
            skip_to('}');  // what is not put in here
        else if (number_begins())
            read_number();
        else
            ++at_;
        return {};
    }

    std::string read_name() {
        const std::size_t begin = at_;
        const std::string_view name = read_word();
        if (peek() == '.' || peek() == '@') {
            skip_object();
            return {};
        }
        const std::size_t end = at_;
        skip_space();
        const bool is_call = peek() == '(';
        at_ = end;
        if (is_call || !symbols_.knows(name)) return {};
        if (is_own(name, reads_)) {
            ambiguous_ = name;
            return {};
        }
        while (skip_space(), peek() == '[') skip_to(']');
        const std::size_t last = text_.find_last_not_of(" \t\r\n", at_ - 1);
        at_ = last + 1;
        double x = 0.0;
        try {
            x = evaluate(text_.substr(begin, at_ - begin), symbols_).value;
        } catch (const FormulaError& error) {
            fail(begin + error.position() - 1, error.message());
        }
        const std::string number = number_text(x);
        return x < 0.0 ? "(" + number + ")" : number;  // "k^2" is the square of k
    }

    /// From behind an object's name to behind its last component.
    void skip_object() {
        while (peek() == '.' || peek() == '@') {
            ++at_;
            if (peek() == '[') skip_to(']');
            if (peek() == '\'') skip_to('\'');
            while (is_word(peek())) ++at_;
        }
    }

    void skip_to(char closing) {
        const std::size_t end = text_.find(closing, at_ + 1);
        at_ = end == std::string_view::npos ? text_.size() : end + 1;
    }

    const Symbols& symbols_;
    FormulaNames reads_;
    std::string ambiguous_;
};

}  // namespace

std::string with_parameters(std::string_view formula, const Symbols& symbols, FormulaNames reads) {
    return Reader(formula, symbols, reads).replaced();
}

std::string ambiguous_name(std::string_view formula, const Symbols& symbols, FormulaNames reads) {
    try {
        return Reader(formula, symbols, reads).ambiguous();
    } catch (const FormulaError&) {
        return {};  // refused with its place where it is read
    }
}

}  // namespace ancora
