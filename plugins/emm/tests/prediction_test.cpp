// SPDX-License-Identifier: BSD-3-Clause
// Formulas of extrapolation, on sequences that they must continue exactly.
#include "prediction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace ancora;

/// One entry per course: an alternation plus a polynomial of that degree, of other sizes each. More
/// of them than are worked on at a time.
constexpr std::size_t kCourses = 1000;

double course(std::size_t i, int degree, int k) {
    const double size = 1.0 + 0.01 * static_cast<double>(i);
    double polynomial = 0.0;
    for (int p = 0; p <= degree; ++p) polynomial = polynomial * 0.125 * k + size - 0.3 * p;
    return polynomial + (k % 2 == 0 ? 0.25 : -0.25) * size;
}

std::vector<double> values(int degree, int k) {
    std::vector<double> out(kCourses);
    for (std::size_t i = 0; i < kCourses; ++i) out[i] = course(i, degree, k);
    return out;
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double out = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) out = std::max(out, std::abs(x[i] - y[i]));
    return out;
}

/// Steps until the highest formula has all that it needs.
constexpr int kSteps = Differences::kMostDegree + 2;

}  // namespace

TEST_SUITE("prediction") {
    TEST_CASE("a formula continues an alternation plus a polynomial of its degree, no more") {
        for (int degree = 1; degree <= Differences::kMostDegree; ++degree)
            for (const int of : {degree, degree + 1}) {
                CAPTURE(degree);
                CAPTURE(of);
                std::vector<double> table(Differences::kColumns * kCourses, 0.0), next(kCourses);
                Differences differences{table};
                for (int k = 0; k < kSteps; ++k) {
                    differences.add(values(of, k), values(of, k + 1), nullptr);
                }
                differences.extrapolate(degree, values(of, kSteps), next);
                const double missed = largest_difference(next, values(of, kSteps + 1));
                if (of == degree)
                    CHECK(missed <= 1e-11);
                else
                    CHECK(missed > 1e-4);
            }
    }
    TEST_CASE("misses are those of what each formula would have predicted") {
        std::vector<double> table(Differences::kColumns * kCourses, 0.0), next(kCourses);
        Differences differences{table};
        const auto smooth = [](int k) {
            std::vector<double> out(kCourses);
            for (std::size_t i = 0; i < kCourses; ++i)
                out[i] =
                    std::sin(0.3 * k + 0.01 * static_cast<double>(i)) + (k % 2 == 0 ? 0.1 : 0.0);
            return out;
        };
        for (int k = 0; k < 20; ++k) {
            Differences::Misses expected{}, misses{};
            const std::vector<double> last = smooth(k), now = smooth(k + 1);
            for (int degree = 0; degree <= Differences::kMostDegree; ++degree) {
                differences.extrapolate(degree, last, next);
                for (std::size_t i = 0; i < kCourses; ++i)
                    expected[static_cast<std::size_t>(degree)] += std::pow(now[i] - next[i], 2);
            }
            differences.add(last, now, &misses);
            for (std::size_t degree = 0; degree < misses.size(); ++degree)
                CHECK(misses[degree] == doctest::Approx(expected[degree]).epsilon(1e-9));
            if (k > kSteps) {
                CHECK(misses[Differences::kMostDegree] < 1e-3 * misses[2]);
                CHECK(misses[2] < 0.1 * misses[1]);
            }
        }
    }
    TEST_CASE("without differences the last value is taken") {
        std::vector<double> table(Differences::kColumns * 3, 0.0), next(3);
        const std::vector<double> last{1.0, -2.0, 3.0};
        Differences(table).extrapolate(Differences::kConstant, last, next);
        CHECK(next == last);
    }
}
