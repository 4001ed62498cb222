// SPDX-License-Identifier: BSD-3-Clause
// The command: usage, `check`, `describe` and `new`.
#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "command_runs.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("ancora: usage") {
    TEST_CASE("no command, an unknown command, and a slip of the keys") {
        const TempFolder folder;
        const auto check = [&](const CommandArguments& arguments, const std::string& message) {
            const ProcessResult result = run_ancora(folder, arguments);
            CHECK(result.status == 2);
            CHECK(result.out == "");
            CHECK(result.err == "error: " + message + "\n");
        };
        check({}, "no command given (\"ancora --help\" lists the commands)");
        check({"rnu", "m.toml"},
              "unknown command \"rnu\"; did you mean \"run\"? (\"ancora --help\" lists the "
              "commands)");
        check({"simulate"}, "unknown command \"simulate\" (\"ancora --help\" lists the commands)");
        check({"--verison"},
              "unknown option \"--verison\"; did you mean \"--version\"? (\"ancora --help\" lists "
              "the options)");
    }

    TEST_CASE("options that a command does not have, or not so") {
        const TempFolder folder;
        const auto check = [&](const CommandArguments& arguments, const std::string& message) {
            const ProcessResult result = run_ancora(folder, arguments);
            CHECK(result.status == 2);
            CHECK(result.out == "");
            CHECK(result.err == "error: " + message + "\n");
        };
        check(
            {"run", "m.toml", "--jsom"},
            "unknown option \"--jsom\"; did you mean \"--json\"? (\"ancora run --help\" lists the "
            "options)");
        // Prefixes are not guessed.
        check({"run", "m.toml", "--plugin", "x"},
              "unknown option \"--plugin\" (\"ancora run --help\" lists the options)");
        check({"check", "m.toml", "--out", "x"},
              "unknown option \"--out\" (\"ancora check --help\" lists the options)");
        check({"run"}, "\"ancora run\" needs an argument: ancora run MODEL.toml");
        check({"run", "a.toml", "b.toml"},
              "unexpected argument \"b.toml\" (see \"ancora run --help\")");
        check({"plugins", "truss"},
              "unexpected argument \"truss\" (see \"ancora plugins --help\")");
        check({"run", "m.toml", "--out"}, "option \"--out\" needs a value");
        check({"run", "m.toml", "--out="}, "option \"--out\" needs a value");
        check({"run", "m.toml", "--out", "a", "--out", "b"},
              "option \"--out\" is given more than once");
        check({"run", "m.toml", "--threads", "none"},
              "option \"--threads\": \"none\" is not a positive whole number");
        check({"run", "m.toml", "--threads", "0"},
              "option \"--threads\": \"0\" is not a positive whole number");
    }

    TEST_CASE("help and version go to standard output") {
        const TempFolder folder;
        const ProcessResult help = run_ancora(folder, {"--help"});
        CHECK(help.status == 0);
        CHECK(help.err == "");
        CHECK(contains(help.out, "usage: ancora COMMAND"));
        CHECK(contains(help.out, "describe TYPE"));

        for (const CommandArguments& arguments :
             {CommandArguments{"run", "--help"}, {"--help", "run"}, {"run", "-h"}}) {
            const ProcessResult of_run = run_ancora(folder, arguments);
            CHECK(of_run.status == 0);
            CHECK(of_run.out.starts_with("usage: ancora run MODEL.toml [OPTION]...\n"));
            CHECK(contains(of_run.out, "--plugin-dir DIR"));
        }

        const ProcessResult version = run_ancora(folder, {"--version"});
        CHECK(version.status == 0);
        CHECK(version.out.starts_with("ancora "));
        CHECK(lines_of(version.out).size() == 1);
    }

    TEST_CASE("common options may stand before the command") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        const ProcessResult result =
            run_ancora(folder, {"--threads", "2", "--verbose", "run", "m.toml", "--quiet"});
        CHECK(result.status == 0);
        CHECK(result.out == "");
        CHECK(contains(result.err, "plugin ancf_rigid_body "));
        CHECK(contains(result.err, "results in results/m"));
    }

    TEST_CASE("standard output that takes nothing is an error") {
        const TempFolder folder;
        ProcessOptions options;
        options.out_file = "/dev/full";
        // A long text is written on its way, a short one at the end.
        for (const CommandArguments& arguments :
             {CommandArguments{"--help"}, CommandArguments{"describe", "--all", "--markdown"}}) {
            const ProcessResult result = run_ancora(folder, arguments, options);
            CHECK(result.status == 6);
            CHECK(result.err ==
                  "error: cannot write to standard output: No space left on device\n");
        }
    }
}

TEST_SUITE("ancora check") {
    TEST_CASE("mass, inertia, freedom and energy of a box") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        const ProcessResult text = run_ancora(folder, {"check", "m.toml"});
        CHECK(text.status == 0);
        CHECK(text.err == "");
        for (const char* const label : {"total mass ",
                                        "centre of mass ",
                                        "inertia ",
                                        "degrees of freedom ",
                                        "initial energy ",
                                        "rank ",
                                        "redundant rows "})
            CHECK(contains(text.out, label));
        CHECK(contains(text.out, "16200 kg\n"));
        CHECK_FALSE(std::filesystem::exists(folder / "results"));

        const ProcessResult json = run_ancora(folder, {"check", "m.toml", "--json"});
        CHECK(json.status == 0);
        const Json check = Json::parse(json.out);
        CHECK(check["mass"].get<double>() == doctest::Approx(16200.0));
        // m/12 (a^2 + b^2) about each axis; T = w.J w / 2
        const double J[] = {16200.0 / 12.0 * 5.0, 16200.0 / 12.0 * 10.0, 16200.0 / 12.0 * 13.0};
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(check["inertia"][i][i].get<double>() == doctest::Approx(J[i]).epsilon(1e-12));
        const double T = 0.5 * (J[0] * 0.09 + J[1] * 0.25 + J[2] * 0.64);
        CHECK(check["energy"]["kinetic"].get<double>() == doctest::Approx(T).epsilon(1e-12));
        CHECK(check["degrees_of_freedom"] == 6);
        CHECK(check["redundant_rows"].empty());
    }

    TEST_CASE("redundant rows are reported, not refused") {
        const TempFolder folder;
        folder.write(
            "m.toml",
            kTop + constraint("box@[0, 0, 0]", "ground@[0, 0, 0]") +
                replaced(constraint("box@[0, 0, 0]", "ground@[0, 0, 0]"), "hook", "again"));
        const ProcessResult result = run_ancora(folder, {"check", "m.toml", "--json"});
        CHECK(result.status == 0);
        CHECK(contains(result.err, "warning: 3 of 12 constraint rows are redundant: "));
        const Json check = Json::parse(result.out);
        CHECK(check["redundant_rows"].size() == 3);
        CHECK(check["degrees_of_freedom"] == 3);
    }

    TEST_CASE("a model in lines of braces is the one in headers, and mistakes in it have places") {
        const TempFolder folder;
        folder.write(
            "long.toml",
            "[model]\nname = \"m\"\ngravity = [0.0, 0.0, -9.81]\n"
            "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nsize = [1.0, 1.0, 1.0]\n"
            "density = 500.0\nposition = [0.0, 0.0, 0.5]\n"
            "[[joint]]\nname = \"pin\"\ntype = \"revolute\"\na = \"ground\"\nb = \"box\"\n"
            "point = [0.0, 0.0, 0.0]\naxis = [0.0, 1.0, 0.0]\nspring = 3.0\n"
            "[integrator]\ntype = \"emm\"\nstep = 1.0e-3\nend = 0.1\n");
        const std::string brief =
            "model = {name = \"m\", gravity = [0, 0, -9.81]}\n"
            "integrator = {type = \"emm\", step = 1e-3, end = 0.1}\n"
            "body = [{name = \"box\", type = \"ancf_rigid_body\", size = [1, 1, 1], density = 500, "
            "position = [0, 0, 0.5]}]\n"
            "joint = [{name = \"pin\", type = \"revolute\", a = \"ground\", b = \"box\", point = "
            "[0, "
            "0, 0], axis = \"y\", spring = 3}]\n";
        folder.write("brief.toml", brief);
        const ProcessResult of_long = run_ancora(folder, {"check", "long.toml", "--json"});
        const ProcessResult of_brief = run_ancora(folder, {"check", "brief.toml", "--json"});
        REQUIRE(of_long.status == 0);
        CHECK(of_brief.status == 0);
        CHECK(of_brief.out == of_long.out);
        folder.write("brief.toml", replaced(brief, "density = 500", "density = \"3 kg\""));
        const ProcessResult wrong = run_ancora(folder, {"check", "brief.toml"});
        CHECK(wrong.status == 3);
        CHECK(
            contains(wrong.err, "brief.toml:3:78: error: body \"box\": density: expected kg/m^3"));
    }

    TEST_CASE("accelerations at the start: a bar on a hinge, at any angle and rate") {
        constexpr double kG = 9.81, kMass = 10.0, kArm = 0.5;
        for (const char* const type : {"ancf_rigid_body", "quaternion_body"})
            for (const double angle : {-2.0, 0.0, 0.4, 1.3})
                for (const double rate : {0.0, 3.0, -20.0}) {
                    const TempFolder folder;
                    folder.write(
                        "m.toml",
                        fmt::format(
                            "[model]\ngravity = [0, 0, {}]\n[[body]]\nname = \"bar\"\ntype = "
                            "\"{}\"\nsize = [1, 0.1, 0.1]\ndensity = 1000\nposition = [{}, 0, "
                            "0]\n[[joint]]\nname = \"j\"\ntype = \"revolute\"\na = "
                            "\"ground\"\nb = \"bar\"\npoint = [0, 0, 0]\naxis = \"y\"\n"
                            "start = {{ angle = {}, angle_rate = {} }}\n[integrator]\ntype = "
                            "\"rk4\"\nstep = 1e-3\nend = 1\n",
                            -kG,
                            type,
                            kArm,
                            angle,
                            rate));
                    const ProcessResult result = run_ancora(folder, {"check", "m.toml", "--json"});
                    REQUIRE(result.status == 0);
                    const double c = std::cos(angle), s = std::sin(angle);
                    const double about_pin = kMass * (1.0 + 0.01) / 12.0 + kMass * kArm * kArm;
                    const double alpha = kMass * kG * kArm * c / about_pin;
                    const std::array<double, 3> a{-kArm * (rate * rate * c + alpha * s),
                                                  0.0,
                                                  kArm * (rate * rate * s - alpha * c)};
                    const Json bar = Json::parse(result.out)["present_accelerations"][0];
                    CHECK(bar["name"] == "bar");
                    const double size = kG + kArm * rate * rate;
                    for (std::size_t i = 0; i < 3; ++i) {
                        CHECK(std::abs(bar["linear"][i].get<double>() - a[i]) < 1e-8 * size);
                        CHECK(std::abs(bar["angular"][i].get<double>() - (i == 1 ? alpha : 0.0)) <
                              1e-8 * size);
                    }
                }
    }

    TEST_CASE("forces at the start: weights below each joint, the largest first") {
        // Boxes that hang on each other: joint k bears the weight of all boxes below it, tilted or
        // not; a spring that pulls at the last one adds its effort. Sizes differ from link to link.
        for (const int num : {1, 2, 5, 20}) {
            const TempFolder folder;
            std::string text = "[model]\ngravity = [3.0, 0.0, -9.0]\n";
            std::vector<double> mass;
            double along = 0.0;
            const double g = std::sqrt(90.0);
            // along gravity, so that nothing turns
            const auto at = [&](double s) {
                return fmt::format("[{:.17g}, 0.0, {:.17g}]", 3.0 / g * s, -9.0 / g * s);
            };
            for (int k = 0; k < num; ++k) {
                mass.push_back(1.0 + 0.37 * ((7 * k) % num));
                const double length = 0.2 + 0.03 * k;
                text += fmt::format(
                    "[[body]]\nname = \"link_{0}\"\ntype = \"ancf_rigid_body\"\nmass = {1}\n"
                    "inertia = [0.02, 0.03, 0.04]\nposition = {2}\n"
                    "[[joint]]\nname = \"pin_{0}\"\ntype = \"spherical\"\na = \"{3}\"\n"
                    "b = \"link_{0}\"\npoint = {4}\n",
                    k,
                    mass.back(),
                    at(along + 0.5 * length),
                    k == 0 ? "ground" : fmt::format("link_{}", k - 1),
                    at(along));
                along += length;
            }
            text += "[integrator]\ntype = \"emm\"\nstep = 1.0e-3\nend = 0.1\n";
            folder.write("m.toml", text);
            const ProcessResult result = run_ancora(folder, {"check", "m.toml", "--json"});
            REQUIRE(result.status == 0);
            const Json check = Json::parse(result.out);
            const Json& forces = check["present_forces"];
            REQUIRE(forces.size() == static_cast<std::size_t>(num));
            CHECK(check["smaller_forces"] == 0);
            double below = 0.0;
            for (int k = num - 1; k >= 0; --k) {
                below += mass[static_cast<std::size_t>(k)];
                const Json& pin = forces[static_cast<std::size_t>(k)];
                CHECK(pin["name"] == fmt::format("pin_{}", k));
                CHECK(pin["type"] == "spherical");
                double square = 0.0;
                for (const double x : pin["force"].get<std::vector<double>>()) square += x * x;
                CHECK(std::sqrt(square) == doctest::Approx(g * below).epsilon(1e-9));
            }
            const ProcessResult said = run_ancora(folder, {"check", "m.toml"});
            CHECK(contains(said.out, fmt::format("pin_0 (spherical): {:.6g} N [", g * below)));
            // of twenty, twelve stand there and the rest in one line
            CHECK(contains(said.out, "and 8 more, of ") == (num == 20));
        }
    }

    TEST_CASE(
        "forces at the start: a tether in spin, a spring, contacts that bear and one that is "
        "open") {
        const TempFolder folder;
        folder.write("m.toml", R"([model]
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "tether"
type = "truss"
from = [1.0, 0.0, 0.0]
to = [6.0, 0.0, 0.0]
young = 1.0e9
area = 1.0e-4
density = 0.0
node_masses = [[1, 3.0]]
prestress = 12.7e7

[[constraint]]
name = "root"
type = "position"
a = "tether@0"
b = "ground@[1, 0, 0]"

[[body]]
name = "ball"
type = "particle"
mass = 2.0
position = [0.0, 5.0, 0.1]

[[constraint]]
name = "floor"
type = "contact"
a = "ball"
b = "ground"
radius = 0.1
plane = { normal = [0.0, 0.0, 1.0] }

[[body]]
name = "flying"
type = "particle"
mass = 2.0
position = [0.0, 7.0, 3.1]

[[constraint]]
name = "far_floor"
type = "contact"
a = "flying"
b = "ground"
radius = 0.1
plane = { normal = [0.0, 0.0, 1.0] }

[[force]]
name = "coil"
type = "spring"
a = "flying@[0, 0, 0]"
b = "ground@[0.0, 8.0, 3.1]"
stiffness = "40 N/m"
free = 0.5

[integrator]
type = "emm"
step = 1.0e-3
end = 0.1
)");
        const ProcessResult result = run_ancora(folder, {"check", "m.toml"});
        CHECK(result.status == 0);
        CHECK(contains(result.out, "tether.force (truss): 12700 N"));
        CHECK(contains(result.out, "root (position): 12700 N [-12700, 0, 0]"));
        CHECK(contains(result.out, "floor (contact): 19.62 N [0, 0, 19.62]"));
        CHECK(contains(result.out, "coil (spring): -20 N"));
        CHECK(contains(result.out, "far_floor bears nothing"));
        CHECK_FALSE(contains(result.out, "far_floor (contact)"));
    }
}

TEST_SUITE("ancora describe") {
    TEST_CASE("a type is explained from its schema") {
        const TempFolder folder;
        const ProcessResult result = run_ancora(folder, {"describe", "ancf_rigid_body"});
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(result.out.starts_with("body \"ancf_rigid_body\": "));
        CHECK(contains(result.out, "\n  density: a number [kg/m^3], optional, > 0, sensitive\n"));
        CHECK(contains(result.out, "\n      angle: a number [rad], optional\n"));
        CHECK(contains(result.out, "\nSource:\n"));

        const Json json = Json::parse(run_ancora(folder, {"describe", "emm", "--json"}).out);
        REQUIRE(json.size() == 1);
        CHECK(json[0]["kind"] == "integrator");
        CHECK(json[0]["plugin"]["name"] == "emm");
    }

    TEST_CASE("what a type claims, and examples of it") {
        const TempFolder folder;
        const ProcessResult result = run_ancora(folder, {"describe", "position"});
        CHECK(contains(result.out, "\nExample:\n  a = \"a@[0.3, 0.1, -0.2]\"\n"));
        CHECK(result.out.find("\nClaims:") == std::string::npos);

        const Json json = Json::parse(run_ancora(folder, {"describe", "emm", "--json"}).out);
        REQUIRE(json.size() == 1);
        CHECK(json[0]["claims"] ==
              Json::array({"order 2", "keeps energy", "keeps momentum", "keeps angular momentum"}));
        CHECK(json[0]["examples"][0] == "");
    }

    TEST_CASE("all types make a reference page, a type's parameters a table") {
        const TempFolder folder;
        const ProcessResult result = run_ancora(folder, {"describe", "--all", "--markdown"});
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(result.out.starts_with("# Types\n\n## body `ancf_rigid_body`\n"));
        CHECK(contains(result.out, "\n## constraint `position`\n"));
        CHECK(contains(result.out, "\n| `density` | a number | kg/m^3 |  | > 0, sensitive | "));
        CHECK(contains(result.out, "\n| `orientation.angle` | a number | rad |  |"));

        CHECK(run_ancora(folder, {"describe", "--all", "truss"}).status == 2);
        CHECK(run_ancora(folder, {"describe", "truss", "--json", "--markdown"}).err ==
              "error: \"--json\" and \"--markdown\" exclude each other\n");
    }

    TEST_CASE("an unknown type comes with the nearest name") {
        const TempFolder folder;
        const ProcessResult result = run_ancora(folder, {"describe", "trus"});
        CHECK(result.status == 3);
        CHECK(result.out == "");
        CHECK(result.err ==
              "error: unknown type \"trus\"; did you mean \"truss\"? (\"ancora "
              "plugins\" lists the types)\n");
    }
}

TEST_SUITE("ancora new") {
    TEST_CASE("names that would not do are refused in words, and nothing is written") {
        const TempFolder folder;
        const auto check =
            [&](const CommandArguments& arguments, int status, const std::string& message) {
                CommandArguments all{"new"};
                all.insert(all.end(), arguments.begin(), arguments.end());
                const ProcessResult result = run_ancora(folder, all);
                CHECK(result.status == status);
                CHECK(result.out == "");
                CHECK(result.err == "error: " + message + "\n");
            };
        check({"force"}, 2, "\"ancora new\" needs arguments: ancora new KIND NAME");
        check({"force", "a", "b"}, 2, "unexpected argument \"b\" (see \"ancora new --help\")");
        check({"constrain", "x"},
              2,
              "there is no kind \"constrain\" (did you mean \"constraint\"?); write one of "
              "constraint, body, force, integrator");
        const std::string malformed =
            "\"NAME\" cannot name the plugin: write a lower-case letter, then lower-case letters, "
            "digits and single \"_\" between them, 64 at most, as in \"rope_over_pulley\"";
        for (const std::string name :
             {"Rope", "2rope", "rope-over", "rope__over", "rope_", "_r", "../r", ""})
            check({"force", name}, 2, replaced(malformed, "NAME", name));
        check({"force", "test"},
              2,
              "\"test\" cannot name the plugin: CMake has a target of this name; choose another "
              "one");
        check({"integrator", "emm"},
              2,
              "\"emm\" cannot name the plugin: there is a plugin of this name, " +
                  std::string(ANCORA_TEST_PLUGIN_DIR) + "/emm.so; choose another one");
        check({"integrator", "rk4"},
              2,
              "\"rk4\" cannot name the plugin: the plugin \"explicit_integrators\" offers "
              "the integrator `rk4`; choose another one");
        // Names that the template gives to something else.
        check({"body", "stretch"},
              2,
              "\"stretch\" cannot name the plugin: its class would be Stretch, which the code uses "
              "already; choose another one");
        check({"body", "spinner"},
              2,
              "\"spinner\" cannot name the plugin: model.toml of the template has another use for "
              "it; choose another one");
        CHECK(std::filesystem::is_empty(folder.path()));

        folder.write("mine", "a file");
        check({"force", "mine"}, 6, "./mine is there already; nothing was written");
        CHECK(folder.read("mine") == "a file");
    }

    TEST_CASE("the name takes the place of the template's, in files and in what they are called") {
        const TempFolder folder;
        const ProcessResult result =
            run_ancora(folder, {"new", "constraint", "wound_spring2", "--dir", "inside"});
        CHECK(result.status == 0);
        CHECK(result.err == "");
        CHECK(result.out.starts_with(
            "constraint `wound_spring2` in inside/wound_spring2\n\n  .gitignore\n"));
        CHECK(contains(result.out, "\n  ancora run model.toml --plugin-dir build/plugins\n"));
        const std::string code = folder.read("inside/wound_spring2/src/wound_spring2.cpp");
        CHECK(
            contains(code, "class WoundSpring2 final : public HolonomicConstraint<WoundSpring2>"));
        CHECK(contains(code, "ANCORA_PLUGIN(\"wound_spring2\", \"0.1.0\", kTypes)"));
        CHECK(contains(folder.read("inside/wound_spring2/CMakeLists.txt"),
                       "TESTS tests/wound_spring2_test.cpp)"));
        CHECK(
            contains(folder.read("inside/wound_spring2/model.toml"), "type = \"wound_spring2\"\n"));
        CHECK(contains(folder.read("inside/wound_spring2/README.md"), "# wound_spring2\n"));
    }
}

}  // namespace
}  // namespace ancora::testing
