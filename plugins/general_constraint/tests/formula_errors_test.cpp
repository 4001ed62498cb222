// SPDX-License-Identifier: BSD-3-Clause
// Tests of the messages about formulas that cannot be read, and of their places.
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "ancora/sdk/formula/formula.hpp"
#include "names.hpp"

namespace {

using ancora::Formula;
using ancora::formula_excerpt;
using ancora::FormulaError;
using ancora::FormulaName;
using ancora::test::Names;

std::string error_of(std::string_view text) {
    Names names;
    try {
        Formula::parse(text, names);
    } catch (const FormulaError& error) {
        return error.what();
    }
    return "no error";
}
std::string error_of_equation(std::string_view text) {
    Names names;
    try {
        Formula::parse_equation(text, names);
    } catch (const FormulaError& error) {
        return error.what();
    }
    return "no error";
}

/// Knows two bare names, and refuses a third in words of its own.
class Parameters final : public ancora::FormulaScope {
public:
    int find(const FormulaName& name) override {
        if (name.text() == "old") throw std::invalid_argument("\"old\" is called \"rate\" now");
        return name.text() == "stiffness" ? 0 : name.text() == "rate" ? 1 : -1;
    }
    std::vector<std::string> known_names() const override { return {"stiffness", "rate"}; }
};

}  // namespace

TEST_SUITE("formula errors") {
    TEST_CASE("something missing or too much") {
        const std::string operand = "expected a number, a function, a coordinate or \"(\"";
        CHECK(error_of("") == "position 1: the formula is empty, " + operand);
        CHECK(error_of("  \n ") == "position 5: the formula is empty, " + operand);
        CHECK(error_of("a.x +") == "position 6: found the end of the formula, " + operand);
        CHECK(error_of("a.x + * 2") == "position 7: found \"*\", " + operand);
        CHECK(error_of("/2") == "position 1: found \"/\", " + operand);
        CHECK(error_of("()") == "position 2: found \")\", " + operand);
        CHECK(error_of("a.x b.x") ==
              "position 5: found \"b\", expected an operator or the end of the formula");
        CHECK(error_of("a.x)") ==
              "position 4: found \")\", expected an operator or the end of the formula");
        CHECK(error_of("a.x = 0") ==
              "position 5: found \"=\", expected an operator or the end of the formula");
        CHECK(error_of("(a.x + 1") ==
              "position 9: found the end of the formula, expected \")\" to close \"(\" at position "
              "1");
        CHECK(error_of("2*(sin(a.x) + 1]") ==
              "position 16: found \"]\", expected \")\" to close \"(\" at position 3");
        CHECK(error_of("a.x**2") == "position 4: found \"**\", expected \"^\" for a power");
        CHECK(error_of("a.x \xE2\x88\x92 1") ==
              "position 5: found \"\xE2\x88\x92\" (no ASCII character), expected an operator or "
              "the end of the formula");
    }

    TEST_CASE("equations have one sign of equality") {
        CHECK(error_of_equation("a.x - 1") ==
              "position 8: found the end of the formula, expected \"=\" as in \"... = 0\"");
        CHECK(error_of_equation("a.x == 1") ==
              "position 6: found a second \"=\", expected one as in \"... = 0\"");
        CHECK(error_of_equation("a.x = 1 = 2") ==
              "position 9: found a second \"=\", expected one as in \"... = 0\"");
        CHECK(error_of_equation("a.x, 1 = 2") ==
              "position 4: found \",\", expected an operator or \"=\"");
        CHECK(error_of_equation("a.x =") ==
              "position 6: found the end of the formula, expected a number, a function, a "
              "coordinate or \"(\"");
    }

    TEST_CASE("numbers") {
        CHECK(error_of("2a.x") ==
              "position 2: found \"a\" behind the number \"2\", expected an operator");
        CHECK(error_of("1.2.3") ==
              "position 4: found \".\" behind the number \"1.2\", expected an operator");
        CHECK(error_of("1 + 1e999") ==
              "position 5: found a number that is too large or too small for double precision");
        CHECK(error_of("a.x + 1/(2 - 2)") ==
              "position 8: the value of this constant part is infinite");
        CHECK(error_of("a.x*log(-1)") ==
              "position 5: the value of this constant part is undefined");
        CHECK(error_of("(-8)^(1/3)") == "position 5: the value of this constant part is undefined");
    }

    TEST_CASE("functions and the number of their arguments") {
        CHECK(error_of("1 + sine(a.x)") ==
              "position 5: found \"sine(\", expected a function; did you mean \"sin\"?");
        CHECK(error_of("Sqrt(2)") ==
              "position 1: found \"Sqrt(\", expected a function; did you mean \"sqrt\"?");
        CHECK(error_of("isn(2)") ==
              "position 1: found \"isn(\", expected a function; did you mean \"sin\"?");
        CHECK(error_of("gamma(2)") == "position 1: found \"gamma(\", expected a function");
        CHECK(error_of("atan2(a.x)") == "position 1: found 1 argument of \"atan2\", expected 2");
        CHECK(error_of("1 + sin(a.x, 2)") ==
              "position 5: found 2 arguments of \"sin\", expected 1");
        CHECK(error_of("sin()") == "position 1: found 0 arguments of \"sin\", expected 1");
        CHECK(error_of("min(a.x)") ==
              "position 1: found 1 argument of \"min\", expected two or more");
        CHECK(error_of("sin a.x") ==
              "position 5: found \"a\", expected \"(\" behind the function \"sin\"");
        CHECK(error_of("max(1, 2") ==
              "position 9: found the end of the formula, expected \")\" to close \"(\" at position "
              "4");
    }

    TEST_CASE("names") {
        CHECK(error_of("a.x + foo") == "position 7: found \"foo\", expected a coordinate");
        CHECK(error_of("Pi*a.x") ==
              "position 1: found \"Pi\", expected a coordinate; did you mean \"pi\"?");
        CHECK(error_of("a.x - my-box.x") ==
              "position 7: found \"my\", expected a coordinate; a name that holds \"-\" is written "
              "in quotes: 'my-box'");
        CHECK(error_of("box@far-corner.x") ==
              "position 8: found \"-\", expected \".\" and a component; a name that holds \"-\" is "
              "written in quotes: 'far-corner'");
        CHECK(error_of("a. x") == "position 3: found \" \", expected a component such as \"x\"");
        CHECK(error_of("a.1") == "position 3: found \"1\", expected a component such as \"x\"");
        CHECK(error_of("box@.x") ==
              "position 5: found \".\", expected a node, a name or \"[x, y, z]\" behind \"@\"");
        CHECK(error_of("box@3") ==
              "position 6: found the end of the formula, expected \".\" and a component");
        CHECK(error_of("box@[1, 2].x") ==
              "position 10: found \"]\", expected \",\" and three numbers in \"[x, y, z]\"");
        CHECK(error_of("box@[1, 2, z].x") ==
              "position 12: found \"z\", expected a number in \"[x, y, z]\"");
        CHECK(error_of("box@[1, 2, 3, 4].x") ==
              "position 13: found \",\", expected \"]\" to close \"[\" at position 5");
        CHECK(error_of("'my box'.x") ==
              "position 1: found \" \" in a name in quotes, expected letters, digits, \"_\" and "
              "\"-\" as in \"'my-box'.x\"");
        CHECK(error_of("'my-box.x") ==
              "position 1: found \".\" in a name in quotes, expected letters, digits, \"_\" and "
              "\"-\" as in \"'my-box'.x\"");
        CHECK(error_of("'my-box' + 1") ==
              "position 9: found \" \", expected \".\" or \"@\" behind the name");
    }

    TEST_CASE("rates") {
        CHECK(error_of("der(a.x + 1)") ==
              "position 9: found \"+\", expected \")\", since \"der\" at position 1 takes one "
              "coordinate");
        CHECK(error_of("der(2)") ==
              "position 5: found \"2\", expected one coordinate in \"der(...)\"");
        CHECK(error_of("der a.x") == "position 5: found \"a\", expected \"(\" behind \"der\"");
    }

    TEST_CASE("a scope offers its names and refuses in its own words") {
        Parameters parameters;
        const auto message = [&](std::string_view text) -> std::string {
            try {
                Formula::parse(text, parameters);
            } catch (const FormulaError& error) {
                return error.what();
            }
            return "no error";
        };
        CHECK(message("2*stiffness/rate") == "no error");
        CHECK(message("2*stifness") ==
              "position 3: found \"stifness\", expected a variable; did you mean \"stiffness\"?");
        CHECK(message("1 + old") == "position 5: \"old\" is called \"rate\" now");
    }

    TEST_CASE("conditions, steps and tables") {
        CHECK(error_of("if(t - 1, 2, 3)") ==
              "position 1: found a number, expected a condition such as t < 1");
        CHECK(error_of("1 < t and 3") ==
              "position 7: found a number, expected a condition such as t < 1");
        CHECK(
            error_of("0 < t < 1") ==
            "position 7: found a second comparison, expected one on each side of \"and\", such as "
            "0 < t and t < 1");
        CHECK(
            error_of("if(t == 1, 2, 3)") ==
            "position 6: found \"==\", expected \"<\", \"<=\", \">\" or \">=\", since numbers that "
            "are computed are hardly ever equal");
        CHECK(error_of("if(t < 1, 2)") == "position 1: found 2 arguments of \"if\", expected 3");
        CHECK(error_of("t < 1 ? 2 : 3")
                  .ends_with("; a choice is written if(condition, this, else that)"));
        CHECK(
            error_of("t < 1 && t > 0").ends_with("; conditions are joined by \"and\" and \"or\""));
        CHECK(error_of("t % 2").ends_with("; the rest of a division is mod(a, b)"));
        CHECK(error_of("step(t, 2, 1)") ==
              "position 1: found a step that ends before it begins, expected step(x, from, to) "
              "with from < to; one that falls is 1 - step(x, from, to)");
        CHECK(error_of("table([[0, 1]], t)") ==
              "position 7: found a table of one row, expected two or more");
        CHECK(error_of("table([[0, 1], [0, 2]], t)") ==
              "position 17: the first numbers of rows in \"table\" must increase");
        CHECK(error_of("table([[0, 1], [1, 2]])") ==
              "position 23: found \")\", expected \",\" and the argument of \"table\"");
        CHECK(error_of("table([0, 1], t)") ==
              "position 8: found \"0\", expected \"[\" and rows such as [[0, 1], [2, 5]] in "
              "\"table\"");
        CHECK(error_of("table([[0, a.x], [1, 2]], t)") ==
              "position 12: found \"a\", expected a number in \"table\"");
        // Rows count for themselves
        std::string rows = "[0, 0]";
        for (int i = 1; i < 2000; ++i) rows += ", [" + std::to_string(i) + ", 1]";
        CHECK(error_of("table([" + rows + "], t)") == "no error");
    }

    TEST_CASE("limits") {
        const auto repeated = [](std::string_view part, int times) {
            std::string out;
            for (int i = 0; i < times; ++i) out += part;
            return out;
        };
        CHECK(error_of(repeated("(", 40) + "1" + repeated(")", 40)) == "no error");
        CHECK(error_of(repeated("(", 70) + "1" + repeated(")", 70)) ==
              "position 65: the formula is nested too deep, expected at most 64 levels");
        CHECK(error_of(repeated("-", 70) + "1") ==
              "position 65: the formula is nested too deep, expected at most 64 levels");
        CHECK(error_of("1" + repeated("^1", 70)) ==
              "position 129: the formula is nested too deep, expected at most 64 levels");
        CHECK(error_of(std::string(5000, '1')) ==
              "position 4097: the formula has 5000 characters, expected at most 4096");
        std::string many = "a.x";
        for (int i = 1; i < 64; ++i) many += "+a.x" + std::to_string(i);
        CHECK(error_of(many) == "no error");
        CHECK(error_of(many + "+a.y") ==
              "position " + std::to_string(many.size() + 2) +
                  ": this is one variable too many, expected at most 64");
        std::string lengthy = "a.x";
        for (int i = 1; i < 200; ++i) lengthy += "+sin(a.x+" + std::to_string(i) + ")";
        CHECK(error_of(lengthy) ==
              "position 1: the formula has 598 operations, expected at most 256");
    }

    TEST_CASE("an error knows its position and its message apart") {
        Names names;
        try {
            Formula::parse("a.x + * 2", names);
            FAIL("no error");
        } catch (const FormulaError& error) {
            CHECK(error.position() == 7);
            CHECK(error.message().starts_with("found \"*\""));
        }
    }

    TEST_CASE("the excerpt shows the line and a caret below the place") {
        CHECK(formula_excerpt("a.x + * 2", 7) ==
              "    a.x + * 2\n"
              "          ^");
        CHECK(formula_excerpt("a.x +", 6, "") ==
              "a.x +\n"
              "     ^");
        CHECK(formula_excerpt("", 1, "") == "\n^");
        CHECK(formula_excerpt("a.x\n + b.x\n\t+ *\n", 15, "") ==
              " + *\n"
              "   ^");
        // A long line is cut around the place.
        const std::string text = std::string(100, 'a') + "*" + std::string(100, 'b');
        CHECK(formula_excerpt(text, 101, "") == "..." + std::string(50, 'a') + "*" +
                                                    std::string(25, 'b') + "...\n" +
                                                    std::string(53, ' ') + "^");
    }
}
