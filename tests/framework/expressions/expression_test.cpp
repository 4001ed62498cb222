// SPDX-License-Identifier: BSD-3-Clause
// Expressions and units: values against those that are computed here, every message, and texts at
// random.
#include "expression.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/sdk/formula/error.hpp"
#include "expression_scope.hpp"
#include "interpolation.hpp"
#include "units.hpp"

namespace ancora {
namespace {

constexpr double kPi = std::numbers::pi;

// r and n without unit, L = 2 m, E = 3 Pa, T = 4 s, p = [1, 2, 3], s = 5 (also a unit)
class Known final : public Symbols {
public:
    Symbol find(std::string_view name) const override {
        static const Quantity kR{2.5, Knowledge::open, {}};
        static const Quantity kN{10.0, Knowledge::open, {}};
        static const Quantity kL{2.0, Knowledge::unit, {{1.0}}};
        static const Quantity kE{3.0, Knowledge::unit, {{-1.0, 1.0, -2.0}}};
        static const Quantity kT{4.0, Knowledge::unit, {{0.0, 0.0, 1.0}}};
        static const Quantity kS{5.0, Knowledge::open, {}};
        static const Quantity kA[3] = {
            {1.0, Knowledge::open, {}}, {2.0, Knowledge::open, {}}, {3.0, Knowledge::open, {}}};
        if (name == "r") return {{&kR, 1}};
        if (name == "n") return {{&kN, 1}};
        if (name == "L") return {{&kL, 1}};
        if (name == "E") return {{&kE, 1}};
        if (name == "T") return {{&kT, 1}};
        if (name == "s") return {{&kS, 1}};
        if (name == "p") return {kA, true};
        return {};
    }
    bool knows(std::string_view name) const override { return !find(name).values.empty(); }
    std::vector<std::string> names() const override { return {"r", "n", "L", "E", "T", "s", "p"}; }
};

double value(std::string_view text) {
    return evaluate(text, Known{}).value;
}

// The dimension in words; "open" and "number" where there is none.
std::string dimension(std::string_view text) {
    const Quantity x = evaluate(text, Known{});
    if (x.knowledge == Knowledge::open) return "open";
    if (x.knowledge == Knowledge::number) return "number";
    return to_text(x.dimension);
}

std::string error_of(std::string_view text) {
    try {
        evaluate(text, Known{});
    } catch (const FormulaError& error) {
        return error.what();
    }
    return "no error";
}

// Relative, for numbers that conversions round once or twice.
bool close(double a, double b) {
    return std::abs(a - b) <= 4e-16 * std::abs(b);
}

}  // namespace

TEST_SUITE("expressions") {
    TEST_CASE("arithmetic has the usual precedence") {
        CHECK(value("2+3*4") == 14.0);
        CHECK(value("2^3^2") == 512.0);
        CHECK(value("-2^2") == -4.0);
        CHECK(value("2^-1") == 0.5);
        CHECK(value("(1 + 2) * -3") == -9.0);
        CHECK(value("12/3/2") == 2.0);
        CHECK(value("1e3 + .5") == 1000.5);
        CHECK(value("2*pi*r") == 2.0 * kPi * 2.5);
        CHECK(value("pi*r^2") == kPi * 6.25);
        CHECK(value("p[0] + p[1 + 1]") == 4.0);
        CHECK(value("e") == std::numbers::e);
        CHECK(value("-inf") == -std::numeric_limits<double>::infinity());
    }

    TEST_CASE("functions") {
        CHECK(value("sin(pi/6)") == doctest::Approx(0.5).epsilon(1e-15));
        CHECK(value("atan2(1, -1)") == std::atan2(1.0, -1.0));
        CHECK(value("hypot(3, 4, 12)") == 13.0);
        CHECK(value("max(1, n, 3) - min(4, 2)") == 8.0);
        CHECK(value("floor(2.7) + ceil(2.1) + round(2.5) + abs(-1) + sign(-3)") == 8.0);
        CHECK(value("sqrt(2)*log(e)*log10(100)*exp(0)*cosh(0)") == std::sqrt(2.0) * 2.0);
        // around a ring in both directions
        CHECK(value("mod(10, n)") == 0.0);
        CHECK(value("mod(-1, n)") == 9.0);
        CHECK(value("mod(7.5, 2)") == 1.5);
    }

    // By the definitions of the units: 1 in = 25.4 mm, 1 lb = 0.45359237 kg, g_n = 9.80665 m/s^2.
    TEST_CASE("units") {
        CHECK(value("10 mm") == 0.01);
        CHECK(value("7 mm") == 0.007);
        CHECK(value("2.5 um") == 2.5e-6);
        CHECK(value("2.5 \u00b5m") == 2.5e-6);
        CHECK(value("70 GPa") == 70e9);
        CHECK(close(value("30 rpm"), kPi));
        CHECK(value("36 km/h") == 10.0);
        CHECK(value("180 deg") == kPi);
        CHECK(value("1 rev/min") == value("1 rpm"));
        CHECK(value("1 in") == 0.0254);
        CHECK(value("1 ft") == 0.3048);
        CHECK(value("5 kg") == 5.0);
        CHECK(value("5 mg") == 5e-6);
        CHECK(value("2 t") == 2000.0);
        CHECK(value("1 lb") == 0.45359237);
        CHECK(close(value("1 lbf"), 0.45359237 * 9.80665));
        CHECK(close(value("1 psi"), 0.45359237 * 9.80665 / (0.0254 * 0.0254)));
        CHECK(close(value("1 slug"), 0.45359237 * 9.80665 / 0.3048));
        CHECK(close(value("1 ksi"), 1000.0 * value("1 psi")));
        CHECK(value("60 mph") == doctest::Approx(26.8224).epsilon(1e-15));
        CHECK(value("2 bar") == 2e5);
        CHECK(close(value("3 g0"), 3 * 9.80665));
        CHECK(close(value("1 kip"), 1000.0 * value("1 lbf")));
        CHECK(close(value("180 arcmin"), 3.0 * kPi / 180.0));
        CHECK(close(value("7200 arcsec"), 2.0 * kPi / 180.0));
        CHECK(close(value("1 hp"), evaluate("550 ft*lbf/s", NoSymbols{}).value));
        CHECK(value("1 hp") == doctest::Approx(745.699871582).epsilon(1e-12));
        CHECK(close(value("1 PS"), evaluate("75 kgf*m/s", NoSymbols{}).value));
        CHECK(close(value("2 mH"), 2e-3));
        CHECK(dimension("2 mH*3 A/1 s") == dimension("1 V"));
        CHECK(close(value("2 kN/mm"), 2e6));
        CHECK(close(evaluate("60 rpm/s", NoSymbols{}).value, 2.0 * kPi));
        CHECK(close(evaluate("180 deg/s^2", NoSymbols{}).value, kPi));
        CHECK(close(value("1 lbf/in"), value("1 lbf") / 0.0254));
        CHECK(value("3 mbar") == 300.0);
        CHECK(value("1.5 min") == 90.0);
        CHECK(value("2 kJ") == 2000.0);
        CHECK(value("3 kNm") == 3000.0);
        CHECK(evaluate("5 N*s/m", NoSymbols{}).value == 5.0);
        CHECK(value("5 N s/mm") == 5000.0);
        CHECK(value("5 g/cm^3") == doctest::Approx(5000.0).epsilon(1e-15));
        CHECK(value("2 J/(kg K)") == 2.0);
        CHECK(value("8 mm^(1/3)") == doctest::Approx(0.8).epsilon(1e-15));
        CHECK(value("4 s^-2") == 4.0);
        CHECK(value("(1 + 1) mm") == 0.002);
        CHECK(value("10 mm * 2") == 0.02);
        CHECK(value("10 mm/2") == 0.005);
        CHECK(value("-10 mm") == -0.01);
        CHECK(value("2*10 mm + L") == 2.02);
        CHECK(value("5 N/(2*r)") == 1.0);
        CHECK(value("10 N/max(1, 2)") == 5.0);
        CHECK(value("6 min/min(2, 3)") == 180.0);
    }

    TEST_CASE("dimensions go through") {
        CHECK(dimension("2*pi") == "number");
        CHECK(dimension("2*r") == "open");
        CHECK(dimension("10 mm") == "m");
        CHECK(dimension("90 deg") == "a number without dimension");
        CHECK(dimension("30 rpm") == "1/s");
        CHECK(dimension("2*pi/T") == "1/s");
        CHECK(dimension("L^2") == "m^2");
        CHECK(dimension("sqrt(L)") == "m^0.5");
        CHECK(dimension("sqrt(E*L^2/1 kg)") == "m^0.5/s");
        CHECK(dimension("E*L^2") == "N");
        CHECK(dimension("E*L^3") == "J");
        CHECK(dimension("1 kg*L/T^2") == "N");
        CHECK(dimension("1/(2 m)") == "1/m");
        CHECK(dimension("E/L/T") == "kg/(m^2 s^3)");
        CHECK(dimension("5 kg m s^-1") == "kg m/s");
        CHECK(dimension("mod(L, 3 mm)") == "m");
        CHECK(dimension("max(L, 1)") == "m");
        CHECK(dimension("atan2(L, L)") == "number");
        // what has no unit fits everywhere, and so does what is computed with it
        CHECK(dimension("L + 1") == "m");
        CHECK(dimension("1 + L") == "m");
        CHECK(dimension("r + L") == "m");
        CHECK(dimension("r*L") == "open");
        CHECK(dimension("r + 1") == "open");
        CHECK(dimension("L/L + 1") == "a number without dimension");
    }

    TEST_CASE("conditions, as in formulas") {
        CHECK(value("if(n > 3, 1, 2)") == 1.0);
        CHECK(value("if(n < 3, 1, 2)") == 2.0);
        CHECK(value("if(n >= 10 and r <= 2.5, 1, 2) + 1") == 2.0);
        CHECK(value("if(not (n > 3) or r > 100, 1, 2)") == 2.0);
        CHECK(value("(n > 3)*5 + (n < 3)*7") == 5.0);
        CHECK(value("3 < 4") == 1.0);
        CHECK(value("if(L > 1 m and L < 300 cm, L, 0)") == 2.0);
        CHECK(dimension("if(n > 3, L, 0)") == "m");
        CHECK(dimension("L > 1 m") == "number");
        CHECK(value("round(2.5) + round(-2.4)") == 1.0);
        // What is not taken need have no value
        CHECK(value("if(n > 10, 1/(n - 10), 7)") == 7.0);
        CHECK(value("if(n < 20, 7, sqrt(-n) + log(0) + 1e300*1e300)") == 7.0);
        CHECK(value("if(r > 3, p[r - 3], p[0])") == 1.0);
        CHECK(value("if(n > 3, if(n > 5, 1, mod(1, 0)), mod(1, 0))") == 1.0);
        CHECK(error_of("if(n > 10, 7, 1/(n - 10))") == "position 16: division by zero");
        CHECK(error_of("if(n, 1, 2)") ==
              "position 1: found a number, expected a condition such as t < 1");
        CHECK(error_of("n > 3 and 2") ==
              "position 7: found a number, expected a condition such as t < 1");
        CHECK(error_of("if(n > 3, L, T)") == "position 1: s in \"if\" with m");
        CHECK(error_of("L > T") == "position 3: m compared with s");
        CHECK(error_of("n == 3").find("expected \"<\", \"<=\", \">\" or \">=\"") !=
              std::string::npos);
        CHECK(error_of("1 < n < 3").find("a second comparison") != std::string::npos);
        CHECK(error_of("n > 3 ? 1 : 2").find("if(condition, this, else that)") !=
              std::string::npos);
        CHECK(error_of("if(n > 3 && r < 2, 1, 2)").find("found \"&\"") != std::string::npos);
        CHECK(error_of("if(n > 3, 1)") == "position 1: found 2 arguments of \"if\", expected 3");
        CHECK(error_of("if(n > 3, 1, rr)").find("\"rr\"") != std::string::npos);
        for (const char* word : {"and", "or", "not"})
            CHECK(name_problem(word) == "this word joins conditions; choose another");
        CHECK(name_problem("step").empty());
        CHECK(name_problem("android").empty());
    }

    TEST_CASE("mistakes are named with their position") {
        CHECK(error_of("") == "position 1: the expression is empty");
        CHECK(error_of("2*") ==
              "position 3: found the end of the expression, expected a number, a name, a function "
              "or \"(\"");
        CHECK(error_of("2*(3+4") ==
              "position 7: found the end of the expression, expected \")\" to close \"(\" at "
              "position 3");
        CHECK(error_of("2 3") ==
              "position 3: found \"3\", expected an operator or the end of the "
              "expression");
        CHECK(error_of("2**3") == "position 2: found \"**\", expected \"^\" for a power");
        CHECK(error_of("1.2.3") == "position 4: found \".\", expected an operator");
        CHECK(error_of("2*rr") ==
              "position 3: found \"rr\", which is no parameter; there are: r, n, L, E, T, s, p");
        CHECK(error_of("2*coss(1)") ==
              "position 3: found \"coss(\", expected a function; did you mean \"cos\"?");
        CHECK(error_of("sin*2") ==
              "position 4: found \"*\", expected \"(\" behind the function "
              "\"sin\"");
        CHECK(error_of("2*mm") ==
              "position 3: found \"mm\", which is no parameter; a unit stands behind a number: "
              "\"1 mm\"");
        CHECK(error_of("2 mmm") ==
              "position 3: found \"mmm\", which is no unit; did you mean "
              "\"mm\"?");
        CHECK(error_of("2 r") ==
              "position 3: found \"r\", which is no unit; a product is written with \"*\"");
        CHECK(error_of("5 N*s") ==
              "position 5: \"s\" may be the unit or the parameter here; for the parameter put what "
              "stands before it in brackets, \"(10 N)*s\", for the unit write \"10 N s\" or \"10 N "
              "s^-1\"");
        CHECK(value("(5 N)*s") == 25.0);
        CHECK(value("5 N s") == 5.0);
        CHECK(error_of("5 m^x") == "position 5: found \"x\", expected an exponent");
        CHECK(error_of("(5 m) mm") == "position 7: found a unit behind what has one already, m");
        CHECK(error_of("1/(r - 2.5)") == "position 2: division by zero");
        CHECK(error_of("mod(1, 0)") == "position 1: division by zero");
        CHECK(error_of("1e200*1e200") == "position 6: the result is not finite");
        CHECK(error_of("sqrt(-1)") == "position 1: the result is not a number");
        CHECK(error_of("1e999") ==
              "position 1: found a number that is too large or too small for double precision");
        CHECK(error_of("L + T") == "position 3: s added to m");
        CHECK(error_of("max(L, T)") == "position 1: s in \"max\" with m");
        CHECK(error_of("sin(L)") == "position 1: \"sin\" takes a number without dimension, got m");
        CHECK(error_of("2^L") == "position 3: an exponent takes a number without dimension, got m");
        CHECK(error_of("p") ==
              "position 2: found the end of the expression, expected \"[\" and an index: \"p\" is "
              "an array, take \"p[0]\"");
        CHECK(error_of("p[3]") ==
              "position 3: the index is 3, expected a whole number from 0 to 2");
        CHECK(error_of("p[0.5]") ==
              "position 3: the index is 0.5, expected a whole number from 0 to 2");
        CHECK(error_of("r[0]") == "position 2: \"r\" is one number, it has no entries");
        CHECK(error_of("atan2(1)") == "position 1: found 1 argument of \"atan2\", expected 2");
        CHECK(error_of("max(1)") ==
              "position 1: found 1 argument of \"max\", expected two or more");
        CHECK(error_of("sin()") == "position 1: found 0 arguments of \"sin\", expected 1");
        CHECK(
            error_of(std::string(5000, '1')).starts_with("position 4097: the expression has 5000"));
        CHECK(error_of(std::string(100, '(') + "1") ==
              "position 65: the expression is nested too deep, expected at most 64 levels");
    }

    // Whatever the text, there is a value or a FormulaError within the text.
    TEST_CASE("texts at random are refused or computed") {
        const std::vector<std::string> pieces{
            "r",    "L",  "p",         "s",    "1", "2.5",   "1e5", "mm", "kg", "N", "min",  "(",
            ")",    "[",  "]",         "+",    "-", "*",     "/",   "^",  " ",  ",", "sin(", "max(",
            "mod(", "pi", "\xc2\xb5m", "\xff", "0", "1e308", ".",   "_",  "\n", "e", "inf"};
        std::mt19937 random(7);
        int num_values = 0;
        for (int i = 0; i < 200000; ++i) {
            std::string text;
            for (auto k = random() % 12 + 1; k > 0; --k) text += pieces[random() % pieces.size()];
            try {
                const double x = value(text);
                if (std::isnan(x)) FAIL(text);
                ++num_values;
            } catch (const FormulaError& error) {
                if (error.position() < 1 || error.position() > text.size() + 1) FAIL(text);
            }
        }
        CHECK(num_values > 1000);
    }
}

namespace {

/// Of "N/m or N m/rad": whether either is read. By the second the measure is an angle, so that
/// their quotient is a power of the length, and no number.
bool has_two(std::string_view unit) {
    const std::size_t at = unit.find(" or ");
    if (at == std::string_view::npos) return false;
    const std::optional<Dimension> first = dimension_of(unit.substr(0, at)),
                                   second = dimension_of(unit.substr(at + 4));
    if (!first || !second) return false;
    const Dimension by = *second / *first;
    return by.exponents[0] != 0.0 && by.exponents[1] == 0.0 && by.exponents[2] == 0.0;
}

// Units of a schema that are read, and those that are not.
void sort_units(std::span<const Parameter> schema, int& known, std::set<std::string>& others) {
    for (const Parameter& p : schema) {
        // One unit, two that go with what a law acts on, or one for each column
        bool is_read = has_two(p.unit);
        if (!is_read) {
            std::string_view rest = p.unit;
            is_read = true;
            while (is_read && !rest.empty()) {
                const std::size_t end = std::min({rest.find(", "), rest.find(" or "), rest.size()});
                is_read = dimension_of(rest.substr(0, end)).has_value();
                rest.remove_prefix(end);
                for (const std::string_view mark : {", ", " or "})
                    if (rest.starts_with(mark)) rest.remove_prefix(mark.size());
            }
        }
        if (!is_read)
            others.insert(p.unit);
        else if (*p.unit != '\0')
            ++known;
        sort_units({p.children, static_cast<std::size_t>(p.num_children)}, known, others);
    }
}

}  // namespace

TEST_SUITE("units of schemas") {
    TEST_CASE("all that plugins give are read") {
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        int known = 0;
        std::set<std::string> others;
        for (const FoundPlugin& found : registry.scan()) {
            REQUIRE(found.plugin != nullptr);
            for (std::uint32_t i = 0; i < found.plugin->descriptor->num_types; ++i) {
                const TypeDescriptor& type = found.plugin->descriptor->types[i];
                sort_units({type.parameters, static_cast<std::size_t>(type.num_parameters)},
                           known,
                           others);
            }
        }
        CHECK(known > 50);
        CHECK(fmt::format("{}", fmt::join(others, "; ")).empty());
    }

    TEST_CASE("a unit in words of the SDK's schemas") {
        CHECK(to_text(*dimension_of("N s/m")) == "kg/s");
        CHECK(to_text(*dimension_of("N m/rad")) == "J");
        CHECK(to_text(*dimension_of("1/m")) == "1/m");
        CHECK(dimension_of("rad")->is_none());
        CHECK(dimension_of("-")->is_none());
        CHECK(!dimension_of(""));
        CHECK(!dimension_of("of the rows"));
    }
}

TEST_SUITE("parameters") {
    TEST_CASE("they may use each other in any order") {
        Table table;
        table.set("A", "pi*r^2").set("r", "d/2").set("d", "10 mm");
        const ExpressionScope scope(table);
        CHECK(scope.find("A").values.front().value == kPi * (0.005 * 0.005));
        CHECK(to_text(scope.find("A").values.front().dimension) == "m^2");
    }

    TEST_CASE("a long chain is refused, not followed into the ground") {
        Table table;
        for (int i = 0; i < 100000; ++i)
            table.add({fmt::format("a{}", i), {}, fmt::format("a{}", i + 1)});
        table.set("a100000", 1.0);
        std::string message;
        try {
            const ExpressionScope scope(table);
        } catch (const Error& error) {
            message = error.message();
        }
        CHECK(message == "[parameters]: a100: more than 100 parameters lead to this one");
    }

    TEST_CASE("values in texts read back the same") {
        Table table;
        table.set("x", 0.1).set("n", 3).set("y", -2.0).set("p", Value{0.5, 1.0});
        const ExpressionScope scope(table);
        const auto put = [&](const char* text) {
            Value value(text);
            interpolate(value, scope);
            return *value.as<std::string>();
        };
        CHECK(put("box@[${x/3}, 0, ${n}]") == "box@[0.03333333333333333, 0, 3]");
        CHECK(put("link_${n}_${n - 1}") == "link_3_2");
        CHECK(put("box@${p}") == "box@[0.5, 1]");
        CHECK(put("${y}*t") == "-2*t");
        CHECK(put("${y}^2") == "(-2)^2");  // not -(2^2)
        CHECK(put("$${x} $ {x} $x") == "${x} $ {x} $x");
        CHECK(without_interpolation("${x} $$") == "$${x} $$");
    }
}

}  // namespace ancora
