// SPDX-License-Identifier: BSD-3-Clause
// Tests of the numbers that carry derivatives.
#include "ancora/sdk/numbers/taylor.hpp"

#include <cmath>
#include <string>

#include <doctest/doctest.h>

#include "names.hpp"

namespace {

using ancora::Dual;
using ancora::Taylor2;
using ancora::test::near;

/// Compares f, f' and f'' at x with differences in long double, of order four.
template <class Function>
void check_function(const std::string& name, Function f, double x) {
    CAPTURE(name);
    CAPTURE(x);
    constexpr long double h = 3e-4L;
    const auto at = [&](int k) -> long double {
        return f(static_cast<long double>(x) + k * h);
    };
    const long double df = (at(-2) - 8 * at(-1) + 8 * at(1) - at(2)) / (12 * h);
    const long double ddf =
        (-at(-2) + 16 * at(-1) - 30 * at(0) + 16 * at(1) - at(2)) / (12 * h * h);
    // Along x(t) with the rate 0.7 and the acceleration -0.3.
    const Taylor2 y = f(Taylor2(x, 0.7, -0.3));
    CHECK(near(y.value, static_cast<double>(at(0)), 1e-15));
    CHECK(near(y.first, 0.7 * static_cast<double>(df), 1e-9));
    CHECK(near(y.second, static_cast<double>(-0.3L * df + 0.49L * ddf), 1e-9));
    const Dual<2> z = f(Dual<2>(x, {1.0, -2.0}));
    CHECK(z.value == y.value);
    CHECK(near(z.d[0], static_cast<double>(df), 1e-9));
    CHECK(z.d[1] == -2.0 * z.d[0]);
}

}  // namespace

#define CHECK_FUNCTION(expression, ...)      \
    for (const double point : {__VA_ARGS__}) \
    check_function(                          \
        #expression,                         \
        [](auto x) {                         \
            using namespace std;             \
            return expression;               \
        },                                   \
        point)

TEST_SUITE("taylor") {
    TEST_CASE("elementary functions: both derivatives agree with differences") {
        CHECK_FUNCTION(sqrt(x), 0.3, 4.0);
        CHECK_FUNCTION(exp(x), -1.0, 0.5);
        CHECK_FUNCTION(log(x), 0.3, 7.0);
        CHECK_FUNCTION(log10(x), 0.3, 7.0);
        CHECK_FUNCTION(sin(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(cos(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(tan(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(asin(x), -0.5, 0.0, 0.6);
        CHECK_FUNCTION(acos(x), -0.5, 0.0, 0.6);
        CHECK_FUNCTION(atan(x), -3.0, 0.0, 0.6);
        CHECK_FUNCTION(sinh(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(cosh(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(tanh(x), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(abs(x), -1.0, 2.0);
    }

    TEST_CASE("arithmetic and functions of two numbers agree with differences") {
        CHECK_FUNCTION(x * x + 2.0 * x - 3.0, -1.0, 2.0);
        CHECK_FUNCTION((1.0 - x) / (x * x + 1.0), -1.0, 2.0);
        CHECK_FUNCTION(-x / (3.0 - x), -1.0, 2.0);
        CHECK_FUNCTION(pow(x, 2.5), 0.3, 4.0);
        CHECK_FUNCTION(pow(x, -1.5), 0.3, 4.0);
        CHECK_FUNCTION(pow(x * x + 1.0, sin(x)), -1.0, 2.0);
        CHECK_FUNCTION(atan2(sin(x), x - 2.0), -1.0, 0.5, 2.0, 4.0);
        CHECK_FUNCTION(ancora::autodiff::integer_power(x, 3), -1.0, 0.0, 2.0);
        CHECK_FUNCTION(ancora::autodiff::integer_power(x, -2), -1.0, 2.0);
    }

    // sqrt(x^2 + y^2) at (3, 4): gradient (3, 4)/5.
    TEST_CASE("a dual number holds the gradient") {
        const Dual<2> x(3.0, {1.0, 0.0});
        const Dual<2> y(4.0, {0.0, 1.0});
        const Dual<2> r = sqrt(x * x + y * y);
        CHECK(r.value == 5.0);
        CHECK(near(r.d[0], 0.6, 1e-15));
        CHECK(near(r.d[1], 0.8, 1e-15));
        Dual<2> sum = x;
        sum += y;
        sum *= 2.0;
        sum -= x;
        CHECK(sum.value == 11.0);
        CHECK(sum.d == std::array<double, 2>{1.0, 2.0});
    }

    // (cos wt, sin wt): the angle is w t, its rate w, its acceleration zero.
    TEST_CASE("the angle of a uniform rotation has a constant rate in all four quadrants") {
        for (const double t : {0.3, 2.0, -2.0, -0.3}) {
            const Taylor2 angle = 1.5 * Taylor2(t, 1.0, 0.0);
            const Taylor2 back = atan2(2.0 * sin(angle), 2.0 * cos(angle));
            CHECK(near(back.first, 1.5, 1e-15));
            CHECK(near(back.second, 0.0, 1e-14));
        }
    }

    TEST_CASE("at kinks the derivative is what the documentation says") {
        CHECK(abs(Taylor2(0.0, 3.0, 1.0)).first == 0.0);
        const Taylor2 a(1.0, 2.0, 0.0);
        const Taylor2 b(1.0, 3.0, 0.0);
        CHECK(min(a, b).first == 2.0);
        CHECK(max(a, b).first == 2.0);
        CHECK(min(b, Taylor2(0.5)).first == 0.0);
        CHECK(std::isinf(sqrt(Taylor2(0.0, 1.0, 0.0)).first));
    }

    TEST_CASE("what does not move has no derivatives, whatever the slope") {
        CHECK(sqrt(Taylor2(0.0)).second == 0.0);
        CHECK(pow(Dual<1>(0.0), 0.5).d[0] == 0.0);
    }

    TEST_CASE("powers at zero and of negative numbers") {
        const Taylor2 x(0.0, 2.0, 0.0);
        CHECK(pow(x, 2.0).second == 8.0);
        CHECK(pow(x, 1.0).first == 2.0);
        CHECK(pow(x, 0.0).first == 0.0);
        CHECK(pow(x, Taylor2(3.0, 1.0, 0.0)).first == 0.0);
        CHECK(near(pow(Taylor2(-2.0, 1.0, 0.0), 3.0).first, 12.0, 1e-15));
        CHECK(ancora::autodiff::integer_power(x, 2).second == 8.0);
    }

    TEST_CASE("outside the domain everything is NaN") {
        for (const Taylor2& y : {sqrt(Taylor2(-1.0, 1.0, 0.0)),
                                 log(Taylor2(-1.0, 1.0, 0.0)),
                                 log10(Taylor2(-1.0, 1.0, 0.0)),
                                 asin(Taylor2(2.0, 1.0, 0.0)),
                                 acos(Taylor2(2.0, 1.0, 0.0)),
                                 pow(Taylor2(-1.0, 1.0, 0.0), 0.5)}) {
            CHECK(std::isnan(y.value));
            CHECK(std::isnan(y.first));
            CHECK(std::isnan(y.second));
        }
    }
}
