// SPDX-License-Identifier: BSD-3-Clause
// Formulas of extrapolation, on sequences that they must continue exactly.
#include "prediction.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace ancora;

/// One entry per course, of other sizes each; more of them than are worked on at a time.
constexpr std::size_t kCourses = 1000;

/// A polynomial of one degree plus an alternation times a polynomial of another; -1: none.
struct Course {
    int polynomial = 0;
    int alternation = -1;
};

double polynomial(int degree, double size, int k) {
    double out = 0.0;
    for (int p = 0; p <= degree; ++p) out = out * 0.125 * k + size - 0.3 * p;
    return out;
}

double course(std::size_t i, const Course& of, int k) {
    const double size = 1.0 + 0.01 * static_cast<double>(i);
    const double sign = k % 2 == 0 ? 0.25 : -0.25;
    return polynomial(of.polynomial, size, k) + sign * polynomial(of.alternation, size, k);
}

std::vector<double> values(const Course& of, int k) {
    std::vector<double> out(kCourses);
    for (std::size_t i = 0; i < kCourses; ++i) out[i] = course(i, of, k);
    return out;
}

double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
    double out = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) out = std::max(out, std::abs(x[i] - y[i]));
    return out;
}

/// Values kept, with the place of the newest, as a run keeps them.
struct Kept {
    std::vector<double> table = std::vector<double>(Predictor::kKept * kCourses, 0.0);
    int newest = 0;
    Predictor past() { return {table, newest}; }
    void keep(const std::vector<double>& x) {
        past().keep(x, 0, x.size());
        newest = past().next_newest();
    }
};

/// Steps until the highest formula has all that it needs, and some more, so that places come round.
constexpr int kSteps = Predictor::kMostOrder + 4;

/// What a formula misses after that.
double missed(int formula, const Course& of) {
    Kept kept;
    std::vector<double> next(kCourses);
    for (int k = 0; k < kSteps; ++k) kept.keep(values(of, k));
    kept.past().extrapolate(formula, values(of, kSteps), next, 0, next.size());
    return largest_difference(next, values(of, kSteps + 1));
}

}  // namespace

TEST_SUITE("prediction") {
    TEST_CASE("a formula continues an alternation plus a polynomial of its degrees, no more") {
        for (int formula = 0; formula < static_cast<int>(Predictor::kExtrapolations.size());
             ++formula) {
            CAPTURE(formula);
            const auto [sums, differences] = Predictor::kExtrapolations[formula];
            const Course exact{differences - 1, sums - 1};
            // of values up to 1e3 with weights up to 2^9
            CHECK(missed(formula, exact) <= 1e-9);
            CHECK(missed(formula, {exact.polynomial + 1, exact.alternation}) > 1e-4);
            CHECK(missed(formula, {exact.polynomial, exact.alternation + 1}) > 1e-4);
        }
    }
    TEST_CASE("misses are those of what each formula would have predicted") {
        Kept kept;
        std::vector<double> next(kCourses);
        // It alternates less and less, as constrained motion does.
        const auto smooth = [](int k) {
            std::vector<double> out(kCourses);
            for (std::size_t i = 0; i < kCourses; ++i) {
                const double phase = 0.1 * k + 0.01 * static_cast<double>(i);
                out[i] = std::sin(phase) + (k % 2 == 0 ? 0.1 : -0.1) * std::cos(0.5 * phase);
            }
            return out;
        };
        for (int k = 0; k < 20; ++k) {
            Predictor::Errors expected{};
            const std::vector<double> last = smooth(k), now = smooth(k + 1);
            for (std::size_t formula = 0; formula < expected.size(); ++formula) {
                kept.past().extrapolate(static_cast<int>(formula), last, next, 0, next.size());
                for (std::size_t i = 0; i < kCourses; ++i)
                    expected[formula] += std::pow(now[i] - next[i], 2);
            }
            const Predictor::Errors misses = kept.past().errors(last, now);
            for (std::size_t formula = 0; formula < misses.size(); ++formula)
                CHECK(misses[formula] == doctest::Approx(expected[formula]).epsilon(1e-6));
            kept.keep(last);
            if (k <= kSteps) continue;
            const auto of = [&misses](int sums, int differences) {
                for (std::size_t f = 0; f < misses.size(); ++f)
                    if (Predictor::kExtrapolations[f].sums == sums &&
                        Predictor::kExtrapolations[f].differences == differences)
                        return misses[f];
                return -1.0;
            };
            CHECK(of(2, 4) < 0.1 * of(1, 4));
            CHECK(of(3, 5) < 0.1 * of(2, 5));
        }
    }
    TEST_CASE("without values of steps before the last value is taken") {
        std::vector<double> table(Predictor::kKept * 3, 0.0), next(3);
        const std::vector<double> last{1.0, -2.0, 3.0};
        Predictor(table, 0).extrapolate(Predictor::kConstant, last, next, 0, next.size());
        CHECK(next == last);
    }
}
