// SPDX-License-Identifier: BSD-3-Clause
// Which columns a run records, by [output] columns, and the units that the summary tells of them.
#include <algorithm>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "ancora/framework/recorder.hpp"
#include "ancora/framework/run.hpp"
#include "ancora/framework/simulation.hpp"
#include "support/model.hpp"
#include "support/process.hpp"

namespace ancora::testing {
namespace {

const std::string kMechanism = R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "arm"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.1, 0.2, 0.2]
position = [0.5, 0.0, 0.0]
[[body]]
name = "sled"
type = "ancf_rigid_body"
mass = 3.0
inertia = [0.1, 0.1, 0.1]
position = [0.0, 3.0, 0.0]
[[joint]]
name = "hinge"
type = "revolute"
a = "ground"
b = "arm"
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
motor = "3*t"
damping = 0.5
friction = { mu = 0.1, radius = 0.02 }
[[joint]]
name = "rail"
type = "prismatic"
a = "ground"
b = "sled"
point = [0.0, 3.0, 0.0]
axis = [1.0, 0.0, 0.0]
drive = "0.1*t^2"
[[force]]
name = "coil"
type = "spring"
a = "arm@[0.5, 0.0, 0.0]"
b = "ground@[1.0, 0.0, 1.0]"
stiffness = 10.0
)";

std::string ending(const std::string& type, const std::string& output = "") {
    return "[integrator]\ntype = \"" + type + "\"\nstep = 0.01\nend = 0.2\n[output]\n" + output;
}

using Columns = std::map<std::string, std::vector<std::string>>;

/// A header whose names may be quoted.
std::vector<std::string> names_of(const std::string& header) {
    std::vector<std::string> out(1);
    bool is_quoted = false;
    for (const char c : header) {
        if (c == '"')
            is_quoted = !is_quoted;
        else if (c == ',' && !is_quoted)
            out.emplace_back();
        else
            out.back() += c;
    }
    return out;
}

/// Cells by column, as they are written.
Columns cells(const std::string& text, std::vector<std::string>* names = nullptr) {
    std::istringstream lines(text);
    std::string line, cell;
    std::getline(lines, line);
    const std::vector<std::string> header = names_of(line);
    Columns out;
    while (std::getline(lines, line)) {
        std::istringstream words(line);
        for (const std::string& name : header) {
            std::getline(words, cell, ',');
            out[name].push_back(cell);
        }
    }
    if (names != nullptr) *names = header;
    return out;
}

struct Run {
    TempFolder folder;
    explicit Run(const std::string& text) {
        Simulation simulation = model(text);
        Recorder recorder(folder / "out", simulation, Manifest::parse(text, "test.toml"));
        ancora::run(simulation, &recorder, {});
    }
    std::string history() const { return folder.read("out/history.csv"); }
};

std::string refusal(const std::string& output) {
    try {
        model(kMechanism + ending("emm", output));
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::manifest);
        return error.message();
    }
    return "";
}

bool is_of_model(const std::string& name) {
    for (const char* begin : {"energy.", "work.", "momentum.", "angular_momentum.", "constraint."})
        if (name.starts_with(begin)) return true;
    return name == "t";
}

TEST_SUITE("columns of history.csv") {
    TEST_CASE("chosen columns have the bytes that they have among all, in the same order") {
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            std::string text = kMechanism;
            if (std::string(type) == "rk4") {
                // which knows neither friction in a joint under a drive nor a body's penalty
                const std::string friction = "friction = { mu = 0.1, radius = 0.02 }\n";
                text.erase(text.find(friction), friction.size());
                for (std::size_t at = 0;
                     (at = text.find("type = \"ancf_rigid_body\"\n", at)) != std::string::npos;
                     at += 25)
                    text.insert(at + 25, "penalty = inf\n");
            }
            const std::string points = "points = [\"arm@[0.5, 0, 0]\"]\n";
            std::vector<std::string> all_names, names;
            const Columns all =
                cells(Run(text + ending(type, "every = 0.02\n" + points)).history(), &all_names);
            const Columns chosen =
                cells(Run(text +
                          ending(type,
                                 "every = 0.02\n" + points +
                                     "columns = [\"rail.*\", \"hinge.angle*\", \"*.motor.effort\", "
                                     "\"arm.w?\"]\n"))
                          .history(),
                      &names);
            std::vector<std::string> expected;
            std::ranges::copy_if(all_names, std::back_inserter(expected), [](const auto& name) {
                return is_of_model(name) || name.starts_with("rail.") ||
                       name.starts_with("arm@[") || name == "hinge.motor.effort" ||
                       name == "hinge.angle" || name == "hinge.angle_rate" || name == "arm.wx" ||
                       name == "arm.wy" || name == "arm.wz";
            });
            CHECK(names == expected);
            CHECK(names.size() < all_names.size());
            for (const std::string& name : names) CHECK(chosen.at(name) == all.at(name));
        }
    }

    TEST_CASE("no patterns: the model's columns alone; the model beside the results keeps them") {
        std::vector<std::string> names;
        const Run run(kMechanism + ending("emm", "columns = []\n"));
        cells(run.history(), &names);
        CHECK(std::ranges::all_of(names, is_of_model));
        CHECK(names.size() == 23);
        CHECK(run.folder.read("out/model.toml").find("columns = []") != std::string::npos);
        const Run some(kMechanism + ending("emm", "columns = [\"coil.*\", \"hinge.angle\"]\n"));
        CHECK(some.folder.read("out/model.toml").find("columns = [\"coil.*\", \"hinge.angle\"]") !=
              std::string::npos);
    }

    TEST_CASE("a pattern that fits no column is refused with the nearest that does") {
        CHECK(refusal("columns = [\"hinge.angel\"]") ==
              "[output]: columns: there is no column \"hinge.angel\"; did you mean "
              "\"hinge.angle\"?");
        CHECK(refusal("columns = [\"coil.*\", \"hinhe.*\"]") ==
              "[output]: columns: there is no column \"hinhe.*\"; did you mean \"hinge.*\"?");
        CHECK(refusal("columns = [\"*.anlge\"]") ==
              "[output]: columns: there is no column \"*.anlge\"; did you mean \"*.angle\"?");
        CHECK(refusal("columns = [\"hinge.anlge*\"]") ==
              "[output]: columns: there is no column \"hinge.anlge*\"; did you mean "
              "\"hinge.angle*\"?");
        CHECK(refusal("columns = [\"\"]") == "[output]: columns: there is no column \"\"");
        CHECK(refusal("columns = [\"energy.total\", \"*\"]") == "");
    }

    TEST_CASE("efforts are in N or N m by what they act on, works in J; the summary says so") {
        Simulation simulation = model(kMechanism + ending("emm"));
        std::map<std::string, std::string> units;
        for (const auto& [name, unit] : simulation.column_units()) units[name] = unit;
        CHECK(units.at("hinge.motor.effort") == "N m");
        CHECK(units.at("hinge.damping.effort") == "N m");
        CHECK(units.at("hinge.friction.effort") == "N m");
        CHECK(units.at("rail.drive.effort") == "N");
        CHECK(units.at("coil.effort") == "N");
        CHECK(units.at("hinge.angle") == "rad");
        CHECK(units.at("hinge.angle_rate") == "rad/s");
        CHECK(units.at("rail.displacement_rate") == "m/s");
        const std::vector<std::string> names = simulation.column_names();
        for (const auto& [name, unit] : units)
            CHECK_MESSAGE(std::ranges::count(names, name) == 1, name);
        // every effort has one
        for (const std::string& name : names)
            if (name.ends_with(".effort")) CHECK_MESSAGE(units.count(name) == 1, name);

        const Run run(kMechanism + ending("emm", "columns = [\"hinge.motor.*\"]\n"));
        const std::string summary = run.folder.read("out/summary.json");
        CHECK(summary.find("\"units\": {\n    \"hinge.motor.effort\": \"N m\"\n  }") !=
              std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
