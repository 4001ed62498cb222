// SPDX-License-Identifier: BSD-3-Clause
// What a failed call of a plugin leaves behind, and `ancora replay` on it.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;

std::string model(const std::string& constraint_type, const char* body_type = "test_mass") {
    return "[[body]]\nname = \"m\"\ntype = \"" + std::string(body_type) +
           "\"\nmass = 2.0\nvelocity = [1.0, 0.0, 0.0]\n[[constraint]]\nname = \"c\"\ntype = \"" +
           constraint_type +
           "\"\nat = \"m@0\"\n[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 0.1\n";
}

ProcessResult run_with_zoo(const TempFolder& folder, CommandArguments arguments) {
    ProcessOptions options;
    options.environment = {{"ANCORA_PLUGIN_PATH", ANCORA_TEST_ZOO_DIR}};
    return run_ancora(folder, std::move(arguments), options);
}

void replace(const TempFolder& folder,
             const std::string& file,
             std::string_view from,
             std::string_view to) {
    std::string text = folder.read(file);
    const std::size_t at = text.find(from);
    REQUIRE_MESSAGE(at != std::string::npos, file, " does not have ", from, ":\n", text);
    folder.write(file, text.replace(at, from.size(), to));
}

constexpr const char* kAdvice =
    "\n  the inputs of the call are in \"results/m/failed_call.toml\"; \"ancora replay "
    "results/m/failed_call.toml\" makes it again\n";

TEST_SUITE("ancora replay") {
    TEST_CASE("what frames and measures meant is in the record") {
        const TempFolder folder;
        const std::string box =
            "[[body]]\nname = \"box\"\ntype = \"ancf_rigid_body\"\nmass = 1.0\n"
            "inertia = [0.1, 0.1, 0.1]\nposition = [0.5, 0.0, 0.0]\n"
            "[[joint]]\nname = \"hinge\"\ntype = \"revolute\"\na = \"ground\"\nb = \"box\"\n"
            "point = [0.0, 0.0, 0.0]\naxis = [0.0, 0.0, 1.0]\n";
        const std::string steps = "[integrator]\ntype = \"rk4\"\nstep = 0.01\nend = 0.1\n";
        // On points, and on a measure
        for (const std::string on : {"a = \"ground@[0.0, 1.0, 0.0]\"\nb = \"box@[0.1, 0.0, 0.0]\"",
                                     "on = \"hinge.angle\""}) {
            CAPTURE(on);
            folder.write("m.toml",
                         box + "[[force]]\nname = \"f\"\ntype = \"servo\"\n" + on +
                             "\ntarget = \"1e10*max(0, t - 0.045)\"\nkd = 1e300\n" + steps);
            const ProcessResult run = run_with_zoo(folder, {"run", "m.toml"});
            CHECK(run.status == 4);
            const ProcessResult again =
                run_with_zoo(folder, {"replay", "results/m/failed_call.toml"});
            CHECK(again.err == "");
            CHECK(again.status == 4);
            CHECK(contains(again.out, "it fails again:\n  f is "));
        }
        replace(folder,
                "results/m/failed_call.toml",
                "[[measure]]\ntext = \"hinge.angle\"",
                "[[measure]]\ntext = \"hinge.way\"");
        const ProcessResult other = run_with_zoo(folder, {"replay", "results/m/failed_call.toml"});
        CHECK(other.status == 6);
        CHECK(contains(other.err, "the record has no measure \"hinge.angle\""));
    }

    TEST_CASE("a call that threw in a run throws again, and not with other inputs") {
        const TempFolder folder;
        folder.write("m.toml", model("throws_in_call"));
        const ProcessResult run = run_with_zoo(folder, {"run", "m.toml"});
        CHECK(run.status == 4);
        CHECK(run.err.ends_with(
            "m.toml:6:1: error: t = 0.01 s, constraint \"c\" (type throws_in_call of plugin "
            "throws_in_call 1.0.0): evaluate threw \"out of order\"" +
            std::string(kAdvice)));
        CHECK(fs::exists(folder / "results/m/summary.json"));

        const std::string file = "results/m/failed_call.toml";
        const ProcessResult again = run_with_zoo(folder, {"replay", file});
        CHECK(again.status == 4);
        CHECK(again.err == "");
        CHECK(again.out.starts_with(
            "constraint \"c\" (type throws_in_call of plugin throws_in_call 1.0.0): evaluate of "
            "block 0\nin the run: t = 0.01 s, constraint \"c\""));
        CHECK(contains(again.out, "\n  t   0.01\n"));
        CHECK(again.out.ends_with("it fails again: it threw \"out of order\"\n"));

        replace(folder, file, "\nt = [0.01]", "\nt = [0.0]");
        const ProcessResult other = run_with_zoo(folder, {"replay", file});
        CHECK(other.status == 0);
        CHECK(other.out.ends_with("it does not fail this time: every output is finite\n"));
    }

    TEST_CASE("what is not finite is marked") {
        const TempFolder folder;
        folder.write("m.toml", model("nan_jacobian"));
        const ProcessResult run = run_with_zoo(folder, {"run", "m.toml"});
        CHECK(run.status == 4);
        CHECK(contains(run.err, "(block \"gap\", row 0, column 2)" + std::string(kAdvice)));
        const ProcessResult again = run_with_zoo(folder, {"replay", "results/m/failed_call.toml"});
        CHECK(again.status == 4);
        CHECK(contains(again.out, "\n  B  0  0  nan  <- not finite\n"));
        CHECK(again.out.ends_with("it fails again:\n  B is nan at row 0, column 2\n"));
    }

    TEST_CASE("expressions are recorded as numbers: the record needs no parameters") {
        const TempFolder folder;
        std::string text = "[parameters]\nm = '2 kg'\n" + model("test_plane", "throwing_factory");
        text.replace(text.find("mass = 2.0"), 10, "mass = 'm/4'");
        folder.write("m.toml", text);
        CHECK(run_with_zoo(folder, {"check", "m.toml"}).status == 4);
        CHECK(contains(folder.read("failed_call.toml"), "\nmass = 0.5\n"));
        CHECK(
            contains(run_with_zoo(folder, {"replay", "failed_call.toml"}).out, "\"out of luck\""));
    }

    TEST_CASE("a failure before there are results, and a file that is not ours") {
        const TempFolder folder;
        folder.write("m.toml", model("test_plane", "throwing_factory"));
        const ProcessResult check = run_with_zoo(folder, {"check", "m.toml"});
        CHECK(check.status == 4);
        CHECK(contains(check.err,
                       "its factory threw \"out of luck\"\n  the inputs of the call are in "
                       "\"failed_call.toml\""));
        const ProcessResult again = run_with_zoo(folder, {"replay", "failed_call.toml"});
        CHECK(again.status == 4);
        CHECK(contains(again.out, "it threw \"out of luck\""));

        folder.write("failed_call.toml", "precious\n");
        const ProcessResult other = run_with_zoo(folder, {"run", "m.toml"});
        CHECK(other.status == 4);
        CHECK(contains(other.err,
                       "\n  the inputs of the call are lost: cannot write \"failed_call.toml\": "
                       "the file that is there is not a record of a failed call, so it is left "
                       "alone\n"));
        CHECK(folder.read("failed_call.toml") == "precious\n");
    }

    TEST_CASE("a later run takes the record away with the results that it replaces") {
        const TempFolder folder;
        folder.write("m.toml", model("throws_in_call"));
        REQUIRE(run_with_zoo(folder, {"run", "m.toml"}).status == 4);
        REQUIRE(fs::exists(folder / "results/m/failed_call.toml"));
        folder.write("m.toml", model("point_on_plane"));
        replace(folder, "m.toml", "\nat = \"m@0\"", "\npoint = \"m@0\"\nnormal = [0, 0, 1]");
        REQUIRE(run_with_zoo(folder, {"run", "m.toml"}).err == "");
        CHECK_FALSE(fs::exists(folder / "results/m/failed_call.toml"));
    }

    // A record comes with a bug report, from anybody: it names the plugin, not where code is.
    TEST_CASE("nothing is loaded from the folder of a record, unless it is named") {
        const TempFolder folder;
        fs::create_directories(folder / "theirs");
        fs::copy_file(fs::path(ANCORA_TEST_ZOO_DIR) / "throws_in_call.so",
                      folder / "theirs/throws_in_call.so");
        folder.write("m.toml", "[model]\nplugin_dirs = [\"theirs\"]\n" + model("throws_in_call"));
        const ProcessResult run = run_with_zoo(folder, {"run", "m.toml"});
        const std::string theirs = (folder / "theirs").string();
        CHECK(contains(run.err,
                       "\"ancora replay results/m/failed_call.toml --plugin-dir " + theirs +
                           "\" makes it again"));
        const std::vector<std::string> replay{"replay", "results/m/failed_call.toml"};
        ProcessOptions options;
        options.folder = folder.path();
        const auto without_path = [&](std::vector<std::string> arguments) {
            arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
            return run_process(arguments, options);
        };
        const ProcessResult alone = without_path(replay);
        CHECK(alone.status == 4);
        CHECK(contains(alone.err, "plugin \"throws_in_call\" was not found"));
        CHECK(contains(alone.err,
                       "\n  in the run it was \"" + theirs +
                           "/throws_in_call.so\"; a record's folder is searched only if you name "
                           "it, since what is there runs: --plugin-dir \"" +
                           theirs + "\"\n"));
        const ProcessResult named = without_path({replay[0], replay[1], "--plugin-dir", theirs});
        CHECK(named.err == "");
        CHECK(contains(named.out, "it fails again"));
    }

    TEST_CASE("the plugin of --plugin-dir comes before that of the run") {
        const TempFolder folder;
        folder.write("m.toml", model("throws_in_call"));
        REQUIRE(run_with_zoo(folder, {"run", "m.toml"}).status == 4);
        fs::create_directories(folder / "own");
        fs::copy_file(fs::path(ANCORA_TEST_ZOO_DIR) / "throws_in_call.so",
                      folder / "own/throws_in_call.so");
        folder.write("own/throws_in_call.so", folder.read("own/throws_in_call.so") + '\0');
        const ProcessResult result =
            run_with_zoo(folder, {"replay", "results/m/failed_call.toml", "--plugin-dir", "own"});
        CHECK(result.status == 4);
        CHECK(result.err ==
              fmt::format(
                  "warning: the plugin, \"{}\", is another one than that which failed in "
                  "the run, \"{}\"\n",
                  (folder / "own/throws_in_call.so").string(),
                  fs::canonical(fs::path(ANCORA_TEST_ZOO_DIR) / "throws_in_call.so").string()));
    }

    TEST_CASE("no record, or a broken one") {
        const TempFolder folder;
        const ProcessResult none = run_with_zoo(folder, {"replay"});
        CHECK(none.status == 2);
        CHECK(none.err == "error: \"ancora replay\" needs an argument: ancora replay FILE\n");
        const ProcessResult missing = run_with_zoo(folder, {"replay", "gone.toml"});
        CHECK(missing.status == 6);
        CHECK(missing.err ==
              "gone.toml: error: cannot read the record of a failed call: No such file or "
              "directory\n");
        folder.write("f.toml", "format = 1\n[call\n");
        const ProcessResult broken = run_with_zoo(folder, {"replay", "f.toml"});
        CHECK(broken.status == 6);
        CHECK(broken.err.starts_with("f.toml:2:6: error: "));
    }
}

}  // namespace
}  // namespace ancora::testing
