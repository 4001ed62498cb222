// SPDX-License-Identifier: BSD-3-Clause
// The manifest: what is read, and the text of every message that a file or --set can provoke.
#include "ancora/framework/manifest.hpp"

#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/printable.hpp"
#include "toml_reader.hpp"
#include "toml_writer.hpp"

namespace ancora {
namespace {

using Overrides = std::vector<std::string>;

// The smallest manifest, in one line; tables can follow.
const std::string kSmallest = "integrator = {type = 'emm', step = 0.1, end = 1}\n";

Manifest parse(const std::string& text, const Overrides& overrides = {}) {
    return Manifest::parse(text, "model.toml", overrides);
}

// The whole message of the error that a text causes.
std::string error_of(const std::string& text,
                     const Overrides& overrides = {},
                     ErrorKind kind = ErrorKind::manifest) {
    try {
        parse(text, overrides);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

// The same for a manifest built in code.
std::string error_of(const Manifest& manifest) {
    try {
        manifest.validate();
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::manifest);
        return error.what();
    }
    return "no error";
}

std::string error_of_file(const std::filesystem::path& file) {
    try {
        Manifest::load(file);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::file);
        return error.what();
    }
    return "no error";
}

Manifest valid_manifest() {
    Manifest manifest;
    manifest.integrator.type = "emm";
    manifest.integrator.step = 0.1;
    manifest.integrator.end = 1.0;
    return manifest;
}

const std::string kTumblingBox = R"([model]
name    = "truss on a tumbling box"
gravity = [0.0, 0, -9.81]
plugins = ["ancf_rigid_body", "emm"]
plugin_dirs = ["../my_plugins"]
project_start = true

[[body]]
name = "box"
type = "ancf_rigid_body"
density = 2700
orientation = {axis = [0.0, 0.0, 1.0], angle = 0.5}

[[body]]
name = "boom"
type = "truss"

[[constraint]]
name = "root"
type = "position"
a = "box@[1.5, 0.0, 0.0]"
b = "boom@0"

[[force]]
name = "push"
type = "point_load"
  [force.table]
  file = "push.csv"

[integrator]
type = "emm"
step = 1.0e-3
end  = 10
tolerance = 1.0e-12
[integrator.emm]
max_iterations = 20
[integrator.dopri5]

[output]
every = 0.01
points = ["boom@1", "box@[0, 0, 0]"]
)";

}  // namespace

TEST_SUITE("manifest") {
    TEST_CASE("every table of the contract is read, with places") {
        const Manifest m = parse(kTumblingBox);
        CHECK(m.file == "model.toml");
        CHECK(m.model.name == "truss on a tumbling box");
        CHECK(m.model.gravity == std::array{0.0, 0.0, -9.81});
        REQUIRE(m.model.plugins.size() == 2);
        CHECK(m.model.plugins[1].text == "emm");
        CHECK(m.model.plugins[1].place.line == 4);
        CHECK(m.model.plugins[1].place.column == 31);
        REQUIRE(m.model.plugin_dirs.size() == 1);
        CHECK(m.model.plugin_dirs[0].text == "../my_plugins");
        CHECK(m.model.project_start == ProjectStart::near);

        REQUIRE(m.bodies.size() == 2);
        const ObjectSpec& box = m.bodies[0];
        CHECK(box.kind == TypeKind::body);
        CHECK(box.name == "box");
        CHECK(box.type == "ancf_rigid_body");
        CHECK(*box.place.file == "model.toml");
        CHECK(box.place.line == 8);
        CHECK(box.place.column == 1);
        CHECK(box.name_place.line == 9);
        CHECK(box.name_place.column == 8);
        CHECK(box.type_place.line == 10);
        REQUIRE(box.parameters.entries().size() == 2);
        CHECK(box.parameters.entries()[0].key == "density");
        CHECK(box.parameters.entries()[0].place.column == 1);
        CHECK(*box.parameters.entries()[0].value.as<std::int64_t>() == 2700);
        CHECK(box.parameters.entries()[0].value.place().column == 11);
        const Table& orientation = *box.parameters.find("orientation")->value.as<Table>();
        CHECK(*orientation.find("angle")->value.as<double>() == 0.5);
        CHECK(m.bodies[1].name == "boom");

        REQUIRE(m.constraints.size() == 1);
        CHECK(m.constraints[0].kind == TypeKind::constraint);
        CHECK(*m.constraints[0].parameters.find("b")->value.as<std::string>() == "boom@0");
        REQUIRE(m.forces.size() == 1);
        CHECK(m.forces[0].kind == TypeKind::force);
        const Table& table = *m.forces[0].parameters.find("table")->value.as<Table>();
        CHECK(*table.find("file")->value.as<std::string>() == "push.csv");

        CHECK(m.integrator.type == "emm");
        CHECK(m.integrator.step == 1e-3);
        CHECK(m.integrator.end == 10.0);
        CHECK(m.integrator.tolerance == 1e-12);
        CHECK(m.integrator.place.line == 30);
        CHECK(m.integrator.type_place.line == 31);
        CHECK(m.integrator.step_place.line == 32);
        CHECK(m.integrator.own.size() == 2);
        CHECK(*m.integrator.own.at("emm").find("max_iterations")->value.as<std::int64_t>() == 20);
        CHECK(m.integrator.own_places.at("emm").line == 35);

        CHECK(m.output.every == 0.01);
        REQUIRE(m.output.points.size() == 2);
        CHECK(m.output.points[1].text == "box@[0, 0, 0]");
    }

    TEST_CASE("what is left out has the defaults of the contract") {
        const Manifest m = parse(kSmallest);
        CHECK(m.model.name == "model");
        CHECK(m.model.gravity == std::array{0.0, 0.0, 0.0});
        CHECK(m.model.plugins.empty());
        CHECK(m.model.project_start == ProjectStart::no);
        CHECK(m.bodies.empty());
        CHECK_FALSE(m.integrator.tolerance);
        CHECK_FALSE(m.output.every);
        CHECK(m.output.points.empty());
    }

    TEST_CASE("keys keep the order of the file") {
        const Manifest m =
            parse(kSmallest + "[[body]]\nname = 'b'\nz = 1\na = 2\ntype = 't'\nm = 3\n");
        REQUIRE(m.bodies[0].parameters.entries().size() == 3);
        CHECK(m.bodies[0].parameters.entries()[0].key == "z");
        CHECK(m.bodies[0].parameters.entries()[1].key == "a");
        CHECK(m.bodies[0].parameters.entries()[2].key == "m");
    }

    TEST_CASE("a step longer than the run is one shorter step") {
        CHECK(parse("integrator = {type = 'emm', step = 2, end = 1}").integrator.step == 2.0);
    }

    TEST_CASE("mistakes of syntax have the TOML reader's words and a place") {
        CHECK(error_of("[model\nname = 1") ==
              "model.toml:1:7: error: the header is not closed; write [model]");
        CHECK(error_of("[model]\nname = 'a'\nname = 'b'") ==
              "model.toml:3:8: error: \"name\" stands twice in one table, first in line 2; remove "
              "one");
        CHECK(error_of("[model]\nproject_start = tru\n") ==
              "model.toml:2:20: error: Error while parsing boolean: expected 'true', saw 'tru\\n'; "
              "texts, formulas and numbers with units stand in quotes: project_start = \"tru\"");
        CHECK(error_of("[output]\nevery = 1e400") ==
              "model.toml:2:14: error: Error while parsing floating-point: '1e400' could not be "
              "interpreted as a value");
        CHECK(error_of("[output]\nevery = 99999999999999999999") ==
              "model.toml:2:29: error: Error while parsing decimal integer: "
              "'99999999999999999999' is not representable in 64 bits");
    }

    TEST_CASE("a file that is not UTF-8 is refused") {
        CHECK(error_of("[model]\nname = \"K\xf6rper\"\n") ==
              "model.toml:2:9: error: Encountered invalid utf-8 sequence; save the file as UTF-8");
        CHECK(error_of(std::string("\xff\xfe[\0m\0", 6)) ==
              "model.toml:1:1: error: Encountered invalid utf-8 sequence; save the file as UTF-8");
        CHECK(parse("\xef\xbb\xbf" + kSmallest).integrator.type == "emm");  // a byte order mark
    }

    TEST_CASE("dates and times have no use") {
        CHECK(error_of("[output]\nevery = 1979-05-27\n") ==
              "model.toml:2:9: error: every: dates and times have no use in a manifest; put the "
              "value in quotes if it is a text");
    }

    TEST_CASE("unknown tables come with the nearest name") {
        CHECK(error_of(kSmallest + "[[boddy]]\nname = 'b'\n") ==
              "model.toml:2:3: error: unknown table \"boddy\"; did you mean \"body\"?");
        CHECK(error_of(kSmallest + "[solver]\n") ==
              "model.toml:2:2: error: unknown table \"solver\"; write [integrator]");
        CHECK(error_of(kSmallest + "[[links]]\n") ==
              "model.toml:2:3: error: unknown table \"links\"; write [[body]]");
        CHECK(error_of(kSmallest + "[gears]\n") ==
              "model.toml:2:2: error: unknown table \"gears\"; valid tables: parameters, "
              "model, body, joint, constraint, force, shape, frame, generate, integrator, output");
        CHECK(error_of("gravity = [0, 0, 0]\n" + kSmallest) ==
              "model.toml:1:1: error: key \"gravity\" stands outside every table; write it below "
              "the header of its table, such as [model]");
    }

    TEST_CASE("lists of objects and single tables are told apart") {
        CHECK(error_of(kSmallest + "[body]\nname = 'b'\n") ==
              "model.toml:2:1: error: \"body\" must be a list of tables, not a table; write "
              "[[body]] above each body");
        CHECK(error_of(kSmallest + "force = 3\n") ==
              "model.toml:2:9: error: \"force\" must be a list of tables, not 3; write [[force]] "
              "above each force");
        CHECK(error_of(kSmallest + "constraint = [{name = 'a', type = 'b'}, 5]\n") ==
              "model.toml:2:41: error: \"constraint\" must be a list of tables, but holds 5; write "
              "[[constraint]] above each constraint");
        CHECK(error_of(kSmallest + "[[model]]\nname = 'b'\n") ==
              "model.toml:2:1: error: \"model\" must be one table, not an array of 1 table; write "
              "[model]");
        CHECK(parse(kSmallest + "body = [{name = 'a', type = 't'}]").bodies.size() == 1);
        CHECK(parse(kSmallest + "body = []").bodies.empty());
    }

    TEST_CASE("a model cannot grant trust to its own folders, whoever writes it where") {
        const std::string refusal =
            "error: [model]: unchecked_plugin_dirs: a model cannot allow this for itself; remove "
            "the key, and if you trust the folders, give the command the option "
            "--unchecked-plugin-dirs (in a program: PluginRegistry::allow_unchecked_folders)";
        for (const char* value : {"true", "false", "'yes'"})
            CHECK(error_of(kSmallest + "[model]\nunchecked_plugin_dirs = " + value + "\n") ==
                  "model.toml:3:25: " + refusal);
    }

    TEST_CASE("mistakes in [model] and [output] are refused") {
        CHECK(error_of(kSmallest + "[model]\ngravty = [0, 0, 0]\n") ==
              "model.toml:3:1: error: [model]: unknown key \"gravty\"; did you mean \"gravity\"?");
        CHECK(error_of(kSmallest + "[model]\nsolver = 1\n") ==
              "model.toml:3:1: error: [model]: unknown key \"solver\"; valid keys: name, gravity, "
              "plugins, plugin_dirs, project_start, start, impacts");
        CHECK(
            error_of(kSmallest + "[model]\ngravity = [0, -9.81]\n") ==
            "model.toml:3:11: error: [model]: gravity: expected an array of 3 numbers or a table, "
            "got an array of 2 numbers; write [x, y, z]");
        CHECK(error_of(kSmallest + "[model]\ngravity = [0, 0, nan]\n") ==
              "model.toml:3:18: error: [model]: gravity[2]: expected a number, got nan m/s^2");
        CHECK(error_of(kSmallest + "[model]\nplugins = 'emm'\n") ==
              "model.toml:3:11: error: [model]: plugins: expected an array of texts, got \"emm\"; "
              "write [\"emm\"]");
        CHECK(error_of(kSmallest + "[model]\nplugins = ['emm', 3]\n") ==
              "model.toml:3:19: error: [model]: plugins[1]: expected a text, got 3");
        CHECK(error_of(kSmallest + "[model]\nproject_start = 'yes'\n") ==
              "model.toml:3:17: error: [model]: project_start: expected true or false or \"far\", "
              "got "
              "\"yes\"; write true or false, without quotes");
        CHECK(error_of(kSmallest + "[output]\nevery = 0\n") ==
              "model.toml:3:9: error: [output]: every: expected a value > 0 s, got 0 s");
        CHECK(error_of(kSmallest + "[output]\npoints = 'box@0'\n") ==
              "model.toml:3:10: error: [output]: points: expected an array of texts, got "
              "\"box@0\"; write [\"box@0\"]");
    }

    TEST_CASE("a point that is asked for twice") {
        CHECK(error_of("[output]\npoints = ['a@0', 'b@0', 'a@0']\n[integrator]\ntype = 'emm'\n"
                       "step = 1\nend = 1\n") ==
              "model.toml:2:25: error: [output]: points: \"a@0\" is there twice");
    }

    TEST_CASE("mistakes in [integrator] are refused") {
        CHECK(error_of("[model]\n") ==
              "model.toml: error: missing table [integrator]; write one with the keys type, step "
              "and end");
        CHECK(error_of("\n[integrator]\nstep = 1\nend = 1\n") ==
              "model.toml:2:1: error: [integrator]: missing key \"type\" (name of the integrator, "
              "one of those that `ancora plugins` lists)");
        CHECK(error_of("[integrator]\ntype = 'emm'\nend = 1\n") ==
              "model.toml:1:1: error: [integrator]: missing key \"step\" (length of a step [s])");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstep = -1e-3\nend = 1\n") ==
              "model.toml:3:8: error: [integrator]: step: expected a value > 0 s, got -0.001 s");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstep = '1 msec'\nend = 1\n") ==
              "model.toml:3:8: error: [integrator]: step: expected a number, got \"1 msec\"; "
              "position 3: found \"msec\", which is no unit");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstep = 1\nend = inf\n") ==
              "model.toml:4:7: error: [integrator]: end: expected a finite number, got inf s");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstep = 1\nend = 1\ntolerance = 0\n") ==
              "model.toml:5:13: error: [integrator]: tolerance: expected a value > 0, got 0");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstpe = 1\nend = 1\n") ==
              "model.toml:3:1: error: [integrator]: unknown key \"stpe\"; did you mean \"step\"?");
        CHECK(error_of("[integrator]\ntype = 'emm'\nmax_iterations = 1\nend = 1\n") ==
              "model.toml:3:1: error: [integrator]: unknown key \"max_iterations\"; valid keys: "
              "type, step, begin, end, tolerance; keys of one type alone go into [integrator.emm]: "
              "below it write max_iterations = 1");
        CHECK(error_of("[integrator]\ntype = 'emm'\nstep = 1e-300\nend = 1\n") ==
              "model.toml:3:8: error: [integrator]: steps of 1e-300 s to 1 s are too many; at most "
              "9e+15 fit");
    }

    TEST_CASE("every object needs a name and a type") {
        CHECK(error_of(kSmallest + "\n[[body]]\ntype = 'truss'\n") ==
              "model.toml:3:1: error: [[body]]: missing key \"name\" (unique)");
        CHECK(error_of(kSmallest + "\n[[force]]\nname = 'push'\n") ==
              "model.toml:3:1: error: force \"push\": missing key \"type\" (name of the type, one "
              "of those that `ancora plugins` lists)");
        CHECK(error_of(kSmallest + "[[body]]\nnaem = 'b'\n") ==
              "model.toml:3:1: error: [[body]]: unknown key \"naem\"; did you mean \"name\"?");
        CHECK(error_of(kSmallest + "[[body]]\nname = 'b'\ntyp = 'truss'\n") ==
              "model.toml:4:1: error: body \"b\": unknown key \"typ\"; did you mean \"type\"?");
        CHECK(error_of(kSmallest + "[[body]]\nname = 5\n") ==
              "model.toml:2:1: error: [[body]]: missing key \"type\" (name of the type, one of "
              "those that `ancora plugins` lists)\n"
              "model.toml:3:8: error: [[body]]: name: expected a text, got 5");
        CHECK(error_of(kSmallest + "[[body]]\nname = 'b'\ntype = ''\n") ==
              "model.toml:4:8: error: body \"b\": the type is empty; write the name of a type");
    }

    TEST_CASE("names are valid, free and unique over all lists") {
        CHECK(
            error_of(kSmallest + "[[body]]\nname = '2b'\ntype = 't'\n") ==
            "model.toml:3:8: error: body \"2b\": a name is a letter or _, then letters, digits, _ "
            "or -");
        CHECK(error_of(kSmallest + "[[body]]\nname = ''\ntype = 't'\n") ==
              "model.toml:3:8: error: body \"\": a name is a letter or _, then letters, digits, _ "
              "or -");
        CHECK(error_of(kSmallest + "[[body]]\nname = \"a\\nb\"\ntype = 't'\n") ==
              "model.toml:3:8: error: body \"a\\nb\": a name is a letter or _, then letters, "
              "digits, _ or -");
        for (const char* const name : {"t",
                                       "energy",
                                       "work",
                                       "momentum",
                                       "angular_momentum",
                                       "constraint",
                                       "ground",
                                       "model"})
            CHECK(error_of(kSmallest + "[[force]]\ntype = 't'\nname = '" + name + "'\n") ==
                  "model.toml:4:8: error: force \"" + std::string(name) +
                      "\": this name is reserved; choose another");
        CHECK(error_of(
                  kSmallest +
                  "[[constraint]]\nname = 'a'\ntype = 't'\n[[body]]\nname = 'a'\ntype = 't'\n") ==
              "model.toml:6:8: error: body \"a\": this name is already that of a constraint at "
              "model.toml:3:8");
        CHECK(parse(kSmallest + "[[body]]\nname = '_a-1'\ntype = 't'\n").bodies.size() == 1);
    }

    TEST_CASE("a file that cannot be read is an error of kind file, with the reason") {
        namespace fs = std::filesystem;
        const fs::path folder = fs::temp_directory_path();
        CHECK(error_of_file("/nowhere/model.toml") ==
              "/nowhere/model.toml: error: cannot read the manifest: No such file or directory");
        CHECK(error_of_file(folder) ==
              folder.string() + ": error: cannot read the manifest: this is a folder");

        const fs::path file = folder / "ancora_manifest_test.toml";
        std::ofstream(file) << kSmallest;
        const Manifest m = Manifest::load(file, Overrides{"output.every=0.5"});
        fs::remove(file);
        CHECK(m.file == file);
        CHECK(m.integrator.type == "emm");
        CHECK(m.output.every == 0.5);
    }
}

TEST_SUITE("overrides") {
    TEST_CASE("an override reaches every table, new keys included") {
        const Manifest m = parse(kTumblingBox,
                                 {"model.gravity=[0,0,-1]",
                                  "integrator.step=1e-2",
                                  " integrator . type = rk4 ",
                                  "integrator.emm.max_iterations=30",
                                  "integrator.rk4.order=4",
                                  "output.points=[]",
                                  "body.box.penalty=1e10",
                                  "body.box.orientation.angle=1",
                                  "body.boom.spin.rate=2.5",
                                  "constraint.root.a=ground@[1, 0, 0]",
                                  "force.push.force=[0,0,1]",
                                  "model.name=a = b"});
        CHECK(m.model.gravity == std::array{0.0, 0.0, -1.0});
        CHECK(m.model.name == "a = b");
        CHECK(m.integrator.step == 0.01);
        CHECK(m.integrator.type == "rk4");
        CHECK(*m.integrator.own.at("emm").find("max_iterations")->value.as<std::int64_t>() == 30);
        CHECK(*m.integrator.own.at("rk4").find("order")->value.as<std::int64_t>() == 4);
        CHECK(m.output.points.empty());
        CHECK(*m.constraints[0].parameters.find("a")->value.as<std::string>() ==
              "ground@[1, 0, 0]");
        CHECK(m.forces[0].parameters.find("force")->value.as<Array>()->size() == 3);

        const Table& box = m.bodies[0].parameters;
        const Table& orientation = *box.find("orientation")->value.as<Table>();
        CHECK(*orientation.find("angle")->value.as<std::int64_t>() == 1);
        CHECK(orientation.find("axis") != nullptr);
        CHECK(*box.find("penalty")->value.as<double>() == 1e10);
        const Place& place = box.find("penalty")->value.place();
        CHECK(*place.file == "--set body.box.penalty=1e10");
        CHECK(place.line == 0);
        const Table& spin = *m.bodies[1].parameters.find("spin")->value.as<Table>();
        CHECK(*spin.find("rate")->value.as<double>() == 2.5);
    }

    TEST_CASE("an override may supply what the file lacks, the last one counts") {
        const Manifest m = parse(
            "",
            {"integrator.type=emm", "integrator.step=1", "integrator.end=10", "integrator.end=20"});
        CHECK(m.integrator.end == 20.0);
    }

    TEST_CASE("a malformed override is a mistake of usage") {
        const auto usage = [](const std::string& text) {
            return error_of(kTumblingBox, {text}, ErrorKind::usage);
        };
        CHECK(usage("model.gravity") ==
              "error: --set takes TABLE.KEY=VALUE, not \"model.gravity\"");
        CHECK(usage("gravity=1") == "error: --set takes TABLE.KEY=VALUE, not \"gravity=1\"");
        CHECK(usage("model..x=1") == "error: --set takes TABLE.KEY=VALUE, not \"model..x=1\"");
        CHECK(usage("=1") == "error: --set takes TABLE.KEY=VALUE, not \"=1\"");
        CHECK(usage("model.name=\xff") ==
              "error: --set takes text in UTF-8, not \"model.name=\\xff\"");
        CHECK(usage("") == "error: --set takes TABLE.KEY=VALUE, not \"\"");
        CHECK(usage("body.box=1") == "error: --set takes body.NAME.KEY=VALUE, not \"body.box=1\"");
    }

    TEST_CASE("an override of what is not there is a mistake of the manifest") {
        const auto error = [](const std::string& text) {
            return error_of(kTumblingBox, {text});
        };
        CHECK(error("boddy.box.x=1") ==
              "--set boddy.box.x=1: error: unknown table \"boddy\"; did you mean \"body\"?");
        CHECK(error("body.boxx.penalty=1e10") ==
              "--set body.boxx.penalty=1e10: error: no body \"boxx\"; did you mean \"box\"?");
        CHECK(error("body.wheel.penalty=1") ==
              "--set body.wheel.penalty=1: error: no body \"wheel\"; there are: box, boom");
        CHECK(error("body.root.penalty=1") ==
              "--set body.root.penalty=1: error: no body \"root\"; \"root\" is a constraint");
        CHECK(error("model.gravty=[0,0,0]") ==
              "--set model.gravty=[0,0,0]: error: [model]: unknown key \"gravty\"; did you mean "
              "\"gravity\"?");
        CHECK(error("integrator.steps=1") ==
              "--set integrator.steps=1: error: [integrator]: unknown key \"steps\"; did you mean "
              "\"step\"?");
        CHECK(
            error("output.evry=1") ==
            "--set output.evry=1: error: [output]: unknown key \"evry\"; did you mean \"every\"?");
        CHECK(error("integrator.step.x=1") ==
              "--set integrator.step.x=1: error: \"step\" is 0.001, not a table with keys");
        CHECK(error_of(kSmallest, {"force.push.x=1"}) ==
              "--set force.push.x=1: error: no force \"push\"");
    }

    TEST_CASE("a wrong value of an override is refused like that of a file") {
        const auto error = [](const std::string& text) {
            return error_of(kTumblingBox, {text});
        };
        CHECK(
            error("integrator.step=0") ==
            "--set integrator.step=0: error: [integrator]: step: expected a value > 0 s, got 0 s");
        CHECK(error("integrator.step=") ==
              "--set integrator.step=: error: [integrator]: step: expected a number, got \"\"");
        CHECK(error("integrator.end=1e400") ==
              "--set integrator.end=1e400: error: [integrator]: end: expected a number, got "
              "\"1e400\"; position 1: found a number that is too large or too small for double "
              "precision");
        CHECK(error("model.gravity=[0,0") ==
              "--set model.gravity=[0,0: error: \"[0,0\" is no array and no table: a bracket, a "
              "comma or a number is not as TOML has it; a text that begins so stands in quotes");
        CHECK(error("body.box.name=boom") ==
              "model.toml:15:8: error: body \"boom\": this name is already that of a body (--set "
              "body.box.name=boom)");
    }
}

TEST_SUITE("manifest built in code") {
    TEST_CASE("objects are added and their parameters chained") {
        Manifest m = valid_manifest();
        m.add_body("box", "particle").set("mass", 2.0).set("position", {1.0, 2.0, 3.0});
        m.add_constraint("pin", "position").set("a", "box@[0, 0, 0]");
        m.add_force("push", "point_load");
        m.validate();
        CHECK(m.bodies[0].kind == TypeKind::body);
        CHECK(m.constraints[0].kind == TypeKind::constraint);
        CHECK(m.forces[0].kind == TypeKind::force);
        CHECK(*m.bodies[0].parameters.find("mass")->value.as<double>() == 2.0);
        CHECK(m.bodies[0].parameters.find("position")->value.as<Array>()->size() == 3);
        m.bodies[0].set("mass", 3.0);
        CHECK(*m.bodies[0].parameters.find("mass")->value.as<double>() == 3.0);
        m.bodies[0].parameters.erase("mass");
        CHECK(m.bodies[0].parameters.find("mass") == nullptr);
    }

    TEST_CASE("names are checked as in a file") {
        Manifest m = valid_manifest();
        m.add_body("a", "t");
        m.add_force("a", "t");
        CHECK(error_of(m) == "error: force \"a\": this name is already that of a body");
        m.forces[0].name = "ground";
        CHECK(error_of(m) == "error: force \"ground\": this name is reserved; choose another");
        m.forces[0].name = "x y";
        CHECK(error_of(m) ==
              "error: force \"x y\": a name is a letter or _, then letters, digits, _ or -");
    }

    TEST_CASE("numbers are checked as in a file") {
        Manifest m;
        CHECK(error_of(m) ==
              "error: [integrator]: the type is empty; write the name of an integrator");
        m.integrator.type = "emm";
        CHECK(error_of(m) == "error: [integrator]: step: expected a value > 0 s, got 0.0 s");
        m.integrator.step = std::numeric_limits<double>::quiet_NaN();
        CHECK(error_of(m) == "error: [integrator]: step: expected a finite number, got nan s");
        m.integrator.step = 1e-3;
        m.integrator.end = std::numeric_limits<double>::infinity();
        CHECK(error_of(m) == "error: [integrator]: end: expected a finite number, got inf s");
        m.integrator.end = 1.0;
        m.integrator.tolerance = -1.0;
        CHECK(error_of(m) == "error: [integrator]: tolerance: expected a value > 0, got -1.0");
        m.integrator.tolerance = 1e-9;
        m.output.every = 0.0;
        CHECK(error_of(m) == "error: [output]: every: expected a value > 0 s, got 0.0 s");
        m.output.every = 1.0;
        m.model.gravity[1] = std::numeric_limits<double>::infinity();
        CHECK(error_of(m) == "error: [model]: gravity: expected a finite number, got inf m/s^2");
        m.model.gravity[1] = 0.0;
        m.validate();
    }
}

TEST_SUITE("value") {
    TEST_CASE("text is read as a TOML value where it is one, else as a string") {
        CHECK(*parse_value("12").as<std::int64_t>() == 12);
        CHECK(*parse_value("1e-3").as<double>() == 1e-3);
        CHECK(*parse_value("inf").as<double>() == std::numeric_limits<double>::infinity());
        CHECK(*parse_value("true").as<bool>());
        CHECK(*parse_value("\"12\"").as<std::string>() == "12");
        CHECK(parse_value("[1, [2, 3]]").as<Array>()->size() == 2);
        CHECK(parse_value("{a = 1}").as<Table>()->find("a") != nullptr);
        for (const char* const text :
             {"rk4", "012", "1e400", "[1, 2", "", "box@[1, 0, 0]", "1979-05-27", "1\nb = 2", "a=1"})
            CHECK(*parse_value(text).as<std::string>() == text);
        CHECK_FALSE(parse_value("1").place().known());
    }
    TEST_CASE("what is read without toml++ is what toml++ reads") {
        const std::vector<std::string> pieces = {
            "1",  "0",        "23",   ".",     "-",   "+",        "e",     "E-4", "_",   "[",
            "]",  ", ",       "true", "\"a\"", "\"",  "\\",       " ",     "\t",  "inf", ".5",
            "7.", "1.25e+07", "0x",   "false", "'b'", "\xc3\xa4", "1e400", "-0"};
        std::mt19937 random(5);
        std::size_t num_values = 0;
        for (int trial = 0; trial < 100'000; ++trial) {
            std::string text;
            for (std::size_t k = 1 + random() % 7; k > 0; --k)
                text += pieces[random() % pieces.size()];
            std::string expected = toml_text(text);
            try {
                const Table table =
                    read_toml("value = " + text, std::make_shared<const std::string>("x"));
                if (table.entries().size() == 1) {
                    expected = toml_value(table.entries().front().value);
                    ++num_values;
                }
            } catch (const Error&) {
            }
            if (toml_value(parse_value(text)) == expected) continue;
            CAPTURE(text);
            CHECK(toml_value(parse_value(text)) == expected);
        }
        CHECK(num_values > 5000);
    }
}

TEST_SUITE("printable") {
    TEST_CASE("what a terminal obeys is written out, all else stays") {
        CHECK(printable("plain, \t and\nlines") == "plain, \t and\nlines");
        CHECK(printable("\u00e4 \u03c0 \u20ac \U0001f600") == "\u00e4 \u03c0 \u20ac \U0001f600");
        CHECK(printable("\x1b[31m\x07\r\x7f") == "\\u001b[31m\\u0007\\u000d\\u007f");
        CHECK(printable(std::string("a\0b", 3)) == "a\\u0000b");
        // the second set of control characters, which stands in UTF-8 too
        CHECK(printable("\u0080\u009b\u009f\u00a0") == "\\u0080\\u009b\\u009f\u00a0");
        // text that runs from right to left where it should not
        CHECK(printable("a\u202eb\u2066c\u2069\u200f\u2028") ==
              "a\\u202eb\\u2066c\\u2069\\u200f\\u2028");
        // what is no UTF-8: lone, cut short, too long, surrogates, beyond Unicode
        CHECK(printable("\x9b\xff \xe2\x82") == "\\x9b\\xff \\xe2\\x82");
        CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");
        CHECK(printable("\xed\xa0\x80 \xf4\x90\x80\x80") == "\\xed\\xa0\\x80 \\xf4\\x90\\x80\\x80");
    }

    TEST_CASE("an error's text is printable, its file's name on one line") {
        Place place;
        place.file = std::make_shared<const std::string>("a\x1b[2J\nb.toml");
        place.line = 3;
        place.column = 4;
        const Error error(ErrorKind::manifest, "no \"\x1b[2J\"\nhere", place);
        CHECK(error.message() == "no \"\\u001b[2J\"\nhere");
        CHECK(std::string(error.what()) ==
              "a\\u001b[2J\\nb.toml:3:4: error: no \"\\u001b[2J\"\nhere");
    }
}

TEST_SUITE("nearest name") {
    TEST_CASE("a slip of the keys finds the name that was meant") {
        const std::vector<std::string> names{"density", "size", "penalty", "angular_velocity", "a"};
        CHECK(nearest_name("densty", names) == "density");
        CHECK(nearest_name("desnity", names) == "density");
        CHECK(nearest_name("Size", names) == "size");
        CHECK(nearest_name("angularvelocty", names) == "angular_velocity");
        CHECK(nearest_name("A", names) == "a");
    }

    TEST_CASE("another word finds nothing") {
        const std::vector<std::string> names{"density", "size", "a"};
        CHECK(nearest_name("colour", names).empty());
        CHECK(nearest_name("b", names).empty());
        CHECK(nearest_name("", names).empty());
        CHECK(nearest_name("density", {}).empty());
    }
}

}  // namespace ancora
