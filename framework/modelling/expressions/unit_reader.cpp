// SPDX-License-Identifier: BSD-3-Clause
// Reads the units behind a number.
#include "unit_reader.hpp"

#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "ancora/sdk/formula/grammar.hpp"
#include "ancora/sdk/formula/scanner.hpp"
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

/// The word that begins there, letters of other alphabets among it.
std::string_view word_at(std::string_view text, std::size_t at) {
    std::size_t end = at;
    while (end < text.size() && (detail::FormulaScanner::is_word(text[end]) ||
                                 (static_cast<unsigned char>(text[end]) & 0x80) != 0))
        ++end;
    return text.substr(at, end - at);
}

class UnitReader final : detail::FormulaScanner {
public:
    UnitReader(std::string_view text, std::size_t at, const Symbols& symbols)
        : FormulaScanner(text, {"expression"}), symbols_(symbols) {
        at_ = at;
    }
    std::size_t at() const { return at_; }
    Unit unit();

private:
    std::string_view unit_word() {
        const std::string_view word = word_at(text_, at_);
        at_ += word.size();
        return word;
    }
    double number() {
        const double value = read_number();
        if (peek() == '.') fail_found("an operator");
        return value;
    }
    /// "(s^2 kg)" behind a unit and "/" or "*"; nothing if what is in brackets is no unit.
    std::optional<Unit> unit_group();
    /// Whether the word behind "*" or "/" goes on with a unit.
    bool names_unit();
    Unit unit_factor();
    /// Skips space only if `c` follows it.
    void skip_space_before(char c);

    const Symbols& symbols_;
};

Unit UnitReader::unit() {
    Unit product;
    multiply(product, unit_factor(), 1.0);
    for (;;) {
        const std::size_t behind = at_;
        skip_space();
        if (unit_begins(text_, at_)) {
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
    if (!unit_begins(text_, at_)) return false;
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
        const std::string help = symbols_.knows(name) || find_constant(name) ||
                                         detail::find_formula_function(name) != nullptr
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

}  // namespace

bool unit_begins(std::string_view text, std::size_t at) {
    if (at >= text.size()) return false;
    const std::string_view rest = text.substr(at);
    if (detail::joins_conditions(word_at(text, at))) return false;
    return detail::FormulaScanner::is_letter(text[at]) || rest.starts_with("\xc2\xb5") ||
           rest.starts_with("\xce\xbc");
}

Unit read_unit(std::string_view text, std::size_t& at, const Symbols& symbols) {
    UnitReader reader(text, at, symbols);
    const Unit unit = reader.unit();
    at = reader.at();
    return unit;
}

}  // namespace ancora
