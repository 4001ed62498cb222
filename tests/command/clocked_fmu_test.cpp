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

#include "fmu_models.hpp"

using namespace ancora;
using namespace ancora::testing;
namespace fs = std::filesystem;

namespace {

const std::string kFast =
    R"(<Clock name="fast" valueReference="7" causality="input" intervalVariability="constant" intervalDecimal="0.02"/>)";
const std::string kSlow =
    R"(<Clock name="slow" valueReference="8" causality="input" intervalVariability="fixed" resolution="50" intervalCounter="3" shiftCounter="1"/>)";

/// The FMU in C, which refuses calls out of their modes.
void write_clocked(const TempFolder& folder, const std::string& clocks) {
    const fs::path inside = folder / "clocked";
    fs::create_directories(inside / "binaries/x86_64-linux");
    fs::copy_file(ANCORA_TEST_CLOCKED_FMU,
                  inside / "binaries/x86_64-linux/clocked.so",
                  fs::copy_options::overwrite_existing);
    std::ofstream(inside / "modelDescription.xml") << R"(<?xml version="1.0"?>
<fmiModelDescription fmiVersion="3.0" modelName="clocked" instantiationToken="{}">
<CoSimulation modelIdentifier="clocked" hasEventMode="true" canGetAndSetFMUState="true" canSerializeFMUState="true"/>
<ModelVariables>
<Float64 name="time" valueReference="0" causality="independent"/>
<Float64 name="kp" valueReference="1" causality="parameter" variability="fixed" start="1"/>
<Float64 name="ki" valueReference="2" causality="parameter" variability="fixed" start="0"/>
<Float64 name="r" valueReference="3" causality="input" variability="discrete" clocks="7" start="0"/>
<Float64 name="m" valueReference="4" causality="input" variability="discrete" clocks="7" start="0"/>
<Float64 name="u" valueReference="5" causality="output" variability="discrete" clocks="7"/>
<Float64 name="n" valueReference="6" causality="output" variability="discrete" clocks="8"/>
<Float64 name="total" valueReference="9" causality="local" variability="discrete"/>
)" << clocks << "\n</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n";
    ProcessOptions options;
    options.folder = inside;
    const fs::path archive = folder / "clocked.fmu";
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
        for (const char* const period : {"", "period = 0.01", "period = 0.02"}) {
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
    check_says(said(kFast + kSlow, "period = 0.015"),
               "period: 0.015 s does not divide the interval of its clock \"fast\", 0.02 s");
    check_says(said(kFast + R"(<Clock name="late" valueReference="8" causality="input" )" +
                    R"(intervalVariability="fixed" intervalDecimal="0.06" shiftDecimal="0.03"/>)"),
               "period: 0.02 s does not divide the shift of its clock \"late\", 0.03 s");
    check_says(said(kFast + R"(<Clock name="own" valueReference="8" causality="input" )" +
                    R"(intervalVariability="countdown"/>)"),
               "its clock \"own\" is of kind countdown");
    check_says(said(kFast + R"(<Clock name="mute" valueReference="8" causality="input" )" +
                    R"(intervalVariability="tunable"/>)"),
               "does not say how often its clock \"mute\" ticks");
    check_says(said(kFast + R"(<Clock name="still" valueReference="8" causality="input" )" +
                    R"(intervalVariability="fixed" intervalDecimal="0"/>)"),
               "its clock \"still\" has no interval above zero");
}
