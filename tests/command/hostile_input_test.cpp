// SPDX-License-Identifier: BSD-3-Clause
// Input that never ends, is nested without end, does not fit in memory, or speaks to the terminal:
// each is refused in words and in time.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

const std::string kTop = R"([[body]]
name = "box"
type = "ancf_rigid_body"
size = [3.0, 2.0, 1.0]
density = 2700.0

[integrator]
type = "emm"
step = 1.0e-3
end = 0.01
)";

/// A command of the shell in a folder, with what it says and where it ends.
ProcessResult shell(const TempFolder& folder, const std::string& command) {
    ProcessOptions options;
    options.folder = folder.path();
    return run_process({"/bin/sh", "-c", command}, options);
}

void make_pipe(const TempFolder& folder, const std::string& name) {
    std::filesystem::remove(folder / name);
    REQUIRE(::mkfifo((folder / name).c_str(), 0600) == 0);
}

std::string repeated(std::string_view text, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) out += text;
    return out;
}

/// Nothing that a terminal would obey; line breaks and tabs are text.
bool is_printable(std::string_view text) {
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if ((code < 0x20 && c != '\n' && c != '\t') || code == 0x7f) return false;
    }
    return text.find("\xc2\x9b") == std::string_view::npos;
}

TEST_SUITE("input without end") {
    TEST_CASE("devices and pipes are no manifests, included files, locks and tables") {
        const TempFolder folder;
        make_pipe(folder, "pipe");
        folder.write("m.toml", kTop);
        // Nobody writes to the pipe: who opens it to read would wait forever.
        for (const std::string name : {"/dev/zero", "pipe", "/dev/stdin"}) {
            CAPTURE(name);
            const ProcessResult result =
                shell(folder, "sleep 0 | " ANCORA_TEST_BIN " check " + name);
            CHECK(result.status == 6);
            CHECK(result.err ==
                  name + ": error: cannot read the manifest: this is no regular file\n");
        }
        for (const std::string name : {"/dev/zero", "pipe"}) {
            CAPTURE(name);
            folder.write("with.toml", "include = [\"" + name + "\"]\n" + kTop);
            ProcessResult result = run_ancora(folder, {"check", "with.toml"});
            CHECK(result.status == 6);
            CHECK(result.err.find("is no file") != std::string::npos);

            result = run_ancora(folder, {"check", "m.toml", "--lock", name});
            CHECK(result.status == 6);
            CHECK(result.err.find("cannot read the lock: this is no regular file") !=
                  std::string::npos);

            folder.write("load.toml",
                         kTop +
                             "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = "
                             "\"box@[0, 0, 0]\"\ntable = \"" +
                             name + "\"\n");
            result = run_ancora(folder, {"check", "load.toml"});
            CHECK(result.status == 6);
            CHECK(result.err.find("is no regular file") != std::string::npos);

            folder.write("net.toml",
                         "[[body]]\nname = \"net\"\ntype = \"truss\"\nmesh = \"" + name +
                             "\"\narea = 1e-4\ndensity = 1e3\nyoung = 1e9\n[integrator]\ntype = "
                             "\"emm\"\nstep = 1e-3\nend = 1e-3\n");
            result = run_ancora(folder, {"check", "net.toml"});
            CHECK(result.status == 6);
            CHECK(result.err.find("is no regular file") != std::string::npos);
        }
    }

    TEST_CASE("neither are they checkpoints and results") {
        const TempFolder folder;
        folder.write("m.toml", kTop);
        REQUIRE(run_ancora(folder, {"run", "m.toml", "--out", "run", "--quiet"}).status == 0);
        for (const std::string name : {"history.csv", "frames.npy", "scene.json", "summary.json"}) {
            CAPTURE(name);
            const std::string before = folder.read("run/" + name);
            std::filesystem::remove(folder / ("run/" + name));
            make_pipe(folder, "run/" + name);
            for (const char* command : {"report", "paraview"}) {
                if (name == "summary.json" && command == std::string("paraview")) continue;
                const ProcessResult result = run_ancora(folder, {command, "run"});
                CHECK(result.status == 6);
                CHECK(result.err.find(name) != std::string::npos);
                CHECK(result.err.find("this is no regular file") != std::string::npos);
            }
            std::filesystem::remove(folder / ("run/" + name));
            folder.write("run/" + name, before);
        }
        CHECK(run_ancora(folder, {"report", "run"}).status == 0);

        // as if the run had been killed
        std::filesystem::remove(folder / "run/summary.json");
        make_pipe(folder, "run/checkpoint.bin");
        const ProcessResult result =
            run_ancora(folder, {"run", "m.toml", "--out", "run", "--resume", "--quiet"});
        CHECK(result.status == 6);
        CHECK(result.err ==
              "run/checkpoint.bin: error: cannot read the checkpoint: this is no regular file\n");
    }

    TEST_CASE("a file beyond the documented size is not read") {
        const TempFolder folder;
        folder.write("m.toml", "");
        // sparse, so that it takes no space
        std::filesystem::resize_file(folder / "m.toml", 268'435'457);
        CHECK(run_ancora(folder, {"check", "m.toml"}).err ==
              "m.toml: error: cannot read the manifest: it has more than 268435456 bytes, the most "
              "that is read\n");
        folder.write("table.csv", "");
        std::filesystem::resize_file(folder / "table.csv", 1'073'741'825);
        folder.write("load.toml",
                     kTop +
                         "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = "
                         "\"box@[0, 0, 0]\"\ntable = \"table.csv\"\n");
        const ProcessResult result = run_ancora(folder, {"check", "load.toml"});
        CHECK(result.status == 6);
        CHECK(result.err.find("\"table.csv\" has 1073741825 bytes, more than the 1073741824 that "
                              "are read") != std::string::npos);
    }
}

TEST_SUITE("input beyond bounds") {
    TEST_CASE("values a hundred thousand deep are refused with their place") {
        const TempFolder folder;
        const std::string why =
            "error: arrays, tables and dotted keys stand more than 100 deep in each other\n";
        const auto refused = [&](const std::string& text, const std::string& place) {
            folder.write("m.toml", text);
            const ProcessResult result = run_ancora(folder, {"check", "m.toml"});
            CHECK(result.status == 3);
            CHECK(result.err == "m.toml:" + place + ": " + why);
        };
        refused("x = " + repeated("[", 100'000) + repeated("]", 100'000), "1:105");
        refused("x = " + repeated("{a = ", 100'000), "1:505");
        refused("a" + repeated(".a", 100'000) + " = 1", "1:202");
        refused("[a" + repeated(".a", 100'000) + "]", "1:201");
        refused("[[a" + repeated(".\"a\"", 100'000) + "]]", "1:396");
        refused("\n\n x = {" + repeated("a" + repeated(".a", 60) + " = {", 2000), "3:209");
        // strings and comments do not count, nor does what stands side by side
        folder.write("m.toml",
                     kTop + "# " + repeated("[", 500) + "\n[model]\nname = \"" +
                         repeated("[.{", 500) + "\"\n[output]\npoints = [" +
                         "\"box@[0.5, 0.5, 0.5]\"]\n");
        CHECK(run_ancora(folder, {"check", "m.toml"}).status == 0);

        ProcessResult result = run_ancora(
            folder, {"check", "m.toml", "--set", "model" + repeated(".a", 30'000) + "=1"});
        CHECK(result.status == 2);
        CHECK(result.err.find("with at most 100 names") != std::string::npos);
        result =
            run_ancora(folder, {"check", "m.toml", "--set", "model.name=" + repeated("[", 30'000)});
        CHECK(result.status == 3);
        CHECK(result.err.find("more than 100 deep") != std::string::npos);
    }

    TEST_CASE("objects by the many have bounds that the message names") {
        const TempFolder folder;
        const auto refused = [&](const std::string& count,
                                 const std::string& mass,
                                 const std::string& message) {
            folder.write("m.toml",
                         "[[generate]]\nfor = { i = " + count +
                             " }\n[[generate.body]]\nname = \"p_${i}\"\ntype = \"particle\"\nmass "
                             "= " +
                             mass + "\n[integrator]\ntype = \"emm\"\nstep = 1e-3\nend = 1e-3\n");
            const ProcessResult result = run_ancora(folder, {"check", "m.toml"});
            CHECK(result.status == 3);
            CHECK(result.err == "m.toml:1:1: error: [[generate]]: " + message + "\n");
        };
        refused("1000001", "1.0", "this makes 1000001 objects, expected at most 1e+06");
        refused("1e15", "1.0", "this makes 1e+15 objects, expected at most 1e+06");
        refused("1000000",
                std::string("[").append(repeated("1, ", 1000)).append("]"),
                "this makes objects of 1004218750 values, expected at most 1e+08");
    }

    TEST_CASE("too little memory is said as such") {
#if defined(__SANITIZE_ADDRESS__)
        MESSAGE("skipped: the address sanitizer needs all addresses");
#else
        const TempFolder folder;
        folder.write("m.toml",
                     "[[generate]]\nfor = { i = 200000 }\n[[generate.body]]\nname = \"p_${i}\"\n"
                     "type = \"particle\"\nmass = 1.0\n[integrator]\ntype = \"emm\"\nstep = 1e-3\n"
                     "end = 1e-3\n");
        for (const char* limit : {"100000", "200000", "300000"}) {  // KiB
            CAPTURE(limit);
            const ProcessResult result = shell(
                folder,
                "ulimit -v " + std::string(limit) + "; exec " ANCORA_TEST_BIN " check m.toml");
            CHECK(result.status == 5);
            CHECK(result.out == "");
            CHECK(result.err.find("not enough memory") != std::string::npos);
            CHECK(result.err.find("internal") == std::string::npos);
        }
        // one body alone: the factory of a plugin finds none
        folder.write("net.toml",
                     "[[body]]\nname = \"net\"\ntype = \"truss\"\ngrid = { counts = [3000, 3000], "
                     "spacing = [1, 1] }\narea = 1e-4\ndensity = 1e3\nyoung = 1e9\n[integrator]\n"
                     "type = \"emm\"\nstep = 1e-3\nend = 1e-3\n");
        const ProcessResult result =
            shell(folder, "ulimit -v 300000; exec " ANCORA_TEST_BIN " check net.toml");
        CHECK(result.status == 5);
        CHECK(result.err.find("body \"net\"") != std::string::npos);
        CHECK(result.err.find("not enough memory") != std::string::npos);
#endif
    }
}

TEST_SUITE("input that speaks to the terminal") {
    TEST_CASE("names, values and files reach it as escapes") {
        const TempFolder folder;
        const std::string clear =
            "\x1b[2J\x1b]0;owned\x07\xc2\x9b"
            "31m";
        const std::string shown = "\\u001b[2J\\u001b]0;owned\\u0007\\u009b31m";
        folder.write("m.toml", kTop);

        // a file's name, in a message and in the log
        const std::string name = "m" + clear + ".toml";
        ProcessResult result = run_ancora(folder, {"check", name});
        CHECK(result.status == 6);
        CHECK(result.err == "m" + shown +
                                ".toml: error: cannot read the manifest: No such file or "
                                "directory\n");
        folder.write(name, kTop);
        result = run_ancora(folder, {"run", name, "--verbose", "--out", "out" + clear});
        CHECK(result.status == 0);
        CHECK(is_printable(result.err));
        CHECK(is_printable(result.out));
        CHECK(result.err.find("read m" + shown) != std::string::npos);
        CHECK(result.out.find("results in out" + shown) != std::string::npos);

        // a model's name, as TOML's escapes write it
        folder.write("name.toml", "[model]\nname = \"a\\u001B[2Jb\\u009B31m\\u202Ec\"\n" + kTop);
        for (const CommandArguments& more : {CommandArguments{}, {"--json"}, {"--print"}}) {
            CommandArguments arguments{"check", "name.toml"};
            arguments.insert(arguments.end(), more.begin(), more.end());
            result = run_ancora(folder, arguments);
            CHECK(result.status == 0);
            CHECK(is_printable(result.out));
            CHECK(result.out.find("\xe2\x80\xae") == std::string::npos);
            CHECK(result.out.find("\\u009b31m\\u202ec") != std::string::npos);
        }
        // what --print writes is the same model
        const std::string printed = result.out;
        folder.write("printed.toml", printed);
        CHECK(run_ancora(folder, {"check", "printed.toml", "--print"}).out == printed);

        // names of types, keys, objects, commands, options, columns
        folder.write("type.toml", "[[body]]\nname = \"b\"\ntype = \"t\\u001B[2J\"\n" + kTop);
        folder.write("key.toml", kTop + "[output]\n\"k\\u001B[2J\" = 1\n");
        folder.write("object.toml", "[[body]]\nname = \"b\\u001B[2J\"\ntype = \"t\"\n" + kTop);
        folder.write("bytes.toml", kTop + "[output]\nx = \"\xff\xfe\x9b\"\n");
        REQUIRE(run_ancora(folder, {"run", "m.toml", "--out", "run", "--quiet"}).status == 0);
        for (const CommandArguments& arguments :
             {CommandArguments{"check", "type.toml"},
              {"check", "key.toml"},
              {"check", "object.toml"},
              {"check", "bytes.toml"},
              {"check", "m.toml", "--set", "model." + clear + "=1"},
              {"check", "m.toml", "--" + clear},
              {clear},
              {"describe", clear},
              {"verify", clear},
              {"report", "run", "--columns", clear},
              {"plot", "run", "--columns", "t", "--out", clear},
              {"report", clear}}) {
            result = run_ancora(folder, arguments);
            CAPTURE(result.err);
            CHECK(result.status > 0);
            CHECK(result.status < 7);
            CHECK((result.err + result.out) != "");
            CHECK(is_printable(result.err));
            CHECK(is_printable(result.out));
        }
    }

    TEST_CASE("a point's name is one line of history.csv") {
        const TempFolder folder;
        folder.write("m.toml", kTop + "[output]\npoints = [\"box@[0, # \\\" [\\n 0, 0]\"]\n");
        const ProcessResult result = run_ancora(folder, {"run", "m.toml"});
        CHECK(result.status == 3);
        CHECK(result.err.find("points: \"box@[0, # \" [\\n 0, 0]\" holds a control character or a "
                              "line break") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
