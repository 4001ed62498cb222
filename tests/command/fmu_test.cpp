// SPDX-License-Identifier: BSD-3-Clause
// `ancora fmu`: the archive, its description, and what an importer that knows nothing of Ancora
// does with it.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <regex>
#include <set>
#include <sstream>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <pugixml.hpp>

#include "ancora/framework/simulation.hpp"
#include "support/program.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

const std::string kModel = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/servo_drive/model.toml";

ProcessOptions in(const std::filesystem::path& folder) {
    ProcessOptions options;
    options.folder = folder;
    return options;
}

ProcessResult make(const TempFolder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {ANCORA_TEST_BIN, "fmu"});
    return run_for_messages(std::move(arguments), in(folder.path()));
}

/// An FMU, unpacked by a program that is not ours.
struct Fmu {
    Fmu(const TempFolder& to, int fmi, std::vector<std::string> arguments) : version(fmi) {
        const std::string name = fmt::format("made{}.fmu", count++);
        arguments.insert(arguments.end(), {"--fmi", std::to_string(fmi), "--file", name});
        const ProcessResult made = make(to, std::move(arguments));
        REQUIRE_MESSAGE(made.status == 0, made.err);
        folder = to / ("some where/" + name);
        std::filesystem::create_directories(folder);
        const ProcessResult unpacked =
            run_process({ANCORA_TEST_CMAKE, "-E", "tar", "xf", (to / name).string()}, in(folder));
        REQUIRE_MESSAGE(unpacked.status == 0, unpacked.err);
        REQUIRE(description.load_file((folder / "modelDescription.xml").c_str()));
        root = description.child("fmiModelDescription");
        guid = root.attribute(fmi == 3 ? "instantiationToken" : "guid").value();
        library =
            folder / (fmi == 3 ? "binaries/x86_64-linux" : "binaries/linux64") /
            (std::string(root.child("CoSimulation").attribute("modelIdentifier").value()) + ".so");
    }
    /// That of the servo drive, whose variables the importers know.
    explicit Fmu(const TempFolder& to, int fmi = 2)
        : Fmu(to,
              fmi,
              {kModel,
               "--in",
               "motor.voltage,table@[0.1, 0.0, 0.0]",
               "--out",
               "shaft.angle",
               "--out",
               "motor.current",
               "--param",
               "body.table.mass,integrator.step"}) {}

    ProcessResult import(const std::vector<std::string>& scenario) const {
        // Nothing of this process's environment, and by 2.0 a URI that needs decoding.
        std::string uri = (version == 3 ? "" : "file://") + (folder / "resources/").string();
        if (version == 2) uri.replace(uri.find(' '), 1, "%20");
        std::vector<std::string> line = {
            "/usr/bin/env",
            "-i",
            version == 3 ? ANCORA_TEST_IMPORTER_3 : ANCORA_TEST_IMPORTER,
            library.string(),
            guid,
            uri};
        line.insert(line.end(), scenario.begin(), scenario.end());
        return run_process(std::move(line), in("/"));
    }
    ProcessResult import(const char* scenario) const {
        return import(std::vector<std::string>{scenario});
    }

    static inline int count = 0;
    int version;
    std::filesystem::path folder, library;
    pugi::xml_document description;
    pugi::xml_node root;
    std::string guid;
};

/// What the scenario "drive" of the importers prints.
struct Driven {
    Driven(const Fmu& fmu, double start, const std::string& stop, double step, long count) {
        const ProcessResult run = fmu.import({"drive",
                                              fmt::format("{}", start),
                                              stop,
                                              fmt::format("{}", step),
                                              std::to_string(count)});
        REQUIRE_MESSAGE(run.status == 0, run.out);
        std::istringstream text(run.out);
        std::string time_text, value_text;
        if (run.out.starts_with("begin ")) {  // it did not come as far as a step
            message = run.out;
            return;
        }
        text >> status >> steps >> time_text >> value_text;
        REQUIRE_MESSAGE(text, run.out);
        time = std::strtod(time_text.c_str(), nullptr);
        value = std::strtod(value_text.c_str(), nullptr);
        text.ignore(1);
        std::getline(text, message, '\0');
    }
    int status = -1;
    long steps = -1;
    double time = 0.0, value = 0.0;
    std::string message;
};

/// Functions that a header of the standard declares.
std::vector<std::string> declared_in(const std::string& header) {
    std::ifstream in(ANCORA_TEST_SOURCE_DIR "/framework/fmi/standard/" + header);
    const std::string text(std::istreambuf_iterator<char>(in), {});
    const std::regex line(R"(FMI[23]_Export\s+\w+TYPE\s+(\w+);)");
    std::vector<std::string> out;
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
        out.push_back((*at)[1]);
    return out;
}

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
    CHECK(outputs == std::vector<int>{6, 7, 9});  // behind the time the clock of the controller
    CHECK(unknowns == std::vector<int>{6, 7});
    CHECK(make(folder, {kModel, "--fmi", "4"}).status == 2);
}

TEST_CASE("every function of both headers of the standard is there, and nothing else") {
    const TempFolder folder;
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const Fmu fmu(folder, version);
        // The file itself: what the loader would find may be of a library that it needs.
        const ProcessResult listed = run_process(
            {"/usr/bin/env", "nm", "-D", "--defined-only", fmu.library.string()}, in("/"));
        REQUIRE_MESSAGE(listed.status == 0, listed.err);
        std::set<std::string> exported;
        std::istringstream lines(listed.out);
        std::string address, type, name;
        while (lines >> address >> type >> name)
            if (type == "T") exported.insert(name);
        std::size_t declared = 0;
        for (const char* header : {"fmi2Functions.h", "fmi3Functions.h"})
            for (const std::string& function : declared_in(header)) {
                CHECK_MESSAGE(exported.count(function) == 1, function);
                ++declared;
            }
        CHECK(declared == 44 + 75);
        CHECK(exported.size() == declared);
    }
}

TEST_CASE("a master that adds up its time is followed as far as its rounding can be told") {
    const TempFolder folder;
    folder.write("fall.toml",
                 "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"stone\"\ntype = "
                 "\"particle\"\nmass = 2.0\nvelocity = [0, 0, 1]\n[integrator]\ntype = \"emm\"\n"
                 "step = 1e-3\nend = 1.0\n");
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const Fmu fmu(folder, version, {(folder / "fall.toml").string(), "--out", "stone.z"});
        // A million steps. The sum of as many millisteps is 1e-8 s away from the product.
        const Driven million(fmu, 0.0, version == 2 ? "none" : "1000", 1e-3, 1'000'000);
        CHECK(million.status == 0);
        CHECK_MESSAGE(million.steps == 1'000'000, million.message);
        CHECK(million.time == 1e6 * 1e-3);
        CHECK(std::abs(million.value - (1e3 - 0.5 * 9.81 * 1e6)) <= 1e-9 * 0.5 * 9.81 * 1e6);

        // Elsewhere the motion is the same to the bit, and the time is the importer's; sums lose
        // the more the later it is.
        const Driven near(fmu, 0.0, "none", 4e-3, 3000);
        REQUIRE(near.steps == 3000);
        for (const double start : {-7.25, 3.0, 1e4, 86400.0, 1e6, 1.7e9}) {
            CAPTURE(start);
            const Driven there(fmu, start, fmt::format("{}", start + 12.0), 4e-3, 3000);
            CHECK(there.status == 0);
            CHECK_MESSAGE(there.steps == 3000, there.message);
            CHECK(there.value == near.value);
            CHECK(there.time == start + 3e3 * 4e-3);
        }
        // One that leaves out a step is not followed.
        const Driven wrong(fmu, 0.0, "none", 1.5e-3, 10);
        CHECK(wrong.status == 3);
        CHECK(contains(wrong.message, "no whole number of steps"));
        // Nor behind the stop time.
        const Driven late(fmu, 5.0, "6", 1e-3, 2000);
        CHECK(late.steps == 1000);
        CHECK(contains(late.message, "beyond the stop time"));
    }
}

TEST_CASE("without a stop time a model runs as far as its data reach") {
    const TempFolder folder;
    std::mt19937 random(7);
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<>(low, high)(random);
    };
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    for (int member = 0; member < 8; ++member) {
        // A table that ends where the model does, or later; steps in it and beside it.
        const double h = member % 2 == 0 ? 1e-2 : between(2e-3, 2e-2);
        const double end = std::round(between(0.2, 1.0) / h) * h;
        const double reach = member < 4 ? end : end * between(1.0, 9.0);
        const std::string text = fmt::format(
            "[[body]]\nname = \"stone\"\ntype = \"particle\"\nmass = 2.0\n[[force]]\n"
            "name = \"push\"\ntype = \"point_load\"\nat = \"stone@[0, 0, 0]\"\n"
            "force = [[0, 0, 0, 1], [{}, 0, 1, {}], [{}, 2, 3, 4]]\n"
            "[integrator]\ntype = \"emm\"\nstep = {}\nend = {}\n",
            0.4 * reach,
            between(1.0, 5.0),
            reach,
            h,
            end);
        CAPTURE(text);
        folder.write("push.toml", text);
        const long most = static_cast<long>(std::floor(reach / h + 1e-6));
        const int version = 2 + member % 2;
        const Fmu fmu(folder, version, {(folder / "push.toml").string(), "--out", "stone.z"});
        const Driven driven(fmu, 0.0, "none", h, most + 20);
        CHECK(driven.status == 2);  // the standard's discard
        CHECK_MESSAGE(driven.steps == most, driven.message);
        CHECK(contains(driven.message, "no stop time was given"));
        CHECK(contains(driven.message, "the table ends at t = "));
        // Made anew on the way, it is the run to the end in one.
        const std::vector<std::string> overrides = {
            fmt::format("integrator.end={}", static_cast<double>(most) * h)};
        Simulation simulation(Manifest::load(folder / "push.toml", overrides), registry);
        while (!simulation.done()) simulation.step();
        CHECK(driven.value == simulation.value("stone.z"));
        // A stop time at the end of the table is no more than that.
        const double stop = static_cast<double>(most) * h;
        const Driven stopped(fmu, 0.0, fmt::format("{}", stop), h, most);
        CHECK_MESSAGE(stopped.status == 0, stopped.message);
        CHECK(stopped.value == driven.value);
        // A start beyond the table is reported at once.
        const Driven beyond(fmu, 1e9, fmt::format("{}", 1e9 + stop), h, most);
        CHECK(beyond.steps == -1);
        CHECK(contains(beyond.message, "the table ends at t = "));
    }
}

TEST_CASE("the model's time is the importer's: tables, formulas and drives are evaluated there") {
    const TempFolder folder;
    std::mt19937 random(11);
    const auto between = [&](double low, double high) {
        return std::uniform_real_distribution<>(low, high)(random);
    };
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const double h = 1.0 / 128.0;
    const long count = 96;
    for (int member = 0; member < 6; ++member) {
        const double reach = static_cast<double>(count) * h;
        const double corner = between(0.1, 0.6), size = between(1.0, 5.0), rate = between(1.0, 9.0),
                     way = between(0.1, 0.8), period = between(0.01, 0.05);
        // What is given over time begins at `from`.
        const auto text = [&](double from) {
            return fmt::format(
                "[[body]]\nname = \"stone\"\ntype = \"particle\"\nmass = 2.0\n"
                "[[body]]\nname = \"cart\"\ntype = \"particle\"\nmass = 1.0\n"
                "coordinates = \"x\"\n[[constraint]]\nname = \"line\"\ntype = \"drive\"\n"
                "a = \"ground@[-3, 0, 0]\"\nb = \"cart@[0, 0, 0]\"\n"
                "motion = [[{0}, 3], [{1}, {2}], [{3}, 3]]\ninterpolation = "
                "\"rest\"\n[[force]]\nname = \"push\"\n"
                "type = \"point_load\"\nat = \"stone@[0, 0, 0]\"\n"
                "force = [[{0}, 0, 0, 1], [{1}, 0, 1, {4}], [{3}, 2, 3, 4]]\n[[force]]\n"
                "name = \"wind\"\ntype = \"point_load\"\nat = \"stone@[0, 0, 0]\"\n"
                "force = [\"0\", \"0\", \"{4}*sin({5}*(t - ({0})))\"]\n[[force]]\n"
                "name = \"pid\"\ntype = \"sampled_pid\"\nreference = 1\n"
                "measured = \"stone.y\"\nperiod = {6}\nkp = 3.0\nkd = 0.5\n"
                "[integrator]\ntype = \"emm\"\nstep = {7}\nbegin = {0}\nend = {3}\n",
                from,
                from + corner,
                3.0 + way,
                from + reach,
                size,
                rate,
                period,
                h);
        };
        const double start = std::array{5.0, -3.5, 1024.25, 86400.0, -0.125, 1e4}[member];
        const std::vector<std::string> outputs = {"--out",
                                                  "stone.z",
                                                  "--out",
                                                  "stone.y",
                                                  "--out",
                                                  "cart.x",
                                                  "--out",
                                                  "line.effort",
                                                  "--out",
                                                  "pid.command"};
        Simulation right(Manifest::parse(text(0.0), "model.toml"), registry);
        while (!right.done()) right.step();
        Simulation same(Manifest::parse(text(start), "model.toml"), registry);
        while (!same.done()) same.step();
        const double rounding = 1e-10 + 1e-14 * std::abs(start);
        folder.write("moved.toml", text(start));
        for (const int version : {2, 3}) {
            CAPTURE(version);
            CAPTURE(start);
            std::vector<std::string> arguments = {(folder / "moved.toml").string()};
            arguments.insert(arguments.end(), outputs.begin(), outputs.end());
            const Fmu fmu(folder, version, arguments);
            const pugi::xml_node experiment = fmu.root.child("DefaultExperiment");
            CHECK(experiment.attribute("startTime").as_double() == start);
            CHECK(experiment.attribute("stopTime").as_double() == start + reach);
            const Driven driven(fmu, start, fmt::format("{}", start + reach), h, count);
            CHECK_MESSAGE(driven.status == 0, driven.message);
            CHECK(driven.time == start + reach);
            CHECK(driven.value == same.value("stone.z"));
            CHECK(std::abs(driven.value - right.value("stone.z")) <= rounding);
            CHECK(driven.message == "\n");  // nothing but the end of the line
            const Driven open(fmu, start, "none", h, count + 2);
            CHECK(open.steps == count);
            CHECK(contains(open.message, "the table ends at t = "));
            const Driven early(fmu, start - 1.0, fmt::format("{}", start + reach), h, count);
            CHECK(contains(early.message, "the table begins at t = "));

            // In Ancora again: samples of the plugin fmu begin at its offset, or with the run.
            for (const bool by_offset : {true, false}) {
                const double begin = by_offset ? 0.0 : start;
                if (by_offset && start < 0.0) continue;  // an offset is no negative number
                if (start > 2000.0 && by_offset) continue;
                const std::string outer = fmt::format(
                    "[[body]]\nname = \"p\"\ntype = \"particle\"\nmass = 1\n[[force]]\n"
                    "name = \"it\"\ntype = \"fmu\"\nfile = \"{}\"\nperiod = {}\noffset = {}\n"
                    "outputs = [\"z = stone.z\", \"y = stone.y\", \"x = cart.x\", "
                    "\"f = line.effort\", \"c = pid.command\"]\n[integrator]\ntype = "
                    "\"emm\"\nstep = {}\n"
                    "begin = {}\nend = {}\n",
                    (folder / fmt::format("made{}.fmu", Fmu::count - 1)).string(),
                    h,
                    by_offset ? start : 0.0,
                    h,
                    begin,
                    start + reach);
                Simulation in(Manifest::parse(outer, "outer.toml"), registry);
                while (!in.done()) in.step();
                CHECK(std::abs(in.value("it.z") - same.value("stone.z")) <= rounding);
                CHECK(std::abs(in.value("it.y") - right.value("stone.y")) <= rounding);
                CHECK(std::abs(in.value("it.c") - right.value("pid.command")) <= 1e2 * rounding);
                CHECK(std::abs(in.value("it.x") - right.value("cart.x")) <= rounding);
                CHECK(std::abs(in.value("it.f") - right.value("line.effort")) <=
                      1e3 * rounding * (1.0 + std::abs(right.value("line.effort"))));
            }
        }
    }
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

    // Nor a newer C library than the oldest that has all but one function by its first name; a
    // build on a newer system may have more of these.
    const bool is_known = std::string(::gnu_get_libc_version()) == "2.36";
    int files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(fmu.folder)) {
        if (entry.path().filename().string().find(".so") == std::string::npos) continue;
        ++files;
        const ProcessResult listed =
            run_process({"/usr/bin/env", "objdump", "-T", entry.path().string()}, in("/"));
        REQUIRE_MESSAGE(listed.status == 0, listed.err);
        const std::regex symbol(R"(GLIBC_2\.(\d+)(?:\.\d+)?\)?\s+(\w+))");
        for (std::sregex_iterator at(listed.out.begin(), listed.out.end(), symbol), end; at != end;
             ++at)
            if (is_known || (*at)[2] == "hypot")
                CHECK_MESSAGE(std::stoi((*at)[1]) <= 34,
                              entry.path().filename().string(),
                              ": ",
                              (*at)[0].str());
    }
    CHECK(files > 8);
}

TEST_CASE("licences of all that is inside are with it") {
    const TempFolder folder;
    const std::string net = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/sail_net/model.toml";
    for (const int version : {2, 3}) {
        const Fmu fmu(folder, version, {net, "--out", "energy.total"});
        const std::filesystem::path texts = fmu.folder / "documentation/licenses";
        const auto read = [&](const std::string& name) {
            std::ifstream in(texts / name);
            return std::string(std::istreambuf_iterator<char>(in), {});
        };
        const std::string first = read("license.txt");
        CHECK(first.find("not known") == std::string::npos);
        int libraries = 0;
        for (const auto& entry : std::filesystem::directory_iterator(fmu.library.parent_path())) {
            const std::string name = entry.path().filename().string();
            if (!name.starts_with("lib") || name.starts_with("libancora")) continue;
            ++libraries;
            CHECK(contains(first, name));
            CHECK(read(name.substr(0, name.find(".so")) + ".txt").size() > 900);
        }
        CHECK(libraries >= 5);
        for (const char* name : {"ancora", "boost", "eigen", "fmi", "nlohmann_json", "spdlog"})
            CHECK_MESSAGE(read(std::string(name) + ".txt").size() > 900, name);
        CHECK(contains(read("libnettle.txt"), "GNU LESSER GENERAL PUBLIC LICENSE"));
        CHECK(contains(read("libnettle.txt"), "TERMS AND CONDITIONS"));
    }
}

TEST_CASE("gravity and other vectors as parameters, by their components") {
    const TempFolder folder;
    PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    folder.write("thrown.toml",
                 "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"stone\"\ntype = "
                 "\"particle\"\nmass = 2.0\nvelocity = [3, 0, 1]\n[integrator]\ntype = \"emm\"\n"
                 "step = 1e-2\nend = 1.0\n");
    for (const int version : {2, 3}) {
        CAPTURE(version);
        const Fmu fmu(folder,
                      version,
                      {(folder / "thrown.toml").string(),
                       "--param",
                       "model.gravity,body.stone.velocity,integrator.emm.velocity_projection",
                       "--set",
                       "integrator.emm.velocity_projection=false",
                       "--out",
                       "stone.x,stone.y,stone.z"});
        const ProcessResult run = fmu.import("vectors");  // outputs begin with 7
        REQUIRE_MESSAGE(run.status == 0, run.out);
        const std::vector<std::string> overrides = {"model.gravity=[0.5, 1, -1.625]",
                                                    "body.stone.velocity=[3, -2, 1]"};
        Simulation simulation(Manifest::load(folder / "thrown.toml", overrides), registry);
        while (!simulation.done()) simulation.step();
        std::istringstream lines(run.out);
        for (const char* column : {"stone.x", "stone.y", "stone.z"}) {
            std::string value;
            REQUIRE((lines >> value));
            CHECK(std::strtod(value.c_str(), nullptr) == simulation.value(column));
        }
        CHECK(std::abs(simulation.value("stone.z") - (1.0 - 0.5 * 1.625)) < 1e-12);
        // as they are described
        int found = 0;
        for (const pugi::xml_node& variable : fmu.root.child("ModelVariables").children()) {
            const std::string name = variable.attribute("name").value();
            if (!name.starts_with("model.gravity.")) continue;
            ++found;
            const pugi::xml_node real = version == 2 ? variable.child("Real") : variable;
            CHECK(std::string(real.attribute("unit").value()) == "m/s^2");
            CHECK(real.attribute("start").as_double() == (name.back() == 'z' ? -9.81 : 0.0));
        }
        CHECK(found == 3);
        const pugi::xml_node own =
            fmu.root.child("ModelVariables")
                .find_child_by_attribute("name", "integrator.emm.velocity_projection");
        CHECK(contains(own.attribute("description").value(), "integrator emm: "));
    }
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
    REQUIRE(variables.size() == 9);
    CHECK(std::string(variables.at("time").attribute("causality").value()) == "independent");
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
    // every variable says what it is
    for (const auto& [name, variable] : variables)
        CHECK_MESSAGE(std::string(variable.attribute("description").value()).size() > 3, name);
    CHECK(contains(variables.at("body.table.mass").attribute("description").value(), "mass"));
    CHECK(std::string(variables.at("body.table.mass").child("Real").attribute("unit").value()) ==
          "kg");
    CHECK(contains(variables.at("motor.voltage").attribute("description").value(), "terminals"));
    CHECK(contains(variables.at("shaft.angle").attribute("description").value(),
                   "constraint shaft (revolute): angle"));
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
    CHECK(contains(said(2, {"--param", "model.name"}), "model.gravity"));
    CHECK(contains(said(2,
                        {"--set",
                         "body.table.inertia=[[0.025, 0, 0], [0, 0.025, 0], [0, 0, 0.05]]",
                         "--param",
                         "body.table.inertia"}),
                   "array"));
    CHECK(contains(said(2, {"--out", "shaft.angle,shaft.angle"}), "named twice"));
    CHECK(contains(said(3, {"--set", "integrator.type=dopri5"}), "chooses its steps"));
    folder.write("mine.fmu", "no archive");
    CHECK(said(6, {"--file", "mine.fmu"}).find("mine.fmu") != std::string::npos);
    CHECK(folder.read("mine.fmu") == "no archive");
}
