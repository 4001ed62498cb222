// SPDX-License-Identifier: BSD-3-Clause
// Nothing is lost: what a run, a report, a picture and frames may replace, and what never.
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kBall = R"([model]
name = "ball"
gravity = [0.0, 0.0, -9.81]

[[body]]
name = "ball"
type = "particle"
mass = 2.0

[integrator]
type = "emm"
step = 1.0e-3
end = 0.1

[output]
every = 0.01
)";
const std::string kLong = kBall + "checkpoint = 0.02\nstates = true\n";

/// A run that is refused with status 6 and these words.
void check_refused(const TempFolder& folder,
                   const CommandArguments& arguments,
                   const std::string& words) {
    const ProcessResult result = run_ancora_in_full(folder, arguments);
    CAPTURE(result.err);
    CHECK(result.status == 6);
    CHECK(contains(result.err, words));
}

/// Until a run for ever has written rows.
void wait_for_rows(const ChildProcess& child,
                   const TempFolder& folder,
                   const std::string& history) {
    REQUIRE(child.wait_until([&] {
        return folder.read(history).find('\n') != std::string::npos &&
               fs::exists(folder / "out/checkpoint.bin");
    }));
}

CommandArguments long_run() {
    return {ANCORA_TEST_BIN,
            "run",
            "long.toml",
            "--out",
            "out",
            "--quiet",
            "--set",
            "integrator.end=1e6"};
}

}  // namespace

TEST_SUITE("folder of results") {
    TEST_CASE("files of the names of results are no results") {
        for (const char* name : {"history.csv", "summary.json", "checkpoint.bin"}) {
            CAPTURE(name);
            const TempFolder folder;
            folder.write("m.toml", kBall);
            const CommandArguments files = {"history.csv",
                                            "scene.json",
                                            "frames.npy",
                                            "states.npy",
                                            "report.html",
                                            "paraview.pvd",
                                            "paraview/bodies_000000.vtp",
                                            "failed_call.toml",
                                            "notes.txt"};
            folder.write(std::string("out/") + name, "mine");
            for (const std::string& file : files)
                if (file != "history.csv") folder.write("out/" + file, "mine");
            for (const CommandArguments& more :
                 {CommandArguments{}, CommandArguments{"--resume"}}) {
                CommandArguments run = {"run", "m.toml", "--out", "out"};
                run.insert(run.end(), more.begin(), more.end());
                const ProcessResult result = run_ancora_in_full(folder, run);
                CAPTURE(result.err);
                CHECK(result.status == 6);
            }
            check_refused(folder,
                          {"run", "m.toml", "--out", "out"},
                          "but no \".ancora-results\", which says what a run made there, so it is "
                          "left alone: another program or an older version of Ancora wrote it; "
                          "delete the folder if you do not need it, or choose another one with "
                          "--out");
            CHECK(folder.read(std::string("out/") + name) == "mine");
            for (const std::string& file : files)
                if (file != "history.csv") CHECK(folder.read("out/" + file) == "mine");
        }
    }

    TEST_CASE("a run may be replaced as often as one likes, also one that was killed") {
        const TempFolder folder;
        folder.write("m.toml", kBall);
        folder.write("long.toml", kLong);
        for (int i = 0; i < 2; ++i)
            REQUIRE(
                run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        {
            ProcessOptions options;
            options.folder = folder.path();
            ChildProcess child(long_run(), options);
            wait_for_rows(child, folder, "out/history.csv");
            child.send(SIGKILL);
            child.wait();
        }
        folder.write("out/checkpoint.bin.4711.new", "half");
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        for (const char* file : {"checkpoint.bin.4711.new", "states.npy"})
            CHECK_FALSE(fs::exists(folder / "out" / file));
        // A folder that was copied is one of results, too.
        fs::copy(folder / "out", folder / "copy", fs::copy_options::recursive);
        CHECK(run_ancora_in_full(folder, {"run", "m.toml", "--out", "copy", "--quiet"}).status ==
              0);
        // Through a link that the user names results go where it leads.
        fs::create_directory_symlink(folder / "copy", folder / "link");
        CHECK(run_ancora_in_full(folder, {"run", "m.toml", "--out", "link", "--quiet"}).status ==
              0);
        CHECK(fs::is_symlink(folder / "link"));
    }

    TEST_CASE("a file that no run made is not written over") {
        const TempFolder folder;
        folder.write("m.toml", kBall);
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        folder.write("out/states.npy", "mine");
        folder.write("out/failed_call.toml", "mine");
        folder.write("out/report.html", "<!doctype html>\nmine");
        const std::string history = folder.read("out/history.csv");
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        check_refused(folder,
                      {"run", "m.toml", "--out", "out", "--set", "output.states=true"},
                      "the output folder \"out\" holds \"states.npy\", which no run made, so it is "
                      "left alone; move it away, or choose another folder with --out");
        CHECK(folder.read("out/history.csv") == history);
        for (const char* file : {"out/states.npy", "out/failed_call.toml"})
            CHECK(folder.read(file) == "mine");
        CHECK(folder.read("out/report.html") == "<!doctype html>\nmine");
    }

    TEST_CASE("nothing is written or removed through a link") {
        const TempFolder folder;
        folder.write("m.toml", kBall + "states = true\n");
        folder.write("other/mine", "mine");
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        for (const char* name : {"history.csv",
                                 "summary.json",
                                 "frames.npy",
                                 "states.npy",
                                 "scene.json",
                                 ".ancora-results"}) {
            CAPTURE(name);
            const fs::path file = folder / "out" / name;
            fs::rename(file, folder / "kept");
            fs::create_symlink(folder / "other/mine", file);
            const ProcessResult result =
                run_ancora_in_full(folder, {"run", "m.toml", "--out", "out"});
            CAPTURE(result.err);
            CHECK(result.status == 6);
            CHECK(fs::is_symlink(file));
            CHECK(folder.read("other/mine") == "mine");
            fs::remove(file);
            fs::rename(folder / "kept", file);
        }
        // Frames for ParaView, in a folder that was moved and linked.
        REQUIRE(run_ancora_in_full(folder, {"paraview", "out", "--quiet"}).status == 0);
        fs::rename(folder / "out/paraview", folder / "frames");
        folder.write("frames/bodies_000000.vtp", "mine");
        fs::create_directory_symlink(folder / "frames", folder / "out/paraview");
        const auto count = [&] {
            return std::distance(fs::directory_iterator(folder / "frames"), {});
        };
        const auto before = count();
        check_refused(
            folder, {"paraview", "out"}, "this is a link, and nothing is written through");
        check_refused(folder, {"run", "m.toml", "--out", "out"}, "it is a link, not the folder");
        CHECK(count() == before);
        CHECK(folder.read("frames/bodies_000000.vtp") == "mine");
        fs::remove(folder / "out/paraview");
        CHECK(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status == 0);
    }

    TEST_CASE("--resume goes on in files of the run alone") {
        const TempFolder folder;
        folder.write("long.toml", kLong);
        ProcessOptions options;
        options.folder = folder.path();
        ChildProcess child(long_run(), options);
        wait_for_rows(child, folder, "out/history.csv");
        child.send(SIGINT);
        REQUIRE(child.wait().status == 130);
        const CommandArguments resume = {
            "run", "long.toml", "--out", "out", "--resume", "--set", "integrator.end=1e6"};
        for (const char* name : {"history.csv", "states.npy", "frames.npy", "checkpoint.bin"}) {
            CAPTURE(name);
            const fs::path file = folder / "out" / name;
            const std::string text = folder.read(std::string("out/") + name);
            fs::rename(file, folder / "kept");
            fs::create_symlink(folder / "kept", file);
            check_refused(folder, resume, "link");
            CHECK(folder.read("kept") == text);
            fs::remove(file);
            fs::create_hard_link(folder / "kept", file);
            if (name != std::string("checkpoint.bin")) check_refused(folder, resume, "has 2 names");
            CHECK(folder.read("kept") == text);
            fs::remove(folder / "kept");
        }
    }

    TEST_CASE("a list that names what no run makes is refused") {
        const TempFolder folder;
        folder.write("m.toml", kBall);
        for (const char* name : {"../mine",
                                 "/etc/mine",
                                 "notes.txt",
                                 "paraview/../mine",
                                 "paraview/bodies_1.vtp/x",
                                 "paraview/x_000001.vtp"}) {
            CAPTURE(name);
            REQUIRE(
                run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
            folder.write("mine", "mine");
            const std::string list = folder.read("out/.ancora-results");
            folder.write("out/.ancora-results", list + name + "\n");
            check_refused(folder, {"run", "m.toml", "--out", "out"}, "\" is damaged: it lists \"");
            CHECK(fs::exists(folder / "out/history.csv"));
            folder.write("out/.ancora-results", list);
        }
        CHECK(folder.read("mine") == "mine");
    }

    TEST_CASE("reports, pictures and frames replace their like alone") {
        const TempFolder folder;
        folder.write("m.toml", kBall);
        REQUIRE(run_ancora_in_full(folder, {"run", "m.toml", "--out", "out", "--quiet"}).status ==
                0);
        folder.write("page.html", "<!doctype html>\n<p>mine</p>\n");
        check_refused(folder, {"report", "out", "--out", "page.html"}, "is not a report");
        CHECK(folder.read("page.html") == "<!doctype html>\n<p>mine</p>\n");
        for (int i = 0; i < 2; ++i)
            CHECK(run_ancora_in_full(folder, {"report", "out", "--out", "own.html", "--quiet"})
                      .status == 0);
        const std::string page = folder.read("own.html");
        CHECK(page.starts_with("<!doctype html><!-- Ancora report -->\n"));
        fs::create_symlink("own.html", folder / "link.html");
        check_refused(folder, {"report", "out", "--out", "link.html"}, "this is a link");
        CHECK(fs::is_symlink(folder / "link.html"));
        CHECK(folder.read("own.html") == page);

        folder.write("out/paraview.pvd", "<?xml version=\"1.0\"?>\n<mine/>\n");
        check_refused(folder, {"paraview", "out"}, "is not a list of frames of a run");
        fs::remove(folder / "out/paraview.pvd");
        folder.write("out/paraview/bodies_000000.vtp", "<?xml version=\"1.0\"?>\n<mine/>\n");
        check_refused(folder, {"paraview", "out"}, "is not a frame of a run");
        CHECK(contains(folder.read("out/paraview/bodies_000000.vtp"), "mine"));
        fs::remove(folder / "out/paraview/bodies_000000.vtp");
        for (int i = 0; i < 2; ++i)
            CHECK(run_ancora_in_full(folder, {"paraview", "out", "--quiet"}).status == 0);

        for (const char* name : {"p.svg", "p.pdf", "p.png"}) {
            CAPTURE(name);
            const CommandArguments plot = {"plot", "out", "--columns", "ball.z", "--out", name};
            const ProcessResult first = run_ancora_in_full(folder, plot);
            if (contains(first.err, "cannot run gnuplot")) {
                MESSAGE("there is no gnuplot: pictures are left out");
                break;
            }
            CHECK(first.status == 0);
            CHECK(run_ancora_in_full(folder, plot).status == 0);
            const std::string picture = folder.read(name);
            const std::string mine = picture.substr(0, picture.size() - 20);
            folder.write(name, mine);
            check_refused(folder, plot, "is not a picture of a run, so it is left alone");
            CHECK(folder.read(name) == mine);
        }
    }
}

TEST_SUITE("end of a run") {
    TEST_CASE("a summary is whole or not there, wherever the disk is full") {
        const TempFolder folder;
        folder.write("m.toml", kBall);
        int num_missing = 0;
        for (rlim_t limit = 100; limit < 5500; limit += 300) {
            CAPTURE(limit);
            ProcessOptions options;
            options.file_size_limit = limit;
            const ProcessResult result =
                run_ancora_in_full(folder, {"run", "m.toml", "--out", "out"}, options);
            const std::string summary = folder.read("out/summary.json");
            CHECK((summary.empty() || Json::accept(summary)));
            num_missing += summary.empty();
            CHECK(((result.status == 0) || (result.status == 6)));
            CHECK((result.status == 6 || !summary.empty()));
            for (const auto& entry : fs::directory_iterator(folder / "out"))
                CHECK_FALSE(entry.path().string().ends_with(".new"));
        }
        CHECK(num_missing > 0);
    }

    TEST_CASE("a file or folder that goes away in mid-run is an error at the end") {
        for (const char* lost : {"history.csv", "states.npy", "replaced", "folder", "exchanged"}) {
            CAPTURE(lost);
            const std::string what = lost;
            const TempFolder folder;
            folder.write("long.toml", kLong);
            ProcessOptions options;
            options.folder = folder.path();
            ChildProcess child(long_run(), options);
            wait_for_rows(child, folder, "out/history.csv");
            std::string words = "out/" + what;
            if (what == "replaced") {
                fs::remove(folder / "out/history.csv");
                folder.write("out/history.csv", "mine");
                words = "out/history.csv";
            } else if (what == "folder") {
                fs::remove_all(folder / "out");
                words = "\"out";
            } else if (what == "exchanged") {
                fs::rename(folder / "out", folder / "moved");
                folder.write("out/history.csv", "mine");
                words = "what was computed is in \"" + (folder / "moved").string() + "\"";
            } else {
                fs::remove(folder / "out" / lost);
            }
            child.send(SIGINT);
            const ProcessResult result = child.wait();
            CAPTURE(result.err);
            CHECK(result.status == 6);
            CHECK(contains(result.err, words));
            if (what == "replaced" || what == "exchanged")
                CHECK(folder.read("out/history.csv") == "mine");
            if (what == "exchanged") {
                CHECK(std::distance(fs::directory_iterator(folder / "out"), {}) == 1);
                CHECK(contains(folder.read("moved/summary.json"), "was moved or exchanged"));
            }
        }
    }

    TEST_CASE("a terminal that is closed, and processor time that is used up, end like Ctrl-C") {
        for (const int signal : {SIGHUP, SIGXCPU}) {
            CAPTURE(signal);
            const TempFolder folder;
            folder.write("long.toml", kLong);
            ProcessOptions options;
            options.folder = folder.path();
            ChildProcess child(long_run(), options);
            wait_for_rows(child, folder, "out/history.csv");
            for (int i = 0; i < 3; ++i) child.send(signal);
            const ProcessResult result = child.wait();
            CHECK(result.status == 130);
            CHECK(result.err.starts_with("interrupted at t = "));
            CHECK(Json::parse(folder.read("out/summary.json"))["exit_reason"] == "interrupted");
            for (const auto& entry : fs::directory_iterator(folder / "out"))
                CHECK_FALSE(entry.path().string().ends_with(".new"));
        }
    }
}

TEST_SUITE("what is sent to others") {
    TEST_CASE("names no folder of this machine unless it is asked to") {
        const TempFolder folder;
        folder.write("models/m.toml", kBall);
        const std::string out = (folder / "out").string(), other = (folder / "b/out").string();
        const std::string model = (folder / "models/m.toml").string();
        REQUIRE(run_ancora_in_full(folder, {"run", model, "--out", out, "--quiet"}).status == 0);
        REQUIRE(
            run_ancora_in_full(folder, {"run", model, "--out", other, "--quiet", "--full-paths"})
                .status == 0);
        Json summary = Json::parse(folder.read("out/summary.json"));
        CHECK(summary["manifest"] == "m.toml");
        CHECK(summary["plugins"][0]["file"] == "particle.so");
        CHECK(summary["plugins"][0]["sha256"].get<std::string>().size() == 64);
        const std::string here = folder.path().string(), plugins = ANCORA_TEST_PLUGIN_DIR;
        const auto check_clean = [&](const std::string& file) {
            CAPTURE(file);
            const std::string text = folder.read(file);
            REQUIRE(text.size() > 100);
            CHECK_FALSE(contains(text, here));
            CHECK_FALSE(contains(text, plugins));
            CHECK_FALSE(contains(text, "/tmp/"));
        };
        for (const auto& entry : fs::directory_iterator(out))
            if (entry.path().filename() != ".ancora-results")
                check_clean("out/" + entry.path().filename().string());
        summary = Json::parse(folder.read("b/out/summary.json"));
        CHECK(summary["manifest"] == model);
        CHECK(summary["plugins"][0]["file"].get<std::string>().starts_with("/"));

        // The page takes out what a summary has.
        REQUIRE(run_ancora_in_full(folder, {"report", other, out, "--out", "p.html", "--quiet"})
                    .status == 0);
        check_clean("p.html");
        CHECK(contains(folder.read("p.html"), "\"label\":\"out (2)\""));
        REQUIRE(run_ancora_in_full(
                    folder, {"report", other, out, "--out", "p.html", "--quiet", "--full-paths"})
                    .status == 0);
        CHECK(contains(folder.read("p.html"), other));
        REQUIRE(run_ancora_in_full(folder, {"paraview", out, "--quiet"}).status == 0);
        check_clean("out/paraview.pvd");
        check_clean("out/paraview/bodies_000000.vtp");
        const ProcessResult plot = run_ancora_in_full(
            folder, {"plot", other, out, "--columns", "ball.z", "--out", "p.svg"});
        if (!contains(plot.err, "cannot run gnuplot")) check_clean("p.svg");

        // A message that ends a run may name a file.
        ProcessOptions options;
        options.file_size_limit = 4000;
        const ProcessResult full =
            run_ancora_in_full(folder, {"run", model, "--out", out}, options);
        if (full.status == 6 && fs::exists(folder / "out/summary.json")) {
            check_clean("out/summary.json");
            CHECK(contains(folder.read("out/summary.json"), "cannot write \\\"history.csv\\\""));
        }
    }
}

}  // namespace ancora::testing
