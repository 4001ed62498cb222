// SPDX-License-Identifier: BSD-3-Clause
// Runs that are killed and resumed: the same bytes as a run that was left alone, and checkpoints
// that do not fit.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sha256.hpp"
#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// A block that slides up an incline, stops at 0.2 s and stays; about half a second of wall time.
const std::string kStuck = R"([model]
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "block"
type = "particle"
mass = 2.5
velocity = [1.7320508075688772, 0.0, 1.0]

[[constraint]]
name = "ramp"
type = "point_on_plane"
point = "block@[0, 0, 0]"
normal = [-0.5, 0.0, 0.8660254037844386]

[[force]]
name = "rubbing"
type = "coulomb_friction"
on = "ramp"
mu_kinetic = 0.6

[integrator]
type = "emm"
step = 1.0e-5
end  = 1.0

[output]
every = 1.0e-3
checkpoint = 0.01
states = true
)";

// A net that turns and breathes, on few factorisations.
const std::string kNet = R"([model]
gravity = [0.0, 0.0, 0.0]

[[body]]
name = "net"
type = "truss"
grid = { counts = [8, 8], spacing = [0.5, 0.5], diagonals = true }
area = 1.0e-6
density = 1400.0
young = 2.0e9
spin = { axis = [0.1, 0.0, 1.0], rate = 2.0, center = [1.75, 1.75, 0.0] }

[integrator]
type = "emm"
step = 1.0e-3
end  = 1.5

[output]
every = 0.01
checkpoint = 0.01
states = true
points = ["net@0", "net@63"]
)";

// A bar whose pivot is led about; its rows follow the times of the grid.
const std::string kDriven = R"model([model]
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "bar"
type = "ancf_rigid_body"
size = [0.1, 0.1, 0.8]
density = 2700.0
position = [0.0, 0.0, 0.4]
velocity = [1.5, 0.0, 0.0]

[[constraint]]
name = "pivot"
type = "position"
a = "bar@[0.0, 0.0, -0.4]"
b = "ground@[0.0, 0.0, 0.0]"
motion = ["0.5*sin(3*t)", "0.1*(1 - cos(7*t))", "0"]

[integrator]
type = "emm"
step = 1.0e-4
end  = 6.0

[output]
every = 0.01
checkpoint = 0.01
)model";

CommandArguments run_arguments(const TempFolder& folder, const std::string& out) {
    return {ANCORA_TEST_BIN,
            "run",
            (folder / "model.toml").string(),
            "--out",
            (folder / out).string(),
            "--quiet"};
}

ProcessResult run(CommandArguments arguments, const CommandArguments& more = {}) {
    arguments.insert(arguments.end(), more.begin(), more.end());
    return ChildProcess(arguments, {}).wait();
}

/// Kills a run at random moments until it was killed `wanted` times, each time resuming it, and
/// compares it whenever it comes to its end.
void kill_and_compare(const std::string& model, int wanted, unsigned seed) {
    const TempFolder folder;
    folder.write("model.toml", model);
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(run(run_arguments(folder, "whole")).status == 0);
    const double whole =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    const std::string expected = folder.read("whole/history.csv");
    REQUIRE(expected.size() > 1000);
    const auto is_complete = [&](const char* file) {
        return folder.read(std::string("killed/") + file) ==
               folder.read(std::string("whole/") + file);
    };

    CommandArguments resumed = run_arguments(folder, "killed");
    resumed.emplace_back("--resume");
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> moment(0.0, 0.6 * whole);
    int num_killed = 0, num_whole = 0, num_from_checkpoint = 0;
    while (num_killed < wanted || num_whole == 0) {
        ProcessResult result;
        {
            ChildProcess child(resumed, {});
            if (num_killed < wanted) {
                // Every second time behind a checkpoint, however slow the machine has become.
                if (num_killed % 2 == 1)
                    child.wait_until([&] {
                        return fs::exists(folder / "killed/checkpoint.bin");
                    });
                std::this_thread::sleep_for(std::chrono::duration<double>(moment(random)));
                child.send(SIGKILL);
            }
            result = child.wait();
        }
        if (result.status == 128 + SIGKILL) {
            ++num_killed;
            num_from_checkpoint += fs::exists(folder / "killed/checkpoint.bin");
            continue;
        }
        CAPTURE(result.err);
        REQUIRE(result.status == 0);
        ++num_whole;
        REQUIRE(folder.read("killed/history.csv") == expected);
        for (const char* file : {"scene.json", "frames.npy", "states.npy"})
            REQUIRE(is_complete(file));
        // to be prolonged
        CHECK(fs::exists(folder / "killed/checkpoint.bin"));
        fs::remove_all(folder / "killed");
    }
    CHECK(num_from_checkpoint > wanted / 3);
}

/// A run that is interrupted once it has left a checkpoint.
ProcessResult interrupted(const TempFolder& folder) {
    ChildProcess child(run_arguments(folder, "out"), {});
    REQUIRE(child.wait_until([&] {
        return fs::exists(folder / "out/checkpoint.bin");
    }));
    child.send(SIGINT);
    return child.wait();
}

std::string with(std::string text, std::string_view from, std::string_view to) {
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_SUITE("resume") {
    TEST_CASE("killed at random moments, a block with friction ends in the same bytes") {
        kill_and_compare(kStuck, 25, 1);
    }

    TEST_CASE("killed at random moments, a spinning net ends in the same bytes") {
        kill_and_compare(kNet, 25, 2);
    }

    TEST_CASE("killed at random moments, a driven bar ends in the same bytes") {
        kill_and_compare(kDriven, 25, 3);
    }

    TEST_CASE("an interrupted run goes on where it was, and says so") {
        const TempFolder folder;
        folder.write("model.toml", kStuck);
        REQUIRE(run(run_arguments(folder, "whole")).status == 0);
        const ProcessResult stopped = interrupted(folder);
        REQUIRE(stopped.status == 130);
        CHECK(stopped.err.find("--resume goes on from there") != std::string::npos);
        const double t = Json::parse(folder.read("out/summary.json"))["final_state"]["t"];
        REQUIRE(run(run_arguments(folder, "out"), {"--resume"}).status == 0);
        CHECK(folder.read("out/history.csv") == folder.read("whole/history.csv"));
        const Json summary = Json::parse(folder.read("out/summary.json"));
        REQUIRE(summary["resumed_at"].size() == 1);
        CHECK(summary["resumed_at"][0] == t);
        CHECK(summary["exit_reason"] == "completed");
        const Json whole = Json::parse(folder.read("whole/summary.json"));
        CHECK(summary["steps"] == whole["steps"]);
        CHECK(summary["final_state"] == whole["final_state"]);
        CHECK(summary["energy"] == whole["energy"]);
    }

    TEST_CASE("a complete run is left alone, another one is begun") {
        const TempFolder folder;
        folder.write("model.toml", kStuck);
        REQUIRE(run(run_arguments(folder, "out")).status == 0);
        const auto written = fs::last_write_time(folder / "out/history.csv");
        const ProcessResult again = run(run_arguments(folder, "out"), {"--resume"});
        CHECK(again.status == 0);
        CHECK(again.err.find("is complete, there is nothing to resume") != std::string::npos);
        CHECK(fs::last_write_time(folder / "out/history.csv") == written);
        REQUIRE(
            run(run_arguments(folder, "out"), {"--resume", "--set", "integrator.end=0.9"}).status ==
            0);
        CHECK(fs::last_write_time(folder / "out/history.csv") != written);
    }

    TEST_CASE("a later end prolongs a run to the bytes of one long run") {
        // 0.1 is no number of a computer: three of them are not 0.3. Rows on the grid and between
        // its times; a table of forces and a driven bar; on accelerations too.
        for (const auto& [model, step, every, first, second, whole] :
             {std::tuple{kDriven, "1e-4", "0.01", "0.3", "0.4", "0.6"},
              {kStuck, "1e-4", "1e-3", "0.1", "0.1537", "0.3"},
              {kNet, "1e-3", "0.0107", "0.1", "0.13", "0.2"},
              {kNet, "0.001", "0.001", "0.003", "0.3", "0.31"},
              {kStuck, "1e-3", "0.0013", "0.1", "0.2", "0.3"}}) {
            for (const char* const type : {"emm", "rk4"}) {
                const TempFolder folder;
                folder.write("model.toml", model);
                CAPTURE(step);
                CAPTURE(first);
                CAPTURE(type);
                if (std::string(type) == "rk4" && model == kNet) continue;  // too stiff for it
                const auto arguments = [&](const char* end) -> CommandArguments {
                    return {"--set",
                            std::string("integrator.end=") + end,
                            "--set",
                            std::string("integrator.step=") + step,
                            "--set",
                            std::string("integrator.type=") + type,
                            "--set",
                            std::string("output.every=") + every};
                };
                REQUIRE(run(run_arguments(folder, "whole"), arguments(whole)).status == 0);
                REQUIRE(run(run_arguments(folder, "out"), arguments(first)).status == 0);
                for (const char* const end : {second, whole}) {
                    CommandArguments resumed = arguments(end);
                    resumed.emplace_back("--resume");
                    const ProcessResult result = run(run_arguments(folder, "out"), resumed);
                    CAPTURE(result.err);
                    REQUIRE(result.status == 0);
                }
                const Json summary = Json::parse(folder.read("out/summary.json"));
                CHECK(summary["resumed_at"].size() == 2);
                const std::string history = folder.read("out/history.csv");
                CHECK(history.size() > 1000);
                const bool is_same = history == folder.read("whole/history.csv");
                CHECK(is_same);
                CHECK(folder.read("out/states.npy") == folder.read("whole/states.npy"));
                CHECK(folder.read("out/model.toml").find("\nend = " + std::string(whole)) !=
                      std::string::npos);
            }
        }
    }

    TEST_CASE("a run that was interrupted may be prolonged too") {
        const TempFolder folder;
        folder.write("model.toml", kStuck);
        REQUIRE(interrupted(folder).status == 130);
        REQUIRE(
            run(run_arguments(folder, "out"), {"--resume", "--set", "integrator.end=1.2"}).status ==
            0);
        REQUIRE(run(run_arguments(folder, "whole"), {"--set", "integrator.end=1.2"}).status == 0);
        CHECK(folder.read("out/history.csv") == folder.read("whole/history.csv"));
    }

    TEST_CASE("what cannot be prolonged to the same bytes is begun anew, or says why not") {
        const TempFolder folder;
        folder.write("model.toml", with(kStuck, "step = 1.0e-5", "step = 1.0e-3"));
        const auto resume = [&](const CommandArguments& set) {
            CommandArguments more{"--resume"};
            more.insert(more.end(), set.begin(), set.end());
            return run(run_arguments(folder, "out"), more);
        };
        const auto resumptions = [&] {
            return Json::parse(folder.read("out/summary.json"))["resumed_at"].size();
        };
        // a last step that was cut short, and steps of the integrator's choice
        for (const CommandArguments& set :
             {CommandArguments{"--set", "integrator.end=0.1003"},
              {"--set", "integrator.type=dopri5", "--set", "integrator.end=0.1"}}) {
            REQUIRE(run(run_arguments(folder, "out"), set).status == 0);
            CHECK_FALSE(fs::exists(folder / "out/checkpoint.bin"));
        }
        // an earlier end, and another model
        REQUIRE(run(run_arguments(folder, "out"), {}).status == 0);
        CHECK(resume({"--set", "integrator.end=0.5"}).status == 0);
        CHECK(resumptions() == 0);
        CHECK(resume({"--set", "integrator.end=0.6", "--set", "body.block.mass=3"}).status == 0);
        CHECK(resumptions() == 0);
        // rows that would be others
        folder.write("model.toml",
                     with(with(kStuck, "step = 1.0e-5", "step = 1.0e-3"), "every = 1.0e-3", ""));
        REQUIRE(run(run_arguments(folder, "out"), {"--set", "integrator.end=2"}).status == 0);
        const std::string history = folder.read("out/history.csv");
        const ProcessResult refused = resume({"--set", "integrator.end=3"});
        CHECK(refused.status == 3);
        CHECK(refused.err.find("output.every: 0.002 in the checkpoint, 0.003 here") !=
              std::string::npos);
        CHECK(folder.read("out/history.csv") == history);
        CHECK(resume({"--set", "integrator.end=3", "--set", "output.every=0.002"}).status == 0);
        CHECK(resumptions() == 1);
    }

    TEST_CASE("a folder takes one run at a time, also after one was killed") {
        const TempFolder folder;
        folder.write("model.toml", kStuck);
        ChildProcess first(run_arguments(folder, "out"), {});
        REQUIRE(first.wait_until([&] {
            return fs::exists(folder / "out/checkpoint.bin");
        }));
        for (const CommandArguments& more : {CommandArguments{}, CommandArguments{"--resume"}}) {
            const ProcessResult second = run(run_arguments(folder, "out"), more);
            CHECK(second.status == 6);
            CHECK(second.err == "error: another run is writing into the output folder \"" +
                                    (folder / "out").string() +
                                    "\"; wait for its end or choose another folder\n");
        }
        first.send(SIGKILL);
        REQUIRE(first.wait().status == 128 + SIGKILL);
        CHECK(run(run_arguments(folder, "out"), {"--resume"}).status == 0);
    }

    TEST_CASE("a checkpoint that does not fit is refused with the difference, and kept") {
        const TempFolder folder;
        folder.write("model.toml", kStuck);
        REQUIRE(interrupted(folder).status == 130);
        const std::string checkpoint = folder.read("out/checkpoint.bin");
        const std::string history = folder.read("out/history.csv");
        const auto refused =
            [&](int status, const std::string& words, const CommandArguments& more = {}) {
                CommandArguments arguments{"--resume"};
                arguments.insert(arguments.end(), more.begin(), more.end());
                const ProcessResult result = run(run_arguments(folder, "out"), arguments);
                CAPTURE(result.err);
                CHECK(result.status == status);
                CHECK(result.err.find(words) != std::string::npos);
                CHECK(folder.read("out/history.csv") == history);
            };
        refused(3,
                "\n  body.block.mass: 2.5 in the checkpoint, 2.75 here",
                {"--set", "body.block.mass=2.75"});
        refused(3,
                "\n  force.rubbing.viscous: not given in the checkpoint, 0.1 here",
                {"--set", "force.rubbing.viscous=0.1"});
        refused(3,
                "\n  integrator.step: 1e-05 in the checkpoint, 0.0001 here",
                {"--set", "integrator.step=1e-4"});
        CHECK(folder.read("out/checkpoint.bin") == checkpoint);

        folder.write("out/checkpoint.bin", checkpoint.substr(0, checkpoint.size() / 2));
        refused(6, "is damaged: its checksum does not fit, it may have been cut short");
        folder.write("out/checkpoint.bin", "Ancora checkpoint 99\n");
        refused(6, "was written by another version");
        folder.write("out/checkpoint.bin", "something else");
        refused(6, "is no checkpoint");

        folder.write("out/checkpoint.bin", checkpoint);
        const std::string other = "a,b\n" + history;
        folder.write("out/history.csv", other);
        const ProcessResult columns = run(run_arguments(folder, "out"), {"--resume"});
        CHECK(columns.status == 6);
        CHECK(columns.err.find("has other columns than this run") != std::string::npos);
        CHECK(folder.read("out/history.csv") == other);

        const std::string header = history.substr(0, history.find('\n') + 1);
        folder.write("out/history.csv", header);
        const ProcessResult cut = run(run_arguments(folder, "out"), {"--resume"});
        CHECK(cut.status == 6);
        CHECK(cut.err.find("it was cut short since") != std::string::npos);
    }

    TEST_CASE("a damaged checkpoint is refused, and one made to mislead crashes nothing") {
        const TempFolder folder;
        folder.write("model.toml", with(kStuck, "end  = 1.0", "end  = 0.3"));
        REQUIRE(interrupted(folder).status == 130);
        fs::copy(folder / "out", folder / "kept", fs::copy_options::recursive);
        const std::string checkpoint = folder.read("out/checkpoint.bin");
        const std::size_t checksum = checkpoint.find('\n') + 1, content = checksum + 64;
        const std::string history = folder.read("out/history.csv");
        std::mt19937 random(1);
        const auto below = [&](std::size_t n) {
            return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
        };
        for (int i = 0; i < 60; ++i) {
            CAPTURE(i);
            std::string damaged = checkpoint;
            // Every other time where counts of rows and frames stand, behind the state.
            const std::size_t from = i % 2 == 0 ? content : damaged.size() - 100;
            const std::size_t at = from + below(damaged.size() - from);
            if (i % 3 == 0)
                damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(8)));
            else if (i % 3 == 1)
                damaged.replace(at,
                                8,
                                std::string(std::min<std::size_t>(8, damaged.size() - at),
                                            static_cast<char>(below(256))));
            else
                damaged.resize(at);
            if (damaged == checkpoint) continue;
            const bool has_checksum = i % 6 >= 3;
            if (has_checksum)
                damaged.replace(checksum, 64, sha256_of_text(damaged.substr(content)));
            folder.write("out/checkpoint.bin", damaged);
            const ProcessResult result =
                run(run_arguments(folder, "out"), {"--resume", "--set", "output.checkpoint=0"});
            CAPTURE(result.err);
            if (!has_checksum) {
                CHECK(result.status == 6);
                CHECK(result.err.find("is damaged: its checksum does not fit") !=
                      std::string::npos);
                CHECK(folder.read("out/history.csv") == history);
            } else {
                CHECK(result.status < 128);
                CHECK(result.status != 1);
                fs::remove_all(folder / "out");
                fs::copy(folder / "kept", folder / "out", fs::copy_options::recursive);
            }
        }
        folder.write("out/checkpoint.bin", checkpoint);
        CHECK(run(run_arguments(folder, "out"), {"--resume"}).status == 0);
    }

    // Behind the state stand, of 8 bytes but for the flag: the bytes of history.csv, the step of
    // its last row, a flag, the output times with a row, and of frames their rows, number, states
    // and passed times; then numbers that nothing else follows from.
    TEST_CASE(
        "a checkpoint with a fitting checksum whose counts contradict each other is refused") {
        constexpr std::size_t kBehind = 8 + 8 + 1 + 8 + 6 * 8 + 8 + 8;
        constexpr std::size_t kLastRow = 8, kOutputs = 17, kRows = 25, kFrames = 33, kStates = 41,
                              kFramesPassed = 49, kFrameStep = 57;
        for (const auto& [type, every, frames] :
             {std::tuple("emm", "", ""),
              std::tuple("emm", "1e-3", ""),
              std::tuple("emm", "1e-3", "frames = 0.01\nstates = true\n"),
              std::tuple("rk4", "2e-5", ""),
              std::tuple("dopri5", "1e-3", "states = true\n")}) {
            CAPTURE(type);
            CAPTURE(every);
            const TempFolder folder;
            std::string text = with(kStuck, "\"emm\"", fmt::format("\"{}\"", type));
            if (std::string(type) == "dopri5") text = with(text, "end  = 1.0", "end  = 1000.0");
            const std::size_t output = text.find("[output]");
            REQUIRE(output != std::string::npos);
            const std::string checkpoints = "[output]\ncheckpoint = 1e-3\n";
            text = text.substr(0, output) + checkpoints +
                   (*every != '\0' ? fmt::format("every = {}\n", every) : "") + frames;
            folder.write("model.toml", text);
            REQUIRE(interrupted(folder).status == 130);
            const std::string checkpoint = folder.read("out/checkpoint.bin");
            const std::size_t content = checkpoint.find('\n') + 1 + 64;
            const std::size_t behind = checkpoint.size() - kBehind;
            const auto refused = [&](std::size_t field, bool is_double, double change) {
                std::string damaged = checkpoint;
                char* const at = damaged.data() + behind + field;
                if (is_double) {
                    double x = 0.0;
                    std::memcpy(&x, at, sizeof x);
                    x += change;
                    std::memcpy(at, &x, sizeof x);
                } else {
                    std::int64_t x = 0;
                    std::memcpy(&x, at, sizeof x);
                    x += static_cast<std::int64_t>(change);
                    std::memcpy(at, &x, sizeof x);
                }
                damaged.replace(content - 64, 64, sha256_of_text(damaged.substr(content)));
                folder.write("out/checkpoint.bin", damaged);
                const ProcessResult result = run(run_arguments(folder, "out"), {"--resume"});
                CAPTURE(field);
                CAPTURE(change);
                CAPTURE(result.err);
                CHECK(result.status == 6);
            };
            for (const double change : {-1.0, 1.0, 1e6}) {
                refused(kLastRow, false, change);
                refused(kRows, false, change);
                refused(kFrames, false, change);
                refused(kStates, false, change);
                refused(kFramesPassed, true, change);
                refused(kOutputs, true, change);
                // Of rows inside steps nothing tells the step.
                if (std::string(type) != "dopri5") refused(kFrameStep, false, change);
            }
        }
    }

    TEST_CASE("a parameter that changes the model is part of it, and one that is not used is not") {
        const TempFolder folder;
        std::string text = "[parameters]\nm = 2.5\nunused = 1\n" + kStuck;
        text.replace(text.find("mass = 2.5"), 10, "mass = 'm'");
        folder.write("model.toml", text);
        REQUIRE(interrupted(folder).status == 130);
        CommandArguments arguments = run_arguments(folder, "out");
        const ProcessResult other = run(arguments, {"--resume", "--set", "parameters.m=2.75"});
        CHECK(other.status == 3);
        CHECK(other.err.find("\n  parameters.m: 2.5 in the checkpoint, 2.75 here") !=
              std::string::npos);
        CHECK(run(arguments, {"--resume", "--set", "parameters.unused=2"}).status == 0);
    }

    TEST_CASE("without checkpoints there are none, and --resume begins anew") {
        const TempFolder folder;
        folder.write("model.toml", with(kNet, "end  = 1.5", "end  = 0.1"));
        REQUIRE(run(run_arguments(folder, "out"), {"--set", "output.checkpoint=0"}).status == 0);
        CHECK_FALSE(fs::exists(folder / "out/checkpoint.bin"));
        const std::string history = folder.read("out/history.csv");
        // of a run that was killed as it wrote one
        fs::remove(folder / "out/summary.json");
        folder.write("out/checkpoint.bin.4711.new", "half");
        REQUIRE(run(run_arguments(folder, "out"), {"--resume"}).status == 0);
        CHECK(folder.read("out/history.csv") == history);
        CHECK_FALSE(fs::exists(folder / "out/checkpoint.bin.4711.new"));
    }
}

}  // namespace ancora::testing
