// SPDX-License-Identifier: BSD-3-Clause
// What a simulation shows where no step has led to its state, and states that it takes back.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

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

/// All folders of examples/ with a model whose plugins are built here.
std::vector<std::string> all_examples() {
    std::vector<std::string> out;
    const std::filesystem::path root = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples";
    for (const auto& entry : std::filesystem::directory_iterator(root))
        if (std::filesystem::exists(entry.path() / "model.toml") &&
            entry.path().filename() != "custom_constraint")
            out.push_back(entry.path().filename());
    std::sort(out.begin(), out.end());
    return out;
}

struct State {
    double t;
    std::vector<double> q, v;
};

State state_of(const Simulation& run) {
    return {run.time(), {run.q().begin(), run.q().end()}, {run.v().begin(), run.v().end()}};
}

double largest(std::span<const double> x) {
    double out = 0.0;
    for (const double value : x) out = std::max(out, std::abs(value));
    return out;
}

double farthest_apart(std::span<const double> x, std::span<const double> y) {
    double out = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) out = std::max(out, std::abs(x[i] - y[i]));
    return out;
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

    TEST_CASE("a fresh simulation of the model takes them at their time, and goes on as that did") {
        const std::vector<std::string> names = all_examples();
        CHECK(names.size() >= 27);
        int whole = 0;
        for (const std::string& name : names) {
            CAPTURE(name);
            Simulation run = example(name);
            const long steps = run.q().size() > 300 ? 12 : 200;
            for (long k = 1; k <= steps && !run.done(); ++k) {
                run.step();
                if (k != 1 && k != 7 && k != steps / 3 && k != steps / 2 + 1 && k != steps - 5)
                    continue;
                CAPTURE(k);
                const State here = state_of(run);
                Simulation fresh = example(name);
                try {
                    fresh.set_state(here.q, here.v, here.t);
                } catch (const Error& error) {
                    // objects keep more, which these do not tell: they are named
                    CHECK(error.kind() == ErrorKind::usage);
                    CHECK(error.message().find("positions and velocities do not tell what") !=
                          std::string::npos);
                    CHECK(error.message().find("save()") != std::string::npos);
                    break;
                }
                ++whole;
                CHECK(fresh.time() == here.t);
                CHECK(std::ranges::equal(fresh.q(), here.q));
                // Velocities without inertia, as along a unit quaternion, follow from the others
                CHECK(farthest_apart(fresh.v(), here.v) <=
                      (name == "quaternion_top" ? tolerance(1e-13) : 0.0));
                if (!run.is_adaptive()) CHECK(fresh.steps_done() == run.steps_done());
                Simulation twin = example(name);
                twin.restore(run.save());
                for (int i = 0; i < 4 && !twin.done(); ++i) {
                    twin.step();
                    fresh.step();
                }
                if (run.is_adaptive()) continue;  // other steps
                const State there = state_of(twin);
                // A slide in two directions goes on by what its last step was, which a state does
                // not tell.
                const double part = name == "ball_in_funnel" ? 1e-8 : 1e-9;
                CHECK(farthest_apart(fresh.q(), there.q) <=
                      tolerance(part * farthest_apart(here.q, there.q) + 1e-12));
                CHECK(farthest_apart(fresh.v(), there.v) <=
                      tolerance(part * (largest(there.v) + 1e-3)));
            }
        }
        CHECK(whole >= 100);
    }

    TEST_CASE("states that none has shown are refused by a fresh simulation, too") {
        for (const std::string& name : all_examples()) {
            CAPTURE(name);
            Simulation run = example(name);
            Simulation fresh = example(name);
            if (run.analyse().num_constraint_rows == 0) continue;
            for (int k = 0; k < (run.q().size() > 300 ? 3 : 20); ++k) run.step();
            State right = state_of(run);
            try {
                Simulation(example(name)).set_state(right.q, right.v, right.t);
            } catch (const Error& error) {
                REQUIRE(error.kind() == ErrorKind::usage);
                right.t = fresh.time();  // where more is kept, the present time alone is served
            }
            for (int member = 0; member < 6; ++member) {
                CAPTURE(member);
                // All rates of a quaternion are those of some turn
                if (name == "quaternion_top" && member % 2 == 1) continue;
                State wrong = right;
                const double by = member % 2 == 0 ? 1e-6 * run.extent() : 0.01 * largest(right.v);
                if (by == 0.0) continue;
                std::vector<double>& x = member % 2 == 0 ? wrong.q : wrong.v;
                for (std::size_t i = 0; i < x.size(); ++i)
                    x[i] += by * std::sin((1.0 + member) * static_cast<double>(i + 1));
                CHECK_THROWS_WITH_AS(fresh.set_state(wrong.q, wrong.v, right.t),
                                     doctest::Contains("inconsistent"),
                                     Error);
            }
            State none = right;
            none.v.back() = std::numeric_limits<double>::quiet_NaN();
            CHECK_THROWS_WITH_AS(fresh.set_state(none.q, none.v, right.t),
                                 doctest::Contains("is not finite"),
                                 Error);
            // A refused state leaves the present one
            CHECK(fresh.time() == example(name).time());
            fresh.step();
        }
    }

    TEST_CASE(
        "a rigid body that stretches by a part of its speed is refused, beside fast ones, too") {
        // Not the gyroscope's, whose wheel turns by 4 degrees in a step: that leaves as much
        int bodies = 0;
        for (const std::string name : {"tumbling_box",
                                       "hanging_chain",
                                       "driven_pendulum",
                                       "double_wishbone",
                                       "differential",
                                       "robot_arm",
                                       "tethered_hub",
                                       "turbine"}) {
            CAPTURE(name);
            Simulation run = example(name);
            for (int k = 0; k < 40; ++k) run.step();
            const State right = state_of(run);
            for (const Simulation::BodyState& body : run.body_states()) {
                CAPTURE(body.name);
                if (body.q.size() != 12) continue;
                const double speed = largest(body.v.subspan(3));
                if (!(speed > 1e-3)) continue;
                State wrong = right;
                const auto first = static_cast<std::size_t>(body.q.data() - run.q().data());
                for (std::size_t i = 3; i < 6; ++i)
                    wrong.v[first + i] += 0.01 * speed * right.q[first + i];
                Simulation fresh = example(name);
                CHECK_THROWS_WITH_AS(fresh.set_state(wrong.q, wrong.v, right.t),
                                     doctest::Contains("inconsistent start"),
                                     Error);
                ++bodies;
            }
        }
        CHECK(bodies >= 15);
    }

    TEST_CASE(
        "they are taken as they are where starts are projected, and at the ends of projected "
        "steps") {
        for (const std::string name :
             {"gyroscope", "hanging_cable", "double_wishbone", "hanging_chain", "tumbling_box"})
            for (const char* setting : {"model.project_start=true", "integrator.emm.order=4"}) {
                CAPTURE(name);
                CAPTURE(setting);
                const Overrides settings{setting};
                std::optional<Simulation> run;
                try {
                    run.emplace(example_manifest(name, settings), registry());
                } catch (const Error&) {
                    continue;  // its friction has no projected steps
                }
                for (int k = 0; k < 30; ++k) {
                    run->step();
                    if (k % 7 != 0) continue;
                    const State here = state_of(*run);
                    Simulation fresh = example(name, settings);
                    REQUIRE_NOTHROW(fresh.set_state(here.q, here.v, here.t));
                    CHECK(std::ranges::equal(fresh.q(), here.q));
                    CHECK(std::ranges::equal(fresh.v(), here.v));
                }
            }
    }

    TEST_CASE("every state of swings that begin in motion is taken, turning points among them") {
        for (int member = 0; member < 12; ++member) {
            CAPTURE(member);
            const double rate = 0.5 + 0.9 * member, length = 0.2 + 0.15 * (member % 4);
            const double h = member % 3 == 0 ? 5e-3 : 2e-3;
            std::string text = "[model]\ngravity = [0, 0, -9.81]\n";
            std::string above = "ground";
            for (int link = 0; link < 1 + member % 3; ++link) {
                text += fmt::format(
                    "[[body]]\nname = \"rod_{0}\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
                    "inertia = [0.01, 0.02, 0.015]\npenalty = inf\nposition = [0, 0, {1}]\n"
                    "angular_velocity = [0, {2}, 0]\nvelocity = [{3}, 0, 0]\n"
                    "[[joint]]\nname = \"hinge_{0}\"\ntype = \"{4}\"\na = \"{5}\"\n"
                    "b = \"rod_{0}\"\npoint = [0, 0, {6}]\n{7}",
                    link,
                    -length * (2 * link + 1),
                    rate,
                    -rate * length * (2 * link + 1),
                    link % 2 == 0 ? "revolute" : "spherical",
                    above,
                    -2.0 * length * link,
                    link % 2 == 0 ? "axis = [0, 1, 0]\n" : "");
                above = fmt::format("rod_{}", link);
            }
            text += fmt::format("[integrator]\ntype = \"emm\"\nstep = {}\nend = 2.0\n", h);
            Simulation run = model(text), fresh = model(text);
            int step = 0;
            while (!run.done()) {
                run.step();
                const State here = state_of(run);
                REQUIRE_NOTHROW(model(text).set_state(here.q, here.v, here.t));
                if (++step % 16 != 0 || run.done()) continue;
                fresh.set_state(here.q, here.v, here.t);
                Simulation twin = model(text);
                twin.restore(run.save());
                fresh.step();
                twin.step();
                CHECK(farthest_apart(fresh.q(), twin.q()) <= tolerance(1e-12));
                CHECK(farthest_apart(fresh.v(), twin.v()) <= tolerance(1e-9 * (1.0 + rate)));
            }
        }
    }

    TEST_CASE(
        "what positions do not tell is named: turns of gears, and the time of what is driven") {
        Simulation gears = example("differential");
        for (int k = 0; k < 400; ++k) gears.step();
        const State turned = state_of(gears);
        Simulation fresh = example("differential");
        try {
            fresh.set_state(turned.q, turned.v, turned.t);
            CHECK(false);
        } catch (const Error& error) {
            CHECK(error.message().find("joint \"bevel\" counts turns of angles") !=
                  std::string::npos);
            CHECK(error.message().find("for restore()") != std::string::npos);
        }
        Simulation whole = example("differential");
        whole.restore(gears.save());

        Simulation arm = example("robot_arm");
        for (int k = 0; k < 40; ++k) arm.step();
        const State there = state_of(arm);
        Simulation other = example("robot_arm");
        CHECK_THROWS_WITH_AS(other.set_state(there.q, there.v),
                             doctest::Contains("hand on the time of a state"),
                             Error);
        other.set_state(there.q, there.v, there.t);
    }

    TEST_CASE("times at which no step ends are refused, with those around") {
        Simulation run = example("gyroscope");
        const State start = state_of(run);
        const double h = run.step_size();
        for (const double t : {-h, 0.4 * h, 7.5 * h, run.end_time() + h}) {
            CAPTURE(t);
            CHECK_THROWS_AS(run.set_state(start.q, start.v, t), Error);
        }
        try {
            run.set_state(start.q, start.v, 7.4 * h);
        } catch (const Error& error) {
            CHECK(error.kind() == ErrorKind::usage);
            CHECK(error.message().find(fmt::format("{:.9g} s and {:.9g} s", 7.0 * h, 8.0 * h)) !=
                  std::string::npos);
        }
        run.set_state(start.q, start.v, run.end_time());
        CHECK(run.done());
        run.set_state(start.q, start.v, 0.0);
        CHECK(run.steps_done() == 0);
        run.step();
        CHECK(run.time() == h);
    }
}
