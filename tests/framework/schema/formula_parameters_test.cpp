// SPDX-License-Identifier: BSD-3-Clause
// Parameters in formulas by their names: which words of a text they are, and what is left alone.
#include "formula_parameters.hpp"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/value.hpp"
#include "ancora/sdk/formula/error.hpp"
#include "ancora/sdk/parameter.hpp"
#include "expression_scope.hpp"
#include "schema_expressions.hpp"

namespace ancora {
namespace {

ExpressionScope scope_of(const std::string& text) {
    const Value parsed = parse_value(text);
    return ExpressionScope(*parsed.as<Table>());
}

const ExpressionScope& parameters() {
    static const ExpressionScope scope = scope_of(
        "{k = 2.5, c = -3, L = '250 mm', tip = [1, 'L', 7], rows = [[1, 2], [3, 4]], sin2 = 4, "
        "x = 9, rate = 7, elbow = 6}");
    return scope;
}

std::string put(const std::string& formula) {
    return with_parameters(formula, parameters());
}

std::string refusal(const std::string& formula) {
    try {
        return put(formula);
    } catch (const FormulaError& error) {
        return error.what();
    }
}

/// A value as a type reads it, by a schema of one key.
std::string computed(const Parameter& p, const std::string& value) {
    Table table;
    table.add({p.name, {}, parse_value(value)});
    compute_expressions("x", table, {&p, 1}, parameters());
    const Value& out = table.entries().front().value;
    if (const auto* const text = out.as<std::string>()) return *text;
    if (const auto* const number = out.as<double>()) return std::to_string(*number);
    std::string all;
    if (const Array* const array = out.as<Array>())
        for (const Value& entry : *array)
            all += (entry.as<std::string>() != nullptr ? *entry.as<std::string>() : "#") + "|";
    return all;
}

}  // namespace

TEST_SUITE("parameters in formulas") {
    TEST_CASE("words that are parameters become numbers, with brackets where negative") {
        CHECK(put("k*sin(2*pi*t/L)") == "2.5*sin(2*pi*t/0.25)");
        CHECK(put("c^2 - c*t") == "(-3)^2 - (-3)*t");
        CHECK(put("tip[1]*t + tip[ 1 + 1 ]") == "0.25*t + 7");
        CHECK(put("rows[1][0]*t") == "3*t");
        CHECK(put("if(t<k, k, -k)") == "if(t<2.5, 2.5, -2.5)");
        CHECK(put("1e-3*k") == "1e-3*2.5");
        CHECK(put("") == "");
    }

    TEST_CASE("names of formulas and objects, functions, quotes and rows stay") {
        for (const char* const text : {"elbow.angle + k.x - k@3.vx",
                                       "k@[1, 0, 0].x + elbow.motor.k",
                                       "'k'.x + \"k\"@tip.k",
                                       "k(t) + sin2 (t)",
                                       "table(\"k\", t)",
                                       "table([[0, k], [1, 5]], t)",
                                       "kk + k1 + _k",
                                       "der(elbow.k)"})
            CHECK(put(text) == text);
        CHECK(with_parameters("x*t + k", parameters(), FormulaNames::point) == "x*t + 2.5");
        CHECK(put("table(\"k.csv\", \"c\", k*t)") == "table(\"k.csv\", \"c\", 2.5*t)");
    }

    TEST_CASE("a formula keeps what it reads itself, and parameters have no such names") {
        struct Names final : Symbols {
            Quantity two{2.0, Knowledge::number, {}};
            Symbol find(std::string_view) const override { return Symbol{{&two, 1}}; }
            bool knows(std::string_view) const override { return true; }
            std::vector<std::string> names() const override { return {}; }
        };
        const Names all;
        CHECK(with_parameters("x*rate*t", all) == "2*2*t");
        CHECK(with_parameters("x*rate*t", all, FormulaNames::point) == "x*2*t");
        CHECK(with_parameters("x*rate*t", all, FormulaNames::measure) == "2*rate*t");
        CHECK(ambiguous_name("k*t", all, FormulaNames::none) == "t");
        CHECK(ambiguous_name("k*x + rate", all, FormulaNames::none).empty());
        CHECK(ambiguous_name("k*x + rate", all, FormulaNames::measure) == "rate");
        CHECK(ambiguous_name("k*x + vz", all, FormulaNames::point) == "x");
        CHECK(ambiguous_name("box.x + x(1)", all, FormulaNames::point).empty());
        CHECK(ambiguous_name("k*x", NoSymbols(), FormulaNames::point).empty());
    }

    TEST_CASE("an array as a number is refused where it stands") {
        CHECK(refusal("2*tip*t").find("\"tip\" is an array") != std::string::npos);
        CHECK(refusal("2*tip[3]*t").find("position 7: ") == 0);
        CHECK(refusal("1 + tip[q]").find("position 9: found \"q\"") == 0);
    }

    TEST_CASE("only values that a schema takes as formulas are looked at") {
        using namespace parameter;
        constexpr Parameter kEffort = number("v", "N", "").or_text();
        CHECK(computed(kEffort, "'k*t'") == "2.5*t");
        CHECK(computed(kEffort, "'k*2'") == "5.000000");
        CHECK(computed(kEffort, "'k.csv'") == "k.csv");
        constexpr Parameter kRows = number("v", "N", "").or_text().or_file();
        CHECK(computed(kRows, "'k/c.csv'") == "k/c.csv");
        CHECK(computed(kRows, "'k/t'") == "2.5/t");
        constexpr Parameter kSignal = signal("v", "", "");
        CHECK(computed(kSignal, "'k*elbow.angle'") == "2.5*elbow.angle");
        constexpr Parameter kWhen = make("v", "", "", Shape::signal).or_text();
        CHECK(computed(kWhen, "'elbow.angle > k'") == "elbow.angle > 2.5");
        constexpr Parameter kForce = vector("v", 3, "N", "").or_matrix(0, 4).or_texts().or_file();
        CHECK(computed(kForce, "['k*t', '0', 0]") == "2.5*t|0|0|");
        CHECK(computed(kForce, "['k*t', '2 kN', 'k']") == "2.5*t|2000|2.5|");
        CHECK(computed(kForce, "['k', 0, 0]") == "#|#|#|");
        // names
        constexpr Parameter kName = text("v", "");
        CHECK(computed(kName, "'k'") == "k");
        constexpr Parameter kNames = text("v", "").or_texts();
        CHECK(computed(kNames, "['k', 'c*t']") == "k|c*t|");
        constexpr Parameter kNodes = vector("v", 0, "", "").or_texts();
        CHECK(computed(kNodes, "['k', 'c*t']") == "k|c*t|");
        constexpr Parameter kChoice = number("v", "m", "").or_text("spin|rest");
        CHECK(computed(kChoice, "'spin'") == "spin");
        constexpr Parameter kFrame = frame("v", "");
        CHECK(computed(kFrame, "'k'") == "k");
    }
}

}  // namespace ancora
