// SPDX-License-Identifier: BSD-3-Clause
// Two hundred mechanisms from fixed seeds: each is completed with balances closed and converges to
// `dopri5`, is refused with a cause that is true, or says itself what is in doubt. The benchmark
// `mechanisms` does ten thousand.
#include <cstdint>
#include <string>

#include <doctest/doctest.h>

#include "mechanisms.hpp"
#include "support/model.hpp"

namespace ancora::testing {
namespace {

#ifdef ANCORA_TEST_SHORT
constexpr std::uint64_t kCount = 20;
#else
constexpr std::uint64_t kCount = 200;
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
        CHECK(10 * num_agreeing >= 9 * static_cast<int>(kCount));
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
