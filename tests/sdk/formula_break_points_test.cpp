// SPDX-License-Identifier: BSD-3-Clause
// Where formulas of time are not smooth, beside instants that are known.
#include "ancora/sdk/helpers/formula_break_points.hpp"

#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace ancora::testing {
namespace {

class TimeAlone final : public FormulaScope {
public:
    int find(const FormulaName&) override { return -1; }
};

FormulaBreakPoints points_of(const std::string& text) {
    TimeAlone scope;
    return FormulaBreakPoints(Formula::parse(text, scope));
}

constexpr double kEnd = 3.0 + 1e-9;  // 3, though 10*0.3 lies a rounding behind it

/// All in (0, 3]; neighbours by rounding are one.
std::vector<double> all_of(const std::string& text, double spacing) {
    const FormulaBreakPoints points = points_of(text);
    std::vector<double> out;
    for (double t = 0.0; out.size() < 1000;) {
        t = points.next(t, kEnd, spacing, StepKind::stages);
        if (!(t <= kEnd)) break;
        if (out.empty() || t - out.back() > 1e-12) out.push_back(t);
    }
    return out;
}

/// from, from + by, ... up to 3
std::vector<double> every(double from, double by) {
    std::vector<double> out;
    for (int k = 0; from + k * by <= kEnd; ++k) out.push_back(from + k * by);
    return out;
}

}  // namespace

TEST_SUITE("break points of formulas") {
    TEST_CASE("jumps and corners are found wherever steps lie") {
        struct Case {
            const char* text;
            std::vector<double> instants;
        };
        const std::vector<Case> cases = {
            {"if(t < 1.3, 2, 5)", {1.3}},
            {"if(t >= 1.3 and t < 1.301, 2, 5)", {1.3, 1.301}},
            {"if(t < 0.7 or not t < 2.2, sin(t), 0)", {0.7, 2.2}},
            {"5*(t > 0.123)", {0.123}},
            {"if(1 < 2, t, abs(t - 1))", {}},
            {"step(t, 0.4, 0.45)", {0.4, 0.45}},
            {"step(t, 0.4, 2.45) - 2*step(t, 1, 1.5)", {0.4, 1.0, 1.5, 2.45}},
            {"floor(2*t)", every(0.5, 0.5)},
            {"ceil(t/0.3)", every(0.3, 0.3)},
            {"mod(t, 0.7)", every(0.7, 0.7)},
            // Square wave: jumps within each period and at its end
            {"if(mod(t, 1) < 0.7, 1, 0)", {0.7, 1.0, 1.7, 2.0, 2.7, 3.0}},
            {"sign(mod(t, 1) - 0.7)", {0.7, 1.0, 1.7, 2.0, 2.7, 3.0}},
            // Triangle: corners in the middle of each period
            {"abs(mod(t, 0.4) - 0.2)", every(0.2, 0.2)},
            {"floor(10*mod(t, 0.5))", every(0.1, 0.1)},
            {"table([[-1, 0], [0.5, 2], [0.6, 2], [2, -1]], t)", {0.5, 0.6, 2.0}},
            {"table([[0.1, 0], [0.2, 1]], mod(t, 1))",
             {0.1, 0.2, 1.0, 1.1, 1.2, 2.0, 2.1, 2.2, 3.0}},
            {"table([[0.5, 0], [1, 1]], 3 - t)", {2.0, 2.5}},
            {"if(sin(t) < 0.5, 0, 1)", {std::asin(0.5), std::acos(-1.0) - std::asin(0.5)}},
        };
        for (const Case& one : cases)
            for (const double spacing : {0.5, 0.1, 0.0371, 0.01}) {
                CAPTURE(one.text);
                CAPTURE(spacing);
                const std::vector<double> found = all_of(one.text, spacing);
                REQUIRE(found.size() == one.instants.size());
                for (std::size_t i = 0; i < found.size(); ++i)
                    CHECK(std::abs(found[i] - one.instants[i]) <= 4e-15);
            }
    }

    TEST_CASE("what is found does not depend on where the search begins") {
        for (const char* const text :
             {"if(mod(t, 0.3) < 0.1, 1, 0)", "floor(17*t)", "abs(mod(t, 0.1) - 0.03)"}) {
            CAPTURE(text);
            const FormulaBreakPoints points = points_of(text);
            const std::vector<double> all = all_of(text, 0.1);
            REQUIRE(all.size() > 10);
            for (std::size_t i = 0; i + 1 < all.size(); ++i)
                for (const double part : {0.01, 0.5, 0.99}) {
                    const double after = all[i] + part * (all[i + 1] - all[i]);
                    CHECK(std::abs(points.next(after, kEnd, 0.1, StepKind::stages) - all[i + 1]) <=
                          1e-12);
                }
        }
    }

    TEST_CASE("pieces of polynomials hide nothing, others do") {
        CHECK(!points_of("if(t < 1, floor(t), mod(t, 2)^2)").is_sampled());
        CHECK(!points_of("step(t, 1, 2)*table([[0, 1], [1, 3]], 2*t)").is_sampled());
        CHECK(points_of("if(t < 1, 0, sin(t))").is_sampled());
        CHECK(points_of("floor(exp(t))").is_sampled());
    }
}

}  // namespace ancora::testing
