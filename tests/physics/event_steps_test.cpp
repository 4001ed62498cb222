// SPDX-License-Identifier: BSD-3-Clause
// Steps that end at events: where these are by closed forms, and that the motion is that of a run.
#include "ancora/framework/event_steps.hpp"

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

constexpr double kHeight = 0.8, kRestitution = 0.7, kG = 9.81, kEnd = 1.8;

/// With reactions of its floor among the columns.
std::string ball(const std::string& integrator) {
    return R"toml(
[model]
gravity = [0, 0, -9.81]
[[body]]
name = "ball"
type = "particle"
mass = 0.3
position = [0, 0, 0.85]
[[constraint]]
name = "floor"
type = "contact"
a = "ball"
b = "ground"
radius = 0.05
plane = { normal = [0, 0, 1] }
restitution = 0.7
[integrator]
step = 7e-3
end = 1.8
)toml" + integrator;
}

std::vector<double> impacts() {
    std::vector<double> out;
    double t = std::sqrt(2.0 * kHeight / kG), speed = kRestitution * kG * t;
    for (; t < kEnd; t += 2.0 * speed / kG, speed *= kRestitution) out.push_back(t);
    return out;
}

/// Times at which it stops, passing what is due.
std::vector<double> stops(Simulation& it) {
    EventSteps steps(it);
    std::vector<double> out;
    while (!it.done()) {
        if (steps.step(true)) out.push_back(it.time());
        steps.pass();
    }
    return out;
}

}  // namespace

TEST_CASE("steps end at impacts, whatever takes them, and go on as a run does") {
    for (const std::string integrator :
         {"type = \"emm\"",
          "type = \"emm\"\n[integrator.emm]\nvelocity_projection = true",
          "type = \"rk4\"",
          "type = \"generalized_alpha\""}) {
        CAPTURE(integrator);
        Simulation it = model(ball(integrator)), run = model(ball(integrator));
        const std::vector<double> right = impacts(), times = stops(it);
        REQUIRE(times.size() == right.size());
        CHECK(right.size() >= 4);
        for (std::size_t k = 0; k < right.size(); ++k) CHECK(std::abs(times[k] - right[k]) <= 1e-9);
        run_to_end(run);
        CHECK(it.time() == run.time());
        CHECK(std::abs(it.value("ball.z") - run.value("ball.z")) <= 1e-9);
        CHECK(it.impacts().size() == run.impacts().size());
    }
}

TEST_CASE("a run that is saved where a step has ended early goes on with the same bits") {
    const std::string text = ball("type = \"emm\"");
    Simulation it = model(text);
    EventSteps steps(it);
    while (!steps.step(true)) {
    }
    CHECK(std::abs(it.time() - impacts().front()) <= 1e-9);
    // What a reaction asks of the next step ends at no event.
    CHECK(it.reaction("floor").size() > 0);
    const std::vector<std::byte> saved = it.save();
    Simulation other = model(text);
    other.restore(saved);
    run_to_end(it);
    run_to_end(other);
    CHECK(it.value("ball.z") == other.value("ball.z"));
    CHECK(it.time() == kEnd);
}

TEST_CASE("samples and corners are events; the motion is that of a run to the bit") {
    const std::string text = R"toml(
[[body]]
name = "box"
type = "particle"
mass = 1.0
[[force]]
name = "pid"
type = "sampled_pid"
period = 0.03
offset = 0.01
kp = 9.0
kd = 2.0
reference = 0.4
measured = "box.x"
[[force]]
name = "push"
type = "point_load"
at = "box"
force = [1, 0, 0]
factor = "pid.command"
[[force]]
name = "pull"
type = "point_load"
at = "box"
force = [0, 1, 0]
factor = [[0.0, 0.0], [0.35, 0.6], [0.7, -0.2], [2.0, 0.4]]
[model]
gravity = [0, 0, 0]
[integrator]
step = 0.02
end = 1.0
type = ")toml";
    for (const std::string integrator : {"emm", "rk4"}) {
        CAPTURE(integrator);
        Simulation it = model(text + integrator + "\""), run = model(text + integrator + "\""),
                   ends = model(text + integrator + "\"");
        std::vector<double> right;
        for (int k = 0; k < 33; ++k) right.push_back(0.01 + 0.03 * k);
        right.push_back(1.0);   // the sample at the end
        right.push_back(0.35);  // a corner; that at 0.7 is one event with a sample
        std::ranges::sort(right);
        const std::vector<double> times = stops(it);
        REQUIRE(times.size() == right.size());
        for (std::size_t k = 0; k < right.size(); ++k)
            CHECK(std::abs(times[k] - right[k]) <= 1e-12);
        run_to_end(run);
        CHECK(it.value("box.x") == run.value("box.x"));
        CHECK(it.value("box.y") == run.value("box.y"));
        CHECK(std::abs(run.value("box.y")) > 1e-3);

        // Without stops: what is due at the ends of steps alone is left.
        EventSteps steps(ends);
        REQUIRE(steps.samplers().size() == 1);
        CHECK(steps.samplers()[0].name == "pid");
        CHECK(std::abs(steps.samplers()[0].period - 0.03) <= 1e-15);
        CHECK(std::abs(steps.samplers()[0].first - 0.01) <= 1e-15);
        CHECK(steps.samplers()[0].columns ==
              std::vector<std::string>{"pid.command", "pid.error", "pid.integral"});
        for (int k = 1; !ends.done(); ++k) {
            const bool is_due = steps.step(false);
            CHECK(is_due == (k % 3 == 2 || k == 50));  // 0.04, 0.1, ... 1.0
            CHECK(steps.is_due(0, ends.time()) == is_due);
        }
        CHECK(ends.value("box.x") == run.value("box.x"));
    }
}

TEST_CASE("a relay ends a step where its input comes to its bound") {
    const std::string text = R"toml(
[[body]]
name = "box"
type = "particle"
mass = 1.0
[[force]]
name = "switch"
type = "relay"
input = "sin(3*t)"
on_at = 0.5
off_at = -0.5
[model]
gravity = [0, 0, 0]
[integrator]
type = "emm"
step = 0.02
end = 3.0
)toml";
    Simulation it = model(text);
    const double first = std::asin(0.5) / 3.0, half = std::acos(-1.0) / 3.0;
    std::vector<double> right;
    for (int k = 0; first + half * k < 3.0; ++k) right.push_back(first + half * k);
    const std::vector<double> times = stops(it);
    REQUIRE(times.size() == right.size());
    for (std::size_t k = 0; k < right.size(); ++k) CHECK(std::abs(times[k] - right[k]) <= 1e-9);
    // A relay acts at its start alone by itself: it takes no samples.
    Simulation other = model(text);
    CHECK(EventSteps(other).samplers().empty());
}

TEST_CASE("what cannot be is refused") {
    Simulation free = model(ball("type = \"dopri5\""));
    EventSteps steps(free);
    CHECK_THROWS_WITH_AS(
        steps.step(true), "error: EventSteps: the integrator chooses its steps itself", Error);
    Simulation it = model(ball("type = \"emm\""));
    EventSteps of(it);
    run_to_end(it);
    CHECK_THROWS_WITH_AS(of.step(true), "error: the simulation has reached its end", Error);
}
