// SPDX-License-Identifier: BSD-3-Clause
// What an embedding program changes in a run: parameters, plugins that were built anew, the time
// back to the start.
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/simulation.hpp"
#include "framework/models.hpp"

using namespace ancora;
using ancora::testing::manifest;
using ancora::testing::near;
using ancora::testing::Plugins;
using ancora::testing::Run;

namespace {

std::string integrator(const std::string& type, double step, double end, double tolerance = 1e-11) {
    return fmt::format("[integrator]\ntype = \"{}\"\nstep = {}\nend = {}\ntolerance = {}\n",
                       type,
                       step,
                       end,
                       tolerance);
}

/// A mass on a spring in x, of stiffness k, from x = 0.1 m at rest.
std::string oscillator(double k, double mass = 2.0, const std::string& more = "") {
    return fmt::format(R"(
[[body]]
name = "mass"
type = "particle"
mass = {}
position = [0.1, 0.0, 0.0]
[[constraint]]
name = "rail"
type = "position"
a = "mass@[0, 0, 0]"
b = "ground@[0, 0, 0]"
components = "yz"
[[force]]
name = "spring"
type = "spring"
a = "mass@[0, 0, 0]"
b = "ground@[-1, 0, 0]"
stiffness = {}
free = 1.0
{})",
                       mass,
                       k,
                       more);
}

/// A block on an incline that it does not slide down while mu > tan(angle) = 0.5.
std::string incline(double mu) {
    return fmt::format(R"(
[model]
gravity = [4.0, 0.0, -8.0]
[[body]]
name = "block"
type = "particle"
mass = 1.5
[[constraint]]
name = "floor"
type = "point_on_plane"
point = "block@[0, 0, 0]"
normal = [0.0, 0.0, 1.0]
[[force]]
name = "friction"
type = "coulomb_friction"
on = "floor"
mu_kinetic = {}
)",
                       mu);
}

std::string load(double x) {
    return fmt::format(R"(
[[body]]
name = "mass"
type = "particle"
mass = 2.0
[[force]]
name = "push"
type = "test_load"
at = "mass@[0, 0, 0]"
force = [{}, 0.0, 0.0]
)",
                       x);
}

std::string refusal(Simulation& simulation, const std::string& text, PluginRegistry& registry) {
    const std::vector<std::byte> before = simulation.save();
    std::string message;
    try {
        const Simulation none = simulation.changed(manifest(text), registry);
    } catch (const Error& error) {
        message = error.message();
    }
    CHECK(simulation.save() == before);
    simulation.step();
    return message;
}

const double kTurn = 0.7;  // when something changes [s]

}  // namespace

TEST_SUITE("changes of parameters") {
    TEST_CASE("a spring that turns stiffer: the motion is that of two, and the work is booked") {
        // x'' = -k/m x on either side of t = 0.7 s
        const double m = 2.0, k1 = 50.0, k2 = 200.0;
        const double w1 = std::sqrt(k1 / m), w2 = std::sqrt(k2 / m);
        const double x1 = 0.1 * std::cos(w1 * kTurn), v1 = -0.1 * w1 * std::sin(w1 * kTurn);
        for (const auto& [type, bound] : {std::pair("emm", 2e-5),
                                          std::pair("rk4", 1e-8),
                                          std::pair("dopri5", 1e-9),
                                          std::pair("generalized_alpha", 2e-5)}) {
            CAPTURE(type);
            const std::string end = integrator(type, 1e-3, 1.5);
            Plugins plugins;
            // An integrator that chooses its steps is led to that time by a run that ends there.
            Simulation simulation(manifest(oscillator(k1) + integrator(type, 1e-3, kTurn)),
                                  plugins.registry);
            while (!simulation.done()) simulation.step();
            CHECK(near(simulation.q()[0], x1, bound));
            const double before = simulation.value("energy.total");
            const double x = simulation.q()[0];
            simulation = simulation.changed(manifest(oscillator(k2) + end), plugins.registry);
            CHECK(simulation.q()[0] == x);
            CHECK(near(simulation.value("energy.total") - before, 0.5 * (k2 - k1) * x * x, 1e-14));
            CHECK(near(simulation.value("work.external"), 0.5 * (k2 - k1) * x * x, 1e-14));
            while (!simulation.done()) simulation.step();
            CHECK(simulation.time() == 1.5);
            const double t = 1.5 - kTurn;
            CHECK(near(
                simulation.q()[0], x1 * std::cos(w2 * t) + v1 / w2 * std::sin(w2 * t), 5 * bound));
            const double allowed = std::string_view(type) == "emm" ? 1e-14 : 1e-6;
            CHECK(near(simulation.value("energy.balance"), 0.0, allowed));
        }
    }
    TEST_CASE("a mass that grows keeps its velocity; its momentum came from outside") {
        for (const char* const type : {"emm", "rk4"}) {
            Plugins plugins;
            const std::string end = integrator(type, 1e-3, 1.0);
            Simulation simulation(manifest(oscillator(50.0) + end), plugins.registry);
            for (int k = 0; k < 300; ++k) simulation.step();
            const double v = simulation.v()[0];
            simulation =
                simulation.changed(manifest(oscillator(50.0, 5.0) + end), plugins.registry);
            CHECK(simulation.v()[0] == v);
            CHECK(near(simulation.value("work.external"), 0.5 * 3.0 * v * v, 1e-15));
            CHECK(near(simulation.value("momentum.x"), 5.0 * v, 1e-15));
            while (!simulation.done()) simulation.step();
            const RunStatistics run = simulation.statistics();
            CHECK(run.momentum.max_abs <= (type == std::string_view("emm") ? 1e-14 : 1e-9));
            CHECK(run.energy.max_abs <= (type == std::string_view("emm") ? 1e-14 : 1e-7));
        }
    }
    TEST_CASE("gravity that changes lifts what it acts on, and is booked") {
        Plugins plugins;
        const std::string body =
            "[[body]]\nname = \"ball\"\ntype = \"particle\"\nmass = 2.0\n"
            "position = [0.0, 0.0, 10.0]\n";
        const std::string end = integrator("emm", 1e-2, 1.0);
        Simulation simulation(manifest("[model]\ngravity = [0, 0, -9.81]\n" + body + end),
                              plugins.registry);
        for (int k = 0; k < 50; ++k) simulation.step();
        simulation = simulation.changed(manifest("[model]\ngravity = [0, 0, -1.62]\n" + body + end),
                                        plugins.registry);
        const double z = 10.0 - 0.5 * 9.81 * 0.25, v = -9.81 * 0.5;
        CHECK(near(simulation.value("work.external"), 2.0 * (1.62 - 9.81) * z, 1e-12));
        while (!simulation.done()) simulation.step();
        CHECK(near(simulation.q()[2], z + v * 0.5 - 0.5 * 1.62 * 0.25, 1e-13));
        CHECK(simulation.statistics().energy.max_abs <= 1e-12);
    }
    TEST_CASE("friction that gives way: a block that sticks slides from then on") {
        for (const char* const type : {"emm", "rk4", "dopri5"}) {
            CAPTURE(type);
            Plugins plugins;
            Simulation simulation(manifest(incline(0.6) + integrator(type, 1e-2, 0.5)),
                                  plugins.registry);
            while (!simulation.done()) simulation.step();
            CHECK(simulation.q()[0] == 0.0);
            simulation = simulation.changed(manifest(incline(0.3) + integrator(type, 1e-2, 1.5)),
                                            plugins.registry);
            while (!simulation.done()) simulation.step();
            // a = 4 - 0.3 * 8 for 1 s
            CHECK(near(simulation.q()[0], 0.5 * 1.6, 1e-9));
            CHECK(near(simulation.v()[0], 1.6, 1e-9));
        }
    }
    TEST_CASE("rates that steps leave open are no reason to refuse a change") {
        // Under `emm` a pendulum's length is kept, and its rate to second order.
        const auto text = [](double mass) {
            return fmt::format(R"([model]
gravity = [0, 0, -9.81]
[[body]]
name = "bob"
type = "particle"
mass = {}
position = [1.0, 0.0, 0.0]
[[constraint]]
name = "rod"
type = "distance"
a = "bob@[0, 0, 0]"
b = "ground@[0, 0, 0]"
length = 1.0
)",
                               mass) +
                   integrator("emm", 2e-2, 4.0, 1e-12);
        };
        Plugins plugins;
        Simulation alone(manifest(text(1.0)), plugins.registry);
        Simulation changed(manifest(text(1.0)), plugins.registry);
        while (!alone.done()) {
            // The path is the same with any mass.
            if (changed.steps_done() % 30 == 10)
                changed =
                    changed.changed(manifest(text(1.0 + static_cast<double>(changed.steps_done()))),
                                    plugins.registry);
            alone.step();
            changed.step();
        }
        CHECK(near(changed.q()[0], alone.q()[0], 1e-9));
        CHECK(near(changed.q()[2], alone.q()[2], 1e-9));
        CHECK(changed.statistics().energy.max_rel <= 1e-14);
        CHECK(changed.statistics().momentum.max_rel <= 1e-14);
    }
    TEST_CASE("nothing changed: the motion goes on as it would have") {
        for (const char* const type : {"emm", "rk4", "dopri5"}) {
            Plugins plugins;
            const std::string text = incline(0.2) + oscillator(30.0) + integrator(type, 2e-3, 1.0);
            Simulation alone(manifest(text), plugins.registry);
            Simulation changed(manifest(text), plugins.registry);
            changed.apply_force("block@[0, 0, 0]", {0.5, 0.0, 0.0});
            alone.apply_force("block@[0, 0, 0]", {0.5, 0.0, 0.0});
            int k = 0;
            for (; !alone.done(); ++k) alone.step();
            for (int i = 0; !changed.done(); ++i) {
                if (i % 7 == 0) changed = changed.changed(manifest(text), plugins.registry);
                changed.step();
            }
            for (std::size_t i = 0; i < alone.q().size(); ++i) {
                CHECK(near(changed.q()[i], alone.q()[i], 1e-9));
                CHECK(near(changed.v()[i], alone.v()[i], 1e-8));
            }
            CHECK(near(changed.value("work.external"), alone.value("work.external"), 1e-9));
            CHECK(changed.events().size() == alone.events().size());
        }
    }
    TEST_CASE("a plugin that was built anew takes over in the middle of a run") {
        Plugins first;
        const std::string text = load(3.0) + integrator("emm", 1e-2, 1.0);
        Simulation simulation(manifest(text), first.registry);
        for (int k = 0; k < 50; ++k) simulation.step();
        // The same plugin, whose force is twice what it was.
        PluginRegistry second;
        second.add_folder(ANCORA_TEST_PLUGIN_DIR);
        second.add_folder(ANCORA_TEST_ZOO_DIR "/built_anew");
        simulation = simulation.changed(manifest(text), second);
        while (!simulation.done()) simulation.step();
        CHECK(near(simulation.v()[0], 1.5 * 0.5 + 3.0 * 0.5, 1e-14));
        CHECK(simulation.statistics().energy.max_abs <= 1e-14);
        // The first is still what it was.
        Simulation again(manifest(text), first.registry);
        while (!again.done()) again.step();
        CHECK(near(again.v()[0], 1.5, 1e-14));
    }
    TEST_CASE("what does not fit is refused with the difference, and what runs is as before") {
        Plugins plugins;
        PluginRegistry& registry = plugins.registry;
        const std::string end = integrator("emm", 1e-3, 1.0);
        Simulation simulation(manifest(oscillator(50.0) + end), registry);
        for (int k = 0; k < 100; ++k) simulation.step();
        const auto has = [](const std::string& message, const char* part) {
            CAPTURE(message);
            CHECK(message.find(part) != std::string::npos);
        };
        has(refusal(
                simulation, oscillator(50.0) + load(1.0).replace(18, 4, "more") + end, registry),
            "\"more\"");
        has(refusal(simulation, oscillator(50.0) + integrator("emm", 2e-3, 1.0), registry),
            "step 0.002");
        has(refusal(simulation, oscillator(50.0) + integrator("rk4", 1e-3, 1.0), registry), "rk4");
        has(refusal(simulation, oscillator(50.0) + integrator("emm", 1e-3, 0.05), registry),
            "would end at 0.05 s");
        has(refusal(simulation, oscillator(-1.0) + end, registry), "stiffness");
        std::string moved = oscillator(50.0);
        moved.replace(moved.find("ground@[0, 0, 0]"), 16, "ground@[0, 1, 0]");
        moved.replace(moved.find("[0.1, 0.0, 0.0]"), 15, "[0.1, 1.0, 0.0]");
        const std::string message = refusal(simulation, moved + end, registry);
        has(message, "ground@[0, 1, 0]");
        has(message, "rail");
    }
    TEST_CASE("what is strained does not turn rigid, and counted turns go to no other joint") {
        Plugins plugins;
        const auto rope = [](const char* young, const char* reaction) {
            return fmt::format(R"([model]
gravity = [0, 0, -9.81]
project_start = true
[[body]]
name = "rope"
type = "truss"
nodes = [[0, 0, 0], [0, 0, -1]]
elements = [[0, 1]]
area = 1e-4
density = 1000.0
young = {}
[[body]]
name = "ball"
type = "particle"
mass = 1.0
[[constraint]]
name = "hook"
type = "position"
a = "rope@0"
b = "ground@[0, 0, 0]"
[[force]]
name = "gauge"
type = "sensor"
input = "{}"
)",
                               young,
                               reaction) +
                   integrator("emm", 1e-3, 1.0);
        };
        Simulation simulation(manifest(rope("1e5", "ball.x")), plugins.registry);
        for (int k = 0; k < 100; ++k) simulation.step();
        const std::string rigid = refusal(simulation, rope("inf", "ball.x"), plugins.registry);
        CHECK(rigid.find("the present state does not fit") != std::string::npos);
        const std::string other = refusal(simulation, rope("1e5", "ball.y"), plugins.registry);
        CHECK(other.find("ball.y") != std::string::npos);
        const double q = simulation.q()[5];
        simulation = simulation.changed(manifest(rope("2e5", "ball.x")), plugins.registry);
        CHECK(simulation.q()[5] == q);
    }
    TEST_CASE("what keeps other numbers from step to step is refused by that") {
        const auto rope = [](const char* type, const char* law) {
            return std::string(R"([[body]]
name = "rope"
type = "truss"
nodes = [[0, 0, 0], [1, 0, 0], [2, 0, 0]]
elements = [[0, 1], [1, 2]]
young = 1e6
area = 1e-4
density = 1000.0
held = [0]
)") + law + integrator(type, 1e-3, 0.2);
        };
        Plugins plugins;
        const char* const laws[] = {"", "breaking_strain = 0.1\n", "tension_only = true\n"};
        for (const char* type : {"emm", "rk4", "dopri5"})
            for (const char* from : laws)
                for (const char* to : laws) {
                    CAPTURE(type);
                    CAPTURE(from);
                    CAPTURE(to);
                    Simulation simulation(manifest(rope(type, from)), plugins.registry);
                    for (int k = 0; k < 2; ++k) simulation.step();
                    const std::string message =
                        refusal(simulation, rope(type, to), plugins.registry);
                    CAPTURE(message);
                    const bool is_told = message.find("from step to step") != std::string::npos;
                    CHECK(is_told == (from != to));
                    CHECK(message.empty() == (from == to));
                }
    }
    TEST_CASE("a run that ended between two steps of its grid does not go on") {
        Plugins plugins;
        Simulation simulation(manifest(oscillator(50.0) + integrator("emm", 1e-2, 0.105)),
                              plugins.registry);
        while (!simulation.done()) simulation.step();
        CHECK_THROWS_WITH_AS(
            simulation.changed(manifest(oscillator(50.0) + integrator("emm", 1e-2, 0.5)),
                               plugins.registry),
            doctest::Contains("no multiple of its step"),
            Error);
    }
    TEST_CASE("reset: the run is repeated with the same bits, whatever was done to it") {
        const std::string control = oscillator(50.0, 2.0, R"(
[[force]]
name = "damper"
type = "drag"
at = "mass@[0, 0, 0]"
linear = 0.4
)");
        for (const char* const type : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(type);
            const bool is_smooth = type == std::string_view("generalized_alpha");
            const std::string text =
                control + (is_smooth ? "" : incline(0.2)) + integrator(type, 1e-2, 1.0);
            Plugins plugins;
            Simulation simulation(manifest(text), plugins.registry);
            std::vector<double> row(simulation.column_names().size());
            std::vector<std::vector<double>> rows;
            const auto sampled = [&] {
                std::vector<std::vector<double>> out;
                while (!simulation.done()) {
                    simulation.sample(row);
                    out.push_back(row);
                    simulation.step();
                }
                return out;
            };
            rows = sampled();
            simulation.reset();
            CHECK(simulation.time() == 0.0);
            CHECK(simulation.steps_done() == 0);
            CHECK(sampled() == rows);
            // In the middle, with forces set and another state.
            simulation.reset();
            simulation.apply_force("mass@[0, 0, 0]", {3.0, 0.0, 0.0});
            for (int k = 0; k < 5; ++k) simulation.step();
            simulation.set_state(simulation.q(), simulation.v());
            simulation.step();
            simulation.reset();
            CHECK(sampled() == rows);
            // Of other parameters the start is theirs.
            simulation.reset();
            simulation.step();
            simulation = simulation.changed(manifest(text), plugins.registry);
            simulation.reset();
            CHECK(sampled() == rows);
        }
    }
}
