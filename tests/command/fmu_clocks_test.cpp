// SPDX-License-Identifier: BSD-3-Clause
// Sampled controllers as clocks of FMI 3.0: what an importer that knows nothing of Ancora finds at
// their ticks.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <pugixml.hpp>

#include "ancora/framework/fmu.hpp"
#include "fmu_models.hpp"

using namespace ancora;
using namespace ancora::testing;
namespace fs = std::filesystem;

namespace {

const std::string kStill = R"(
[model]
name = "controllers"
gravity = [0, 0, 0]
[[body]]
name = "none"
type = "particle"
mass = 1.0
)";
const std::string kControllers = R"(
[[force]]
name = "pid"
type = "sampled_pid"
period = 0.03
kp = 4.0
ki = 3.0
reference = 0.0
measured = 0.0
[[force]]
name = "slow"
type = "sampled_pid"
period = 0.05
offset = 0.01
kp = 2.0
ki = 1.5
reference = 0.0
measured = 0.0
)";
const std::string kSteps = R"(
[integrator]
type = "emm"
step = 0.02
end = 1.2
)";

/// An FMU, unpacked by a program that is not ours.
struct Fmu {
    Fmu(const TempFolder& to, const std::string& model, const FmuOptions& options) {
        Plugins plugins;
        const fs::path file = to / "made.fmu";
        write_fmu(Manifest::parse(model, to / "model.toml"), plugins.registry, file, options);
        folder = to / "inside";
        fs::create_directories(folder);
        ProcessOptions in;
        in.folder = folder;
        REQUIRE(run_process({ANCORA_TEST_CMAKE, "-E", "tar", "xf", file.string()}, in).status == 0);
        REQUIRE(description.load_file((folder / "modelDescription.xml").c_str()));
        root = description.child("fmiModelDescription");
    }
    ProcessResult import(const char* scenario) const {
        const std::string model = root.child("CoSimulation").attribute("modelIdentifier").value();
        return run_process({"/usr/bin/env",
                            "-i",
                            ANCORA_TEST_CLOCK_IMPORTER,
                            (folder / "binaries/x86_64-linux" / (model + ".so")).string(),
                            root.attribute("instantiationToken").value(),
                            (folder / "resources/").string(),
                            scenario},
                           {});
    }
    pugi::xml_node variable(const char* name) const {
        return root.child("ModelVariables").find_child_by_attribute("name", name);
    }

    fs::path folder;
    pugi::xml_document description;
    pugi::xml_node root;
};

FmuOptions options() {
    FmuOptions out;
    out.inputs = {"pid.reference", "pid.measured", "slow.reference", "slow.measured"};
    out.outputs = {"pid.command", "pid.error", "slow.command"};
    out.version = 3;
    out.for_model_exchange = true;
    return out;
}

std::string text(const pugi::xml_node& node, const char* attribute) {
    return node.attribute(attribute).value();
}

}  // namespace

TEST_CASE(
    "sampled controllers tick at their samples, with the law's values of the inputs of then") {
    const TempFolder folder;
    const Fmu fmu(folder, kStill + kControllers + kSteps, options());
    for (const std::string scenario : {"clocks", "through", "exchange", "refused"}) {
        CAPTURE(scenario);
        const ProcessResult run = fmu.import(scenario.c_str());
        CHECK_MESSAGE(run.status == 0, run.out);
    }

    // How they are described.
    const pugi::xml_node clock = fmu.variable("pid.clock"), slow = fmu.variable("slow.clock");
    CHECK(std::string(clock.name()) == "Clock");
    CHECK(text(clock, "causality") == "output");
    CHECK(text(clock, "intervalVariability") == "triggered");
    CHECK(text(clock, "description") ==
          "samples of pid, every 0.03 s from 0 s behind the start on");
    CHECK(text(slow, "description") ==
          "samples of slow, every 0.05 s from 0.01 s behind the start on");
    for (const char* name : {"pid.command", "pid.error"}) {
        CHECK(text(fmu.variable(name), "variability") == "discrete");
        CHECK(text(fmu.variable(name), "clocks") == text(clock, "valueReference"));
    }
    CHECK(text(fmu.variable("slow.command"), "clocks") == text(slow, "valueReference"));
    CHECK_FALSE(fmu.variable("pid.measured").attribute("clocks"));
    const auto outputs = fmu.root.child("ModelStructure").children("Output");
    CHECK(std::distance(outputs.begin(), outputs.end()) == 5);
}

TEST_CASE("a loop whose samples are all event mode's moves as one without, to the bit") {
    // Samples that fit no step, a table with corners, and a column of the body, which is no
    // clock's.
    const std::string loop = kStill + R"(
[[force]]
name = "pid"
type = "sampled_pid"
period = 0.03
kp = 9.0
kd = 2.0
reference = [[0.0, 0.0], [0.35, 0.6], [0.7, -0.2], [2.0, 0.4]]
measured = "none.x"
[[force]]
name = "push"
type = "point_load"
at = "none"
force = [1, 0, 0]
factor = "pid.command"
)" + kSteps;
    const TempFolder folder;
    FmuOptions out;
    out.outputs = {"none.x"};
    out.version = 3;
    const Fmu fmu(folder, loop, out);
    const ProcessResult run = fmu.import("run");
    REQUIRE_MESSAGE(run.status == 0, run.out);
    std::istringstream words(run.out);
    int num_events = 0;
    std::string value;
    REQUIRE((words >> num_events >> value));
    // 40 samples behind the start; corners of the reference are none of the motion's.
    CHECK(num_events >= 40);
    Plugins plugins;
    Simulation simulation = simulation_of(plugins, folder, loop);
    while (!simulation.done()) simulation.step();
    CHECK(std::abs(simulation.value("none.x")) > 0.01);
    CHECK(std::strtod(value.c_str(), nullptr) == simulation.value("none.x"));
}
