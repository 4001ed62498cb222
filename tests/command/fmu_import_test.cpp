// SPDX-License-Identifier: BSD-3-Clause
// FMUs inside of models: against the same loop without one, restored, and damaged.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ancora/framework/fmu.hpp"
#include "ancora/framework/simulation.hpp"
#include "support/process.hpp"

using namespace ancora;
using namespace ancora::testing;
namespace fs = std::filesystem;

namespace {

const std::string kWheel = R"(
[[body]]
name = "wheel"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.3, 0.2, 0.1]
penalty = inf

[[joint]]
name = "axle"
type = "revolute"
a = "ground"
b = "wheel"
point = [0, 0, 0]
axis = [0, 0, 1]

[integrator]
type = "emm"
step = 2.5e-3
end = 1.0
)";

std::string pid(const char* name, const char* more) {
    return fmt::format(
        "[[force]]\nname = \"{}\"\ntype = \"sampled_pid\"\nperiod = 0.01\n{}", name, more);
}
std::string actuator(const char* command) {
    return fmt::format(
        "[[force]]\nname = \"drive\"\ntype = \"actuator\"\non = \"axle\"\ncommand = \"{}\"\n",
        command);
}
constexpr const char* kGains =
    "kp = 4.0\nki = 2.0\nkd = 0.3\nreference = \"0.3 + 0.1*axle.angle\"\n";

struct Plugins {
    Plugins() { registry.add_folder(ANCORA_TEST_PLUGIN_DIR); }
    PluginRegistry registry;
};

Simulation simulation_of(Plugins& plugins, const TempFolder& folder, const std::string& text) {
    return {Manifest::parse(text, folder / "model.toml"), plugins.registry};
}

std::string failure(const TempFolder& folder, const std::string& text) {
    Plugins plugins;
    try {
        Simulation it = simulation_of(plugins, folder, text);
        while (!it.done()) it.step();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

/// A PID that acts in the middle between two samples, as an FMU.
void write_controller(const fs::path& file, int version) {
    Plugins plugins;
    const std::string text =
        "[model]\nname = \"controller\"\n[[body]]\nname = \"none\"\ntype = \"particle\"\nmass = "
        "1.0\n" +
        pid("pid",
            "offset = 0.005\nkp = 4.0\nki = 2.0\nkd = 0.3\nreference = 0.0\nmeasured = 0.0\n") +
        "[integrator]\ntype = \"emm\"\nstep = 5e-3\nend = 100.0\n";
    FmuOptions options;
    options.inputs = {"pid.reference", "pid.measured"};
    options.outputs = {"pid.command", "pid.error"};
    options.parameters = {"force.pid.kp"};
    options.version = version;
    write_fmu(Manifest::parse(text, "controller.toml"), plugins.registry, file, options);
}

const std::string kController =
    "[[force]]\nname = \"controller\"\ntype = \"fmu\"\nfile = \"controller.fmu\"\nperiod = 0.01\n"
    "inputs = [\"pid.reference\", \"pid.measured\"]\nu1 = \"0.3 + 0.1*axle.angle\"\n"
    "u2 = \"axle.angle\"\noutputs = [\"command = pid.command\"]\n";

constexpr const char* kStates = "canGetAndSetFMUstate=\"true\" canSerializeFMUstate=\"true\"";

/// The FMU in C, with its description as wanted.
void write_tiny(const TempFolder& folder,
                const std::string& more = kStates,
                const std::string& version = "2.0",
                const std::string& guid = "{tiny}",
                const char* kind = "CoSimulation") {
    const fs::path inside = folder / "tiny";
    fs::create_directories(inside / "binaries/linux64");
    fs::copy_file(ANCORA_TEST_TINY_FMU,
                  inside / "binaries/linux64/tiny.so",
                  fs::copy_options::overwrite_existing);
    std::ofstream(inside / "modelDescription.xml") << fmt::format(
        "<?xml version=\"1.0\"?>\n<fmiModelDescription fmiVersion=\"{}\" modelName=\"tiny\" "
        "guid=\"{}\">\n<{} modelIdentifier=\"tiny\" {}/>\n<ModelVariables>\n"
        "<ScalarVariable name=\"gain\" valueReference=\"1\" causality=\"parameter\"><Real "
        "start=\"1\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"u\" valueReference=\"2\" causality=\"input\"><Real start=\"0\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"x.y\" valueReference=\"3\" causality=\"output\"><Real unit=\"m\"/>"
        "</ScalarVariable>\n"
        "<ScalarVariable name=\"n\" valueReference=\"4\" causality=\"input\"><Integer/>"
        "</ScalarVariable>\n</ModelVariables>\n<ModelStructure/>\n</fmiModelDescription>\n",
        version,
        guid,
        kind,
        more);
    ProcessOptions options;
    options.folder = inside;
    const ProcessResult packed = run_process({ANCORA_TEST_CMAKE,
                                              "-E",
                                              "tar",
                                              "cf",
                                              (folder / "tiny.fmu").string(),
                                              "--format=zip",
                                              "modelDescription.xml",
                                              "binaries"},
                                             options);
    REQUIRE_MESSAGE(packed.status == 0, packed.err);
}

std::string tiny(const std::string& more = "outputs = [\"x = x.y\"]\n") {
    return kWheel +
           "[[force]]\nname = \"tiny\"\ntype = \"fmu\"\nfile = \"tiny.fmu\"\nperiod = 0.1\n"
           "inputs = [\"u\"]\nu1 = \"2*t\"\nparameters = [\"gain = 3\"]\n" +
           more;
}

bool contains(const std::string& text, std::string_view part) {
    const bool is_there = text.find(part) != std::string::npos;
    if (!is_there) MESSAGE("not found: \"", part, "\" in:\n", text);
    return is_there;
}

}  // namespace

TEST_CASE("a controller as an FMU closes the loop with the bits of one that is in the model") {
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const TempFolder folder;
        write_controller(folder / "controller.fmu", version);
        Plugins plugins;
        Simulation with_fmu =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        // The same one period late: what holds sees the value of the sample before.
        Simulation alone = simulation_of(
            plugins,
            folder,
            kWheel + pid("pid", kGains).append("measured = \"axle.angle\"\n") +
                pid("hold", "kp = 1.0\nreference = \"pid.command\"\nmeasured = 0.0\n") +
                actuator("hold.command"));
        double largest = 0.0;
        while (!alone.done()) {
            alone.step();
            with_fmu.step();
            REQUIRE(std::ranges::equal(alone.q(), with_fmu.q()));
            REQUIRE(with_fmu.value("controller.command") == alone.value("hold.command"));
            largest = std::max(largest, std::abs(alone.value("axle.angle")));
        }
        CHECK(largest > 0.2);

        // Restored in another simulation, and set back in its own, it repeats every bit.
        Simulation again =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        Simulation other =
            simulation_of(plugins, folder, kWheel + kController + actuator("controller.command"));
        for (int i = 0; i < 150; ++i) again.step();
        const std::vector<std::byte> saved = again.save();
        other.restore(saved);
        while (!again.done()) again.step();
        while (!other.done()) other.step();
        CHECK(std::ranges::equal(again.q(), alone.q()));
        CHECK(std::ranges::equal(other.q(), alone.q()));
        again.restore(saved);
        while (!again.done()) again.step();
        CHECK(std::ranges::equal(again.q(), alone.q()));
    }
}

TEST_CASE("an FMU of others: inputs, parameters, times") {
    const TempFolder folder;
    write_tiny(folder);
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, tiny());
    while (!it.done()) it.step();
    // x = sum of T gain u(t_k), t_k = 0, ..., 0.9
    CHECK(std::abs(it.value("tiny.x") - 0.1 * 3.0 * 2.0 * 4.5) <= 1e-12);
}

TEST_CASE("one that keeps its state to itself runs forward, and says so") {
    const TempFolder folder;
    write_tiny(folder, "");
    Plugins plugins;
    Simulation it = simulation_of(plugins, folder, tiny());
    for (int i = 0; i < 100; ++i) it.step();
    const std::vector<std::byte> saved = it.save();
    while (!it.done()) it.step();
    CHECK(std::abs(it.value("tiny.x") - 2.7) <= 1e-12);
    std::string said;
    it.restore(saved);
    try {
        while (!it.done()) it.step();
    } catch (const Error& error) {
        said = error.what();
    }
    CHECK(contains(said, "keeps its state to itself"));
    CHECK(contains(said, "force \"tiny\""));
}

TEST_CASE("what a process has left that was stopped while it loaded is cleared away") {
    const TempFolder folder;
    write_tiny(folder);
    const pid_t ended = ::fork();
    if (ended == 0) ::_exit(0);
    ::waitpid(ended, nullptr, 0);
    const auto folder_of = [](pid_t pid) {
        return std::filesystem::temp_directory_path() /
               ("ancora-fmu-" + std::to_string(pid) + "-test00");
    };
    const auto stale = folder_of(ended), mine = folder_of(::getpid());
    std::filesystem::create_directories(stale / "binaries");
    std::filesystem::create_directories(mine);
    failure(folder, tiny("outputs = [\"y\"]\n"));
    CHECK_FALSE(std::filesystem::exists(stale));
    CHECK(std::filesystem::exists(mine));
    std::filesystem::remove_all(mine);
}

TEST_CASE("what an FMU refuses is told with its words") {
    const TempFolder folder;
    write_tiny(folder);
    const std::string said =
        failure(folder,
                tiny("outputs = [\"x = x.y\"]\nparameters = [\"gain = 1e6\"]\n")
                    .replace(tiny().find("parameters"), sizeof "parameters = [\"gain = 3\"]", ""));
    CHECK(contains(said, "DoStep returned error: x is"));
    write_tiny(folder, kStates, "2.0", "{other}");
    CHECK(contains(failure(folder, tiny()), "no guid of mine"));
}

TEST_CASE("names that it does not have, and other FMUs than it runs") {
    const TempFolder folder;
    write_tiny(folder);
    CHECK(contains(failure(folder, tiny("outputs = [\"y\"]\n")),
                   "it has no output \"y\"; there are \"x.y\""));
    CHECK(contains(failure(folder, tiny("outputs = [\"x.y\"]\n")), "write \"NAME = x.y\""));
    CHECK(contains(failure(folder, tiny("outputs = [\"x = x.y\"]\nu2 = 1.0\n")),
                   "has no name in inputs"));
    CHECK(contains(failure(folder, tiny("outputs = []\n")), "names none"));
    CHECK(contains(failure(folder, tiny("outputs = [\"x = x.y\", \"x = x.y\"]\n")),
                   "outputs: have two of the name \"x\""));
    std::string text = tiny();
    text.replace(text.find("[\"u\"]"), 5, "[\"n\"]");
    CHECK(contains(failure(folder, text), "is no single real number"));
    text = tiny();
    text.replace(text.find("[\"u\"]"), 5, "[\"u\", \"u\"]\nu2 = 1.0");
    CHECK(contains(failure(folder, text), "inputs: name \"u\" twice"));
    text = tiny();
    text.replace(text.find("\"gain = 3\""), 10, "\"gain = 3\", \"gain = 4\"");
    CHECK(contains(failure(folder, text), "parameters: give \"gain\" twice"));
    text = tiny();
    text.replace(text.find("gain = 3"), 8, "gain = x");
    CHECK(contains(failure(folder, text), "is given no number"));

    write_tiny(folder, kStates, "1.0");
    CHECK(contains(failure(folder, tiny()), "FMI version \"1.0\""));
    write_tiny(folder, kStates, "2.0", "{tiny}", "ModelExchange");
    CHECK(contains(failure(folder, tiny()), "not for co-simulation"));
    write_tiny(folder, "needsExecutionTool=\"true\"");
    CHECK(contains(failure(folder, tiny()), "needs the tool"));
}

TEST_CASE("archives that are damaged, and ones that others may write to") {
    const TempFolder folder;
    write_tiny(folder);
    const fs::path file = folder / "tiny.fmu";
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
    CHECK(contains(failure(folder, tiny()), "others may write to"));
    fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);

    std::ifstream in(file, std::ios::binary);
    const std::string whole(std::istreambuf_iterator<char>(in), {});
    const auto with = [&](const std::string& bytes) {
        std::ofstream(file, std::ios::binary | std::ios::trunc) << bytes;
        return failure(folder, tiny());
    };
    CHECK(contains(with(""), "is no FMU, or damaged"));
    CHECK(contains(with("PK"), "is no FMU, or damaged"));
    CHECK(contains(with(whole.substr(0, whole.size() / 2)), "is no FMU, or damaged"));
    std::string outside = whole;
    for (std::size_t at = 0; (at = outside.find("modelDescription.xml", at)) != std::string::npos;)
        outside.replace(at, 20, "../lDescription.xml.");
    CHECK(contains(with(outside), "lies outside of it"));
    CHECK(!fs::exists(folder / "lDescription.xml."));
    // Wherever a byte is wrong there are words, or nothing that matters was.
    std::mt19937 random(5);
    int refused = 0;
    for (int i = 0; i < 40; ++i) {
        std::string bytes = whole;
        const std::size_t near_end = std::min<std::size_t>(whole.size(), 400);
        const std::size_t at =
            i % 2 == 0 ? random() % bytes.size() : bytes.size() - 1 - random() % near_end;
        bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
        refused += with(bytes) != "no error" ? 1 : 0;
    }
    CHECK(refused > 15);
    CHECK(with(whole) == "no error");
}
