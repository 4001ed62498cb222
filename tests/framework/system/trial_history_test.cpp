// SPDX-License-Identifier: BSD-3-Clause
// When trials of a step are given up, on scripted trials.
#include "trial_history.hpp"

#include <doctest/doctest.h>

namespace {

using ancora::StepTrial;
using ancora::TrialHistory;

TEST_CASE("a trial that was refused is not solved again, once") {
    TrialHistory trials;
    CHECK_FALSE(trials.takes_refused(0.0, 0.0));
    trials.refuse({1.0, 0.5, {}, {}});
    CHECK(trials.takes_refused(1.0, 0.5));
    CHECK_FALSE(trials.takes_refused(1.0, 0.5));
    trials.refuse({1.0, 0.5, {}, {}});
    // Of another length it is another trial, and the refused one has been left.
    CHECK_FALSE(trials.takes_refused(1.0, 0.25));
    CHECK_FALSE(trials.takes_refused(1.0, 0.5));
}

TEST_CASE("failures count in a row: halved from one place, and from where the last pieces led") {
    SUBCASE("halved trials from one state") {
        TrialHistory trials;
        double h = 1.0;
        for (int k = 0; k < 3; ++k, h /= 2.0) CHECK_FALSE(trials.fails_again(5.0, h));
        CHECK(trials.fails_again(5.0, h));
    }
    SUBCASE("pieces that are made between failures carry on") {
        TrialHistory trials;
        CHECK_FALSE(trials.fails_again(0.0, 1.0));
        CHECK_FALSE(trials.fails_again(0.5, 0.5));
        CHECK_FALSE(trials.fails_again(0.75, 0.25));
        CHECK(trials.fails_again(1.9, 0.25));  // within the reach of the first
    }
    SUBCASE("far away counting begins anew") {
        TrialHistory trials;
        for (int k = 0; k < 3; ++k) CHECK_FALSE(trials.fails_again(0.0, 1.0));
        CHECK_FALSE(trials.fails_again(2.5, 1.0));
        for (int k = 0; k < 2; ++k) CHECK_FALSE(trials.fails_again(2.5, 0.1));
        CHECK(trials.fails_again(2.5, 0.01));
    }
    SUBCASE("and with another motion, even one that begins before") {
        TrialHistory trials;
        for (int k = 0; k < 3; ++k) CHECK_FALSE(trials.fails_again(9.0, 1.0));
        trials.begin_anew();
        CHECK_FALSE(trials.fails_again(0.0, 1.0));
    }
}

TEST_CASE("changes of modes are counted within one trial") {
    TrialHistory trials;
    const auto settlings_of = [&trials](double h, int most) {
        for (int k = 1; k <= most; ++k)
            if (trials.settles_without_end({0.0, h, {}, {}})) return k;
        return 0;
    };
    const int most = settlings_of(1.0, 100'000);
    REQUIRE(most > 100);
    // Short of that in each of many trials: none of them has come to its end.
    for (const double h : {0.5, 0.25, 0.125}) CHECK(settlings_of(h, most - 1) == 0);
    CHECK(settlings_of(2.0, most) == most);
}

}  // namespace
