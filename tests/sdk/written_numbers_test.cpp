// SPDX-License-Identifier: BSD-3-Clause
// The numbers that the SDK puts through an author's function, against closed derivatives and each
// other.
#include <array>
#include <cmath>
#include <cstddef>

#include <doctest/doctest.h>

#include "ancora/sdk/authoring/polynomial_degree.hpp"
#include "ancora/sdk/numbers/gradient.hpp"
#include "ancora/sdk/numbers/vector3.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::near;

namespace {

/// One of everything.
template <class S>
S everything(const S& x, const S& y, const S& z) {
    return sqrt(x * x + 2.0 * y) / (1.0 + z * z) + sin(x * y) * exp(-z) - atan2(y, x + z) +
           pow(x + y, 1.7) * log(3.0 + cos(z)) + asin(0.3 * x) * acos(0.2 * y) - tan(0.1 * z) +
           sinh(0.2 * x) * cosh(y) * tanh(z) + abs(x - y) + max(x, y) * min(y, z) - 3.0 / (x + 4.0);
}

constexpr std::array<double, 3> kAt = {0.7, 1.3, -0.4};

}  // namespace

TEST_SUITE("numbers with derivatives") {
    TEST_CASE("Gradient has the value and slopes of Dual, for even and odd numbers of directions") {
        const auto check = [](auto size) {
            constexpr int N = decltype(size)::value;
            std::array<Gradient<N>, 3> x;
            std::array<Dual<N>, 3> y;
            for (std::size_t i = 0; i < 3; ++i) {
                x[i] = Gradient<N>(kAt[i], i);
                y[i] = Dual<N>(kAt[i]);
                y[i].d[i] = 1.0;
            }
            const Gradient<N> fast = everything(x[0], x[1], x[2]);
            const Dual<N> slow = everything(y[0], y[1], y[2]);
            CHECK(fast.value == near(slow.value, 1e-15));
            for (std::size_t i = 0; i < std::size_t(N); ++i)
                CHECK(fast.d(i) == near(slow.d[i], 1e-14));
        };
        check(std::integral_constant<int, 3>());
        check(std::integral_constant<int, 4>());
        check(std::integral_constant<int, 7>());
    }

    // Taylor2 along e_i + e_j gives d_ii + 2 d_ij + d_jj.
    TEST_CASE("Hessian has the second derivatives that Taylor2 finds along lines") {
        const auto along = [](const std::array<double, 3>& by) {
            return everything(Taylor2(kAt[0], by[0], 0.0),
                              Taylor2(kAt[1], by[1], 0.0),
                              Taylor2(kAt[2], by[2], 0.0));
        };
        using S = Hessian<3>;
        const S f = everything(S(kAt[0], 0), S(kAt[1], 1), S(kAt[2], 2));
        for (std::size_t i = 0; i < 3; ++i) {
            std::array<double, 3> by{};
            by[i] = 1.0;
            CHECK(f.d[i] == near(along(by).first, 1e-14));
            CHECK(f.second(i, i) == near(along(by).second, 1e-13));
            for (std::size_t j = 0; j < i; ++j) {
                std::array<double, 3> both = by;
                both[j] = 1.0;
                const double expected =
                    0.5 * (along(both).second - f.second(i, i) - f.second(j, j));
                CHECK(f.second(i, j) == near(expected, 1e-13));
                CHECK(f.second(j, i) == f.second(i, j));
            }
        }
    }

    // Of what is linear no second derivatives are kept: every operation on linear and other terms.
    TEST_CASE("Hessian and Taylor2 agree on operations that mix linear terms and others") {
        const auto of = [](int kind, const auto& x, const auto& y) {
            using S = std::remove_cvref_t<decltype(x)>;
            if (kind == 0) return S(1.3);
            if (kind == 1) return S(2.0 * x - 0.7 * y + 3.0);
            return S(x * x + 2.0);
        };
        const auto combine =
            [&](int first, int second, int operation, const auto& x, const auto& y) {
                using S = std::remove_cvref_t<decltype(x)>;
                const S a = of(first, x, y), b = of(second, y, x);
                if (operation == 0) return S(a + b);
                if (operation == 1) return S(a - b);
                if (operation == 2) return S(a * b);
                if (operation == 3) return S(a / b);
                return operation == 4 ? S(sqrt(a) * b) : S(atan2(a, b));
            };
        using S = Hessian<2>;
        for (int code = 0; code < 54; ++code) {
            const int first = code % 3, second = code / 3 % 3, operation = code / 9;
            CAPTURE(code);
            const auto along = [&](double dx, double dy) {
                return combine(first,
                               second,
                               operation,
                               Taylor2(kAt[0], dx, 0.0),
                               Taylor2(kAt[1], dy, 0.0))
                    .second;
            };
            const S f = combine(first, second, operation, S(kAt[0], 0), S(kAt[1], 1));
            CHECK(f.second(0, 0) == near(along(1.0, 0.0), 1e-13));
            CHECK(f.second(1, 1) == near(along(0.0, 1.0), 1e-13));
            CHECK(2.0 * f.second(0, 1) ==
                  near(along(1.0, 1.0) - along(1.0, 0.0) - along(0.0, 1.0), 1e-13));
            CHECK(S(f).second(0, 1) == f.second(0, 1));
        }
    }

    TEST_CASE("an infinite slope does no harm where nothing moves") {
        CHECK(sqrt(Gradient<2>(0.0)).d(0) == 0.0);
        CHECK(std::isinf(sqrt(Gradient<2>(0.0, 1)).d(1)));
        CHECK(sqrt(Gradient<2>(0.0, 1)).d(0) == 0.0);
        CHECK(norm(Vector3<Gradient<3>>(0.0, 0.0, 0.0)).d(2) == 0.0);
    }
}

TEST_SUITE("polynomial degree") {
    struct Counted {
        bool branches = false;
        PolynomialDegree x = PolynomialDegree::variable(0.3, branches);
        PolynomialDegree y = PolynomialDegree::variable(-0.8, branches);
        PolynomialDegree t = PolynomialDegree::parameter(0.5, branches);
    };

    TEST_CASE("sums and products count sharply") {
        Counted c;
        CHECK((2.0 * c.x - c.y + 1.0).highest == 1);
        CHECK((2.0 * c.x - c.y + 1.0).lowest == 0);
        CHECK((2.0 * c.x - c.y).lowest == 1);
        CHECK((c.x * c.y / 3.0).highest == 2);
        CHECK((c.x * c.y / 3.0).lowest == 2);
        CHECK(pow(c.x - 1.0, 2.0).highest == 2);
        CHECK((c.x * c.x * c.y).highest == 3);
        CHECK((c.x + PolynomialDegree(0.0)).lowest == 1);
        const Vector3<PolynomialDegree> a(c.x, c.y, 1.0);
        CHECK(triple(a, a, a).highest == 2);  // zero, but terms that cancel count
        CHECK_FALSE(c.branches);
    }

    TEST_CASE("everything else of a variable is general, of constants and time constant") {
        Counted c;
        CHECK(sin(c.x).highest == PolynomialDegree::kGeneral);
        CHECK((1.0 / c.x).highest == PolynomialDegree::kGeneral);
        CHECK(sqrt(c.x * c.x).highest == PolynomialDegree::kGeneral);
        CHECK((c.x * sqrt(PolynomialDegree(2.0))).highest == 1);
        CHECK((c.x / cos(c.t)).highest == 1);
    }

    TEST_CASE("what time multiplies is counted by itself") {
        Counted c;
        CHECK((c.x * c.x).timed == -1);
        CHECK((c.x * c.x - sin(c.t)).timed == 0);
        CHECK((c.x * c.x + c.t * c.y).timed == 1);
        CHECK((c.x * c.y * cos(c.t)).timed == 2);
        CHECK(sin(c.x * c.t).timed == PolynomialDegree::kGeneral);
        CHECK((sin(c.x) + c.t).timed == 0);
    }

    TEST_CASE("a function that looks at values is found out") {
        const auto looks = [](auto function) {
            Counted c;
            static_cast<void>(function(c));
            return c.branches;
        };
        CHECK(looks([](const Counted& c) {
            return abs(c.x);
        }));
        CHECK(looks([](const Counted& c) {
            return max(c.x, c.y);
        }));
        CHECK(looks([](const Counted& c) {
            return c.x > 0.0 ? c.x : c.y;
        }));
        CHECK(looks([](const Counted& c) {
            return c.t < 1.0 ? c.x : c.y;
        }));
        CHECK_FALSE(looks([](const Counted& c) {
            return c.x * c.y + sqrt(c.x);
        }));
    }
}
