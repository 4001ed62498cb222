// SPDX-License-Identifier: BSD-3-Clause
// What a run costs whose matrices are renewed as FactorReuse says, against the best that a fixed
// age could do, on scripted costs of steps.
#include "factor_reuse.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

namespace {

using ancora::FactorReuse;
using ancora::SolverCost;

constexpr double kIterate = 10.0;

/// Steps of one length, whose solves cost what the age of the matrix says.
struct Steps {
    Steps(double factorise, std::function<double(int)> at_age)
        : cost{factorise, kIterate, 0.0}, cost_at_age(std::move(at_age)) {}

    void run(int count) {
        for (int k = 0; k < count; ++k) step();
    }
    void step(double h = 1e-3) {
        reuse.begin(h, has_matrix);
        const bool is_fresh = reuse.is_due() || !has_matrix;
        if (is_fresh) {
            reuse.note_factorised();
            spent += cost.factorise;
            ages.push_back(age);
            age = 0;
            has_matrix = true;
        }
        const double solved = cost_at_age(age);
        spent += solved;
        reuse.note_converged(is_fresh, solved);
        reuse.weigh(h, cost);
        ++age;
    }

    FactorReuse reuse;
    SolverCost cost;
    std::function<double(int)> cost_at_age;
    double spent = 0.0;
    int age = 0;
    bool has_matrix = false;
    std::vector<int> ages;  ///< that matrices have come to; the first is none
};

/// Least mean cost of a step over all ages at which matrices are renewed always.
double best_mean(const Steps& steps, int most_age) {
    double sum = 0.0;
    double best = std::numeric_limits<double>::infinity();
    for (int age = 0; age < most_age; ++age) {
        sum += steps.cost_at_age(age);
        best = std::min(best, (steps.cost.factorise + sum) / (age + 1));
    }
    return best;
}

}  // namespace

TEST_SUITE("reuse of a factorisation") {
    TEST_CASE("the first step and the one after a retry have a new matrix") {
        FactorReuse reuse;
        CHECK(reuse.is_due());
        CHECK(reuse.is_from_start());
        reuse.note_factorised();
        CHECK_FALSE(reuse.is_due());
        reuse.note_converged(true, 20.0);
        reuse.weigh(1e-3, {100.0, 10.0, 0.0});
        CHECK_FALSE(reuse.is_from_start());
        CHECK_FALSE(reuse.is_due());
        reuse.give_up();
        CHECK(reuse.is_due());
    }

    TEST_CASE("a matrix that is gone at the same length takes along what was known from it") {
        for (const bool has_matrix : {true, false})
            for (const double next : {1e-3, 2e-3}) {
                FactorReuse reuse;
                reuse.note_factorised();
                reuse.note_converged(true, 20.0);
                reuse.weigh(1e-3, {100.0, 10.0, 0.0});
                reuse.begin(next, has_matrix);
                CHECK(reuse.is_from_start() == (!has_matrix && next == 1e-3));
            }
    }

    // But for one that was made before the motion was known.
    TEST_CASE("what does not age is kept for good") {
        Steps steps(500.0, [](int) {
            return 2.0 * kIterate;
        });
        steps.run(1000);
        CHECK(steps.ages.size() <= 2);
    }

    // Of a cost c_0 + g k at age k the mean is least where the waste comes to the factorisation,
    // and flat around it: half or twice of that cost 6 % more.
    TEST_CASE(
        "costs that grow with age: no dearer than the best fixed age by more than an eighth") {
        for (const double factorise : {50.0, 400.0, 3000.0})
            for (const double growth : {0.05, 0.3, 2.0, 8.0}) {
                CAPTURE(factorise);
                CAPTURE(growth);
                Steps steps(factorise, [growth](int age) {
                    return 2.0 * kIterate + growth * age;
                });
                steps.run(3000);
                const double mean = steps.spent / 3000.0;
                CHECK(mean <= 1.125 * best_mean(steps, 3000));
                CHECK(steps.ages.size() >= 3);
            }
    }

    TEST_CASE("costs that grow with the square of age, or in whole iterations") {
        for (const double factorise : {50.0, 400.0, 3000.0})
            for (const double growth : {0.002, 0.02, 0.2})
                for (const bool is_whole : {false, true}) {
                    CAPTURE(factorise);
                    CAPTURE(growth);
                    CAPTURE(is_whole);
                    Steps steps(factorise, [=](int age) {
                        const double more = growth * age * age;
                        return 2.0 * kIterate +
                               (is_whole ? kIterate * std::floor(more / kIterate) : more);
                    });
                    steps.run(3000);
                    CHECK(steps.spent / 3000.0 <= 1.25 * best_mean(steps, 3000));
                }
    }

    // A motion in which no matrix serves the next step: each has its own, but for a try now and
    // then.
    TEST_CASE("matrices that are of no use to the next step are not kept") {
        for (const double factorise : {50.0, 400.0}) {
            CAPTURE(factorise);
            Steps steps(factorise, [=](int age) {
                return 2.0 * kIterate + (age == 0 ? 0.0 : 1.5 * factorise);
            });
            steps.run(1000);
            const double fresh = factorise + 2.0 * kIterate;
            // Each try costs less than a factorisation more; without the rule every second step is
            // one.
            CHECK(steps.spent / 1000.0 <= 1.06 * fresh);
            // The motion may have changed: it is tried again, and found out.
            steps.cost_at_age = [](int) {
                return 2.0 * kIterate;
            };
            const std::size_t before = steps.ages.size();
            steps.run(1000);
            CHECK(steps.ages.size() - before <= 50);
        }
    }

    TEST_CASE("one bad step is no reason to give up reuse") {
        int step = 0;
        Steps steps(400.0, [&step](int) {
            return 2.0 * kIterate + (step % 50 == 25 ? 600.0 : 0.0);
        });
        for (; step < 1000; ++step) steps.step();
        // One matrix each time at most, and those of the start.
        CHECK(steps.ages.size() <= 22);
    }

    // From rest an iteration has stresses to find, as no other step has: taken for what a new
    // matrix costs, it would hide what an old one wastes.
    TEST_CASE("a dear first step does not hide what later ones waste") {
        for (const double growth : {0.5, 2.0}) {
            int step = 0;
            Steps steps(400.0, [&step, growth](int age) {
                return (step == 0 ? 20.0 : 2.0) * kIterate + growth * age;
            });
            for (; step < 60; ++step) steps.step();
            // Without the first step's: waste g k^2 / 2 comes to the factorisation at this age.
            const double age = std::sqrt(2.0 * 400.0 / growth);
            REQUIRE(steps.ages.size() >= 2);
            CHECK(steps.ages[1] <= age + 1.0);
        }
    }

    TEST_CASE("what is forgotten begins as a new one") {
        Steps steps(400.0, [](int age) {
            return 2.0 * kIterate + 3.0 * age;
        });
        steps.run(37);
        steps.reuse.forget();
        CHECK(steps.reuse.is_due());
        CHECK(steps.reuse.is_from_start());
        steps.has_matrix = false;
        const double before = steps.spent;
        steps.run(100);
        Steps others(400.0, steps.cost_at_age);
        others.run(100);
        CHECK(steps.spent - before == others.spent);
    }
}
