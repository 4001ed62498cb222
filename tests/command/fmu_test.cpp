// SPDX-License-Identifier: BSD-3-Clause
// `ancora fmu`: the archive, its description, and what an importer that knows nothing of Ancora
// does with it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <cstdlib>
#include <map>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <pugixml.hpp>

#include "ancora/framework/simulation.hpp"
#include "support/process.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

const std::string kModel = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/servo_drive/model.toml";

ProcessOptions in(const std::filesystem::path& folder) {
    ProcessOptions options;
    options.folder = folder;
    return options;
}

bool contains(const std::string& text, std::string_view part) {
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) MESSAGE("not found: \"", part, "\" in:\n", text);
    return is_there;
}

ProcessResult make(const TempFolder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {ANCORA_TEST_BIN, "fmu"});
    return run_for_messages(std::move(arguments), in(folder.path()));
}

/// The FMU of the servo drive, unpacked by a program that is not ours.
struct Fmu {
    explicit Fmu(const TempFolder& to, int fmi = 2) : version(fmi) {
        const ProcessResult made = make(to,
                                        {kModel,
                                         "--in",
                                         "motor.voltage,table@[0.1, 0.0, 0.0]",
                                         "--out",
                                         "shaft.angle",
                                         "--out",
                                         "motor.current",
                                         "--param",
                                         "body.table.mass,integrator.step",
                                         "--fmi",
                                         std::to_string(fmi),
                                         "--file",
                                         "servo.fmu"});
        REQUIRE_MESSAGE(made.status == 0, made.err);
        std::filesystem::create_directories(to / "some where/inside");
        const ProcessResult unpacked =
            run_process({ANCORA_TEST_CMAKE, "-E", "tar", "xf", (to / "servo.fmu").string()},
                        in(to / "some where/inside"));
        REQUIRE_MESSAGE(unpacked.status == 0, unpacked.err);
        folder = to / "some where/inside";
        REQUIRE(description.load_file((folder / "modelDescription.xml").c_str()));
        root = description.child("fmiModelDescription");
        guid = root.attribute(fmi == 3 ? "instantiationToken" : "guid").value();
        library =
            folder / (fmi == 3 ? "binaries/x86_64-linux" : "binaries/linux64") /
            (std::string(root.child("CoSimulation").attribute("modelIdentifier").value()) + ".so");
    }

    ProcessResult import(const char* scenario) const {
        // Nothing of this process's environment, and by 2.0 a URI that needs decoding.
        std::string uri = (version == 3 ? "" : "file://") + (folder / "resources/").string();
        if (version == 2) uri.replace(uri.find(' '), 1, "%20");
        return run_process({"/usr/bin/env",
                            "-i",
                            version == 3 ? ANCORA_TEST_IMPORTER_3 : ANCORA_TEST_IMPORTER,
                            library.string(),
                            guid,
                            uri,
                            scenario},
                           in("/"));
    }

    int version;
    std::filesystem::path folder, library;
    pugi::xml_document description;
    pugi::xml_node root;
    std::string guid;
};

}  // namespace

TEST_CASE("an importer steps an FMU to the bits of the same model in C++") {
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const TempFolder folder;
        const Fmu fmu(folder, version);
        const ProcessResult run = fmu.import("run");
        REQUIRE_MESSAGE(run.status == 0, run.out);

        const std::vector<std::string> overrides = {"body.table.mass=5.0", "integrator.end=0.2"};
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        Simulation simulation(Manifest::load(kModel, overrides), registry);
        std::istringstream lines(run.out);
        int moved = 0;
        for (int i = 0; i < 100; ++i) {
            simulation.set_input("motor.voltage", 12.0 - 0.125 * i);
            simulation.apply_force("table@[0.1, 0.0, 0.0]", {0.0, 0.25 * i, 0.0});
            simulation.step();
            simulation.step();
            std::string angle, current;
            REQUIRE((lines >> angle >> current));
            CHECK(std::strtod(angle.c_str(), nullptr) == simulation.value("shaft.angle"));
            CHECK(std::strtod(current.c_str(), nullptr) == simulation.value("motor.current"));
            moved += simulation.value("shaft.angle") > 1e-3 ? 1 : 0;
        }
        CHECK(moved > 50);
    }
}

TEST_CASE("states are kept, read from bytes, and refused where they are damaged") {
    const TempFolder folder;
    const Fmu fmu(folder);
    for (const char* scenario : {"state", "two"}) {
        const ProcessResult run = fmu.import(scenario);
        CHECK_MESSAGE(run.status == 0, run.out);
    }
}

TEST_CASE("calls in a wrong order are errors with a message, as the standard's table has them") {
    const TempFolder folder;
    const Fmu fmu(folder);
    const ProcessResult run = fmu.import("order");
    CHECK_MESSAGE(run.status == 0, run.out);
}

TEST_CASE("by FMI 3.0, too") {
    const TempFolder folder;
    const Fmu fmu(folder, 3);
    for (const char* scenario : {"state", "order"}) {
        const ProcessResult run = fmu.import(scenario);
        CHECK_MESSAGE(run.status == 0, run.out);
    }
    CHECK(std::string(fmu.root.attribute("fmiVersion").value()) == "3.0");
    int independent = 0;
    for (const pugi::xml_node& variable : fmu.root.child("ModelVariables").children())
        independent +=
            std::string(variable.attribute("causality").value()) == "independent" ? 1 : 0;
    CHECK(independent == 1);  // as the standard asks for
    std::vector<int> outputs, unknowns;
    for (const pugi::xml_node& item : fmu.root.child("ModelStructure").children())
        (std::string(item.name()) == "Output" ? outputs : unknowns)
            .push_back(item.attribute("valueReference").as_int());
    CHECK(outputs == std::vector<int>{6, 7});
    CHECK(unknowns == outputs);
    CHECK(make(folder, {kModel, "--fmi", "4"}).status == 2);
}

TEST_CASE("nothing but the C and C++ libraries of the system is needed") {
    const TempFolder folder;
    const Fmu fmu(folder);
    const ProcessResult run = fmu.import("libraries");
    REQUIRE_MESSAGE(run.status == 0, run.out);
    std::istringstream lines(run.out);
    std::string line;
    int inside = 0;
    while (std::getline(lines, line)) {
        if (line.starts_with(fmu.folder.string())) {
            ++inside;
            continue;
        }
        const std::string name = std::filesystem::path(line).filename().string();
        bool is_of_system = false;
        for (const char* known : {"libc.so",
                                  "libm.so",
                                  "libdl.so",
                                  "libstdc++.so",
                                  "libgcc_s.so",
                                  "ld-linux",
                                  "libpthread.so",
                                  "libdl-",
                                  "libc-",
                                  "libm-"})
            is_of_system |= name.starts_with(known);
        CHECK_MESSAGE((is_of_system || line.find("memfd") != std::string::npos ||
                       line.find("/plugins/") != std::string::npos),
                      line);
    }
    CHECK(inside > 5);
    CHECK(run.out.find(ANCORA_TEST_PLUGIN_DIR) == std::string::npos);
}

TEST_CASE("the description has what the standard asks for, with units, starts and structure") {
    const TempFolder folder;
    const Fmu fmu(folder);
    const pugi::xml_node& root = fmu.root;
    CHECK(std::string(root.attribute("fmiVersion").value()) == "2.0");
    CHECK(std::string(root.attribute("modelName").value()) == "servo_drive");
    const pugi::xml_node slave = root.child("CoSimulation");
    CHECK(slave.attribute("canGetAndSetFMUstate").as_bool());
    CHECK(slave.attribute("canSerializeFMUstate").as_bool());
    CHECK(slave.attribute("canHandleVariableCommunicationStepSize").as_bool());
    CHECK(std::filesystem::exists(fmu.library));
    CHECK(root.child("DefaultExperiment").attribute("stopTime").as_double() == 1.5);
    CHECK(root.child("DefaultExperiment").attribute("stepSize").as_double() == 1e-3);
    // order of the elements, by the schema
    std::vector<std::string> elements;
    for (const pugi::xml_node& child : root.children()) elements.emplace_back(child.name());
    CHECK(elements == std::vector<std::string>{"CoSimulation",
                                               "UnitDefinitions",
                                               "LogCategories",
                                               "DefaultExperiment",
                                               "ModelVariables",
                                               "ModelStructure"});
    std::map<std::string, pugi::xml_node> variables;
    std::vector<int> outputs;
    int index = 0;
    for (const pugi::xml_node& variable : root.child("ModelVariables").children()) {
        CHECK(variable.attribute("valueReference").as_int() == index);
        ++index;
        variables[variable.attribute("name").value()] = variable;
        if (std::string(variable.attribute("causality").value()) == "output")
            outputs.push_back(index);
    }
    REQUIRE(variables.size() == 8);
    CHECK(variables.at("body.table.mass").child("Real").attribute("start").as_double() == 4.0);
    CHECK(std::string(variables.at("body.table.mass").attribute("variability").value()) == "fixed");
    CHECK(std::string(variables.at("motor.voltage").child("Real").attribute("unit").value()) ==
          "V");
    CHECK(std::string(variables.at("shaft.angle").child("Real").attribute("unit").value()) ==
          "rad");
    CHECK(variables.count("table@[0.1, 0.0, 0.0].force.y") == 1);
    for (const char* list : {"Outputs", "InitialUnknowns"}) {
        std::vector<int> listed;
        for (const pugi::xml_node& unknown : root.child("ModelStructure").child(list).children())
            listed.push_back(unknown.attribute("index").as_int());
        CHECK(listed == outputs);
    }
    // every unit that is used is defined, and V is kg m^2 s^-3 A^-1
    std::map<std::string, pugi::xml_node> units;
    for (const pugi::xml_node& unit : root.child("UnitDefinitions").children())
        units[unit.attribute("name").value()] = unit;
    for (const auto& [name, variable] : variables)
        if (const auto unit = variable.child("Real").attribute("unit"))
            CHECK(units.count(unit.value()) == 1);
    const pugi::xml_node volt = units.at("V").child("BaseUnit");
    CHECK(volt.attribute("kg").as_int() == 1);
    CHECK(volt.attribute("m").as_int() == 2);
    CHECK(volt.attribute("s").as_int() == -3);
    CHECK(volt.attribute("A").as_int() == -1);
}

TEST_CASE("a model's files are inside, and the archive is the same each time") {
    const TempFolder folder;
    const std::string net = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/sail_net/model.toml";
    REQUIRE(make(folder, {net, "--out", "energy.total", "--file", "one.fmu"}).status == 0);
    REQUIRE(make(folder, {net, "--out", "energy.total", "--file", "two.fmu"}).status == 0);
    CHECK(folder.read("one.fmu") == folder.read("two.fmu"));
    REQUIRE(
        run_process({ANCORA_TEST_CMAKE, "-E", "tar", "xf", "one.fmu"}, in(folder.path())).status ==
        0);
    const std::string model = folder.read("resources/model.toml");
    CHECK(contains(model, "files/0-sail.msh"));
    CHECK(model.find(ANCORA_TEST_SOURCE_DIR) == std::string::npos);
    CHECK(folder.read("resources/files/0-sail.msh").size() > 1000);
    // it reads meshes with a library that is inside, too
    CHECK(std::filesystem::exists(folder / "binaries/linux64/libpugixml.so.1"));
}

TEST_CASE("what cannot be an FMU is told") {
    const TempFolder folder;
    const auto said = [&](int status, std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), kModel);
        const ProcessResult run = make(folder, arguments);
        CHECK(run.status == status);
        CHECK(!std::filesystem::exists(folder / "model.fmu"));
        return run.err;
    };
    CHECK(contains(said(2, {"--in", "motor.voltag"}), "did you mean \"motor.voltage\""));
    CHECK(contains(said(3, {"--in", "tabel@[0, 0, 0]"}), "table"));
    CHECK(contains(said(2, {"--in", "motor.voltage=high"}), "no number"));
    CHECK(contains(said(2, {"--out", "shaft.angel"}), "shaft.angle"));
    CHECK(contains(said(2, {"--param", "body.table.mas"}), "no value"));
    CHECK(contains(said(2, {"--param", "body.table.inertia"}), "array"));
    CHECK(contains(said(2, {"--out", "shaft.angle,shaft.angle"}), "named twice"));
    CHECK(contains(said(3, {"--set", "integrator.type=dopri5"}), "chooses its steps"));
    folder.write("mine.fmu", "no archive");
    CHECK(said(6, {"--file", "mine.fmu"}).find("mine.fmu") != std::string::npos);
    CHECK(folder.read("mine.fmu") == "no archive");
}
