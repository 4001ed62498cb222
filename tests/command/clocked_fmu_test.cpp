// SPDX-License-Identifier: BSD-3-Clause
// FMUs with clocks by FMI 3.0: who ticks when, and what is given and got then.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/event_steps.hpp"
#include "fmu_models.hpp"

using namespace ancora;
using namespace ancora::testing;
namespace fs = std::filesystem;

namespace {

const std::string kFast =
    R"(<Clock name="fast" valueReference="7" causality="input" intervalVariability="constant" )"
    R"(intervalDecimal="0.02"/>)";
const std::string kSlow =
    R"(<Clock name="slow" valueReference="8" causality="input" intervalVariability="fixed" )"
    R"(resolution="50" intervalCounter="3" shiftCounter="1"/>)";

/// An FMU in C of this name, which refuses calls out of their modes.
void write_fmu_in_c(const TempFolder& folder,
                    const std::string& name,
                    const char* library,
                    const std::string& variables) {
    const fs::path inside = folder / name;
    fs::create_directories(inside / "binaries/x86_64-linux");
    fs::copy_file(library,
                  inside / ("binaries/x86_64-linux/" + name + ".so"),
                  fs::copy_options::overwrite_existing);
    std::ofstream(inside / "modelDescription.xml") << fmt::format(
        R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="{0}" instantiationToken="{{}}">
<CoSimulation modelIdentifier="{0}" hasEventMode="true" canGetAndSetFMUState="true" canSerializeFMUState="true"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent"/>
{1}
</ModelVariables>
<ModelStructure/>
</fmiModelDescription>
)",
        name,
        variables);
    ProcessOptions options;
    options.folder = inside;
    const fs::path archive = folder / (name + ".fmu");
    fs::remove(archive);
    const ProcessResult packed = run_process({ANCORA_TEST_CMAKE,
                                              "-E",
                                              "tar",
                                              "cf",
                                              archive.string(),
                                              "--format=zip",
                                              "modelDescription.xml",
                                              "binaries"},
                                             options);
    REQUIRE_MESSAGE(packed.status == 0, packed.err);
}

void write_clocked(const TempFolder& folder, const std::string& clocks) {
    write_fmu_in_c(folder, "clocked", ANCORA_TEST_CLOCKED_FMU, R"(
<Float64 name="kp" valueReference="1" causality="parameter" variability="fixed" start="1"/>
<Float64 name="ki" valueReference="2" causality="parameter" variability="fixed" start="0"/>
<Float64 name="r" valueReference="3" causality="input" variability="discrete" clocks="7" start="0"/>
<Float64 name="m" valueReference="4" causality="input" variability="discrete" clocks="7" start="0"/>
<Float64 name="u" valueReference="5" causality="output" variability="discrete" clocks="7"/>
<Float64 name="n" valueReference="6" causality="output" variability="discrete" clocks="8"/>
<Float64 name="total" valueReference="9" causality="local" variability="discrete"/>
)" + clocks);
}

/// Clocks of all kinds, of kinds_fmu.c.
void write_kinds(const TempFolder& folder) {
    write_fmu_in_c(folder, "kinds", ANCORA_TEST_KINDS_FMU, R"(
<Float64 name="x" valueReference="1" causality="input" start="0"/>
<Float64 name="sum" valueReference="2" causality="output" variability="discrete" clocks="7"/>
<Float64 name="last" valueReference="3" causality="local" variability="discrete"/>
<Clock name="changing" valueReference="4" causality="input" intervalVariability="changing"/>
<Clock name="countdown" valueReference="5" causality="input" intervalVariability="countdown"/>
<Clock name="pulse" valueReference="6" causality="input" intervalVariability="triggered"/>
<Clock name="own" valueReference="7" causality="output" intervalVariability="triggered"/>
<Float64 name="ticks" valueReference="8" causality="local" variability="discrete"/>
<Float64 name="downs" valueReference="9" causality="local" variability="discrete"/>
<Float64 name="pulses" valueReference="10" causality="local" variability="discrete"/>
<Float64 name="down_time" valueReference="11" causality="local" variability="discrete"/>
<Float64 name="first" valueReference="12" causality="parameter" variability="fixed" start="0.01"/>
<Float64 name="growth" valueReference="13" causality="parameter" variability="fixed" start="0.01"/>
)");
}
constexpr const char* kKinds = R"toml(
[[body]]
name = "none"
type = "particle"
mass = 1.0
[[force]]
name = "a"
type = "fmu"
file = "kinds.fmu"
period = 0.03
inputs = ["x", "pulse"]
u1 = "sin(5*t)"
u2 = "4*t"
outputs = ["sum", "last", "ticks", "downs", "pulses", "down_time", "own", "changed = changing"]
[[force]]
name = "b"
type = "fmu"
file = "kinds.fmu"
inputs = ["x", "pulse"]
u1 = 0.0
u2 = "a.own"
outputs = ["pulses"]
[integrator]
type = "emm"
step = 0.02
end = 0.6
)toml";
/// The first interval of its changing clock, and how much longer each is than the one before.
std::string with_intervals(double first, double growth) {
    std::string text = kKinds;
    return text.insert(
        text.find("period"),
        fmt::format("parameters = [\"first = {}\", \"growth = {}\"]\n", first, growth));
}

/// A slider, and the controller beside it.
std::string model(const std::string& more = "") {
    return R"toml(
[model]
gravity = [0, 0, 0]
[[body]]
name = "ball"
type = "particle"
mass = 2.0
[[force]]
name = "pi"
type = "fmu"
file = "clocked.fmu"
inputs = ["r", "m"]
u1 = "sin(5*t)"
u2 = "ball.x + 0.3*t"
outputs = ["u", "n", "total", "time"]
parameters = ["kp = 4", "ki = 3"]
)toml" + more +
           R"toml(
[[force]]
name = "push"
type = "point_load"
at = "ball"
force = [1, 0, 0]
factor = "pi.u"
[integrator]
type = "emm"
step = 5e-3
end = 0.5
)toml";
}

}  // namespace

TEST_CASE("a controller on a clock acts at its ticks, with what stands there") {
    const std::string told[] = {
        kFast,
        R"(<Clock name="fast" valueReference="7" causality="input" intervalVariability="calculated"/>)"};
    for (const std::string& fast : told)
        for (const std::string period : {"", "period = 0.01", "period = 0.015", "period = 0.02"}) {
            CAPTURE(fast);
            CAPTURE(period);
            const TempFolder folder;
            write_clocked(folder, fast + kSlow);
            Plugins plugins;
            Simulation it = simulation_of(plugins, folder, model(period));
            double sum = 0.0, u = 0.0, most = 0.0;
            int fast_ticks = 0, slow_ticks = 0;
            std::vector<std::byte> saved;
            for (int step = 0;; ++step) {
                // What a tick at the end of a step makes is looked at in the next
                const double t = 5e-3 * step;
                if (step % 4 == 0) {
                    const double e = std::sin(5.0 * t) - (it.value("ball.x") + 0.3 * t);
                    sum += e * 0.02;
                    u = 4.0 * e + 3.0 * sum;
                    ++fast_ticks;
                }
                if (step % 12 == 4) ++slow_ticks;
                if (step == 50) saved = it.save();
                if (it.done()) break;
                it.step();
                if ((step + 1) % 4 != 0) {
                    CAPTURE(t);
                    REQUIRE(std::abs(it.value("pi.u") - u) <= 1e-13);
                    CHECK(it.value("pi.total") == fast_ticks);
                    CHECK(it.value("pi.n") == slow_ticks);
                }
                most = std::max(most, std::abs(it.value("ball.x")));
            }
            CHECK(fast_ticks == 26);
            CHECK(slow_ticks == 9);
            CHECK(most > 0.05);

            // Another goes on from the middle with the same bits
            Simulation other = simulation_of(plugins, folder, model(period));
            other.restore(saved);
            while (!other.done()) other.step();
            CHECK(other.value("ball.x") == it.value("ball.x"));
            CHECK(other.value("pi.total") == it.value("pi.total"));
        }
}

TEST_CASE("a periodic clock ticks once at each of its times") {
    const auto run = [](const std::string& clocks,
                        const std::string& more,
                        double step,
                        double end,
                        double ticks) {
        CAPTURE(clocks);
        CAPTURE(more);
        const TempFolder folder;
        write_clocked(folder, clocks);
        const std::string text = fmt::format(R"toml(
[[body]]
name = "none"
type = "particle"
mass = 1.0
[[force]]
name = "pi"
type = "fmu"
file = "clocked.fmu"
u1 = 1.0
u2 = 0.0
outputs = ["u", "n", "total", "counted = fast"]
parameters = ["kp = 4", "ki = 3"]
{}
[integrator]
type = "emm"
step = {}
end = {}
)toml",
                                             more,
                                             step,
                                             end);
        Plugins plugins;
        Simulation it = simulation_of(plugins, folder, text);
        std::vector<std::byte> saved;
        for (int k = 0; !it.done(); ++k) {
            if (k == 7) saved = it.save();
            it.step();
        }
        Simulation other = simulation_of(plugins, folder, text);
        other.restore(saved);
        while (!other.done()) other.step();
        for (const Simulation* of : {&it, &other}) {
            CHECK(of->value("pi.total") == ticks);
            CHECK(of->value("pi.counted") == ticks);
            CHECK(std::abs(of->value("pi.u") - (4.0 + 3.0 * 0.02 * ticks)) <= 1e-12);
        }
        return it.value("pi.n");
    };
    // The signal of another clock jumps at a tick.
    const std::string pulse =
        R"(<Clock name="slow" valueReference="8" causality="input" intervalVariability="triggered"/>)";
    CHECK(run(kFast + pulse,
              R"toml(
inputs = ["r", "m", "slow"]
u3 = "pid.command"
[[force]]
name = "pid"
type = "sampled_pid"
period = 0.02
kp = 1.5
reference = "if(t > 0.09, 1, 0)"
measured = 0.0
)toml",
              0.005,
              0.19,
              10.0) == 1.0);
    // Ticks just before ends of steps are moved there.
    const auto every = [](const std::string& interval) {
        std::string clock = kFast;
        return clock.replace(clock.find("0.02"), 4, interval);
    };
    for (const std::string period : {"", "period = 0.1\n", "period = 0.033333333333\n"})
        run(every("0.033333333333") + kSlow, period + "inputs = [\"r\", \"m\"]", 0.1, 2.0, 61.0);
    // 0.023 + (0.11 - 0.023) is less than 0.11, and there is no step from there to it.
    const std::string late =
        R"(<Clock name="slow" valueReference="8" causality="input" intervalVariability="fixed" )"
        R"(intervalDecimal="9" shiftDecimal="0.023"/>)";
    CHECK(run(every("0.11") + late, "inputs = [\"r\", \"m\"]", 0.005, 0.2, 2.0) == 1.0);
}

TEST_CASE("an FMU on a periodic clock takes samples as a sampled controller does") {
    for (const double offset : {0.0, 0.01}) {
        CAPTURE(offset);
        const TempFolder folder;
        write_clocked(folder, kFast);
        std::string text = model(fmt::format("offset = {}", offset));
        text.replace(text.find("\"n\", "), 5, "");
        Plugins plugins;
        Simulation plain = simulation_of(plugins, folder, text);
        Simulation it = simulation_of(plugins, folder, text);
        EventSteps steps(it);
        REQUIRE(steps.samplers().size() == 1);
        CHECK(steps.samplers()[0].name == "pi");
        CHECK(steps.samplers()[0].first == offset);
        CHECK(std::abs(steps.samplers()[0].period - 0.02) <= 1e-15);
        CHECK(steps.samplers()[0].columns ==
              std::vector<std::string>{"pi.u", "pi.total", "pi.time"});
        steps.sample_anew();
        CHECK(steps.is_due(0, 0.0) == (offset == 0.0));
        while (!it.done()) {
            steps.step(true);
            if (steps.is_due(it.time())) steps.pass();
        }
        while (!plain.done()) plain.step();
        CHECK(it.value("pi.total") == plain.value("pi.total"));
        CHECK(it.value("ball.x") == plain.value("ball.x"));
        CHECK(std::abs(plain.value("ball.x")) > 0.05);
    }
}

TEST_CASE("clocks that cannot be kept are refused") {
    const auto said = [](const std::string& clocks, const std::string& more = "") {
        const TempFolder folder;
        write_clocked(folder, clocks);
        return failure(folder, model(more));
    };
    const auto check_says = [](const std::string& message, const std::string& part) {
        INFO(message);
        CHECK(message.find(part) != std::string::npos);
    };
    check_says(said(""),
               "force \"pi\": period: is missing, and the FMU has no clock that tells it");
    check_says(said(kFast + R"(<Clock name="mute" valueReference="8" causality="input" )" +
                    R"(intervalVariability="tunable"/>)"),
               "does not say how often its clock \"mute\" ticks");
    check_says(said(kFast + R"(<Clock name="still" valueReference="8" causality="input" )" +
                    R"(intervalVariability="fixed" intervalDecimal="0"/>)"),
               "its clock \"still\" has no interval above zero");
    std::string text = model();
    text.replace(text.find("[\"r\", \"m\"]"), 10, "[\"r\", \"fast\"]");
    const TempFolder folder;
    write_clocked(folder, kFast + kSlow);
    check_says(failure(folder, text),
               "inputs: name \"fast\", a clock that nothing outside lets tick");
    write_kinds(folder);
    text = kKinds;
    text.replace(text.find("\"x\", \"pulse\""), 12, "\"pulse\", \"pulse\"");
    check_says(failure(folder, text), "inputs: name \"pulse\" twice");
    // Intervals that it says as it starts, behind the first tick, behind the second, and forever.
    check_says(failure(folder, with_intervals(-0.01, 0.02)),
               "its clock \"changing\" has an interval of -0.010000 s");
    check_says(failure(folder, with_intervals(0.01, -0.03)),
               "its clock \"changing\" has an interval of -0.020000 s");
    check_says(failure(folder, with_intervals(0.01, -0.01)),
               "its clock \"changing\" has an interval of -0.010000 s");
    check_says(failure(folder, with_intervals(0.0, 0.0)),
               "its clocks and discrete states find no rest at one event");
}

TEST_CASE("a clock may tick at the start, and twice at one instant") {
    const TempFolder folder;
    write_kinds(folder);
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, with_intervals(0.0, 0.01));
    while (!it.done()) it.step();
    CHECK(it.value("a.ticks") == 11.0);
    CHECK(it.value("a.changed") == 11.0);
    CHECK(std::abs(it.value("a.last") - 0.55) <= 1e-12);
}

TEST_CASE(
    "clocks whose ticks the FMU or a signal chooses, and steps that end early at its events") {
    const TempFolder folder;
    write_kinds(folder);
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, kKinds);
    std::vector<std::byte> saved;
    for (int step = 0; !it.done(); ++step) {
        if (step == 13) saved = it.save();  // behind samples that lie inside of steps
        it.step();
    }
    // Times at which the FMU is given its input: samples, ticks of its choice, whole numbers of 4
    // t.
    std::vector<double> given;
    for (int k = 0; k <= 20; ++k) given.push_back(0.03 * k);
    for (int n = 1; n <= 10; ++n) given.push_back(0.005 * n * (n + 1));
    for (int k = 0; k < 8; ++k) given.push_back(0.054 + 0.07 * k);
    for (int k = 1; k <= 2; ++k) given.push_back(0.25 * k);
    double sum = 0.0;
    for (int k = 0; k < 8; ++k) {
        const double own = 0.05 + 0.07 * k;
        double last = 0.0;
        for (const double t : given)
            if (t <= own + 1e-9) last = std::max(last, t);
        sum += std::sin(5.0 * last);
    }
    CHECK(std::abs(it.value("a.sum") - sum) <= 1e-12);
    CHECK(std::abs(sum) > 0.5);
    CHECK(it.value("a.own") == 8.0);
    CHECK(it.value("a.ticks") == 10.0);
    CHECK(it.value("a.changed") == 10.0);
    CHECK(std::abs(it.value("a.last") - 0.55) <= 1e-12);
    CHECK(it.value("a.downs") == 8.0);
    CHECK(std::abs(it.value("a.down_time") - 0.544) <= 1e-12);
    CHECK(it.value("a.pulses") == 2.0);
    // Ticks of one let the other tick.
    CHECK(it.value("b.pulses") == 8.0);

    Simulation other = simulation_of(plugins, folder, kKinds);
    other.restore(saved);
    while (!other.done()) other.step();
    for (const char* column : {"a.sum", "a.last", "a.own", "a.downs", "b.pulses"})
        CHECK(other.value(column) == it.value(column));
}
