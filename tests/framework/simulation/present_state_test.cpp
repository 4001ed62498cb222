// SPDX-License-Identifier: BSD-3-Clause
// What a simulation shows where no step has led to its state, and states that it takes back.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

const char* const kExamples[] = {"robot_arm",
                                 "servo_drive",
                                 "gyroscope",
                                 "driven_pendulum",
                                 "double_wishbone",
                                 "hanging_cable",
                                 "differential",
                                 "peaucellier",
                                 "crane",
                                 "block_on_incline"};

std::vector<double> row_of(const Simulation& simulation) {
    std::vector<double> row(simulation.column_names().size());
    simulation.sample(row);
    return row;
}

/// The means over steps in a row.
std::vector<double> means_of(const Simulation& simulation) {
    const std::vector<double> row = row_of(simulation);
    std::vector<double> out;
    for (const int column : simulation.step_mean_columns()) out.push_back(row[column]);
    return out;
}

}  // namespace

TEST_SUITE("reactions before a step") {
    TEST_CASE("are those of the first, at the start, after reset() and after set_state()") {
        for (const std::string name : kExamples) {
            CAPTURE(name);
            Simulation run = example(name);
            Simulation other = example(name);
            run.step();
            const std::vector<double> first = means_of(run);
            REQUIRE(std::ranges::any_of(first, [](double x) {
                return x != 0.0;
            }));
            CHECK(means_of(other) == first);
            other.reset();
            CHECK(means_of(other) == first);
            // by name too, and of a constraint
            for (const int column : other.step_mean_columns()) {
                const auto k = static_cast<std::size_t>(column);
                Simulation fresh = example(name);
                CHECK(fresh.value(fresh.column_names()[k]) == row_of(other)[k]);
                break;
            }
            // To look changes nothing
            other.step();
            CHECK(std::ranges::equal(other.q(), run.q()));
            CHECK(std::ranges::equal(other.v(), run.v()));
            CHECK(means_of(other) == first);
            // After set_state() those of the step from there
            const std::vector<double> q(run.q().begin(), run.q().end());
            const std::vector<double> v(run.v().begin(), run.v().end());
            run.set_state(q, v);
            const std::vector<double> next = means_of(run);
            run.step();
            CHECK(means_of(run) == next);
        }
    }

    TEST_CASE("follow what the program sets") {
        Simulation arm = example("servo_drive", {"force.motor.voltage=0.0"});
        CHECK(arm.value("motor.effort") == 0.0);
        arm.set_input("motor.voltage", 12.0);
        const double effort = arm.value("motor.effort");
        CHECK(effort > 0.0);
        arm.step();
        CHECK(arm.value("motor.effort") == effort);
    }

    TEST_CASE("say what a first step says that cannot be made; other values are there") {
        const std::string text =
            "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1.0\n"
            "[[constraint]]\nname = \"c\"\ntype = \"general_constraint\"\n"
            "equation = \"p.x - sqrt(1e-4 - t) + 1e-2 = 0\"\n"
            "[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1.0\n";
        Simulation run = model(text, {"model.project_start=true"});
        CHECK(run.value("p.x") == 0.0);
        CHECK_THROWS_AS(run.reaction("c"), Error);
        CHECK(run.value("p.x") == 0.0);
        CHECK(run.time() == 0.0);
    }
}

TEST_SUITE("states that are given back") {
    TEST_CASE("what a step leaves is taken, at every step; what none leaves is not") {
        for (const std::string name : kExamples) {
            CAPTURE(name);
            Simulation run = example(name);
            for (int k = 0; k < 60; ++k) {
                run.step();
                const std::vector<std::byte> saved = run.save();
                const std::vector<double> q(run.q().begin(), run.q().end());
                std::vector<double> v(run.v().begin(), run.v().end());
                REQUIRE_NOTHROW(run.set_state(q, v));
                CHECK(std::ranges::equal(run.q(), q));
                CHECK(std::ranges::equal(run.v(), v));
                run.step();
                run.restore(saved);
            }
        }
    }

    TEST_CASE("those of earlier steps are taken too") {
        for (const std::string name :
             {"gyroscope", "hanging_cable", "double_wishbone", "differential"}) {
            CAPTURE(name);
            Simulation run = example(name);
            std::vector<std::vector<double>> states;
            for (int k = 0; k < 40; ++k) {
                run.step();
                states.emplace_back(run.q().begin(), run.q().end());
                states.emplace_back(run.v().begin(), run.v().end());
            }
            for (std::size_t k = 0; k < states.size(); k += 2)
                REQUIRE_NOTHROW(run.set_state(states[k], states[k + 1]));
            run.step();
        }
    }

    TEST_CASE("velocities that contradict constraints are refused as at a start") {
        for (const std::string name : {"driven_pendulum", "double_wishbone", "hanging_cable"}) {
            CAPTURE(name);
            Simulation run = example(name);
            for (int k = 0; k < 5; ++k) run.step();
            const std::vector<double> q(run.q().begin(), run.q().end());
            std::vector<double> v(run.v().begin(), run.v().end());
            double most = 0.0;
            for (const double x : v) most = std::max(most, std::abs(x));
            for (std::size_t i = 0; i < v.size(); ++i)
                v[i] += 0.1 * most * std::sin(static_cast<double>(i + 1));
            CHECK_THROWS_WITH_AS(
                run.set_state(q, v), doctest::Contains("inconsistent start"), Error);
        }
    }
}
