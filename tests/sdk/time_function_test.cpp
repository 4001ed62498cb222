// SPDX-License-Identifier: BSD-3-Clause
// Time functions of the SDK: derivatives, splines, files with numbers, and their messages.
#include "ancora/sdk/helpers/time_function.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/parameter.hpp"
#include "ancora/sdk/testing/fake_arguments.hpp"
#include "support/process.hpp"

namespace ancora {
namespace {

namespace p = parameter;
using test::FakeArguments;

constexpr Parameter kSchema[] = {
    p::vector("pair", 2, "", "two numbers").or_matrix(0, 3).or_texts().or_file(),
    p::number("one", "", "one number").or_matrix(0, 2).or_text(),
};
const TimeFunctionOptions kPair{.components = {"u", "v"}};

FakeArguments arguments() {
    return FakeArguments(kSchema);
}
TimeFunction pair(const FakeArguments& from, Interpolation interpolation, Outside outside) {
    return {from, "pair", {{"u", "v"}, interpolation, outside}};
}
TimeTable some_table(Interpolation interpolation) {
    return {{0.0, 0.5, 2.0, 2.5}, {1.0, 0.0, 3.0, -1.0, 0.0, 2.0, 1.0, 2.0}, interpolation};
}
double value(const TimeTable& table, double t, std::size_t i) {
    std::array<double, 2> y;
    table.evaluate(t, Outside::refuse, y);
    return y[i];
}

TimeFunction read(const testing::TempFolder& folder, const std::string& text) {
    folder.write("numbers.csv", text);
    FakeArguments from = arguments();
    from.set("pair", (folder / "numbers.csv").c_str());
    return {from, "pair", kPair};
}
/// What reading such a file is refused with.
std::string refusal(const std::string& text) {
    const testing::TempFolder folder;
    try {
        read(folder, text);
    } catch (const std::runtime_error& error) {
        return error.what();
    }
    return "";
}

TEST_SUITE("time tables") {
    // Central differences of cubics: exact but for the third derivative, which e^2 makes small.
    TEST_CASE("first and second derivative are those of the interpolant") {
        for (const Interpolation kind :
             {Interpolation::linear, Interpolation::spline, Interpolation::rest}) {
            const TimeTable table = some_table(kind);
            for (const double t : {0.1, 0.37, 0.9, 1.999, 2.2})
                for (std::size_t i = 0; i < 2; ++i) {
                    constexpr double e = 1e-4;
                    std::array<double, 2> y, rate, second;
                    table.evaluate(t, Outside::refuse, y, rate, second);
                    const double before = value(table, t - e, i), after = value(table, t + e, i);
                    CHECK(std::abs(rate[i] - (after - before) / (2.0 * e)) <= 1e-6);
                    CHECK(std::abs(second[i] - (after - 2.0 * y[i] + before) / (e * e)) <= 1e-5);
                }
        }
    }

    // The conditions that define it: through the rows, y' and y'' continuous, y' = 0 at both ends.
    TEST_CASE("the spline at rest begins and ends with rate zero and is twice smooth") {
        const TimeTable table = some_table(Interpolation::rest);
        std::array<double, 2> y, rate, second, rate_before, second_before;
        table.evaluate(0.0, Outside::refuse, y, rate);
        CHECK(y == std::array<double, 2>{1.0, 0.0});
        for (const double x : rate) CHECK(std::abs(x) <= 1e-14);
        table.evaluate(2.5, Outside::refuse, y, rate);
        CHECK(std::abs(y[0] - 1.0) + std::abs(y[1] - 2.0) <= 1e-14);
        for (const double x : rate) CHECK(std::abs(x) <= 1e-14);
        for (const double knot : {0.5, 2.0}) {
            table.evaluate(knot, Outside::refuse, y, rate, second);
            table.evaluate(knot - 1e-14, Outside::refuse, {}, rate_before, second_before);
            for (std::size_t i = 0; i < 2; ++i) {
                CHECK(std::abs(rate[i] - rate_before[i]) <= 1e-11);
                CHECK(std::abs(second[i] - second_before[i]) <= 1e-11);
            }
        }
        // Two rows at rest: y = 3 s^2 - 2 s^3.
        const TimeTable lift({0.0, 2.0}, {0.0, 1.0}, Interpolation::rest);
        CHECK(std::abs(value(lift, 0.5, 0) - (3.0 / 16.0 - 2.0 / 64.0)) <= 1e-15);
    }

    // Rows that turn suddenly, on which a spline swings far beyond them.
    TEST_CASE("monotone pieces stay between their rows, at rest at both ends") {
        const std::vector<double> times{0.0, 0.01, 0.3, 0.31, 0.5, 1.0};
        const std::vector<double> rows{0.0, 0.1, 0.1, 0.4, 0.6, 0.2};
        const TimeTable table(times, rows, Interpolation::monotone);
        const TimeTable spline(times, rows, Interpolation::rest);
        double swing = 0.0;
        for (std::size_t k = 0; k + 1 < times.size(); ++k) {
            const double low = std::min(rows[k], rows[k + 1]),
                         high = std::max(rows[k], rows[k + 1]);
            double last = rows[k];
            for (int j = 0; j <= 100; ++j) {
                const double t = times[k] + 0.01 * j * (times[k + 1] - times[k]);
                const double x = value(table, t, 0);
                CHECK((x >= low - 1e-15 && x <= high + 1e-15));
                CHECK((x - last) * (rows[k + 1] - rows[k]) >= -1e-16);
                last = x;
                swing = std::max(swing, value(spline, t, 0) - 0.6);
            }
            CHECK(value(table, times[k], 0) == rows[k]);
        }
        CHECK(swing > 0.5);
        std::array<double, 1> rate, before, mean;
        for (const double knot : {0.01, 0.3, 0.31, 0.5}) {
            table.evaluate(knot, Outside::refuse, {}, rate);
            table.evaluate(knot - 1e-14, Outside::refuse, {}, before);
            CHECK(std::abs(rate[0] - before[0]) <= 1e-8);
        }
        for (const double end : {0.0, 1.0}) {
            table.evaluate(end, Outside::hold, {}, rate);
            CHECK(rate[0] == 0.0);
        }
        for (const double t : {0.004, 0.2, 0.306, 0.45, 0.8}) {
            constexpr double e = 1e-6;
            std::array<double, 1> second, later;
            table.evaluate(t, Outside::refuse, {}, rate, second);
            table.evaluate(t - e, Outside::refuse, {}, before);
            table.evaluate(t + e, Outside::refuse, {}, later);
            const double difference = (value(table, t + e, 0) - value(table, t - e, 0)) / (2.0 * e);
            CHECK(std::abs(rate[0] - difference) <= 1e-6 * (1.0 + std::abs(rate[0])));
            CHECK(std::abs(second[0] - (later[0] - before[0]) / (2.0 * e)) <=
                  1e-6 * (1.0 + std::abs(second[0])));
        }
        // The mean over all rows against the trapezoidal rule on a fine grid.
        table.mean(0.0, 1.0, Outside::refuse, mean);
        double sum = 0.0;
        constexpr int kFine = 200000;
        for (int j = 0; j < kFine; ++j) sum += value(table, (j + 0.5) / kFine, 0) / kFine;
        CHECK(std::abs(mean[0] - sum) <= 1e-9);
        // Rows on a line that does not turn: harmonic means of equal slopes are that slope.
        const TimeTable line({0.0, 1.0, 2.0, 3.0}, {0.0, 2.0, 4.0, 6.0}, Interpolation::monotone);
        CHECK(std::abs(value(line, 1.3, 0) - 2.6) <= 1e-15);
    }

    TEST_CASE("held, it has no rate outside; the end itself has the rate of the last piece") {
        const TimeTable table = some_table(Interpolation::linear);
        std::array<double, 2> y, rate;
        table.evaluate(9.0, Outside::hold, y, rate);
        CHECK(y == std::array<double, 2>{1.0, 2.0});
        CHECK(rate == std::array<double, 2>{0.0, 0.0});
        table.evaluate(2.5 + 1e-12, Outside::refuse, y, rate);
        CHECK(rate == std::array<double, 2>{2.0, 0.0});
        table.evaluate(-1.0, Outside::zero, y);
        CHECK(y == std::array<double, 2>{0.0, 0.0});
    }
}

TEST_SUITE("time functions") {
    TEST_CASE("numbers, rows and formulas, of any number of components") {
        std::array<double, 2> y, rate, second;
        FakeArguments from = arguments();
        const TimeFunction constant =
            pair(from.set("pair", {3.0, 4.0}), Interpolation::linear, Outside::refuse);
        constant.evaluate(7.0, y, rate, second);
        CHECK(y == std::array<double, 2>{3.0, 4.0});
        CHECK(rate == std::array<double, 2>{});
        CHECK(second == std::array<double, 2>{});

        from.set_texts("pair", {"sin(3*t)", "t^3"});
        const TimeFunction formulas = pair(from, Interpolation::linear, Outside::refuse);
        CHECK(formulas.num_components() == 2);
        formulas.evaluate(0.4, y, rate, second);
        CHECK(std::abs(y[0] - std::sin(1.2)) + std::abs(y[1] - 0.064) <= 1e-15);
        CHECK(std::abs(rate[0] - 3.0 * std::cos(1.2)) + std::abs(rate[1] - 0.48) <= 1e-15);
        CHECK(std::abs(second[0] + 9.0 * std::sin(1.2)) + std::abs(second[1] - 2.4) <= 1e-14);
        formulas.mean(0.3, 0.2, y);
        CHECK(std::abs(y[0] - std::sin(1.2)) + std::abs(y[1] - 0.064) <= 1e-15);

        from.set_matrix("one", 2, {0.0, 1.0, 2.0, 5.0});
        const TimeFunction one(from, "one", {.components = {"factor"}});
        CHECK(one.is_table());
        double x = 0.0;
        one.evaluate(0.5, {&x, 1});
        CHECK(x == 2.0);
        from.set("one", "2*t");
        TimeFunction(from, "one", {.components = {"factor"}}).evaluate(0.5, {&x, 1});
        CHECK(x == 1.0);
        from.set("one", 7.5);
        TimeFunction(from, "one", {.components = {"factor"}}).evaluate(0.5, {&x, 1});
        CHECK(x == 7.5);
    }

    TEST_CASE("formulas without a finite value or rate, and tables where they have no rows") {
        FakeArguments from = arguments();
        from.set_texts("pair", {"1/(t-1)", "sqrt(t)"});
        const TimeFunction f = pair(from, Interpolation::linear, Outside::refuse);
        std::array<double, 2> y, rate;
        CHECK_THROWS_WITH(f.evaluate(1.0, y),
                          "pair: the formula of u, \"1/(t-1)\", has no finite value at t = 1 s");
        CHECK_NOTHROW(f.evaluate(0.0, y));
        CHECK_THROWS_WITH(
            f.evaluate(0.0, y, rate),
            "pair: the formula of v, \"sqrt(t)\", has no finite rate of change at t = 0 s");
        from.set_matrix("pair", 3, {0.0, 1.0, 2.0, 1.0, 1.0, 2.0});
        CHECK_THROWS_WITH(pair(from, Interpolation::rest, Outside::refuse).evaluate(1.5, y),
                          "the table of pair ends at t = 1 s, and the motion needs it at t = 1.5 "
                          "s; add rows, or say with `outside` what is there");
    }
}

TEST_SUITE("files of numbers") {
    TEST_CASE(
        "commas, semicolons or blanks; headings, comments, blank lines, line ends of Windows") {
        for (const std::string text :
             {"0,1,2\n1,-3,4e-1\n",
              "0;1;2\r\n1;-3;0.4\r\n",
              "0 1 2\n1\t-3   +0.4",
              "\xEF\xBB\xBFt, u [m], v\n# all in SI\n\n  0 , 1 , 2 # first\n 1, -3, .4\n\n"}) {
            CAPTURE(text);
            const testing::TempFolder folder;
            std::array<double, 2> y;
            read(folder, text).evaluate(0.5, y);
            CHECK(y[0] == -1.0);
            CHECK(std::abs(y[1] - 1.2) <= 1e-15);
        }
    }

    TEST_CASE("what is wrong is told with line and column") {
        CHECK(refusal("t,u,v\n0,1,2\n1,x,3\n") == "pair:3:3: \"x\" is no number");
        CHECK(refusal("0;1;2\n1; 2,5;3\n") ==
              "pair:2:4: \"2,5\" is no number; write a point before decimals");
        CHECK(refusal("0,1,2\n1,,3\n") == "pair:2:3: a number is missing; the columns are t, u, v");
        CHECK(refusal("0,1,2\n1,nan,3\n") == "pair:2:3: \"nan\" is not finite");
        CHECK(refusal("0,1,2\n1,2,1e999\n") == "pair:2:5: \"1e999\" is not finite");
        CHECK(refusal("0 1 2\n\n# end\n1 2\n") == "pair:4:3: found 2 columns, expected 3: t, u, v");
        CHECK(refusal("0,1,2,3\n") == "pair:1:7: found 4 columns, expected 3: t, u, v");
        CHECK(refusal("t,1,2\n") == "pair:1:1: \"t\" is no number");
        CHECK(refusal("0,1,2\n0.5,1,2\n  0.5,1,2\n") ==
              "pair:3:3: this row has t = 0.5 s, but the row before it t = 0.5 s; times must "
              "increase from row to row, and a jump is written as a short ramp");
        CHECK(refusal("t,u,v\n0,1,2\n") ==
              "pair:0:0: a table needs at least two rows with the columns t, u, v, found 1");
        CHECK(refusal("") ==
              "pair:0:0: a table needs at least two rows with the columns t, u, v, found 0");
    }
}

}  // namespace
}  // namespace ancora
