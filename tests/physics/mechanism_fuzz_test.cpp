// SPDX-License-Identifier: BSD-3-Clause
// Two hundred mechanisms from fixed seeds: each is completed with balances closed and converges to
// `dopri5`, or is refused with a cause that is true. The benchmark `mechanisms` does ten thousand.
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
            const bool is_right =
                judgement.verdict == Verdict::agrees || judgement.verdict == Verdict::refused;
            CHECK(is_right);
            num_agreeing += judgement.verdict == Verdict::agrees ? 1 : 0;
        }
        CHECK(10 * num_agreeing >= 9 * static_cast<int>(kCount));
    }
}

}  // namespace
}  // namespace ancora::testing
