// SPDX-License-Identifier: BSD-3-Clause
// Columns of files with many: what is read, and what is refused with which words.
#include "table_file.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/process.hpp"

namespace {

using namespace ancora;

/// A file in a folder of its own, and values that name its columns.
class Written {
public:
    explicit Written(const std::string& text) {
        std::ofstream(folder_.path() / "t.csv", std::ios::binary) << text;
    }
    TableFile read(const std::string& keys, int columns = 2) const {
        const Value value = parse_value(
            fmt::format("{{ file = \"{}\"{} }}", (folder_.path() / "t.csv").string(), keys));
        REQUIRE(value.as<Table>() != nullptr);
        return read_table_file("force \"push\": force", *value.as<Table>(), {}, {}, columns);
    }
    std::string refusal(const std::string& keys, int columns = 2) const {
        try {
            read(keys, columns);
        } catch (const Error& error) {
            const Place& place = error.place();
            return place.line > 0
                       ? fmt::format("{}:{}: {}", place.line, place.column, error.message())
                       : error.message();
        }
        return "";
    }

private:
    testing::TempFolder folder_;
};

using Numbers = std::vector<double>;

}  // namespace

TEST_SUITE("columns of files") {
    TEST_CASE("by name, by number, in any order, beside any other columns") {
        const Written file("t,q1,q2,note\n0,1,10,2\n0.5,2,20,3\n# a comment\n\n1,3,30,4\n");
        CHECK(file.read(", column = \"q2\"").numbers == Numbers{0, 10, 0.5, 20, 1, 30});
        CHECK(file.read(", column = 2").numbers == Numbers{0, 1, 0.5, 2, 1, 3});
        CHECK(file.read(", columns = [\"q2\", 2]", 3).numbers ==
              Numbers{0, 10, 1, 0.5, 20, 2, 1, 30, 3});
        CHECK(file.read(", time = \"q1\", column = \"q2\"").numbers ==
              Numbers{1, 10, 2, 20, 3, 30});
        CHECK(file.read("", 4).rows == 3);
    }

    TEST_CASE("units of headings, of a row of their own and of the manifest become SI") {
        const double degree = std::numbers::pi / 180.0;
        const Written behind("time [ms],\"q (deg)\"\n0,90\n500,180\n");
        const TableFile one = behind.read(", column = \"q\"");
        CHECK(one.numbers[2] == doctest::Approx(0.5));
        CHECK(one.numbers[3] == doctest::Approx(180.0 * degree).epsilon(1e-15));
        const Written below("Time;q\n[s];[deg]\n0;90\n1;180\n");
        CHECK(below.read("").numbers[1] == doctest::Approx(90.0 * degree).epsilon(1e-15));
        const Written none("0 90\n1 180\n");
        CHECK(none.read(", unit = \"deg\"").numbers[1] == doctest::Approx(90.0 * degree));
        CHECK(none.read("").numbers == Numbers{0, 90, 1, 180});
    }

    TEST_CASE(
        "tabs, semicolons with decimal commas, quotes, marks of the byte order, ends of lines") {
        CHECK(Written("t\tq 1\n0\t1e-3\n1\t+2\n").read(", column = \"q 1\"").numbers ==
              Numbers{0, 1e-3, 1, 2});
        CHECK(Written("\xEF\xBB\xBFt;q\r\n0,5;1,25\r\n1,5;-2\r\n")
                  .read(", decimal = \",\"")
                  .numbers == Numbers{0.5, 1.25, 1.5, -2});
        CHECK(Written("t,\"q, first\"\n0,1\n1,2\n").read(", column = \"q, first\"").numbers ==
              Numbers{0, 1, 1, 2});
    }

    TEST_CASE("random tables in every form give the numbers that were written") {
        std::mt19937 random(7);
        for (int k = 0; k < 200; ++k) {
            const int width = 2 + static_cast<int>(random() % 6);
            const int rows = 2 + static_cast<int>(random() % 5);
            const char mark = "\t;, "[random() % 4];
            const bool has_comma = (mark == '\t' || mark == ';') && random() % 2 == 0;
            const int column = 2 + static_cast<int>(random() % static_cast<unsigned>(width - 1));
            std::string text;
            for (int i = 1; i <= width && mark != ' '; ++i)
                text += fmt::format("{}c{}", i > 1 ? std::string(1, mark) : "", i);
            if (!text.empty()) text += '\n';
            Numbers wanted;
            for (int row = 0; row < rows; ++row)
                for (int i = 1; i <= width; ++i) {
                    const double x = std::ldexp(static_cast<double>(random()) - 2e9,
                                                -static_cast<int>(random() % 60));
                    std::string cell = fmt::format("{}", x);
                    if (has_comma) std::ranges::replace(cell, '.', ',');
                    text += fmt::format("{}{}", cell, i < width ? mark : '\n');
                    if (i == 1 || i == column) wanted.push_back(x);
                }
            CAPTURE(text);
            CHECK(Written(text)
                      .read(fmt::format(
                          ", column = {}{}", column, has_comma ? ", decimal = \",\"" : ""))
                      .numbers == wanted);
        }
    }

    TEST_CASE("what may be meant in two ways is refused, with both") {
        const auto says = [](const std::string& text, const std::string& keys) {
            return Written(text).refusal(keys);
        };
        const auto has = [&](const std::string& text, const std::string& keys, const char* what) {
            CAPTURE(text);
            CAPTURE(says(text, keys));
            CHECK(says(text, keys).find(what) != std::string::npos);
        };
        // Decimal commas between commas: no cell is lost
        has("t,q\n0,0\n1,0,5\n2,1,0\n", ", column = \"q\"", "found 3 columns, expected 2");
        has("t,q\n0,0,0\n1,0,5\n", ", column = \"q\"", "the heading has 2 columns and this row 3");
        has("t;q\n0;1;2\n1;2;2\n", ", column = \"q\"", "the heading has 2 columns and this row 3");
        has("t,q,q\n0,0,1\n1,0,1\n", ", column = \"q\"", "columns 2 and 3 are both called \"q\"");
        has("t,q\n0,0\n1,1\n", ", time = \"q\", column = \"q\"", "which is that of the argument");
        has("t [s],q [deg]\n0,0\n1,1\n", ", column = \"q\", unit = \"rad\"", "contradicts");
        has("t,q_deg\n0,0\n1,1\n", ", column = \"q_deg\"", "write \"q [deg]\"");
        has("t_ms,q\n0,0\n1,1\n", ", column = \"q\"", "write \"t [ms]\"");
        has(std::string("\xFF\xFEt\0,\0q\0", 8), ", column = \"q\"", "UTF-16");
        // What means one thing is taken
        const Numbers two{0, 0, 1, 2};
        CHECK(Written("sep=;\r\nt;q\r\n0;0\r\n1;2\r\n").read(", column = \"q\"").numbers == two);
        CHECK(Written("t [s] q [m] z [kN]\n0 0 5\n1 2 5\n").read(", column = \"q\"").numbers ==
              two);
        CHECK(Written("t,q,\n0,0,\n1,2,\n").read(", column = \"q\"").numbers == two);
        CHECK(Written("t,q,note\n0,0,\n1,2,3\n").read(", column = \"q\"").numbers == two);
        const std::string degrees = ", column = \"q_deg\", unit = \"deg\"";
        CHECK(Written("t,q_deg\n0,0\n1,180\n").read(degrees).numbers[3] ==
              doctest::Approx(std::numbers::pi));
        CHECK(Written("t,q [deg]\n0,0\n1,180\n").read(", column = \"q\", unit = \"deg\"").rows ==
              2);
    }

    TEST_CASE("what is wrong is named with line and column, or with the key") {
        const std::string who = "force \"push\": force";
        const Written good("t,q1,q2\n0,1,2\n1,3,4\n");
        CHECK(good.refusal(", column = \"q11\"") ==
              who + ".column: the file has no column \"q11\"; did you mean \"q1\"?");
        CHECK(good.refusal(", column = 4") == who + ".column: the file has columns 1 to 3, got 4");
        CHECK(good.refusal("").find("columns expected: 1 beside that of the argument, got 2; say "
                                    "which with \"column\"") != std::string::npos);
        CHECK(good.refusal(", colum = 2") ==
              who + ": unknown key \"colum\"; did you mean \"column\"?");
        CHECK(good.refusal(", column = 2, columns = [2]") ==
              who + ".columns: stands beside \"column\"; give one of them");
        CHECK(good.refusal(", column = 2, unit = \"furlong\"") ==
              who + ".unit: \"furlong\" is no unit");
        CHECK(Written("t;q\n0;1,5\n1;2\n").refusal("") ==
              "2:3: " + who + ": \"1,5\" is no number; for decimal commas write decimal = \",\"");
        CHECK(Written("t,q\n0,1\n1\n").refusal("") ==
              "3:1: " + who + ": found 1 columns, expected 2");
        CHECK(Written("t,q\n0,1\n1,\n").refusal("") == "3:3: " + who + ": a number is missing");
        CHECK(Written("t,q\n0,1\n1,1e999\n").refusal("").starts_with("3:3: "));
        CHECK(Written("t,q\n0,1\n").refusal("") ==
              who + ": a table needs at least two rows of numbers, found 1");
        CHECK(Written("# nothing\n").refusal("") == who + ": the file has no rows");
        CHECK(Written("a,b\nc,d\ne,f\n0,1\n1,2\n")
                  .refusal("")
                  .find("more than two rows of headings") != std::string::npos);
    }
}
