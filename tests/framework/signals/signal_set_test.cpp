// SPDX-License-Identifier: BSD-3-Clause
// Events at one instant: relays that read each other's outputs against a table that is worked
// through by hand, in rounds in which all read the values before.
#include "signal_set.hpp"

#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "assembly.hpp"
#include "framework/models.hpp"

namespace ancora::testing {
namespace {

constexpr int kMostRoundsByHand = 40;

/// Relays whose input is c t + sum_j w_j value_j; on from `on_at`, off from `off_at`.
struct Relays {
    struct One {
        double slope, offset, on_at, off_at;
        std::vector<double> weights;  ///< weight of each relay's value
    };
    std::vector<One> all;
    std::vector<bool> is_on;
    std::vector<int> switched;

    void add(const One& one) {
        all.push_back(one);
        is_on.push_back(false);
        switched.push_back(0);
    }
    std::string text() const {
        std::string out =
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n[integrator]\ntype = "
            "\"emm\"\n"
            "step = 1e-3\nend = 100.0\n";
        for (std::size_t i = 0; i < all.size(); ++i) {
            std::string input = fmt::format("{} + {}*t", all[i].offset, all[i].slope);
            for (std::size_t j = 0; j < all[i].weights.size(); ++j)
                if (all[i].weights[j] != 0.0)
                    input += fmt::format(" + {}*r{}.value", all[i].weights[j], j);
            out += fmt::format(
                "[[force]]\nname = \"r{}\"\ntype = \"relay\"\ninput = \"{}\"\non_at = "
                "{}\noff_at = {}\n",
                i,
                input,
                all[i].on_at,
                all[i].off_at);
        }
        return out;
    }
    double input(std::size_t i, double t) const {
        double sum = all[i].offset + all[i].slope * t;
        for (std::size_t j = 0; j < all[i].weights.size(); ++j)
            if (is_on[j]) sum += all[i].weights[j];
        return sum;
    }
    /// All that are due switch together, until none is. @returns rounds
    int settle(double t) {
        for (int round = 0; round < kMostRoundsByHand; ++round) {
            std::vector<std::size_t> due;
            for (std::size_t i = 0; i < all.size(); ++i)
                if (is_on[i] ? input(i, t) <= all[i].off_at : input(i, t) >= all[i].on_at)
                    due.push_back(i);
            if (due.empty()) return round;
            for (const std::size_t i : due) {
                is_on[i] = !is_on[i];
                ++switched[i];
            }
        }
        return kMostRoundsByHand;
    }
};

struct RelayModel {
    explicit RelayModel(const std::string& text)
        : model(manifest(text), plugins.registry), parts(model) {
        q.setZero(parts.n);
        v.setZero(parts.n);
        parts.signals.begin(0.0);
        parts.signals.act(q.data(), v.data(), 0.0);
        parts.signals.look(q.data(), v.data(), 0.0, false);
    }
    /// @returns how often crossings were passed
    int go_to(double t, bool has_passed) {
        parts.signals.look(q.data(), v.data(), t, has_passed);
        int rounds = 0;
        for (int due = parts.signals.due_crossing(); due >= 0 && rounds < kMostRoundsByHand;
             due = parts.signals.due_crossing(), ++rounds)
            parts.signals.pass(due, q.data(), v.data(), t);
        return rounds;
    }
    std::vector<double> outputs(double t) {
        std::vector<double> y(static_cast<std::size_t>(parts.signals.num_values()));
        parts.signals.sample(q.data(), v.data(), t, y);
        return y;
    }

    Plugins plugins;
    Model model;
    Assembly parts;
    Eigen::VectorXd q, v;
};

void check_alike(const Relays& relays, RelayModel& model, double t) {
    const std::vector<double> y = model.outputs(t);
    REQUIRE(y.size() == 2 * relays.all.size());
    for (std::size_t i = 0; i < relays.all.size(); ++i) {
        CAPTURE(i);
        CHECK(y[2 * i] == (relays.is_on[i] ? 1.0 : 0.0));
        CHECK(y[2 * i + 1] == relays.switched[i]);
    }
}

}  // namespace

TEST_SUITE("signals at one instant") {
    // A chain: the first comes to its bound with time, each other by the one before it.
    TEST_CASE("one carries the next over its bound at the same instant") {
        for (const std::size_t count : {std::size_t{2}, std::size_t{5}, std::size_t{9}}) {
            Relays relays;
            for (std::size_t i = 0; i < count; ++i) {
                std::vector<double> weights(count, 0.0);
                if (i > 0) weights[i - 1] = 1.0;
                relays.add({i == 0 ? 1.0 : 0.0, 0.0, 0.75, 0.25, weights});
            }
            RelayModel model(relays.text());
            CHECK(model.go_to(0.5, true) == 0);
            CHECK(relays.settle(0.5) == 0);
            CHECK(model.go_to(0.75, true) == static_cast<int>(count));
            CHECK(relays.settle(0.75) == static_cast<int>(count));
            check_alike(relays, model, 0.75);
            CHECK(relays.switched.back() == 1);
        }
    }

    // Two that come down together see the values from before: each would keep the other from it.
    TEST_CASE("those that are due together do not see each other act") {
        Relays relays;
        relays.add({1.0, 0.0, 0.5, -9.0, {0.0, -1.0}});
        relays.add({1.0, 0.0, 0.5, -9.0, {-1.0, 0.0}});
        RelayModel model(relays.text());
        CHECK(model.go_to(0.5, true) == 1);
        relays.settle(0.5);
        check_alike(relays, model, 0.5);
        CHECK(relays.is_on == std::vector<bool>{true, true});
    }

    TEST_CASE("networks of relays at random, gone through in time") {
        std::mt19937 random(1);
        const auto below = [&random](int end) {
            return std::uniform_int_distribution<int>(0, end - 1)(random);
        };
        int chained = 0;
        int together = 0;
        for (int trial = 0; trial < 200; ++trial) {
            CAPTURE(trial);
            Relays relays;
            const int count = 2 + below(5);
            for (int i = 0; i < count; ++i) {
                // Multiples of 1/8: inputs and bounds are met exactly. Weights below the width of
                // a relay's play let nothing switch on and off at one instant.
                std::vector<double> weights;
                for (int j = 0; j < count; ++j)
                    weights.push_back(j == i || below(2) == 0 ? 0.0 : 0.125 * (below(5) - 2));
                const double on_at = 0.125 * (1 + below(12));
                relays.add({0.125 * (below(7) - 2),
                            -0.125 * below(4),
                            on_at,
                            on_at - 0.125 * (2 * count + below(4)),
                            weights});
            }
            RelayModel model(relays.text());
            relays.settle(0.0);
            model.go_to(0.0, false);
            check_alike(relays, model, 0.0);
            for (double t = 1.0; t <= 16.0; t += 1.0) {
                const std::vector<int> before = relays.switched;
                const int rounds = relays.settle(t);
                model.go_to(t, true);
                check_alike(relays, model, t);
                int changes = 0;
                for (std::size_t i = 0; i < before.size(); ++i)
                    changes += relays.switched[i] - before[i];
                chained += rounds > 1 ? 1 : 0;
                together += rounds > 0 && changes > rounds ? 1 : 0;
            }
        }
        CHECK(chained >= 8);
        CHECK(together >= 20);
    }
}

}  // namespace ancora::testing
