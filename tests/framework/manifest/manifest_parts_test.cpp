// SPDX-License-Identifier: BSD-3-Clause
// Manifests of several files, with parameters and expressions: what reaches the model, and the text
// of every message.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/manifest_text.hpp"
#include "framework/models.hpp"
#include "support/process.hpp"

namespace ancora::testing {
namespace {

using Overrides = std::vector<std::string>;

constexpr double kPi = std::numbers::pi;

const std::string kEnd = "[integrator]\ntype = 'emm'\nstep = 0.1\nend = 1\n";

Manifest parse(const std::string& text, const Overrides& overrides = {}) {
    return Manifest::parse(text, "model.toml", overrides);
}

// The whole message of the error that a text causes, up to the model's assembly.
std::string error_of(const std::string& text, const Overrides& overrides = {}) {
    try {
        Run run(parse(text, overrides));
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::manifest);
        return error.what();
    }
    return "no error";
}

std::string error_of_file(const std::filesystem::path& file,
                          ErrorKind kind = ErrorKind::manifest,
                          const Overrides& overrides = {}) {
    try {
        Manifest::load(file, overrides);
    } catch (const Error& error) {
        CHECK(error.kind() == kind);
        return error.what();
    }
    return "no error";
}

// One particle; `keys` are more of its lines.
std::string particle(const std::string& keys, const std::string& parameters = "") {
    return kEnd + "[parameters]\n" + parameters + "[[body]]\nname = 'p'\ntype = 'particle'\n" +
           keys;
}

double column(const std::string& text, const std::string& name, const Overrides& overrides = {}) {
    return Run(parse(text, overrides)).column(name);
}

}  // namespace

TEST_SUITE("expressions in a manifest") {
    TEST_CASE("they stand for numbers, in vectors and matrices too") {
        const std::string text = particle(
            "mass = [['m', 0, 0], [0, '2*m', 0], [0, 0, 3]]\n"
            "position = ['L/2', '10 mm', 0]\nvelocity = [0, 'pi*L', 'w[1]']\n",
            "m = 3\nL = '2*d'\nd = 0.5\nw = [1, '2 m/s']\n");
        CHECK(column(text, "p.x") == 0.5);
        CHECK(column(text, "p.y") == 0.01);
        CHECK(column(text, "p.vy") == kPi);
        CHECK(column(text, "p.vz") == 2.0);
        CHECK(column(text, "p.x", {"parameters.L=3"}) == 1.5);
        // L is then known to be a length, and pi*L no speed
        CHECK(error_of(text, {"parameters.d=2 m"}) ==
              "model.toml:15:16: error: body \"p\": velocity[1]: expected m/s, got m: \"pi*L\"");
        CHECK(column(text, "p.x", {"body.p.position=['d', 0, 0]"}) == 0.5);
        CHECK(column(text, "energy.kinetic") ==
              doctest::Approx(0.5 * (6.0 * kPi * kPi + 3.0 * 4.0)).epsilon(1e-15));
    }

    TEST_CASE("an array may stand for a vector") {
        CHECK(column(particle("mass = 1\nposition = 'a'\n", "a = [1, '20 cm', 3]\n"), "p.y") ==
              0.2);
        CHECK(error_of(particle("mass = 1\nposition = 'a'\n", "a = [1, 2]\n")) ==
              "model.toml:11:12: error: body \"p\": position: expected an array of 3 numbers, got "
              "an array of 2 numbers; write [x, y, z]");
    }

    TEST_CASE("an array of rows gives vectors by its rows, and numbers by two indices") {
        const std::string points = "p = [[0, 1, 2], ['10 cm', 'h', '2*h']]\nh = 3\n";
        for (const int i : {0, 1}) {
            const std::string index = std::to_string(i);
            const std::string text = particle("mass = 1\nposition = 'p[" + index +
                                                  "]'\nvelocity = ['p[" + index + "][1]', 0, 0]\n",
                                              points);
            CHECK(column(text, "p.x") == (i == 0 ? 0.0 : 0.1));
            CHECK(column(text, "p.y") == (i == 0 ? 1.0 : 3.0));
            CHECK(column(text, "p.z") == (i == 0 ? 2.0 : 6.0));
            CHECK(column(text, "p.vx") == (i == 0 ? 1.0 : 3.0));
        }
        const auto position = [&](const std::string& written) {
            return error_of(particle("mass = 1\nposition = '" + written + "'\n", points));
        };
        CHECK(position("${p[1]}").find("expected an array of 3 numbers, got \"[0.1, 3, 6]\"") !=
              std::string::npos);
        CHECK(position("p[2]").ends_with("the index is 2, expected a whole number from 0 to 1"));
        CHECK(position("p").find("expected an array of 3 numbers, got \"p\"") != std::string::npos);
        CHECK(error_of(particle("mass = 'p[1]'\n", points))
                  .find("\"p\" has rows, take \"p[0][0]\"") != std::string::npos);
        CHECK(
            error_of(particle("mass = 1\n", "p = [[1, 2], [1]]\n")) ==
            "model.toml:6:14: error: [parameters]: p[1]: expected a row of 2 numbers as the first "
            "one, got an array of 1 number");
    }

    TEST_CASE("numbers and formulas may stand in one array") {
        const auto force = [](const std::string& written) {
            return particle("mass = 2\n", "k = 3\n") +
                   "[[force]]\nname = 'f'\ntype = 'point_load'\nat = 'p@[0, 0, 0]'\nforce = " +
                   written + "\n";
        };
        CHECK(column(force("[0, '2 kN', '4 + t']"), "f.force.y") == 2000.0);
        CHECK(column(force("[0, '2*k', '4 + t']"), "f.force.y") == doctest::Approx(6.0));
        CHECK(column(force("[1.5, '2*k', '4 + t']"), "f.force.x") == doctest::Approx(1.5));
        CHECK(column(force("['4 + t', '5', 1]"), "f.force.z") == 1.0);
        CHECK(error_of(force("[0, '2 m', 't']")) ==
              "model.toml:15:13: error: force \"f\": force[1]: expected N, got m");
    }

    TEST_CASE("the kernel's own tables take them, too") {
        const Manifest m = parse(
            "[parameters]\nT = '1 min'\n[model]\ngravity = [0, 0, '-9.81 m/s^2']\n"
            "[integrator]\ntype = 'emm'\nstep = 'T/1000'\nend = 'T'\n[output]\nevery = '1 s'\n");
        CHECK(m.model.gravity[2] == -9.81);
        CHECK(m.integrator.step == 0.06);
        CHECK(m.integrator.end == 60.0);
        CHECK(m.output.every == 1.0);
    }

    TEST_CASE("what a schema takes as text stays text") {
        // a formula of time is the plugin's, and takes a value as ${...}
        const std::string force =
            "[[force]]\nname = 'f'\ntype = 'point_load'\nat = 'p@[0, 0, 0]'\n"
            "force = ['${a}*t', '0', '0']\n";
        CHECK(error_of(particle("mass = 1\n", "a = 2\n") + force) == "no error");
    }

    TEST_CASE("an integer takes what comes out whole") {
        const std::string text =
            particle("mass = 1\n", "n = 3\n") + "[integrator.emm]\nmax_iterations = '2*n'\n";
        CHECK(error_of(text) == "no error");
        CHECK(error_of(text, {"parameters.n=0.25"}) ==
              "model.toml:12:18: error: integrator \"emm\": max_iterations: expected an integer, "
              "got \"2*n\" = 0.5");
    }

    TEST_CASE("mistakes have the place of the string and the position in it") {
        CHECK(
            error_of(particle("mass = '2*pi*rr'\n", "r = 1\n")) ==
            "model.toml:10:8: error: body \"p\": mass: expected a number or an array of 3 rows of "
            "3 numbers, got \"2*pi*rr\"; position 6: found \"rr\", which is no parameter; there "
            "are: r");
        CHECK(error_of(particle("mass = 1\nposition = [0, '1 mmm', 0]\n")) ==
              "model.toml:10:16: error: body \"p\": position[1]: expected a number, got \"1 mmm\"; "
              "position 3: found \"mmm\", which is no unit; did you mean \"mm\"?");
        CHECK(error_of(particle("mass = '1/(2-2)'\n")).ends_with("position 2: division by zero"));
    }

    TEST_CASE("a unit must have the dimension of the parameter's") {
        CHECK(error_of(particle("mass = '10 mm'\n")) ==
              "model.toml:9:8: error: body \"p\": mass: expected kg, got mm");
        CHECK(error_of(particle("mass = 1\nposition = [0, 'L^2', 0]\n", "L = '1 m'\n")) ==
              "model.toml:11:16: error: body \"p\": position[1]: expected m, got m^2: \"L^2\"");
        CHECK(error_of(particle("mass = 1\nposition = [0, '90 deg', 0]\n")) ==
              "model.toml:10:16: error: body \"p\": position[1]: expected m, got deg");
        // a number without unit fits everywhere
        CHECK(error_of(particle("mass = 'L^2'\n", "L = 1.0\n")) == "no error");
    }

    TEST_CASE("parameters are checked") {
        CHECK(error_of(particle("mass = 1\n", "a = 'b'\nb = '2*c'\nc = 'a + 1'\n")) ==
              "model.toml:6:1: error: [parameters]: a is needed for its own value: a -> b -> c -> "
              "a; give one of them a number");
        CHECK(error_of(particle("mass = 1\n", "a = 'a'\n")) ==
              "model.toml:6:1: error: [parameters]: a is needed for its own value: a -> a; give "
              "one of them a number");
        CHECK(error_of(particle("mass = 1\n", "a = true\n")) ==
              "model.toml:6:5: error: [parameters]: a: expected a number, an expression in quotes "
              "or an array of these, got true");
        CHECK(error_of(particle("mass = 1\n", "a = [1, '2*']\n")) ==
              "model.toml:6:9: error: [parameters]: a[1]: \"2*\": position 3: found the end of the "
              "expression, expected a number, a name, a function or \"(\"");
        CHECK(error_of(particle("mass = 1\n", "a-b = 1\n")) ==
              "model.toml:6:1: error: [parameters]: \"a-b\": a name here is a letter or _, then "
              "letters, digits or _");
        CHECK(error_of(particle("mass = 1\n", "sin = 1\n")) ==
              "model.toml:6:1: error: [parameters]: \"sin\": this is the name of a function; "
              "choose another");
        CHECK(error_of(particle("mass = 1\n", "pi = 3\n")) ==
              "model.toml:6:1: error: [parameters]: \"pi\": this is the name of a constant; choose "
              "another");
        CHECK(
            error_of(particle("mass = 1\n", "length = 3\n"), {"parameters.lenght=1"}) ==
            "--set parameters.lenght=1: error: no parameter \"lenght\"; did you mean \"length\"?");
        CHECK(error_of(particle("mass = 'm'\n", "m = 3\n"), {"parameters.m=2*"}) ==
              "--set parameters.m=2*: error: [parameters]: m: \"2*\": position 3: found the end of "
              "the expression, expected a number, a name, a function or \"(\"");
    }

    TEST_CASE("a parameter that nothing uses is a warning") {
        const Run run(parse(particle("mass = 'b'\n", "a = 1\nb = 'c'\nc = 2\n")));
        REQUIRE(run.warnings.size() == 1);
        CHECK(run.warnings[0] ==
              "model.toml:6:1: [parameters]: a is not used; a text takes its value as ${a}");
    }

    TEST_CASE("values are put into any text") {
        const Manifest m = parse(kEnd +
                                 "[parameters]\nL = 3\nn = 2\n[model]\nname = 'chain of ${n}'\n"
                                 "[[body]]\nname = 'b${n}'\ntype = 'particle'\nmass = 1\n"
                                 "[output]\npoints = ['b2@[${L/2}, 0, $${n}]']\n");
        CHECK(m.model.name == "chain of 2");
        CHECK(m.bodies[0].name == "b2");
        CHECK(m.output.points[0].text == "b2@[1.5, 0, ${n}]");
        CHECK(error_of(kEnd + "[model]\nname = 'a ${b + 1}'\n") ==
              "model.toml:6:8: error: \"a ${b + 1}\": position 5: found \"b\", which is no "
              "parameter; there are none in [parameters]");
        CHECK(error_of(kEnd + "[model]\nname = 'a ${b'\n") ==
              "model.toml:6:8: error: \"a ${b\": position 3: found no \"}\" to close \"${\"; write "
              "\"$${\" for the text \"${\"");
    }

    TEST_CASE("models built in code have parameters, too") {
        Manifest m;
        m.set_parameters(Table().set("M", "2 kg"));
        m.add_body("p", "particle").set("mass", "M/2").set("velocity", Array{"1 m/s", 0, 0});
        m.integrator.type = "emm";
        m.integrator.step = m.integrator.end = 1.0;
        CHECK(Run(m).column("energy.kinetic") == 0.5);
    }

    TEST_CASE("texts of models built in code have values put in, once, those of files not again") {
        const auto built = [](const std::string& force, const std::string& at) {
            Manifest m = Manifest::parse(
                "[parameters]\nL = 0.5\n[model]\nname = 'a $${x}'\n[[body]]\nname = 'f'\n"
                "type = 'particle'\nmass = 1\n"
                "[integrator]\ntype = 'emm'\nstep = 0.1\nend = 0.1\n",
                "model.toml");
            m.add_body("box", "ancf_rigid_body").set("size", {1.0, 1.0, 1.0}).set("density", 1.0);
            m.add_force("push", "point_load")
                .set("at", at)
                .set("force", Array{force, "0", "${L^2}"});
            m.output.points.push_back({"box@[${L}, 0, 0]", {}});
            return m;
        };
        const Manifest m = built("${2*L}*(1 + t)", "box@[${L/2}, 0, 0]");
        Run run(m);
        run.to_end();
        CHECK(near(run.column("push.force.x"), 1.05, 1e-15));
        CHECK(run.column("push.force.z") == 0.25);
        CHECK(std::isfinite(run.column("box@[0.5, 0, 0].x")));
        CHECK(run.column("angular_momentum.y") < 0.0);
        // as text that reads as the same model
        Plugins plugins;
        const std::string text = expanded_text(m, plugins.registry);
        CHECK(text.find("at = \"box@[0.25, 0, 0]\"") != std::string::npos);
        CHECK(text.find("name = \"a $${x}\"") != std::string::npos);
        CHECK(text.find("${L") == std::string::npos);
        // what cannot be put in names object and key
        const Failure wrong = failure_of(built("1", "box@[${M}, 0, 0]"));
        CHECK(wrong.kind == ErrorKind::manifest);
        CHECK(wrong.message.starts_with("force \"push\": at: \"box@[${M}, 0, 0]\": position "));
        CHECK(failure_of(built("$${L}", "box@[0, 0, 0]")).message.find("${L}") !=
              std::string::npos);
    }
}

TEST_SUITE("include") {
    TEST_CASE("lists are joined, included ones first; in tables the including file wins") {
        const TempFolder folder;
        folder.write("common.toml",
                     "include = ['deep/er.toml']\n[model]\nname = 'common'\ngravity = [0, 0, -1]\n"
                     "[[body]]\nname = 'common'\ntype = 't'\n[integrator]\nstep = 0.5\n"
                     "[integrator.emm]\nmax_iterations = 7\n");
        folder.write("deep/er.toml", "[[body]]\nname = 'deep'\ntype = 't'\n[model]\nname = 'x'\n");
        folder.write("model.toml",
                     "include = ['common.toml']\n[model]\nname = 'main'\n[[body]]\nname = 'main'\n"
                     "type = 't'\n[integrator]\ntype = 'emm'\nstep = 0.1\nend = 1\n"
                     "[integrator.emm]\nfresh = true\n");
        const Manifest m = Manifest::load(folder / "model.toml");
        REQUIRE(m.bodies.size() == 3);
        CHECK(m.bodies[0].name == "deep");
        CHECK(m.bodies[1].name == "common");
        CHECK(m.bodies[2].name == "main");
        CHECK(m.model.name == "main");
        CHECK(m.model.gravity[2] == -1.0);
        CHECK(m.integrator.step == 0.1);
        CHECK(m.integrator.own.at("emm").entries().size() == 2);
        // each value knows its own file
        CHECK(*m.bodies[0].name_place.file == (folder / "deep/er.toml").string());
        CHECK(m.bodies[0].name_place.line == 2);
    }

    TEST_CASE("two files that differ need a decision") {
        const TempFolder folder;
        folder.write("a.toml", "[parameters]\nL = 1\nw = 3\n");
        folder.write("b.toml", "[parameters]\nw = 3\nL = 2\n");
        folder.write("model.toml", "include = ['a.toml', 'b.toml']\n" + kEnd);
        const std::string at = (folder / "").string();
        CHECK(error_of_file(folder / "model.toml") ==
              at + "b.toml:3:1: error: parameters.L: this value and the one at " + at +
                  "a.toml:2:1 differ, and both files are included; decide in " + at + "model.toml");
        folder.write("model.toml",
                     "include = ['a.toml', 'b.toml']\n" + kEnd + "[parameters]\nL = 3\n");
        CHECK(error_of_file(folder / "model.toml") == "no error");
    }

    TEST_CASE("a file that is included twice gives its objects once") {
        const TempFolder folder;
        folder.write("base.toml", "[[body]]\nname = 'base'\ntype = 't'\n" + kEnd);
        folder.write("a.toml", "include = ['base.toml']\n[[body]]\nname = 'a'\ntype = 't'\n");
        folder.write("b.toml", "include = ['base.toml']\n[[body]]\nname = 'b'\ntype = 't'\n");
        folder.write("model.toml", "include = ['a.toml', './b.toml', 'base.toml']\n");
        const Manifest m = Manifest::load(folder / "model.toml");
        REQUIRE(m.bodies.size() == 3);
        CHECK(m.bodies[0].name == "base");
    }

    TEST_CASE("paths are relative to the file that has them") {
        const TempFolder folder;
        folder.write("parts/hub.toml",
                     "[model]\nplugin_dirs = ['lib']\n[[force]]\nname = 'f'\ntype = 'point_load'\n"
                     "at = 'p@[0, 0, 0]'\nforce = 'push.csv'\n");
        folder.write("parts/push.csv", "0, 1, 0, 0\n9, 1, 0, 0\n");
        folder.write("model.toml",
                     "include = ['parts/hub.toml']\n" + kEnd +
                         "[[body]]\nname = 'p'\ntype = 'particle'\nmass = 2\n");
        std::filesystem::create_directories(folder / "parts/lib");
        Run run(Manifest::load(folder / "model.toml"));
        run.to_end();
        CHECK(run.column("p.vx") == doctest::Approx(0.5).epsilon(1e-14));
        CHECK(run.simulation.input_files().front().path == folder / "parts/push.csv");
    }

    TEST_CASE("messages point into the included file") {
        const TempFolder folder;
        folder.write("part.toml", "[[body]]\nname = 'p'\ntype = 'particle'\nmass = -1\n");
        folder.write("model.toml", "include = ['part.toml']\n" + kEnd);
        std::string message;
        try {
            Run run(Manifest::load(folder / "model.toml"));
        } catch (const Error& error) {
            message = error.what();
        }
        CHECK(message.starts_with((folder / "part.toml").string() + ":4:8: error: body \"p\": "));
    }

    TEST_CASE("mistakes") {
        const TempFolder folder;
        const std::string at = (folder / "").string();
        folder.write("model.toml", "include = ['a.toml']\n" + kEnd);
        CHECK(error_of_file(folder / "model.toml", ErrorKind::file) ==
              at + "model.toml:1:12: error: include: cannot read \"" + at +
                  "a.toml\": No such file or directory; a relative path begins at the folder of "
                  "the file that names it");
        folder.write("a.toml", "include = ['b.toml']\n");
        folder.write("b.toml", "include = ['model.toml']\n");
        CHECK(error_of_file(folder / "model.toml") ==
              at + "b.toml:1:12: error: include: the file includes itself: " + at +
                  "model.toml -> " + at + "a.toml -> " + at + "b.toml -> " + at + "model.toml");
        folder.write("a.toml", "include = ['a.toml']\n");
        CHECK(error_of_file(folder / "model.toml") ==
              at + "a.toml:1:12: error: include: the file includes itself: " + at + "a.toml -> " +
                  at + "a.toml");
        folder.write("a.toml", "[model\n");
        CHECK(error_of_file(folder / "model.toml").starts_with(at + "a.toml:1:7: error: "));
        folder.write("a.toml", "[modle]\n");
        CHECK(error_of_file(folder / "model.toml") ==
              at + "a.toml:1:2: error: unknown table \"modle\"; did you mean \"model\"?");
        for (const std::string name : {".", "/dev/zero"}) {
            folder.write("model.toml", "include = ['" + name + "']\n" + kEnd);
            CHECK(error_of_file(folder / "model.toml", ErrorKind::file).find("this is no file") !=
                  std::string::npos);
        }
        folder.write("model.toml", "include = 3\n" + kEnd);
        CHECK(error_of_file(folder / "model.toml") ==
              at + "model.toml:1:11: error: include: expected an array of names of files, got 3");
        folder.write("model.toml", "includes = ['a.toml']\n" + kEnd);
        CHECK(error_of_file(folder / "model.toml") ==
              at + "model.toml:1:1: error: key \"includes\" stands outside every table; did you "
                   "mean \"include\"?");
    }
}

TEST_SUITE("generate") {
    TEST_CASE("the first index runs fastest; generated objects stand behind written ones") {
        const Manifest m = parse(
            "[parameters]\nn = 2\nd = 0.5\n[[generate]]\nfor = {i = 'n', j = [1, 'n + 1']}\n"
            "[[generate.body]]\nname = 'b_${i}_${j}'\ntype = 'particle'\nmass = 1\n"
            "position = ['i*d', 'j*d', 0]\n"
            "[[body]]\nname = 'first'\ntype = 'particle'\nmass = 1\n" +
            kEnd);
        REQUIRE(m.bodies.size() == 7);
        CHECK(m.bodies[0].name == "first");
        CHECK(m.bodies[1].name == "b_0_1");
        CHECK(m.bodies[2].name == "b_1_1");
        CHECK(m.bodies[3].name == "b_0_2");
        CHECK(m.bodies[6].name == "b_1_3");
        Run run(m);
        CHECK(run.column("b_1_3.x") == 0.5);
        CHECK(run.column("b_1_3.y") == 1.5);
        CHECK(parse("[parameters]\nn = 0\n[[generate]]\nfor = {i = 'n'}\n[[generate.body]]\n"
                    "name = 'b'\ntype = 't'\n" +
                    kEnd)
                  .bodies.empty());
    }

    TEST_CASE("local names: by indices, parameters and each other, in every round anew") {
        // beads on a ring and a rod from each to the next but `skip`, names and places by `let`
        for (const int skip : {1, 2, 3}) {
            const int n = 7;
            const Manifest m =
                parse("[parameters]\nn = 7\nR = '2 m'\nskip = " + std::to_string(skip) +
                      "\n[[generate]]\nfor = {i = 'n'}\n"
                      "let = {angle = '2*pi*i/n', x = 'R*cos(angle)', y = "
                      "'R*sin(angle)', next = 'mod(i + skip, n)', m = 0.5}\n"
                      "[[generate.body]]\nname = 'b${i}'\ntype = 'particle'\n"
                      "mass = 'm'\nposition = ['x', 'y', 0]\n"
                      "[[generate.constraint]]\nname = 'rod${i}'\n"
                      "type = 'distance'\na = 'b${i}@[0, 0, 0]'\n"
                      "b = 'b${next}@[0, 0, 0]'\n" +
                      kEnd);
            Run run(m);
            for (int i = 0; i < n; ++i) {
                const std::string bead = "b" + std::to_string(i);
                CHECK(run.column(bead + ".x") ==
                      doctest::Approx(2.0 * std::cos(2.0 * kPi * i / n)).epsilon(1e-14));
                CHECK(run.column(bead + ".y") ==
                      doctest::Approx(2.0 * std::sin(2.0 * kPi * i / n)).epsilon(1e-14));
                REQUIRE(m.constraints[static_cast<std::size_t>(i)].name ==
                        "rod" + std::to_string(i));
            }
        }
        // in one block alone, and by their own dimension
        const std::string block = "[[generate]]\nfor = {i = 2}\nlet = {d = '3 kg'}\n";
        const std::string bead = "[[generate.body]]\nname = 'b${i}'\ntype = 'particle'\nmass = 1\n";
        CHECK(error_of(kEnd + block + bead + "position = ['i*d', 0, 0]\n")
                  .find("position[0]: expected m, got kg") != std::string::npos);
        CHECK(
            error_of(kEnd + block + bead + "[[body]]\nname = 'p'\ntype = 'particle'\nmass = 'd'\n")
                .find("found \"d\"") != std::string::npos);
    }

    TEST_CASE("lists of names and of values") {
        // corners of a box: two names with a sign each, three heights, and a range
        const Manifest m = parse(
            "[parameters]\nw = 0.4\nhigh = '2 m'\n[[generate]]\n"
            "for = {side = ['left', 'right'], z = [0.5, 'high/2', '150 cm'], i = [1, 2]}\n"
            "let = {signs = [-1, 1], y = 'signs[side]*w'}\n"
            "[[generate.body]]\nname = '${side}_${i}_at_${10*z}'\ntype = 'particle'\n"
            "mass = 'side + 1'\nposition = ['i', 'y', 'z']\n" +
            kEnd);
        REQUIRE(m.bodies.size() == 12);
        CHECK(m.bodies[0].name == "left_1_at_5");
        CHECK(m.bodies[1].name == "right_1_at_5");
        CHECK(m.bodies[2].name == "left_1_at_10");
        CHECK(m.bodies[4].name == "left_1_at_15");
        CHECK(m.bodies[11].name == "right_2_at_15");
        Run run(m);
        CHECK(run.column("left_2_at_10.y") == -0.4);
        CHECK(run.column("right_2_at_10.y") == 0.4);
        CHECK(run.column("right_2_at_10.x") == 2.0);
        CHECK(run.column("right_2_at_15.z") == 1.5);
        // two numbers with a point, or with units, are values, and whole ones a range
        const auto names = [](const std::string& list) {
            std::string all;
            for (const auto& body : parse("[parameters]\nn = 3\n[[generate]]\nfor = {i = " + list +
                                          "}\n[[generate.body]]\nname = 'b${i}'\n"
                                          "type = 'particle'\nmass = 1\n" +
                                          kEnd)
                                        .bodies)
                all += body.name + " ";
            return all;
        };
        CHECK(names("[1, 'n']") == "b1 b2 b3 ");
        CHECK(names("[1, 3.0]") == "b1 b3 ");
        CHECK(names("['1 m', '3 m']") == "b1 b3 ");
        CHECK(names("['n/3', 'n']") == "b1 b2 b3 ");
        CHECK(names("[7]") == "b7 ");
        CHECK(names("['up']") == "bup ");

        // a chain whose first link hangs on another name
        const Manifest chain = parse(
            "[[generate]]\nfor = {k = [1, 3]}\nlet = {on = ['ground', 'b1', 'b2']}\n"
            "[[generate.body]]\nname = 'b${k}'\ntype = 'particle'\nmass = 'on[k - 1] + 1'\n"
            "position = ['k', 0, 0]\n[[generate.force]]\nname = '${on[k - 1]}_b${k}'\n"
            "type = 'spring'\na = '${on[k - 1]}@[0, 0, 0]'\nb = 'b${k}@[0, 0, 0]'\n"
            "stiffness = 1\n" +
            kEnd);
        REQUIRE(chain.forces.size() == 3);
        CHECK(chain.forces[0].name == "ground_b1");
        CHECK(chain.forces[2].name == "b2_b3");
        CHECK(error_of("[[generate]]\nfor = {k = 3}\nlet = {on = ['a', 'b']}\n[[generate.body]]\n"
                       "name = '${on[k]}'\ntype = 'particle'\nmass = 1\n" +
                       kEnd)
                  .find("the index is 2, expected a whole number from 0 to 1") !=
              std::string::npos);
    }

    TEST_CASE("an override reaches what was generated") {
        const std::string text =
            "[[generate]]\nfor = {i = 3}\n[[generate.body]]\nname = 'b${i}'\ntype = 'particle'\n"
            "mass = 1\nposition = ['i', 0, 0]\n" +
            kEnd;
        CHECK(column(text, "b1.x") == 1.0);
        CHECK(column(text, "b1.x", {"body.b1.position=['2*i + 3', 0, 0]"}) == 5.0);
        CHECK(error_of(text, {"body.b3.mass=2"}) ==
              "--set body.b3.mass=2: error: no body \"b3\"; there are: b0, b1, b2");
        CHECK(error_of(text, {"generate.for.i=2"}) ==
              "--set generate.for.i=2: error: [[generate]] has no names to set values by; set "
              "parameters that it uses, or the objects that it makes");
    }

    TEST_CASE("messages say which object it was") {
        const std::string head =
            "[[generate]]\nfor = {i = [2, 3], j = 2}\n[[generate.body]]\nname = 'b${i}_${j}'\n"
            "type = 'particle'\n";
        CHECK(error_of(head + "mass = '3 - i'\n" + kEnd) ==
              "model.toml:6:8: error: body \"b3_0\": mass: the mass is 0 and must be > 0 (i = 3, j "
              "= 0)");
        CHECK(error_of(head + "mass = '1/(i - 2)'\n" + kEnd)
                  .ends_with("position 2: division by zero (i = 2, j = 0)"));
        CHECK(error_of(head + "mass = 1\nfoo = '${1/(j - 1)}'\n" + kEnd) ==
              "model.toml:7:7: error: \"${1/(j - 1)}\": position 4: division by zero (i = 2, j = "
              "1)");
        CHECK(error_of("[[generate]]\nfor = {i = 2}\n[[generate.body]]\nname = 'b'\n"
                       "type = 'particle'\nmass = 1\n" +
                       kEnd) ==
              "model.toml:4:8: error: body \"b\": this name is already that of a body at "
              "model.toml:4:8; write an index of \"for\" into it, as in name = \"bead_${i}\" (i = "
              "1)");
    }

    TEST_CASE("mistakes") {
        const auto with = [](const std::string& lines) {
            return error_of(kEnd + "[parameters]\nL = 1.5\n[[generate]]\n" + lines);
        };
        const std::string body = "[[generate.body]]\nname = 'b${i}'\ntype = 'particle'\n";
        CHECK(with(body) ==
              "model.toml:7:1: error: [[generate]]: missing key \"for\", as in for = {i = 10}");
        CHECK(with("for = 3\n" + body) ==
              "model.toml:8:7: error: [[generate]]: for: expected a table of indices, as in {i = "
              "10}, got 3");
        CHECK(with("for = {i = 'L'}\n" + body) ==
              "model.toml:8:12: error: [[generate]]: for: i: expected a whole number, got 1.5");
        CHECK(with("for = {i = 'M'}\n" + body) ==
              "model.toml:8:12: error: [[generate]]: for: i: \"M\": position 1: found \"M\", which "
              "is no parameter; there are: L");
        CHECK(with("for = {i = -1}\n" + body) ==
              "model.toml:8:12: error: [[generate]]: for: i: expected a count >= 0, got -1");
        CHECK(with("for = {i = []}\n" + body) ==
              "model.toml:8:12: error: [[generate]]: for: i: expected a count, [first, last], or a "
              "list of values or names, got an empty array");
        CHECK(with("for = {i = [1, 'q']}\n" + body) ==
              "model.toml:8:16: error: [[generate]]: for: i[1]: \"q\": position 1: found \"q\", "
              "which is no parameter; there are: L");
        CHECK(with("for = {i = ['left', 'L', 'right']}\n" + body) ==
              "model.toml:8:21: error: [[generate]]: for: i: a list holds values or names, here "
              "\"left\" is a name and \"L\" a value");
        CHECK(with("for = {i = ['left', 2, 'right']}\n" + body) ==
              "model.toml:8:21: error: [[generate]]: for: i: a list holds values or names, here "
              "\"left\" is a name and 2 a value");
        CHECK(
            with("for = {i = ['left', '']}\n" + body) ==
            "model.toml:8:21: error: [[generate]]: for: i[1]: expected a name, got an empty text");
        CHECK(with("for = {L = 3}\n" + body) ==
              "model.toml:8:8: error: [[generate]]: for: \"L\": this is the name of a parameter; "
              "choose another");
        CHECK(with("for = {i = 2}\nlet = 3\n" + body) ==
              "model.toml:9:7: error: [[generate]]: let: expected a table of names, as in {x = "
              "\"i*d\"}, got 3");
        CHECK(
            with("for = {i = 2}\nlet = {i = 3}\n" + body) ==
            "model.toml:9:8: error: [[generate]]: let: \"i\": this is the name of a parameter, an "
            "index or another local name; choose another");
        CHECK(with("for = {i = 2}\nlet = {x = 'y', y = 1}\n" + body) ==
              "model.toml:9:12: error: [[generate]]: let: x: \"y\": position 1: found \"y\", which "
              "is "
              "no parameter; there are: i, L (i = 0)");
        CHECK(with("for = {i = 2}\nlet = {x = [1, [2]]}\n" + body) ==
              "model.toml:9:16: error: [[generate]]: let: x[1]: expected a number or an expression "
              "in quotes, got an array of 1 number");
        CHECK(with("for = {i = 1000000, j = 1000000}\n" + body) ==
              "model.toml:7:1: error: [[generate]]: this makes 1e+12 objects, expected at most "
              "1e+06");
        CHECK(with("for = {i = 2}\n") ==
              "model.toml:7:1: error: [[generate]]: nothing to generate; write [[generate.body]], "
              "[[generate.joint]], [[generate.constraint]] or [[generate.force]] below it");
        CHECK(with("for = {i = 2}\n[[generate.bdy]]\nname = 'b'\n") ==
              "model.toml:9:12: error: [[generate]]: unknown key \"bdy\"; did you mean \"body\"?");
        CHECK(with("for = {i = 2}\n[generate.body]\nname = 'b'\n") ==
              "model.toml:9:1: error: [[generate]]: body must be a list of tables, not a table; "
              "write [[generate.body]]");
    }
}

}  // namespace ancora::testing
