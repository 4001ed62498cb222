// SPDX-License-Identifier: BSD-3-Clause
// Tests of formulas: what they mean, their derivatives, their degree.
#include "ancora/sdk/formula/formula.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "names.hpp"

namespace {

using ancora::Dual;
using ancora::Formula;
using ancora::FormulaDegree;
using ancora::Taylor2;
using ancora::test::Names;
using ancora::test::near;

template <class T = double>
T value(const Formula& formula, const std::vector<T>& x, T t = T(0)) {
    std::vector<T> work(formula.size());
    return formula.evaluate<T>(x, t, work);
}

double value(std::string_view text, const std::vector<double>& x = {}, double t = 0.0) {
    Names names;
    return value(Formula::parse(text, names), x, t);
}

template <class T>
struct Slope {
    T value, by_t;
    std::vector<T> by_x;
};
template <class T = double>
Slope<T> gradient(const Formula& formula, const std::vector<T>& x, T t = T(0)) {
    Slope<T> out{T(0), T(0), std::vector<T>(formula.num_variables())};
    std::vector<T> work(2 * formula.size());
    out.value = formula.gradient<T>(x, t, work, out.by_x, out.by_t);
    return out;
}
Slope<double> gradient(std::string_view text, const std::vector<double>& x, double t = 0.0) {
    Names names;
    return gradient(Formula::parse(text, names), x, t);
}

FormulaDegree degree(std::string_view text) {
    Names names;
    return Formula::parse(text, names).degree();
}

std::vector<std::string> names_in(std::string_view text) {
    Names names;
    Formula::parse(text, names);
    return names.all;
}

}  // namespace

TEST_SUITE("formula") {
    TEST_CASE("operators bind as in mathematics") {
        CHECK(value("2 - 3 - 4") == -5.0);
        CHECK(value("8/4/2") == 1.0);
        CHECK(value("2 + 3*4") == 14.0);
        CHECK(value("(2 + 3)*4") == 20.0);
        CHECK(value("-2^2") == -4.0);
        CHECK(value("(-2)^2") == 4.0);
        CHECK(value("2^3^2") == 512.0);
        CHECK(value("2^-1") == 0.5);
        CHECK(value("2^-2^2") == 0.0625);
        CHECK(value("2*-3") == -6.0);
        CHECK(value("--3 - +2") == 1.0);
        CHECK(value("-a.x^2", {3.0}) == -9.0);
        CHECK(value("2^-a.x", {1.0}) == 0.5);
        CHECK(value("6/2*3") == 9.0);
        CHECK(value(" 1.5e3+.5 -2E-1 + 1.") == 1501.3);
        CHECK(value("pi") == std::numbers::pi);
        CHECK(value("e") == std::numbers::e);
        CHECK(value("3*t", {}, 2.0) == 6.0);
    }

    TEST_CASE("functions mean those of the standard library") {
        const double x = 0.6;
        CHECK(value("sin(a.x)", {x}) == std::sin(x));
        CHECK(value("cos(a.x)", {x}) == std::cos(x));
        CHECK(value("tan(a.x)", {x}) == std::tan(x));
        CHECK(value("asin(a.x)", {x}) == std::asin(x));
        CHECK(value("acos(a.x)", {x}) == std::acos(x));
        CHECK(value("atan(a.x)", {x}) == std::atan(x));
        CHECK(value("atan2(a.x, -2)", {x}) == std::atan2(x, -2.0));
        CHECK(value("sinh(a.x)", {x}) == std::sinh(x));
        CHECK(value("cosh(a.x)", {x}) == std::cosh(x));
        CHECK(value("tanh(a.x)", {x}) == std::tanh(x));
        CHECK(value("exp(a.x)", {x}) == std::exp(x));
        CHECK(value("e^a.x", {x}) == std::exp(x));
        CHECK(value("log(a.x)", {x}) == std::log(x));
        CHECK(value("log10(a.x)", {1000.0}) == 3.0);
        CHECK(value("sqrt(a.x)", {x}) == std::sqrt(x));
        CHECK(value("a.x^0.5", {x}) == std::sqrt(x));
        CHECK(value("abs(a.x)", {-x}) == x);
        CHECK(value("sign(a.x)", {-x}) == -1.0);
        CHECK(value("min(a.x, 1, a.y, 2)", {x, 0.2}) == 0.2);
        CHECK(value("max(a.x, 1, a.y, 2)", {x, 0.2}) == 2.0);
        CHECK(value("hypot(a.x, a.y)", {3.0, 4.0}) == 5.0);
        CHECK(value("hypot(a.x, a.y, a.z)", {2.0, 3.0, 6.0}) == 7.0);
        CHECK(value("a.x^1.5", {x}) == std::pow(x, 1.5));
        CHECK(value("a.x^a.y", {x, 3.0}) == std::pow(x, 3.0));
    }

    TEST_CASE("an equation is its left side less its right one") {
        Names names;
        const Formula formula = Formula::parse_equation("a.x^2 = 4 + t", names);
        CHECK(value(formula, {3.0}, 1.0) == 4.0);
    }

    TEST_CASE("names: a minus sign is never part of one without quotes") {
        using List = std::vector<std::string>;
        CHECK(names_in("left.x-right.x") == List{"left.x", "right.x"});
        CHECK(value("left.x-right.x", {5.0, 3.0}) == 2.0);
        CHECK(names_in("net@3.x+net@3.x") == List{"net@3.x"});
        CHECK(names_in("'my-box'.x-'my-box'@4.y") == List{"my-box.x", "my-box@4.y"});
        CHECK(names_in("box@corner.qw*box@'far-corner'.x") ==
              List{"box@corner.qw", "box@far-corner.x"});
        // The numbers of a place have one form, however they are written.
        CHECK(names_in("box@[1,-0, +.5e0].x + box@[ 1.0, 0, 0.5 ].x") == List{"box@[1, 0, 0.5].x"});
        CHECK(names_in("box.vx + der(box.x) + der( net@3.y )") ==
              List{"box.vx", "der(box.x)", "der(net@3.y)"});
        // Names of functions and constants are free for bodies.
        CHECK(names_in("sin(t.x) + e.y + sin.z + der.x") == List{"t.x", "e.y", "sin.z", "der.x"});
    }

    TEST_CASE("gradient, Hessian and second time derivative agree with differences") {
        const std::string texts[] = {
            "a.x^2 + a.y^2 + a.z^2 - 4",
            "a.x*a.y*a.z - 3*a.x + 2",
            "sqrt(a.x^2 + a.y^2) - 0.3*a.x - a.z",
            "sin(a.x*a.y) + cos(a.z - t)*tan(0.3*a.x)",
            "asin(0.2*a.x) + acos(0.3*a.y) + atan(a.z)",
            "sinh(a.x) - cosh(0.5*a.y)*tanh(a.z)",
            "exp(-a.x)*log(a.y) + log10(a.z + t)",
            "atan2(a.y - t, a.x) - 2*atan2(-a.z, -a.y)",
            "a.x^3 + a.y^-2 + a.z^1.5 + (-a.x)^5",
            "a.x^a.y + 2^a.z + a.y^t",
            "abs(a.x - a.y)*sign(a.z) + min(a.x, a.y)*max(a.y, a.z, t)",
            "hypot(a.x, a.y, a.z, t) + 1/a.x - a.y/(a.z + t)",
            "a.x^20 - a.y^-20",
        };
        const std::vector<double> x = {0.8, 1.3, 0.6};
        const std::vector<double> v = {0.4, -0.7, 0.2};
        const double t = 0.9;
        for (const std::string& text : texts) {
            CAPTURE(text);
            Names names;
            const Formula formula = Formula::parse(text, names);
            const Slope<double> slope = gradient(formula, x, t);
            CHECK(near(slope.value, value(formula, x, t), 0.0));
            using Real = long double;
            constexpr Real h = 3e-4L;
            // f, and its gradient, at a distance s along a direction.
            const auto moved = [&](const std::vector<double>& d, Real dt, Real s) {
                std::vector<Real> y(x.size());
                for (std::size_t i = 0; i < x.size(); ++i) y[i] = x[i] + s * d[i];
                return gradient<Real>(formula, y, t + s * dt);
            };
            const auto first = [&](auto get, const std::vector<double>& d, Real dt) {
                const auto f = [&](int k) -> Real {
                    return get(moved(d, dt, k * h));
                };
                return static_cast<double>((f(-2) - 8 * f(-1) + 8 * f(1) - f(2)) / (12 * h));
            };
            const auto get_value = [](const Slope<Real>& s) {
                return s.value;
            };
            const std::size_t n = formula.num_variables();
            std::vector<double> H(n * n);
            formula.hessian(x, t, H);
            for (std::size_t i = 0; i < n; ++i) {
                std::vector<double> d(3, 0.0);
                d[i] = 1.0;
                CHECK(near(slope.by_x[i], first(get_value, d, 0), 1e-9));
                for (std::size_t j = 0; j < n; ++j) {
                    CHECK(H[n * i + j] == H[n * j + i]);
                    const auto get_slope = [&](const Slope<Real>& s) {
                        return s.by_x[j];
                    };
                    CHECK(near(H[n * i + j], first(get_slope, d, 0), 1e-9));
                }
            }
            CHECK(near(slope.by_t, first(get_value, {0.0, 0.0, 0.0}, 1), 1e-8));

            const Taylor2 path = formula.along(x, v, t);
            CHECK(near(path.value, slope.value, 1e-15));
            CHECK(near(path.first, first(get_value, v, 1), 1e-8));
            const auto get_rate = [&](const Slope<Real>& s) {
                Real rate = s.by_t;
                for (std::size_t i = 0; i < n; ++i) rate += s.by_x[i] * v[i];
                return rate;
            };
            CHECK(near(path.second, first(get_rate, v, 1), 1e-8));
        }
    }

    // d/dx x^n = n x^(n-1), also where x is zero or negative.
    TEST_CASE("powers have exact derivatives at zero and for negative bases") {
        CHECK(gradient("a.x^2", {0.0}).by_x[0] == 0.0);
        CHECK(gradient("a.x^2", {-3.0}).by_x[0] == -6.0);
        CHECK(gradient("a.x^3", {-2.0}).by_x[0] == 12.0);
        CHECK(gradient("a.x^-2", {-2.0}).by_x[0] == 0.25);
        CHECK(gradient("a.x^30", {-1.0}).by_x[0] == -30.0);
        CHECK(gradient("a.x^1", {0.0}).by_x[0] == 1.0);
        CHECK(gradient("a.x^1.5", {0.0}).by_x[0] == 0.0);
        CHECK(gradient("a.x^a.y", {0.0, 2.0}).by_x == std::vector<double>{0.0, 0.0});
        Names names;
        const std::vector<double> zero = {0.0};
        std::vector<double> H(1);
        Formula::parse("a.x^2", names).hessian(zero, 0.0, H);
        CHECK(H[0] == 2.0);
        Formula::parse("a.x^3", names).hessian(zero, 0.0, H);
        CHECK(H[0] == 0.0);
        const std::vector<double> v = {3.0};
        CHECK(Formula::parse("a.x^2", names).along(zero, v, 0.0).second == 18.0);
    }

    TEST_CASE("at kinks and poles the derivative is what the documentation says") {
        CHECK(gradient("abs(a.x)", {0.0}).by_x[0] == 0.0);
        CHECK(gradient("sign(a.x)", {0.0}).by_x[0] == 0.0);
        CHECK(gradient("max(a.x, a.y)", {1.0, 1.0}).by_x == std::vector<double>{1.0, 0.0});
        CHECK(gradient("min(a.x, a.y)", {1.0, 1.0}).by_x == std::vector<double>{1.0, 0.0});
        CHECK(std::isinf(gradient("sqrt(a.x)", {0.0}).by_x[0]));
        CHECK(std::isinf(gradient("log(a.x)", {0.0}).value));
        CHECK(!std::isfinite(gradient("hypot(a.x, a.y)", {0.0, 0.0}).by_x[0]));
        // A branch that is not taken does no harm.
        CHECK(gradient("max(a.x, sqrt(a.y))", {1.0, 0.0}).by_x == std::vector<double>{1.0, 0.0});
        // Both on the axis: only the whole sum under the root counts.
        CHECK(gradient("hypot(a.x, a.y, a.z)", {0.0, 0.0, 2.0}).by_x ==
              std::vector<double>{0.0, 0.0, 1.0});
    }

    TEST_CASE("atan2 is smooth across the negative x axis, where its value jumps") {
        for (const double y : {1e-9, -1e-9}) {
            const Slope<double> slope = gradient("atan2(a.y, a.x)", {y, -2.0});
            CHECK(near(slope.by_x[0], -0.5, 1e-15));
            CHECK(near(slope.by_x[1], 0.0, 1e-8));
        }
    }

    TEST_CASE("outside the domain the value is NaN, and a derivative too") {
        for (const std::string text : {"log(a.x) + a.y",
                                       "log10(a.x) + a.y",
                                       "sqrt(a.x) + a.y",
                                       "a.x^0.5*a.y",
                                       "a.x^a.y + a.y",
                                       "asin(2*a.x) + a.y",
                                       "min(log(a.x), a.y)",
                                       "max(log(a.x), a.y)",
                                       "min(a.x^2, log(a.x))"}) {
            CAPTURE(text);
            const Slope<double> slope = gradient(text, {-1.0, 0.7});
            CHECK(std::isnan(slope.value));
            CHECK(std::isnan(slope.by_x[0]));
        }
    }

    // Each beside the same in C++.
    TEST_CASE("conditions, whole numbers, steps and tables are what they say") {
        using F = double (*)(double, double, double);
        const std::pair<const char*, F> cases[] = {
            {"if(a.x < a.y, a.x^2, 3*t)",
             [](double x, double y, double t) {
                 return x < y ? x * x : 3.0 * t;
             }},
            {"if(a.x <= 1 and t > 0, 1, if(a.y >= 0 or not t < 1, 2, 3))",
             [](double x, double y, double t) {
                 return x <= 1.0 && t > 0.0 ? 1.0 : y >= 0.0 || !(t < 1.0) ? 2.0 : 3.0;
             }},
            {"(a.x > 0.5)*a.y + 2*(t <= a.x)",
             [](double x, double y, double t) {
                 return (x > 0.5 ? y : 0.0) + (t <= x ? 2.0 : 0.0);
             }},
            {"floor(a.x) - ceil(a.y) + floor(-t)",
             [](double x, double y, double t) {
                 return std::floor(x) - std::ceil(y) + std::floor(-t);
             }},
            {"round(3*a.x) - round(-a.y)*t",
             [](double x, double y, double t) {
                 return std::round(3.0 * x) - std::round(-y) * t;
             }},
            {"if(1 > 2, 1/0, a.x) + if(2 > 1, a.y, log(0))",
             [](double x, double y, double) {
                 return x + y;
             }},
            {"mod(a.x, 0.75) + mod(a.y, -2)",
             [](double x, double y, double) {
                 const double p = std::fmod(x, 0.75), q = std::fmod(y, 2.0);
                 return (p < 0.0 ? p + 0.75 : p) + (q > 0.0 ? q - 2.0 : q);
             }},
            {"step(a.x, -1, 2)",
             [](double x, double, double) {
                 const double u = x <= -1.0 ? 0.0 : x >= 2.0 ? 1.0 : (x + 1.0) / 3.0;
                 return 10.0 * std::pow(u, 3) - 15.0 * std::pow(u, 4) + 6.0 * std::pow(u, 5);
             }},
            {"table([[-1, 2], [0.5, -1], [+2, 3e0]], a.x)",
             [](double x, double, double) {
                 return x <= -1.0  ? 2.0
                        : x <= 0.5 ? 2.0 - 2.0 * (x + 1.0)
                        : x <= 2.0 ? -1.0 + 8.0 / 3.0 * (x - 0.5)
                                   : 3.0;
             }},
        };
        std::mt19937 random(1);
        std::uniform_real_distribution<double> number(-3.0, 3.0);
        for (const auto& [text, expected] : cases) {
            CAPTURE(text);
            for (int k = 0; k < 300; ++k) {
                const double x = number(random), y = number(random), t = number(random);
                CAPTURE(x);
                CAPTURE(y);
                CAPTURE(t);
                Names names;
                const Formula formula = Formula::parse(text, names);
                std::vector<double> at(formula.num_variables());
                for (std::size_t i = 0; i < at.size(); ++i) at[i] = names.all[i] == "a.x" ? x : y;
                CHECK(std::abs(value(formula, at, t) - expected(x, y, t)) <= 1e-13);
                // Its gradient beside differences, where no corner lies between
                const Slope<double> slope = gradient(formula, at, t);
                for (std::size_t i = 0; i < at.size(); ++i) {
                    std::vector<double> up = at, down = at;
                    up[i] += 1e-5;
                    down[i] -= 1e-5;
                    const double f = value(formula, up, t), g = value(formula, down, t);
                    const double left = (value(formula, at, t) - g) / 1e-5;
                    const double right = (f - value(formula, at, t)) / 1e-5;
                    if (std::abs(left - right) > 1e-3) continue;
                    CHECK(std::abs(slope.by_x[i] - (f - g) / 2e-5) <= 1e-8);
                }
            }
        }
    }

    TEST_CASE("a smooth step has no jump in value, rate and second derivative") {
        Names names;
        const Formula step = Formula::parse("3*step(t, 0.5, 1.5)", names);
        for (const double t : {0.5, 1.5}) {
            const Taylor2 before = step.along({}, {}, t - 1e-9),
                          behind = step.along({}, {}, t + 1e-9);
            CHECK(std::abs(before.value - behind.value) <= 1e-15);
            CHECK(std::abs(before.first - behind.first) <= 1e-14);
            CHECK(std::abs(before.second - behind.second) <= 1e-6);
        }
        // Middle: s' = 15/8 / length, s'' = 0
        const Taylor2 middle = step.along({}, {}, 1.0);
        CHECK(near(middle.value, 1.5, 1e-15));
        CHECK(near(middle.first, 3.0 * 15.0 / 8.0, 1e-15));
        CHECK(std::abs(middle.second) <= 1e-13);
        CHECK(value("step(t, 1, 2)", {}, -5.0) == 0.0);
        CHECK(value("step(t, 1, 2)", {}, 2.0) == 1.0);
        CHECK(value("step(t, 1, 2)", {}, 9.0) == 1.0);
    }

    TEST_CASE("what is not taken does no harm, and what is undefined stays so") {
        CHECK(value("if(a.x > 0, sqrt(a.x), 0)", {-1.0}) == 0.0);
        CHECK(gradient("if(a.x > 0, sqrt(a.x), 2*a.x)", {-1.0}).by_x[0] == 2.0);
        CHECK(gradient("if(a.x > 0, 1, 1/a.x)", {0.5}).by_x[0] == 0.0);
        for (const char* const text : {"if(log(a.x) < 1, 2, 3) + a.x",
                                       "floor(log(a.x)) + a.x",
                                       "(log(a.x) < 1) + a.x",
                                       "table([[0, 1], [1, 2]], log(a.x)) + a.x",
                                       "step(log(a.x), 0, 1) + a.x",
                                       "mod(a.x, 0*a.x) + a.x"}) {
            CAPTURE(text);
            CHECK(std::isnan(value(text, {-1.0})));
            CHECK(std::isnan(gradient(text, {-1.0}).by_x[0]));
        }
        // At the bounds
        CHECK(value("if(t < 1, 2, 3)", {}, 1.0) == 3.0);
        CHECK(value("if(t <= 1, 2, 3)", {}, 1.0) == 2.0);
        CHECK(value("or.x + not.x*and.x", {1.0, 2.0, 3.0}) == 7.0);
    }

    TEST_CASE("the degree in the variables decides about the discrete derivative") {
        const auto is = [](const FormulaDegree& d, int lowest, int highest, int timed) {
            return d.lowest == lowest && d.highest == highest && d.timed == timed;
        };
        constexpr int general = FormulaDegree::kGeneral;
        CHECK(is(degree("3*sin(2)"), 0, 0, -1));
        CHECK(is(degree("sin(t)"), 0, 0, 0));
        CHECK(is(degree("a.x - 2*a.y"), 1, 1, -1));
        CHECK(is(degree("a.x/3 - 2"), 0, 1, -1));
        CHECK(is(degree("a.x - sin(t)"), 0, 1, 0));
        CHECK(is(degree("a.x*sin(t) + a.y^2"), 1, 2, 1));
        CHECK(is(degree("a.x*a.y/t"), 2, 2, 2));
        CHECK(is(degree("a.x^2 + a.y^2 - 4"), 0, 2, -1));
        CHECK(is(degree("(a.x - a.y)*(a.x + 1) - t^2"), 0, 2, 0));
        CHECK(is(degree("(a.x - t)^2"), 0, 2, 1));
        CHECK(is(degree("a.x^(3 - 1)"), 2, 2, -1));
        CHECK(is(degree("(2*a.x)^1"), 1, 1, -1));
        CHECK(is(degree("a.x^3"), 3, 3, -1));
        CHECK(is(degree("a.x^4 + t"), 0, general, 0));
        CHECK(is(degree("a.x*a.y*a.z"), 3, 3, -1));
        CHECK(is(degree("1/a.x"), 0, general, -1));
        CHECK(is(degree("a.x^-1"), 0, general, -1));
        CHECK(is(degree("a.x^-3"), 0, general, -1));
        CHECK(is(degree("sin(a.x)"), 0, general, -1));
        CHECK(is(degree("sqrt(a.x - t)"), 0, general, general));
        CHECK(is(degree("a.x^t"), 0, general, general));
        CHECK(is(degree("abs(a.x)"), 0, general, -1));
        CHECK(is(degree("hypot(a.x, 2)"), 0, general, -1));
        CHECK(is(degree("if(t < 1, 0, a.x)"), 0, general, general));
        CHECK(is(degree("if(t < 1, 0, 2)*a.x"), 1, 1, 1));
        CHECK(is(degree("floor(a.x)"), 0, general, -1));
        CHECK(is(degree("table([[0, 1], [1, 2]], t)"), 0, 0, 0));
    }

    TEST_CASE("the degree in some variables takes the others as coefficients") {
        Names names;
        const Formula formula =
            Formula::parse("a.x*der(a.y) - a.y*der(a.x) + sin(a.x)*der(a.x)", names);
        const auto is_rate = [&](int i) {
            return names.all[i].starts_with("der");
        };
        CHECK(formula.degree(is_rate).is_homogeneous_linear());
        CHECK(!formula.degree().is_homogeneous_linear());
        CHECK(!Formula::parse("a.x*der(a.y) - 3", names).degree(is_rate).is_homogeneous_linear());
        CHECK(!Formula::parse("der(a.y)^2 - der(a.x)", names)
                   .degree(is_rate)
                   .is_homogeneous_linear());
    }

    TEST_CASE("constants are folded, equal parts shared, and what is unused is dropped") {
        Names names;
        CHECK(Formula::parse("2*pi/3 - sin(1)", names).size() == 1);
        CHECK(Formula::parse_equation("a.x^2 = 0", names).size() == 2);
        CHECK(Formula::parse("(a.x - a.y)^2 + sin(a.x - a.y)", names).size() == 6);
        const Formula gone = Formula::parse("a.y^0 + a.x", names);
        CHECK(gone.depends_on(0));
        CHECK(!gone.depends_on(1));
    }
}
