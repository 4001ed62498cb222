// SPDX-License-Identifier: BSD-3-Clause
// `ancora run`: what is wrong with a manifest, plugins, results.
#include <cmath>
#include <csignal>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "command_runs.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("ancora run: what is wrong with a manifest") {
    TEST_CASE("a file that is not there, or is a folder") {
        const TempFolder folder;
        const ProcessResult missing = run_ancora(folder, {"run", "nowhere.toml"});
        CHECK(missing.status == 6);
        CHECK(missing.err ==
              "nowhere.toml: error: cannot read the manifest: No such file or directory\n");
        const ProcessResult is_folder = run_ancora(folder, {"check", "."});
        CHECK(is_folder.status == 6);
        CHECK(is_folder.err == ".: error: cannot read the manifest: this is a folder\n");
    }

    TEST_CASE(
        "a file that a manifest names: missing, wrong inside, too short; a support that jumps") {
        const TempFolder folder;
        const std::string drive =
            constraint("box@[0, 0, 0]", "ground@[0, 0, 0]") + "motion = \"files/lift.csv\"\n";
        folder.write("m.toml", kTop + drive);
        const ProcessResult missing = run_ancora(folder, {"run", "m.toml"});
        CHECK(missing.status == 6);
        CHECK(missing.err ==
              "m.toml:22:10: error: constraint \"hook\": motion: \"files/lift.csv\" does not "
              "exist; a text alone names a file, formulas stand in an array\n");
        folder.write("files/lift.csv", "t, x, y, z\n0, 0, 0, 0\n0.02, 0, 0,\n");
        const ProcessResult wrong = run_ancora(folder, {"check", "m.toml"});
        CHECK(wrong.status == 3);
        CHECK(wrong.err ==
              "files/lift.csv:3:12: error: constraint \"hook\": motion: a number is missing; the "
              "columns are t, x, y, z\n");
        folder.write("files/lift.csv", "t, x, y, z\n0, 0, 0, 0\n0.02, 0, 0, 0.1\n");
        folder.write("m.toml", kTop + drive + "interpolation = \"rest\"\n");
        const std::string mend =
            "shorten the run (\"end\" of [integrator]), or say with \"outside\" what stands after "
            "the last\n";
        for (const char* verb : {"run", "check"}) {
            const ProcessResult too_short = run_ancora(folder, {verb, "m.toml"});
            CHECK(too_short.status == 3);
            CHECK(too_short.err ==
                  "files/lift.csv:3:1: error: constraint \"hook\": motion: the table ends at t = "
                  "0.02 s, and the run at t = 0.1 s; add rows up to there, " +
                      mend);
        }
        CHECK(run_ancora(folder, {"run", "m.toml", "--set", "integrator.end=0.02"}).status == 0);
        folder.write("files/lift.csv", "t, x, y, z\n0.01, 0, 0, 0\n0.1, 0, 0, 0.1\n");
        const ProcessResult too_late = run_ancora(folder, {"run", "m.toml"});
        CHECK(too_late.status == 3);
        CHECK(too_late.err ==
              "files/lift.csv:2:1: error: constraint \"hook\": motion: the table begins at t = "
              "0.01 s, and the run at t = 0 s; add a row for its begin, or say with \"outside\" "
              "what stands before the first\n");
        folder.write("m.toml",
                     kTop +
                         "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"box@[0, 0, "
                         "0]\"\nforce = [1.0, 0.0, 0.0]\n  table = [[0.0, 1.0], [0.03, 0.0]]\n");
        const ProcessResult no_factor = run_ancora(folder, {"run", "m.toml"});
        CHECK(no_factor.status == 3);
        CHECK(no_factor.err ==
              "m.toml:22:11: error: force \"push\": table: the table ends at t = 0.03 s, and the "
              "run at t = 0.1 s; add rows up to there, " +
                  mend);
        folder.write("m.toml",
                     kTop + replaced(drive,
                                     "\"files/lift.csv\"",
                                     "[\"0\", \"0.5*sign(t - 0.03) + 0.5\", \"0\"]"));
        const ProcessResult jump = run_ancora(folder, {"run", "m.toml"});
        CHECK(jump.status == 5);
        CHECK(contains(jump.err,
                       "m.toml:17:1: error: t = 0.03 s: what constraint \"hook\", gap 1 prescribes "
                       "jumps by "));
    }

    TEST_CASE("broken TOML is shown with line and column") {
        const ProcessResult result = run_refused(replaced(kTop, "[3.0, 2.0, 1.0]", "[3.0, 2.0"));
        CHECK(result.status == 3);
        CHECK(result.err.starts_with("m.toml:9:"));
        CHECK(contains(result.err, ": error: "));
    }

    TEST_CASE("unknown keys and types come with the nearest name") {
        check_refused(replaced(kTop, "density", "densty"),
                      3,
                      "m.toml:9:1: error: body \"box\": unknown key \"densty\"; did you mean "
                      "\"density\"?");
        const ProcessResult type =
            run_refused(replaced(kTop, "\"ancf_rigid_body\"\nsize", "\"ancf_rigid_bdy\"\nsize"));
        CHECK(type.status == 3);
        CHECK(
            type.err.starts_with("m.toml:7:8: error: unknown body type \"ancf_rigid_bdy\"; did "
                                 "you mean \"ancf_rigid_body\"? (plugins in use: "
                                 "ancf_rigid_body, emm)\n"));
        const ProcessResult integrator =
            run_refused(replaced(kTop, "type = \"emm\"", "type = \"runge\""));
        CHECK(integrator.status == 3);
        CHECK(integrator.err.starts_with("m.toml:13:8: error: unknown integrator type \"runge\""));
    }

    TEST_CASE("a value of the wrong type, length or range, and NaN") {
        check_refused(replaced(kTop, "2700.0", "\"heavy\""),
                      3,
                      "m.toml:9:11: error: body \"box\": density: expected a number, got "
                      "\"heavy\"; position 1: found \"heavy\", which is no parameter; there are "
                      "none in [parameters]");
        check_refused(replaced(kTop, "[3.0, 2.0, 1.0]", "[3.0, 2.0]"),
                      3,
                      "m.toml:8:8: error: body \"box\": size: expected an array of 3 numbers, got "
                      "an array of 2 numbers; write [x, y, z]");
        check_refused(replaced(kTop, "2700.0", "-1.0"),
                      3,
                      "m.toml:9:11: error: body \"box\": density: expected a value > 0 kg/m^3, got "
                      "-1.0 kg/m^3");
        check_refused(replaced(kTop, "2700.0", "nan"),
                      3,
                      "m.toml:9:11: error: body \"box\": density: expected a number, got nan "
                      "kg/m^3");
        check_refused(replaced(kTop, "step = 1.0e-3", "step = 0.0"),
                      3,
                      "m.toml:14:8: error: [integrator]: step: expected a value > 0 s, got 0.0 s");
    }

    TEST_CASE("duplicate and reserved names") {
        check_refused(kTop + replaced(kBoom, "\"boom\"", "\"box\""),
                      3,
                      "m.toml:18:8: error: body \"box\": this name is already that of a body at "
                      "m.toml:6:8");
        check_refused(replaced(kTop, "\"box\"", "\"ground\""),
                      3,
                      "m.toml:6:8: error: body \"ground\": this name is reserved; choose another");
    }

    TEST_CASE("a constraint on a body, node or point that is not there") {
        check_refused(kTop + constraint("bax@[0, 0, 0]", "ground@[0, 0, 0]"),
                      3,
                      "m.toml:20:5: error: constraint \"hook\": there is no body \"bax\"; did you "
                      "mean \"box\"?");
        check_refused(kTop + kBoom + constraint("box@[1.5, 0, 0]", "boom@7"),
                      3,
                      "m.toml:31:5: error: constraint \"hook\": \"boom@7\": there is no node 7; "
                      "this truss has nodes 0 to 1");
        check_refused(kTop + constraint("box@3", "ground@[0, 0, 0]"),
                      3,
                      "m.toml:20:5: error: constraint \"hook\": \"box@3\": a rigid body has no "
                      "numbered or named points; write a point or a direction as [x, y, z] in body "
                      "axes, points from the reference point");
        check_refused(
            kTop + kBoom + constraint("boom", "ground"),
            3,
            "m.toml:30:5: error: constraint \"hook\": \"boom\" is not an attachment; the body has "
            "no "
            "reference point, as \"boom@0\" is one; write \"BODY@[x, y, z]\" for a material point, "
            "\"BODY@3\" for a node, \"BODY.FRAME\" for a frame that it names, or \"ground@[x, y, "
            "z]\"");
    }

    TEST_CASE("a start that violates a constraint is a numerical error that names it") {
        const ProcessResult result =
            run_refused(kTop + constraint("box@[0, 0, 0]", "ground@[1, 0, 0]"));
        CHECK(result.status == 5);
        CHECK(contains(result.err, "error: "));
        CHECK(contains(result.err, "constraint \"hook\""));
    }

    TEST_CASE("--set reaches values, and unknown keys are errors that name the option") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        const auto run = [&](const std::string& text) {
            return run_ancora(folder, {"run", "m.toml", "--json", "--set", text});
        };
        const ProcessResult step = run("integrator.step=1e-2");
        CHECK(step.status == 0);
        CHECK(Json::parse(step.out)["steps"] == 10);
        CHECK(run("body.box.density=1000").status == 0);

        const auto check = [&](const std::string& text, int status, const std::string& message) {
            const ProcessResult result = run(text);
            CHECK(result.status == status);
            CHECK(result.out == "");
            CHECK(result.err == message + "\n");
        };
        check("integrator.stap=1e-2",
              3,
              "--set integrator.stap=1e-2: error: [integrator]: unknown key \"stap\"; did you mean "
              "\"step\"?");
        check("body.bix.density=1",
              3,
              "--set body.bix.density=1: error: no body \"bix\"; did you mean \"box\"?");
        check("body.box.density=-1",
              3,
              "--set body.box.density=-1: error: body \"box\": density: expected a value > 0 "
              "kg/m^3, got -1 kg/m^3");
        check("step", 2, "error: --set takes TABLE.KEY=VALUE, not \"step\"");
    }
}

TEST_SUITE("ancora run: plugins") {
    TEST_CASE("an array after --set that does not close is no text") {
        const ProcessResult result =
            run_refused(kTop, {"--set", "body.box.angular_velocity=[1, 0, 0"});
        CHECK(result.status == 3);
        CHECK(result.err.find("\"[1, 0, 0\" is no array and no table") != std::string::npos);
    }

    TEST_CASE("a slip in a body is told before a table that is missing") {
        const std::string only_body = kTop.substr(0, kTop.find("[integrator]"));
        check_refused(replaced(only_body, "name = \"box\"", "naem = \"box\""),
                      3,
                      "m.toml:6:1: error: [[body]]: unknown key \"naem\"; did you mean \"name\"?");
        check_refused(only_body + "include = [\"more.toml\"]\n",
                      3,
                      "m.toml:12:1: error: body \"box\": \"include\" belongs to the whole file; "
                      "write it above the first table");
    }

    TEST_CASE("a plugin that is not found: every folder searched, in order") {
        const TempFolder folder;
        std::filesystem::create_directories(folder / "first");
        std::filesystem::create_directories(folder / "models/second");
        folder.write("models/m.toml",
                     replaced(kTop,
                              "plugins = [\"ancf_rigid_body\", \"emm\"]",
                              "plugins = [\"ancf_rigid_bdy\"]\nplugin_dirs = [\"second\"]"));
        ProcessOptions options;
        options.environment = {{"ANCORA_PLUGIN_PATH", (folder / "third").string()}};
        const ProcessResult result =
            run_ancora(folder, {"run", "models/m.toml", "--plugin-dir", "first"}, options);
        CHECK(result.status == 4);
        CHECK(result.out == "");
        CHECK(
            result.err.starts_with("models/m.toml:3:12: error: plugin \"ancf_rigid_bdy\" was not "
                                   "found; did you mean \"ancf_rigid_body\"?\n"
                                   "  searched, in this order:\n"));
        const std::size_t first = result.err.find((folder / "first").string());
        const std::size_t second = result.err.find((folder / "models").string() + "/second");
        const std::size_t third = result.err.find((folder / "third").string());
        const std::size_t installed = result.err.find("/ancora/plugins\n");
        REQUIRE(installed != std::string::npos);
        CHECK(first < second);
        CHECK(second < third);
        CHECK(third < installed);
    }

    TEST_CASE("a file that is no library") {
        const TempFolder folder;
        folder.write("own/junk.so", "not a library");
        folder.write("m.toml", replaced(kTop, "\"emm\"]", "\"emm\", \"junk\"]"));
        const ProcessResult result = run_ancora(folder, {"run", "m.toml", "--plugin-dir", "own"});
        CHECK(result.status == 4);
        CHECK(result.err.starts_with("m.toml:3:38: error: plugin \"junk\" (" +
                                     (folder / "own").string() +
                                     "/junk.so) is not a shared library"));

        const ProcessResult list = run_ancora(folder, {"plugins", "--plugin-dir", "own"});
        CHECK(list.status == 0);
        CHECK(contains(list.out, "  refused: plugin \"junk\""));
        CHECK(contains(list.out, "  ancf_rigid_body "));
    }

    TEST_CASE("folders that are not there are listed") {
        const TempFolder folder;
        const ProcessResult list = run_ancora(folder, {"plugins", "--plugin-dir", "nowhere"});
        CHECK(list.status == 0);
        CHECK(contains(list.out, (folder / "nowhere").string() + "  (no such folder)\n"));

        const Json json =
            Json::parse(run_ancora(folder, {"plugins", "--plugin-dir", "nowhere", "--json"}).out);
        CHECK(json["folders"][0]["path"] == (folder / "nowhere").string());
        CHECK(json["folders"][0]["exists"] == false);
        CHECK(json["plugins"].size() >= 2);
    }
}

TEST_SUITE("ancora run: results") {
    TEST_CASE("history and summary of a short run") {
        const TempFolder folder;
        folder.write("models/m.toml",
                     kTop + "[output]\nevery = 0.01\npoints = [\"box@[1, 0, 0]\"]\n");
        const ProcessResult result = run_ancora(folder, {"run", "models/m.toml"});
        REQUIRE(result.status == 0);
        CHECK(result.err == "");
        CHECK(contains(result.out, "top: completed"));
        CHECK(contains(result.out, "results in results/m\n"));

        const std::string history = folder.read("results/m/history.csv");
        const std::string header = lines_of(history).front();
        CHECK(header.starts_with("t,energy.kinetic,energy.potential,energy.total,"));
        CHECK(contains(header, ",\"box@[1, 0, 0].x\","));
        const auto rows = rows_of(history);
        REQUIRE(rows.size() == 11);
        for (std::size_t k = 0; k < rows.size(); ++k)
            CHECK(rows[k][0] == doctest::Approx(0.01 * static_cast<double>(k)));

        const Json summary = Json::parse(folder.read("results/m/summary.json"));
        CHECK(summary["model"] == "top");
        CHECK(summary["manifest"] == "models/m.toml");
        CHECK(summary["exit_reason"] == "completed");
        CHECK(summary["steps"] == 100);
        CHECK(summary["plugins"][0]["name"] == "ancf_rigid_body");
        CHECK(summary["plugins"][0]["sha256"].get<std::string>().size() == 64);
        CHECK(summary["integrator"]["type"] == "emm");
        CHECK(summary["newton"]["iterations"] >= 100);
        CHECK(summary["energy"]["balance"]["max_rel"] < 1e-12);
        CHECK(summary["final_state"]["t"] == 0.1);
        CHECK(summary["final_state"]["bodies"]["box"]["q"].size() == 12);
    }

    TEST_CASE("rows fall on the nearest step ends, the first and the last always") {
        const TempFolder folder;
        folder.write("m.toml", kTop + "[output]\nevery = 0.025\n");
        const auto check = [&](const std::string& set, const std::vector<double>& times) {
            CHECK(run_ancora(folder, {"run", "m.toml", "--quiet", "--set", set}).status == 0);
            const auto rows = rows_of(folder.read("results/m/history.csv"));
            REQUIRE(rows.size() == times.size());
            for (std::size_t k = 0; k < rows.size(); ++k)
                CHECK(std::abs(rows[k][0] - times[k]) < 1e-15);
        };
        // A tie goes to the earlier step; the last step is shorter.
        check("integrator.step=0.01", {0.0, 0.02, 0.05, 0.07, 0.1});
        check("integrator.step=0.04", {0.0, 0.04, 0.08, 0.1});
        check("output.every=1.0", {0.0, 0.1});
    }

    TEST_CASE("without `every` a run has at most 1000 rows beside the first") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        CHECK(run_ancora(folder, {"run", "m.toml", "--quiet", "--set", "integrator.end=2.5"})
                  .status == 0);
        CHECK(rows_of(folder.read("results/m/history.csv")).size() == 1001);
        CHECK(run_ancora(folder, {"run", "m.toml", "--quiet", "--set", "integrator.end=0.9"})
                  .status == 0);
        CHECK(rows_of(folder.read("results/m/history.csv")).size() == 901);
    }

    TEST_CASE("the first row shows the reactions of the first step") {
        const TempFolder folder;
        folder.write("m.toml",
                     replaced(kTop, "name = \"top\"", "name = \"top\"\ngravity = [0, 0, -9.81]") +
                         constraint("box@[0, 0, 0]", "ground@[0, 0, 0]"));
        REQUIRE(run_ancora(folder, {"run", "m.toml", "--quiet"}).status == 0);
        const std::string history = folder.read("results/m/history.csv");
        const std::string header = lines_of(history).front();
        const std::size_t at = header.find("hook.force.z");
        REQUIRE(at != std::string::npos);
        const auto column = std::count(header.begin(), header.begin() + static_cast<long>(at), ',');
        const auto rows = rows_of(history);
        CHECK(rows[0][column] != 0.0);
        CHECK(rows[0][column] == rows[1][column]);
    }

    TEST_CASE("--json writes one document, --quiet nothing") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        const ProcessResult json = run_ancora(folder, {"run", "m.toml", "--json"});
        CHECK(json.status == 0);
        CHECK(json.err == "");
        CHECK(json.out == folder.read("results/m/summary.json"));
        CHECK(Json::parse(json.out)["exit_reason"] == "completed");
        const ProcessResult quiet = run_ancora(folder, {"run", "m.toml", "--quiet"});
        CHECK(quiet.status == 0);
        CHECK(quiet.out == "");
        CHECK(quiet.err == "");
    }

    TEST_CASE("the same run twice gives the same bytes") {
        const TempFolder folder;
        folder.write("m.toml", kTop + kBoom + constraint("box@[1.5, 0, 0]", "boom@0"));
        CHECK(run_ancora(folder, {"run", "m.toml", "--out", "a", "--quiet"}).status == 0);
        CHECK(run_ancora(folder, {"run", "m.toml", "--out", "b", "--quiet", "--threads", "4"})
                  .status == 0);
        CHECK(folder.read("a/history.csv").size() > 1000);
        CHECK(folder.read("a/history.csv") == folder.read("b/history.csv"));
    }

    TEST_CASE("a folder with earlier results is used again, a foreign one is left alone") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        CHECK(run_ancora(folder, {"run", "m.toml", "--out", "a"}).status == 0);
        folder.write("a/notes.txt", "mine");
        CHECK(run_ancora(folder, {"run", "m.toml", "--out", "a"}).status == 0);
        CHECK(folder.read("a/notes.txt") == "mine");

        folder.write("b/notes.txt", "mine");
        const ProcessResult foreign = run_ancora(folder, {"run", "m.toml", "--out", "b"});
        CHECK(foreign.status == 6);
        CHECK(foreign.out == "");
        CHECK(foreign.err ==
              "error: the output folder \"b\" holds files but no earlier results, so it is left "
              "alone; choose another folder or empty it\n");
        CHECK_FALSE(std::filesystem::exists(folder / "b/history.csv"));
        CHECK(folder.read("b/notes.txt") == "mine");
    }

    // Permission bits do not bind root, so the folders here are refused by other means.
    TEST_CASE("views of earlier results go with them, what else is there stays") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        REQUIRE(run_ancora(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status == 0);
        REQUIRE(run_ancora(folder, {"report", "out", "--quiet"}).status == 0);
        REQUIRE(run_ancora(folder, {"paraview", "out", "--quiet"}).status == 0);
        folder.write("out/notes.txt", "mine");
        folder.write("out/paraview/state.pvsm", "mine too");
        REQUIRE(std::filesystem::exists(folder / "out/paraview/bodies_000000.vtp"));
        REQUIRE(run_ancora(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status == 0);
        for (const char* file : {"report.html", "paraview.pvd", "paraview/bodies_000000.vtp"})
            CHECK_FALSE(std::filesystem::exists(folder / "out" / file));
        CHECK(folder.read("out/notes.txt") == "mine");
        CHECK(folder.read("out/paraview/state.pvsm") == "mine too");
    }

    TEST_CASE("an output folder that cannot be made or written") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        folder.write("file", "");
        const auto check = [&](const std::string& out, const std::string& message) {
            const ProcessResult result = run_ancora(folder, {"run", "m.toml", "--out", out});
            CHECK(result.status == 6);
            CHECK(result.out == "");
            CHECK(result.err == "error: " + message + "\n");
        };
        check("file/x", "cannot make the output folder \"file/x\": Not a directory");
        check("file", "cannot make the output folder \"file\": Not a directory");
        check("/proc/x", "cannot make the output folder \"/proc/x\": No such file or directory");
    }

    TEST_CASE("a full disk: the error is told, what fits is kept and readable") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        ProcessOptions options;
        options.file_size_limit = 20000;
        const ProcessResult result = run_ancora(folder, {"run", "m.toml"}, options);
        CHECK(result.status == 6);
        CHECK(result.out == "");
        CHECK(result.err == "error: cannot write \"results/m/history.csv\": File too large\n");

        const std::string history = folder.read("results/m/history.csv");
        CHECK(history.size() > 10000);
        CHECK(history.size() <= 20000);
        rows_of(history);
        const Json summary = Json::parse(folder.read("results/m/summary.json"));
        CHECK(summary["exit_reason"] == "cannot write \"results/m/history.csv\": File too large");
    }

    TEST_CASE("an interrupt in mid-run keeps what was computed") {
        const TempFolder folder;
        folder.write("m.toml",
                     replaced(kTop, "end = 0.1", "end = 1.0e5") + "[output]\nevery = 0.01\n");
        for (const int signal : {SIGINT, SIGTERM}) {
            std::filesystem::remove_all(folder / "results");
            ProcessOptions options;
            options.folder = folder.path();
            ChildProcess child(command_line({"run", "m.toml", "--json"}), options);
            // Rows reach the file within about a second.
            REQUIRE(child.wait_until([&] {
                return lines_of(folder.read("results/m/history.csv")).size() >= 3;
            }));
            child.send(signal);
            const ProcessResult result = child.wait();
            CHECK(result.status == 130);
            CHECK(result.err.starts_with("interrupted at t = "));
            CHECK(result.err.ends_with(
                " s; what was computed is in \"results/m\", and --resume goes on "
                "from there\n"));

            const auto rows = rows_of(folder.read("results/m/history.csv"));
            CHECK(rows.size() >= 2);
            const Json summary = Json::parse(result.out);
            CHECK(summary["exit_reason"] == "interrupted");
            CHECK(summary["final_state"]["t"] == rows.back()[0]);
            CHECK(summary == Json::parse(folder.read("results/m/summary.json")));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
