// SPDX-License-Identifier: BSD-3-Clause
// The judgement of an iteration on scripted corrections and residuals: each bound from both sides,
// and what a stale matrix still costs against a count of its iterations.
#include "convergence.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/sdk/system.hpp"

namespace {

using namespace ancora;
using Verdict = Convergence::Verdict;

constexpr double kTol = kDefaultTolerance;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

struct Iteration {
    double correction;
    double motion;
    double rows;
};

/// Of the last of them; all before it have to go on.
Verdict last_verdict(Convergence& convergence, const std::vector<Iteration>& script) {
    Verdict verdict = Verdict::go_on;
    for (std::size_t k = 0; k < script.size(); ++k) {
        CAPTURE(k);
        CHECK(verdict == Verdict::go_on);
        convergence.note(script[k].correction);
        verdict = convergence.judge(static_cast<int>(k) + 1, {script[k].motion, script[k].rows});
    }
    return verdict;
}
Verdict last_verdict(const std::vector<Iteration>& script, double closed = 1.0) {
    Convergence convergence(kTol, 50, closed);
    return last_verdict(convergence, script);
}

}  // namespace

TEST_SUITE("convergence") {
    TEST_CASE("converged: the correction moves nothing and both residuals are rounding") {
        for (const double closed : {1.0, Convergence::most_of(1'000'000)}) {
            const double in = 0.999 * closed;
            const double out = 1.001 * closed;
            const auto verdict = [closed](Iteration last) {
                return last_verdict({{1e-3, 1e9, 1e9}, last}, closed);
            };
            CHECK(verdict({0.999 * kTol, in, in}) == Verdict::converged);
            CHECK(verdict({1.001 * kTol, in, in}) == Verdict::go_on);
            CHECK(verdict({0.999 * kTol, 10.0 * out, in}) == Verdict::go_on);
            CHECK(verdict({0.999 * kTol, in, 10.0 * out}) == Verdict::go_on);
        }
        // Of few residuals: beside 1 the floor of 3 needs an iteration that gains nothing.
        CHECK(last_verdict({{1e-3, 1e9, 1e9}, {0.5 * kTol, 1.001, 0.1}}) == Verdict::go_on);
        CHECK(last_verdict({{1e-3, 1e9, 1e9}, {0.5 * kTol, 0.999, 0.1}}) == Verdict::converged);
    }

    TEST_CASE("what is no number has failed, wherever it stands") {
        CHECK(last_verdict({{1e-3, kNan, 1.0}}) == Verdict::failed);
        CHECK(last_verdict({{1e-3, 1.0, kNan}}) == Verdict::failed);
        CHECK(last_verdict({{1e-3, 1e5, 1e5}, {1e-20, 0.0, kNan}}) == Verdict::failed);
        CHECK(last_verdict({{1e-3, 1e5, 1e5}, {1e-20, kInf, 0.0}}) != Verdict::converged);
    }

    TEST_CASE("corrections a million times the first, or the tolerance, have diverged") {
        CHECK(last_verdict({{1e-3, 1e9, 1e9}, {0.99e3, 1e9, 1e9}}) == Verdict::go_on);
        CHECK(last_verdict({{1e-3, 1e9, 1e9}, {1.01e3, 1e9, 1e9}}) == Verdict::failed);
        // A first correction of nothing, as from a guess that is exact but for stresses.
        CHECK(last_verdict({{0.0, 1e9, 1e9}, {0.99e6 * kTol, 1e9, 1e9}}) == Verdict::go_on);
        CHECK(last_verdict({{0.0, 1e9, 1e9}, {1.01e6 * kTol, 1e9, 1e9}}) == Verdict::failed);
    }

    TEST_CASE("the last iteration allowed converges or fails") {
        for (const double defect : {0.5, 1e5}) {
            Convergence convergence(kTol, 2, 1.0);
            const Verdict verdict =
                last_verdict(convergence, {{1e-3, 1e9, 1e9}, {1e-20, defect, defect}});
            CHECK(verdict == (defect < 1.0 ? Verdict::converged : Verdict::failed));
        }
    }

    TEST_CASE("a first correction that moves matter leaves nothing to be looked at") {
        const auto is_judged = [](int k, double correction, bool is_whole) {
            Convergence convergence(kTol, 25, 1.0);
            convergence.note(correction, is_whole);
            return convergence.is_to_be_judged(k);
        };
        CHECK(is_judged(1, 0.99 * kFloorCorrections * kTol, false));
        CHECK_FALSE(is_judged(1, 1.01 * kFloorCorrections * kTol, false));
        CHECK(is_judged(1, 1.0, true));
        CHECK(is_judged(2, 1.0, false));
        CHECK_FALSE(is_judged(0, 0.0, true));
    }

    // A looser tolerance loosens a gap by that length; the default and stricter ones nothing.
    TEST_CASE("only a tolerance above the default gives slack") {
        CHECK(Convergence::slack(0.1 * kTol) == 0.0);
        CHECK(Convergence::slack(kTol) == 0.0);
        for (const double tolerance : {1.5 * kTol, 1e-9, 1e-4})
            CHECK(Convergence::slack(tolerance) == tolerance);
    }

    TEST_CASE(
        "a floor near rounding is accepted after one iteration without gain, one far from it "
        "after two, one beyond a thousand never") {
        const auto stuck_for = [](int times, double floor) {
            std::vector<Iteration> script{{1e-3, 1e9, 1e9}};
            for (int i = 0; i <= times; ++i) script.push_back({1e-20, floor, floor});
            // Verdict of the last; an earlier one that does not go on is reported.
            return last_verdict(script);
        };
        CHECK(stuck_for(0, 2.9) == Verdict::go_on);
        CHECK(stuck_for(1, 2.9) == Verdict::converged);
        CHECK(stuck_for(1, 3.1) == Verdict::go_on);
        CHECK(stuck_for(2, 3.1) == Verdict::converged);
        CHECK(stuck_for(2, 0.99 * ScaledResidual::kFarFromClosed) == Verdict::converged);
        CHECK(stuck_for(9, 1.01 * ScaledResidual::kFarFromClosed) == Verdict::go_on);
    }

    // As long as an iteration gains a factor of two there is no floor, however small residuals are.
    TEST_CASE("what is halved goes on") {
        for (const double factor : {0.49, 0.51}) {
            const Verdict verdict =
                last_verdict({{1e-3, 1e9, 1e9}, {1e-20, 5.0, 0.5}, {1e-20, 5.0 * factor, 0.5}});
            // 2.45 or 2.55 below the 3 of one iteration without gain
            CHECK(verdict == (factor < 0.5 ? Verdict::go_on : Verdict::converged));
        }
        // The same of corrections that still move something.
        for (const double factor : {0.49, 0.51}) {
            const Verdict verdict = last_verdict(
                {{1e-3, 1e9, 1e9}, {100.0 * kTol, 2.0, 2.0}, {100.0 * factor * kTol, 2.0, 2.0}});
            CHECK(verdict == (factor < 0.5 ? Verdict::go_on : Verdict::converged));
        }
    }

    TEST_CASE("a floor of residuals is none as long as corrections move matter") {
        for (const double correction :
             {0.99 * kFloorCorrections * kTol, 1.01 * kFloorCorrections * kTol}) {
            const Iteration stuck{correction, 2.0, 2.0};
            CHECK(last_verdict({{1e-3, 1e9, 1e9}, {correction, 1e4, 1e4}, stuck, stuck}) ==
                  (correction < kFloorCorrections * kTol ? Verdict::converged : Verdict::go_on));
        }
    }

    TEST_CASE("what was accepted far from closed rows says so") {
        for (const double rows : {29.0, 31.0}) {
            Convergence convergence(kTol, 50, 1.0);
            const Iteration stuck{1e-20, 0.5, rows};
            CHECK(last_verdict(convergence, {{1e-3, 1e9, 1e9}, stuck, stuck, stuck}) ==
                  Verdict::converged);
            CHECK(convergence.is_far_from_closed() == (rows > 30.0));
        }
    }

    // An iteration that shrinks by theta each time is played to its end and counted.
    TEST_CASE(
        "a new matrix is asked for where the iterations to come cost more, counted one by one") {
        std::mt19937 random(3);
        std::uniform_real_distribution<double> uniform(0.0, 1.0);
        int wanted = 0;
        int undecided = 0;
        constexpr int kTrials = 500;
        for (int trial = 0; trial < kTrials; ++trial) {
            const double theta = std::pow(10.0, -2.0 * uniform(random));
            const double last = kTol * std::pow(10.0, 1.0 + 8.0 * uniform(random));
            const SolverCost cost{std::pow(10.0, 3.0 * uniform(random)), 10.0, 0.0};
            Convergence convergence(kTol, 1000, 1.0);
            const double defect = 1e5 * last / kTol;
            convergence.note(last / theta);
            REQUIRE(convergence.judge(1, {defect / theta, defect / theta}) == Verdict::go_on);
            convergence.note(last);
            REQUIRE(convergence.judge(2, {defect, defect}) == Verdict::go_on);
            int to_come = 0;
            for (double D = last; D > kTol && to_come < 100'000; D *= theta) ++to_come;
            const double with_new = cost.factorise + 2.0 * cost.iterate;
            // A count of whole iterations is up to one more than the formula's.
            if (to_come * cost.iterate <= with_new) {
                CHECK_FALSE(convergence.wants_fresh_matrix(cost));
            } else if ((to_come - 1) * cost.iterate > with_new) {
                CHECK(convergence.wants_fresh_matrix(cost));
                ++wanted;
            } else {
                ++undecided;
            }
        }
        CHECK(wanted >= kTrials / 10);
        CHECK(wanted + undecided <= kTrials * 9 / 10);
    }

    // Once positions stand still it is residuals that have to fall to rounding.
    TEST_CASE("the same of residuals where corrections move nothing any more") {
        for (const double theta : {0.03, 0.2, 0.5, 0.85})
            for (const double worst : {4.0, 1e3, 1e6})
                for (const double factorise : {5.0, 100.0, 1000.0}) {
                    CAPTURE(theta);
                    CAPTURE(worst);
                    CAPTURE(factorise);
                    const SolverCost cost{factorise, 10.0, 0.0};
                    Convergence convergence(kTol, 1000, 1.0);
                    convergence.note(1e-16);
                    REQUIRE(convergence.judge(1, {worst / theta, 0.1}) == Verdict::go_on);
                    convergence.note(1e-16);
                    if (convergence.judge(2, {worst, 0.1}) != Verdict::go_on) continue;
                    int to_come = 0;
                    for (double r = worst; r > 1.0; r *= theta) ++to_come;
                    const double with_new = factorise + 2.0 * cost.iterate;
                    if (to_come * cost.iterate <= with_new)
                        CHECK_FALSE(convergence.wants_fresh_matrix(cost));
                    if ((to_come - 1) * cost.iterate > with_new)
                        CHECK(convergence.wants_fresh_matrix(cost));
                }
    }

    TEST_CASE("an iteration that does not contract asks for a new matrix at any price") {
        const SolverCost dear{1e12, 10.0, 0.0};
        for (const double theta : {0.5, 1.001}) {
            Convergence convergence(kTol, 1000, 1.0);
            REQUIRE(
                last_verdict(convergence, {{1e-3, 1e8, 1e8}, {1e-3 * theta, 1e8 * theta, 1e8}}) ==
                Verdict::go_on);
            CHECK(convergence.wants_fresh_matrix(dear) == (theta > 1.0));
        }
        // Residuals at their floor with nothing moving are rounding, which no matrix mends.
        for (const double theta : {0.3, 0.95}) {
            Convergence convergence(kTol, 1000, 1.0);
            REQUIRE(last_verdict(convergence,
                                 {{1e-16, 50.0, 50.0}, {1e-16, 50.0 * theta, 50.0 * theta}}) ==
                    Verdict::go_on);
            CHECK(convergence.wants_fresh_matrix({1e-6, 10.0, 0.0}) == (theta < 0.9));
        }
    }
}
