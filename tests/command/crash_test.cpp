// SPDX-License-Identifier: BSD-3-Clause
// What `ancora` says and keeps when a plugin crashes it, ends it, or does not come back.
#include <algorithm>
#include <csignal>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

std::string model(const std::string& how) {
    return "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\nvelocity = [1.0, 0.0, 0.0]\n"
           "[[constraint]]\nname = \"c\"\ntype = \"ends_in_call\"\nat = \"m@0\"\nhow = \"" +
           how + "\"\n[integrator]\ntype = \"emm\"\nstep = 0.001\nend = 0.1\n";
}

std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    return arguments;
}

ProcessOptions options(const TempFolder& folder) {
    ProcessOptions out;
    out.folder = folder.path();
    out.environment = {{"ANCORA_PLUGIN_PATH", ANCORA_TEST_ZOO_DIR}};
    return out;
}

long count(const std::string& text, char what) {
    return std::count(text.begin(), text.end(), what);
}

TEST_SUITE("crashes") {
    TEST_CASE(
        "a crash in a call is named, what was computed is kept, and the call can be made again") {
        const std::pair<const char*, const char*> cases[] = {
            {"memory", "evaluate crashed: it used memory that is not its own"},
            {"stack", "evaluate crashed: it used memory that is not its own"},
            {"abort", "evaluate aborted the process"},
            {"terminate", "evaluate aborted the process"},
            {"exit", "evaluate called exit(), which ends the program"},
            {"quick_exit", "evaluate called exit(), which ends the program"}};
        for (const auto& [how, what] : cases) {
            CAPTURE(how);
            const TempFolder folder;
            folder.write("m.toml", model(how));
            const ProcessResult run =
                run_for_messages(command({"run", "m.toml", "--json"}), options(folder));
            CHECK(run.status == 4);
            CHECK(contains(run.err, "error: t = 0.00"));
            CHECK(contains(
                run.err, "s, constraint \"c\" (type ends_in_call of plugin ends_in_call 1.0.0): "));
            CHECK(contains(run.err, what));
            CHECK(contains(run.err, "results/m/failed_call.toml\" makes it again"));
            CHECK(contains(run.out, "\"exit_reason\": \"t = 0.00"));
            CHECK(contains(folder.read("results/m/summary.json"), what));
            // Rows of the steps before
            CHECK(count(folder.read("results/m/history.csv"), '\n') >= 5);
            const ProcessResult again = run_for_messages(
                command({"replay", "results/m/failed_call.toml"}), options(folder));
            CHECK(again.status == 4);
            CHECK(contains(again.err, what));
        }
    }

    TEST_CASE("what a plugin prints goes to standard error, and spoils no document") {
        const TempFolder folder;
        folder.write("m.toml", model("talk"));
        const ProcessResult run =
            run_for_messages(command({"run", "m.toml", "--json"}), options(folder));
        CHECK(run.status == 0);
        CHECK(run.out.starts_with("{"));
        CHECK(run.out == folder.read("results/m/summary.json"));
        CHECK(contains(run.err, "a plugin talks\n"));
    }

    TEST_CASE("a crash in a static destructor is told, and results stay good") {
        const TempFolder folder;
        folder.write("m.toml", model("after"));
        const ProcessResult run = run_for_messages(command({"run", "m.toml"}), options(folder));
        CHECK(run.status == 4);
        CHECK(contains(run.err, "ends_in_call.so crashed: it used memory that is not its own"));
        CHECK(contains(run.err, "what was written before is complete"));
        CHECK(contains(folder.read("results/m/summary.json"), "\"completed\""));
        CHECK(count(folder.read("results/m/history.csv"), '\n') > 50);
    }

    // Of a small model and of one whose last row of results is still to be worked out, for which
    // its threads would be asked.
    TEST_CASE(
        "a failure in a loop that threads share is the integrator's, and ends no run unsaid") {
        const std::string small =
            "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\n"
            "velocity = [1.0, 0.0, 0.0]\n";
        const std::string large =
            "[[body]]\nname = \"net\"\ntype = \"truss\"\nyoung = 1e5\narea = 1e-5\n"
            "density = 1000.0\nmass = \"consistent\"\n"
            "grid = {counts = [130, 130], spacing = [0.1, 0.1]}\n[output]\nevery = 0.004\n";
        const auto run = [](const TempFolder& folder,
                            const std::string& body,
                            const std::string& how,
                            const char* threads) {
            folder.write("m.toml",
                         body +
                             "[integrator]\ntype = \"splits_loops\"\nstep = 0.001\nend = 0.02\n"
                             "[integrator.splits_loops]\nhow = \"" +
                             how + "\"\n");
            return run_for_messages(command({"run", "m.toml", "--threads", threads}),
                                    options(folder));
        };
        const auto fails = [&](const std::string& body,
                               const std::string& how,
                               const char* threads,
                               std::string_view what) {
            CAPTURE(how);
            CAPTURE(threads);
            const TempFolder folder;
            const ProcessResult failed = run(folder, body, how, threads);
            CHECK(failed.status == 4);
            CHECK(contains(failed.err, "of plugin splits_loops 1.0.0)"));
            CHECK(contains(failed.err, what));
            CHECK(contains(folder.read("results/m/summary.json"), what));
            const std::string history = folder.read("results/m/history.csv");
            CHECK(count(history, '\n') >= (body == small ? 5 : 4));
            CHECK(contains(history, "\n0.006"));
        };
        constexpr std::string_view kMemory = "crashed: it used memory that is not its own";
        for (const char* threads : {"1", "2", "5"}) {
            fails(small, "memory", threads, kMemory);
            fails(small, "memory in all", threads, kMemory);
            fails(small, "stack", threads, kMemory);
            fails(small, "throw", threads, "a loop fails at 0");
            fails(large, "memory", threads, kMemory);
            const TempFolder folder;
            CHECK(run(folder, small, "nothing", threads).status == 0);
        }
    }

    TEST_CASE("a crash in a factory is named before anything runs") {
        const TempFolder folder;
        folder.write("m.toml", model("factory"));
        const ProcessResult run = run_for_messages(command({"check", "m.toml"}), options(folder));
        CHECK(run.status == 4);
        CHECK(contains(run.err,
                       "constraint \"c\" (type ends_in_call of plugin ends_in_call 1.0.0): its "
                       "factory crashed"));
    }

    TEST_CASE(
        "a call that does not come back is named at the first signal and given up at the second") {
        for (const int signal : {SIGINT, SIGTERM}) {
            const TempFolder folder;
            folder.write("m.toml", model("hang"));
            ChildProcess child(command({"run", "m.toml"}), options(folder));
            REQUIRE(child.wait_until_said("a plugin hangs"));
            child.send(SIGINT);
            // To its end: the signal handler writes it in parts, and the next signal ends that.
            REQUIRE(child.wait_until_said("(plugin ends_in_call)"));
            child.send(signal);
            const ProcessResult result = child.wait();
            CHECK(result.status == 130);
            CHECK(contains(result.err,
                           "waiting for evaluate of constraint \"c\" (plugin ends_in_call)"));
            CHECK(contains(result.err, "evaluate did not come back, and the run was ended"));
            CHECK(contains(folder.read("results/m/summary.json"), "did not come back"));
            CHECK(count(folder.read("results/m/history.csv"), '\n') >= 5);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
