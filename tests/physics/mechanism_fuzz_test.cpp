// SPDX-License-Identifier: BSD-3-Clause
// A hundred and forty mechanisms from fixed seeds: each is completed with balances closed and
// converges to `dopri5`, is refused with a cause that is true, or says itself what is in doubt. The
// benchmark `mechanisms` does ten thousand.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "gradient_cases.hpp"
#include "mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

#ifdef ANCORA_TEST_SHORT
constexpr std::uint64_t kCount = 20;
constexpr int kMostOthers = 4;  // refused or in doubt: three of the first twenty are
constexpr std::uint64_t kGradients = 10;
#else
constexpr std::uint64_t kCount = 140;
constexpr int kMostOthers = 14;
constexpr std::uint64_t kGradients = 30;
#endif

TEST_SUITE("mechanisms of all sorts") {
    TEST_CASE("none is silently wrong, and what is refused is refused for a reason") {
        int num_agreeing = 0;
        for (std::uint64_t seed = 1; seed <= kCount; ++seed) {
            const Mechanism mechanism = make_mechanism(seed);
            const Judgement judgement = judge(mechanism, registry());
            CAPTURE(seed);
            CAPTURE(mechanism.family);
            CAPTURE(mechanism.traits);
            CAPTURE(judgement.cause);
            const std::string verdict = to_text(judgement.verdict);
            CAPTURE(verdict);
            const bool is_right = judgement.verdict == Verdict::agrees ||
                                  judgement.verdict == Verdict::refused ||
                                  judgement.verdict == Verdict::told;
            CHECK(is_right);
            num_agreeing += judgement.verdict == Verdict::agrees ? 1 : 0;
        }
        CHECK(num_agreeing >= static_cast<int>(kCount) - kMostOthers);
    }
    TEST_CASE("derivatives by the adjoint are those of differences of runs, to eight digits") {
        int num_by_adjoint = 0, num_compared = 0;
        for (std::uint64_t seed = 1; seed <= kGradients; ++seed) {
            const GradientCase model = make_gradient_case(seed);
            if (model.is_impossible) continue;
            const GradientComparison found = compare_gradients(model, 2, registry());
            CAPTURE(seed);
            CAPTURE(model.family);
            CAPTURE(found.where);
            CHECK(found.num_off == 0);
            num_by_adjoint += found.num_by_adjoint > 0 ? 1 : 0;
            num_compared += found.num_compared;
        }
        CHECK(num_by_adjoint >= static_cast<int>(kGradients) / 2);
        CHECK(num_compared >= static_cast<int>(kGradients) / 3);
    }
    // May fail: rows of prescribed motion whose choice depends on the choice before, or factors
    // that a solve has changed: of driven, redundant, light and heavy parts.
    TEST_CASE("a run that goes on elsewhere from any step makes the next one to the bit") {
        for (const std::uint64_t seed : {41ULL, 61ULL, 80ULL, 84ULL, 104ULL, 164ULL}) {
            const Mechanism mechanism = make_mechanism(seed);
            CAPTURE(seed);
            const std::string text =
                with_integrator(mechanism.text, "emm", mechanism.step, 8.0 * mechanism.step);
            Simulation run = model(text), other = model(text);
            run.step();
            for (int k = 1; k < 7; ++k) {
                CAPTURE(k);
                const std::vector<std::byte> saved = run.save();
                other.restore(saved);
                CHECK(other.save() == saved);
                run.step();
                other.step();
                CHECK(std::ranges::equal(run.q(), other.q()));
                CHECK(std::ranges::equal(run.v(), other.v()));
            }
        }
    }
    // May fail: nodes of massless links weighed by the mean mass of a model in which 45 t and a
    // plate of 8 mg hang together; its accelerations were wrong then, and nothing said so.
    TEST_CASE("a light plate among heavy bodies turns as Euler's equations say") {
        const Mechanism mechanism = make_mechanism(5086);
        const double step = mechanism.step / 32.0;
        Simulation simulation = model(with_integrator(mechanism.text, "rk4", step, step));
        // No force turns it about its first axis, on which all of its joints lie.
        const double I1 = 4.5445499533588052e-08, I2 = 5.0494488926887019e-07,
                     I3 = 5.5038937891368953e-07;
        const Vec3 w = vec3(simulation.pose("b3").angular_velocity);
        run_to_end(simulation);
        const Vec3 next = vec3(simulation.pose("b3").angular_velocity);
        const double mean = 0.5 * (w(1) * w(2) + next(1) * next(2));
        CHECK((next(0) - w(0)) / step == near((I2 - I3) / I1 * mean, 1e-3));
    }
    TEST_CASE("seeds that once were wrong") {
        // 20404: scissors that pass a flat position, behind which dopri5 went another way. 2471: of
        // 402 rows four too many were taken for independent. 44908 and 46611, with masses from 1e-5
        // to 1e5 kg: rows that the explicit integrators left out did not depend on the others any
        // more, or followed from them with large numbers. 57236: a thin plate of 0.5 mg on 4 t lost
        // its mass where the whole was singular.
        for (const std::uint64_t seed :
             {1259ULL, 2471ULL, 5086ULL, 20404ULL, 44908ULL, 46611ULL, 57236ULL}) {
            CAPTURE(seed);
            const Judgement judgement = judge(make_mechanism(seed), registry());
            CAPTURE(judgement.cause);
            CHECK(judgement.verdict == Verdict::agrees);
        }
    }
    // May fail: springs without mass whose force is rounding of positions, 1e-26 N beside bodies
    // that weigh 1 N. Nothing tells such a force from none but the terms of what takes it up.
    TEST_CASE("forces that are nothing but rounding do not stop a run") {
        for (const std::uint64_t seed : {860ULL, 1752ULL, 6037ULL, 20153ULL}) {
            CAPTURE(seed);
            const Judgement judgement = judge(make_mechanism(seed), registry());
            CAPTURE(judgement.cause);
            CHECK(judgement.verdict == Verdict::agrees);
        }
    }
    // Its first two doors lie in one plane, in which a stiff spring ties them: it lets them fold.
    TEST_CASE("at a dead centre nothing is stiff") {
        CHECK(judge(make_mechanism(31088), registry()).verdict == Verdict::agrees);
    }
    // Light links between heavy ones pass a nearly singular position within 0.1 ms.
    TEST_CASE("a whip that steps do not resolve is told") {
        const Mechanism mechanism = make_mechanism(622);
        const auto end = [&](double step, bool& is_told) {
            Simulation simulation =
                model(with_integrator(mechanism.text, "emm", step, mechanism.end));
            run_to_end(simulation);
            is_told = !simulation.statistics().doubts.empty();
            return vec3(simulation.pose("b2").position);
        };
        bool is_told = false;
        const Vec3 resolved = end(mechanism.step / 1024.0, is_told);
        CHECK(!is_told);
        for (const double part : {8.0, 16.0, 64.0}) {
            CAPTURE(part);
            const double error = (end(mechanism.step / part, is_told) - resolved).norm();
            CHECK((error < 1e-2 || is_told));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
