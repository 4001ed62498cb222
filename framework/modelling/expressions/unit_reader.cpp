// SPDX-License-Identifier: BSD-3-Clause
// Reads the units behind a number.
#include "unit_reader.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "functions.hpp"

namespace ancora {
namespace {

void multiply(Unit& to, const Unit& by, double exponent) {
    double factor = std::pow(by.factor, std::abs(exponent));
    double divisor = std::pow(by.divisor, std::abs(exponent));
    if (exponent < 0.0) std::swap(factor, divisor);
    to.factor *= factor;
    to.divisor *= divisor;
    to.dimension = to.dimension * by.dimension.to_power(exponent);
}

}  // namespace

double UnitReader::number() {
    const double value = read_number();
    if (peek() == '.') fail_found("an operator");
    return value;
}

bool UnitReader::is_unit_letter(std::size_t at) const {
    if (at >= text_.size()) return false;
    const std::string_view rest = text_.substr(at);
    return is_letter(text_[at]) || rest.starts_with("\xc2\xb5") || rest.starts_with("\xce\xbc");
}

std::string_view UnitReader::unit_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (is_word(text_[at_]) || (static_cast<unsigned char>(text_[at_]) & 0x80) != 0))
        ++at_;
    return text_.substr(begin, at_ - begin);
}

Unit UnitReader::unit() {
    Unit product;
    multiply(product, unit_factor(), 1.0);
    for (;;) {
        const std::size_t behind = at_;
        skip_space();
        if (is_unit_letter(at_)) {
            multiply(product, unit_factor(), 1.0);
            continue;
        }
        const char c = peek();
        if (c == '*' || c == '/') {
            ++at_;
            skip_space();
            if (names_unit()) {
                multiply(product, unit_factor(), c == '/' ? -1.0 : 1.0);
                continue;
            }
            if (std::optional<Unit> group = unit_group()) {
                multiply(product, *group, c == '/' ? -1.0 : 1.0);
                continue;
            }
        }
        at_ = behind;
        return product;
    }
}

std::optional<Unit> UnitReader::unit_group() {
    const std::size_t begin = at_;
    if (!accept('(')) return std::nullopt;
    skip_space();
    if (names_unit()) {
        const Unit inner = unit();
        skip_space();
        if (accept(')')) return inner;
    }
    at_ = begin;
    return std::nullopt;
}

bool UnitReader::names_unit() {
    if (!is_unit_letter(at_)) return false;
    const std::size_t begin = at_;
    const std::string_view name = unit_word();
    skip_space();
    const bool is_call = peek() == '(';
    at_ = begin;
    if (is_call || find_constant(name) || !find_unit(name)) return false;
    if (symbols_.knows(name))
        fail(begin,
             fmt::format("\"{}\" may be the unit or the parameter here; for the parameter put "
                         "what stands before it in brackets, \"(10 N)*{}\", for the unit write "
                         "\"10 N {}\" or \"10 N {}^-1\"",
                         name,
                         name,
                         name,
                         name));
    return true;
}

Unit UnitReader::unit_factor() {
    const std::size_t begin = at_;
    const std::string_view name = unit_word();
    std::optional<Unit> unit = find_unit(name);
    if (!unit) {
        const std::string help = symbols_.knows(name) || find_constant(name) || find_function(name)
                                     ? "; a product is written with \"*\""
                                 : !usual_unit(name).empty() ? "; write " + usual_unit(name)
                                                             : suggestion(name, unit_names());
        fail(begin, fmt::format("found \"{}\", which is no unit{}", name, help));
    }
    skip_space_before('^');
    if (!accept('^')) return *unit;
    skip_space();
    const bool has_bracket = accept('(');
    const bool is_negative = accept('-');
    if (!is_digit(peek()) && peek() != '.') fail_found("an exponent");
    double exponent = number();
    if (has_bracket && accept('/')) {
        if (!is_digit(peek())) fail_found("a number");
        const double divisor = number();
        if (divisor == 0.0) fail(at_ - 1, "division by zero");
        exponent /= divisor;
    }
    if (has_bracket && !accept(')')) fail_found("\")\" behind the exponent");
    Unit power;
    multiply(power, *unit, is_negative ? -exponent : exponent);
    return power;
}

void UnitReader::skip_space_before(char c) {
    const std::size_t begin = at_;
    skip_space();
    if (peek() != c) at_ = begin;
}

}  // namespace ancora
