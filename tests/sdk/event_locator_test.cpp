// SPDX-License-Identifier: BSD-3-Clause
// The search for the first event on functions whose roots are known.
#include "ancora/sdk/helpers/event_locator.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace ancora;

struct Found {
    int event = -1;
    double length = 0.0;
    int trials = 0;
    double last = 0.0;  ///< length of the trial made last
};

/// functions(length, g) writes the values.
template <class Functions>
Found find(int count, double h, const Functions& functions, bool is_exact = true) {
    EventLocator locator;
    locator.resize(count);
    Found found;
    const auto trial = [&](double length) {
        ++found.trials;
        found.last = length;
        functions(length, locator.values());
    };
    trial(h);
    found.length = h;
    found.event = locator.shorten(found.length, trial);
    if (found.event >= 0 && found.length > 0.0) {
        CHECK(found.last == found.length);
        if (is_exact) CHECK(locator.violated() == -1);
    }
    return found;
}

}  // namespace

TEST_SUITE("event locator") {
    TEST_CASE("a step without an event stays as it is") {
        const Found found = find(2, 0.7, [](double length, auto g) {
            g[0] = 1.0 - length;
            g[1] = 0.0;
        });
        CHECK(found.event == -1);
        CHECK(found.length == 0.7);
        CHECK(found.trials == 1);
    }

    // Of k functions s_i (c_i - x) (1 + b_i x) that is first with the least c_i.
    TEST_CASE("of many events the first is found, in few trials") {
        std::mt19937 random(1);
        std::uniform_real_distribution<double> part(0.0, 1.0);
        int most = 0;
        for (int round = 0; round < 2000; ++round) {
            const int count = 1 + round % 7;
            std::vector<double> root(count), size(count), bend(count);
            for (int i = 0; i < count; ++i) {
                root[i] = 0.02 + part(random);
                size[i] = std::pow(10.0, 12.0 * part(random) - 6.0);
                bend[i] = part(random) - 0.5;
            }
            const auto first = std::min_element(root.begin(), root.end()) - root.begin();
            const Found found = find(count, 1.0, [&](double x, auto g) {
                for (int i = 0; i < count; ++i)
                    g[i] = size[i] * (root[i] - x) * (1.0 + bend[i] * x);
            });
            if (root[first] > 1.0) {
                CHECK(found.event == -1);
                continue;
            }
            CAPTURE(round);
            CHECK(found.event == first);
            CHECK(found.length == doctest::Approx(root[first]).epsilon(1e-14));
            most = std::max(most, found.trials);
        }
        CHECK(most <= 20);
    }

    // g = u x - x^2 / 2 + j x^3: what has just left with a speed of u comes back at 2 u but for j.
    TEST_CASE("a flight that begins at zero ends where it comes back, however short") {
        for (double u = 1e-10; u < 0.3; u *= 1.7)
            for (const double j : {0.0, 0.1, -0.1}) {
                const auto height = [&](double x) {
                    return x * (u + x * (-0.5 + j * x));
                };
                const Found found = find(1, 1.0, [&](double x, auto g) {
                    g[0] = height(x);
                });
                CAPTURE(u);
                CAPTURE(j);
                if (height(1.0) >= 0.0) {
                    CHECK(found.event == -1);
                    continue;
                }
                // u - x / 2 + j x^2 = 0
                const double root = 2.0 * u / (0.5 + std::sqrt(0.25 - 4.0 * j * u));
                CHECK(found.event == 0);
                CHECK(std::abs(found.length - root) <= 4e-16 + 1e-12 * root);
                CHECK(found.trials <= 20);
            }
    }

    TEST_CASE("what is below zero from the start is due at once") {
        for (const double at_start : {0.0, -1e-3, -1e3}) {
            const Found found = find(2, 0.01, [&](double x, auto g) {
                g[0] = 0.009 - x;
                g[1] = at_start - x;
            });
            CHECK(found.event == 1);
            CHECK(found.length == 0.0);
            CHECK(found.trials <= 8);
        }
    }

    // Zero but for rounding up to a corner, and smooth behind it: another regime of the trial.
    TEST_CASE("corners and jumps are found to the last bits") {
        std::mt19937 random(2);
        std::uniform_real_distribution<double> part(0.05, 0.95);
        for (int round = 0; round < 200; ++round) {
            const double corner = part(random), slope = part(random);
            const Found bent = find(1, 1.0, [&](double x, auto g) {
                const double past = x - corner;
                g[0] = past < 0.0 ? 1e-17 : 1e-17 - past * (slope + past);
            });
            CHECK(bent.event == 0);
            CHECK(std::abs(bent.length - corner) <= 1e-15);
            CHECK(bent.trials <= 30);
            const Found jump = find(1, 1.0, [&](double x, auto g) {
                g[0] = x < corner ? 1.0 : -1.0;
            });
            CHECK(jump.event == 0);
            CHECK(jump.length < corner);
            CHECK(corner - jump.length <= 1e-15);
            CHECK(jump.trials <= 60);
        }
    }

    TEST_CASE("values within noise end the search") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> noise(-1e-9, 1e-9);
        for (int round = 0; round < 200; ++round) {
            const auto values = [&](double x, auto g) {
                g[0] = 0.5 - x * x + noise(random);
            };
            const Found found = find(1, 1.0, values, false);
            CHECK(found.event == 0);
            CHECK(std::abs(found.length - std::sqrt(0.5)) <= 2e-9);
            CHECK(found.trials <= 60);
        }
    }
}
