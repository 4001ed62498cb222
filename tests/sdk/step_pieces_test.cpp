// SPDX-License-Identifier: BSD-3-Clause
// The loop over events on a model that has no mechanics, only event functions that are known.
#include "ancora/sdk/helpers/step_pieces.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace ancora;

/// What StepPieces calls; the rest of a system is never asked for.
class Clock final : public System {
public:
    std::vector<int> passed;

    void pass_event(int event) override { passed.push_back(event); }
    [[noreturn]] void refuse(double t, std::string_view why) override {
        throw std::runtime_error(std::to_string(t) + ": " + std::string(why));
    }

    std::span<const double> q() const override { return {}; }
    std::span<const double> v() const override { return {}; }
    std::span<const double> acceleration() const override { return {}; }
    std::span<const double> stress() const override { return {}; }
    std::span<double> history() override { return {}; }
    StepReport solve_step(const StepGuess&, const StepOptions&) override { never(); }
    double displacement(std::span<const double>) const override { return 0.0; }
    void accept(const StepTrial&) override { never(); }
    double max_smooth_step(double h) const override { return h; }
    int num_events() const override { return 1; }
    void evaluate_events(const StepTrial&, std::span<double>) override { never(); }
    bool update_active_set(const StepTrial&) override { return false; }
    bool nears_singular_position(const StepTrial&) override { return false; }
    void record_singular_position(double, double, bool) override {}
    [[noreturn]] void no_convergence(const StepTrial&,
                                     std::string_view,
                                     std::string_view) override {
        never();
    }

private:
    [[noreturn]] static void never() { throw std::logic_error("StepPieces has no business there"); }
};

struct Loop {
    Clock clock;
    EventLocator events;
    std::vector<double> ends;  ///< of the pieces that were accepted
    Loop() { events.resize(1); }
};

}  // namespace

TEST_SUITE("step in pieces") {
    // Events at 0.3 and 0.6 of a step from 1 to 2: g = (next event) - t.
    TEST_CASE("pieces end at the events, and the last one at the step's end to the bit") {
        Loop loop;
        for (StepPieces pieces(loop.clock, loop.events, 1.0, 1.0); pieces.more();) {
            const double next = loop.clock.passed.empty()       ? 1.3
                                : loop.clock.passed.size() == 1 ? 1.6
                                                                : 9.0;
            const double t = pieces.t();
            const bool is_made = pieces.advance(
                pieces.rest(),
                [&](double length) {
                    loop.events.values()[0] = next - (t + length);
                },
                [&](double t1, double length) {
                    CHECK(length > 0.0);
                    loop.ends.push_back(t1);
                });
            CHECK(is_made);
        }
        REQUIRE(loop.ends.size() == 3);
        CHECK(std::abs(loop.ends[0] - 1.3) <= 1e-15);
        CHECK(std::abs(loop.ends[1] - 1.6) <= 1e-15);
        CHECK(loop.ends[2] == 2.0);
        CHECK(loop.clock.passed == std::vector<int>{0, 0});
    }

    TEST_CASE("an event that is due at once is passed without a piece") {
        Loop loop;
        for (StepPieces pieces(loop.clock, loop.events, 0.0, 0.5); pieces.more();) {
            const bool is_passed = !loop.clock.passed.empty();
            pieces.advance(
                pieces.rest(),
                [&](double length) {
                    loop.events.values()[0] = is_passed ? 1.0 : -length;
                },
                [&](double t1, double) {
                    loop.ends.push_back(t1);
                });
        }
        CHECK(loop.ends == std::vector<double>{0.5});
        CHECK(loop.clock.passed == std::vector<int>{0});
    }

    // Trials that move the state, as composed steps do.
    TEST_CASE("what trials have changed is undone where none is taken, and nowhere else") {
        Loop loop;
        double state = 0.0, accepted = 0.0, longest = 1.0;
        int undone = 0;
        for (StepPieces pieces(loop.clock, loop.events, 0.0, 1.0); pieces.more();) {
            const bool is_passed = !loop.clock.passed.empty();
            const double length = std::min(longest, pieces.rest());
            const bool is_made = pieces.advance(
                length,
                [&](double part) {
                    state = accepted + part;
                    loop.events.values()[0] = is_passed ? 1.0 : -part;
                    return !is_passed || part <= 0.6;
                },
                [&](double t1, double) {
                    CHECK(state == t1);
                    accepted = t1;
                },
                [&] {
                    state = accepted;
                    ++undone;
                });
            CHECK(state == accepted);
            longest = is_made ? 1.0 : 0.5;
        }
        CHECK(undone == 2);  // at the event that is due at once, and for lack of a solution
        CHECK(accepted == 1.0);
    }

    TEST_CASE("a trial without a solution accepts nothing, and the piece is made anew") {
        Loop loop;
        double longest = 1.0;
        int failed = 0;
        for (StepPieces pieces(loop.clock, loop.events, 0.0, 1.0); pieces.more();) {
            const double length = std::min(longest, pieces.rest());
            const bool is_made = pieces.advance(
                length,
                [&](double part) {
                    loop.events.values()[0] = 1.0;
                    return part <= 0.3;
                },
                [&](double t1, double) {
                    loop.ends.push_back(t1);
                });
            failed += !is_made;
            longest = is_made ? longest : 0.5 * length;
        }
        CHECK(failed == 2);
        CHECK(loop.ends == std::vector<double>{0.25, 0.5, 0.75, 1.0});
        CHECK(loop.clock.passed.empty());
    }

    // The whole step shows the event, and no shorter trial than 1e-6 of it has a solution.
    TEST_CASE("an event whose search ends in trials too short to solve is due at once") {
        Loop loop;
        for (StepPieces pieces(loop.clock, loop.events, 0.0, 1.0); pieces.more();) {
            const bool is_passed = !loop.clock.passed.empty();
            const bool is_made = pieces.advance(
                pieces.rest(),
                [&](double length) {
                    loop.events.values()[0] = is_passed ? 1.0 : -length;
                    return is_passed || length > 1e-6;
                },
                [&](double t1, double) {
                    loop.ends.push_back(t1);
                });
            CHECK(is_made);
        }
        CHECK(loop.ends == std::vector<double>{1.0});
        CHECK(loop.clock.passed.size() == 1);
    }

    TEST_CASE("modes that change without end are refused at their time") {
        Loop loop;
        const auto chatter = [&] {
            for (StepPieces pieces(loop.clock, loop.events, 2.0, 1.0); pieces.more();)
                pieces.advance(
                    pieces.rest(),
                    [&](double length) {
                        loop.events.values()[0] = -length;
                    },
                    [](double, double) {});
        };
        CHECK_THROWS_WITH(chatter(),
                          "2.000000: contacts stick and slip, or close and open, without end "
                          "within one step; check coefficients of friction (too large ones may "
                          "leave no solution, Painleve's paradox) and restitutions of bodies that "
                          "lie packed, or take a shorter step");
        CHECK(loop.clock.passed.size() == StepPieces::kMost);
    }
}
