// SPDX-License-Identifier: BSD-3-Clause
// `ancora lock`, and what `run --locked` and `check --locked` refuse.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// test_mass comes from the folder `own`, the integrator from the installed ones.
constexpr const char* kModel = R"([model]
name = "thrown"
plugins = ["test_mass"]

[[body]]
name = "m"
type = "test_mass"
mass = 2.0
velocity = [1.0, 0.0, 0.0]

[integrator]
type = "emm"
step = 1.0e-2
end = 0.1
)";

/// A folder with m.toml and own/test_mass.so.
class Project : public TempFolder {
public:
    Project() {
        write("m.toml", kModel);
        fs::create_directories(*this / "own");
        put_plugin();
    }
    void put_plugin() const {
        fs::copy_file(fs::path(ANCORA_TEST_ZOO_DIR) / "test_mass.so",
                      *this / "own/test_mass.so",
                      fs::copy_options::overwrite_existing);
    }
    ProcessResult ancora(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
        arguments.insert(arguments.end(), {"--plugin-dir", "own"});
        ProcessOptions options;
        options.folder = path();
        return run_for_messages(arguments, options);
    }
    /// Replaces a text in a file, which must have it.
    void replace(const std::string& file, std::string_view from, std::string_view to) const {
        std::string text = read(file);
        const std::size_t at = text.find(from);
        REQUIRE_MESSAGE(at != std::string::npos, file, " does not have ", from, ":\n", text);
        write(file, text.replace(at, from.size(), to));
    }
};

/// By the tool of the system, not by the code under test.
std::string sha256sum(const fs::path& file) {
    const ProcessResult result =
        run_process({"/usr/bin/env", "sha256sum", file.string()}, ProcessOptions{});
    REQUIRE(result.status == 0);
    return result.out.substr(0, 64);
}

constexpr const char* kAdvice = "; run \"ancora lock m.toml\" to accept what is here now\n";

TEST_SUITE("ancora lock") {
    TEST_CASE("writes what the model was made of, and a run with it says so") {
        const Project project;
        const ProcessResult locked = project.ancora({"lock", "m.toml"});
        CHECK(locked.err == "");
        CHECK(locked.status == 0);
        CHECK(locked.out.starts_with("thrown: locked in m.lock.toml\n"));
        const std::string text = project.read("m.lock.toml");
        const std::string hash = sha256sum(project / "own/test_mass.so");
        CHECK(contains(text,
                       "[[plugin]]\nname = \"test_mass\"\nversion = \"1.0.0\"\nsha256 = \"" + hash +
                           "\"\ntypes = [\"body test_mass\"]\n"));
        CHECK(contains(text, "types = [\"integrator emm\"]"));
        CHECK(contains(text, "\"Eigen version\" = \""));

        for (const char* command : {"check", "run"}) {
            const ProcessResult result = project.ancora({command, "m.toml", "--locked"});
            CHECK(result.err == "");
            CHECK(result.status == 0);
        }
        const Json summary = Json::parse(project.read("results/m/summary.json"));
        CHECK(summary["locked"] == true);
        CHECK(contains(text, "abi_sha256 = \"" + summary["abi_sha256"].get<std::string>() + "\""));
        CHECK(summary["plugins"][0]["version"] == "1.0.0");
        CHECK(summary["plugins"][0]["sha256"] == hash);

        // the same again, byte for byte
        CHECK(project.ancora({"lock", "m.toml"}).status == 0);
        CHECK(project.read("m.lock.toml") == text);
        CHECK(project.ancora({"run", "m.toml"}).status == 0);
        CHECK(Json::parse(project.read("results/m/summary.json"))["locked"] == false);
    }

    TEST_CASE("a file that differs by a byte is refused; locked anew it is accepted") {
        const Project project;
        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        const std::string before = sha256sum(project / "own/test_mass.so").substr(0, 12);
        project.write("own/test_mass.so", project.read("own/test_mass.so") + '\0');
        const std::string after = sha256sum(project / "own/test_mass.so").substr(0, 12);

        const std::string message =
            "m.lock.toml: error: the lock does not allow this: plugin \"test_mass\" (" +
            (project / "own/test_mass.so").string() +
            ") is another file, though its version is 1.0.0 as in the lock: SHA-256 is " + after +
            "..., the lock has " + before + "..." + kAdvice;
        for (const char* command : {"check", "run"}) {
            const ProcessResult result = project.ancora({command, "m.toml", "--locked"});
            CHECK(result.status == 4);
            CHECK(result.out == "");
            CHECK(result.err == message);
        }
        CHECK_FALSE(fs::exists(project / "results"));
        // nobody asked
        CHECK(project.ancora({"check", "m.toml"}).status == 0);

        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        CHECK(project.ancora({"check", "m.toml", "--locked"}).status == 0);
    }

    TEST_CASE("another version") {
        const Project project;
        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        project.replace("own/test_mass.so",
                        std::string_view("\0001.0.0\0", 7),
                        std::string_view("\0001.2.0\0", 7));
        project.replace("own/test_mass.so", "\nversion 1.0.0\n", "\nversion 1.2.0\n");
        const ProcessResult result = project.ancora({"check", "m.toml", "--locked"});
        CHECK(result.status == 4);
        CHECK(contains(result.err, ") has version 1.2.0, the lock has 1.0.0; run"));
    }

    TEST_CASE("plugins and types that are not in the lock, or only there") {
        const Project project;
        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        const auto refused = [&](const std::vector<std::string>& arguments,
                                 const std::string& message) {
            std::vector<std::string> all{"check", "m.toml", "--locked"};
            all.insert(all.end(), arguments.begin(), arguments.end());
            const ProcessResult result = project.ancora(all);
            CHECK(result.status == 4);
            CHECK(contains(result.err, message + kAdvice));
        };
        refused({"--set", "integrator.type=rk4"}, "integrator type \"rk4\" is not in the lock");
        refused({"--set", "model.plugins=[\"test_mass\", \"particle\"]"},
                "particle.so) is not in the lock");
        project.replace("m.lock.toml", "[\"body test_mass\"]", "[\"body test_mass\", \"force f\"]");
        refused({}, "the lock has force f of plugin \"test_mass\", which the model does not use");
        project.replace("m.lock.toml",
                        "[[plugin]]\nname = \"test_mass\"",
                        "[[plugin]]\nname = \"gone\"\nversion = \"1\"\nsha256 = \"" +
                            std::string(64, 'a') +
                            "\"\ntypes = []\n\n[[plugin]]\nname = "
                            "\"test_mass\"");
        project.replace("m.lock.toml", ", \"force f\"", "");
        refused({}, "the lock has plugin \"gone\", which the model does not use");
    }

    TEST_CASE("another kernel") {
        const Project project;
        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        project.replace("m.lock.toml", "[kernel]\nversion = \"", "[kernel]\nversion = \"9.");
        const ProcessResult result = project.ancora({"run", "m.toml", "--locked"});
        CHECK(result.status == 4);
        CHECK(contains(result.err, "the kernel is Ancora "));
        CHECK(contains(result.err, ", the lock has 9."));
    }

    TEST_CASE("a locked plugin that is not there any more") {
        const Project project;
        project.replace("m.toml", "plugins = [\"test_mass\"]\n", "");
        REQUIRE(project.ancora({"lock", "m.toml"}).status == 0);
        fs::remove(project / "own/test_mass.so");
        const ProcessResult result = project.ancora({"run", "m.toml", "--locked"});
        CHECK(result.status == 4);
        CHECK(contains(result.err, "plugin \"test_mass\" was not found"));
    }

    TEST_CASE("a lock that is missing, broken or elsewhere") {
        const Project project;
        const ProcessResult missing = project.ancora({"run", "m.toml", "--locked"});
        CHECK(missing.status == 6);
        CHECK(missing.err ==
              "m.lock.toml: error: cannot read the lock: No such file or directory; \"ancora lock "
              "m.toml\" writes one\n");

        REQUIRE(project.ancora({"lock", "m.toml", "--out", "kept.toml"}).status == 0);
        CHECK_FALSE(fs::exists(project / "m.lock.toml"));
        CHECK(project.ancora({"run", "m.toml", "--lock", "kept.toml"}).status == 0);

        const std::string good = project.read("kept.toml");
        const auto broken = [&](std::string_view from, std::string_view to, const char* message) {
            project.write("kept.toml", good);
            project.replace("kept.toml", from, to);
            const ProcessResult result = project.ancora({"run", "m.toml", "--lock", "kept.toml"});
            CHECK(result.status == 6);
            CHECK(contains(result.err, message));
        };
        constexpr const char* kNoLock = "error: this is not a lock that \"ancora lock\" wrote: ";
        broken("[kernel]", "[kernel", "kept.toml:5:8: error: ");
        broken("format = 1",
               "format = 2",
               (std::string("kept.toml:3:10: ") + kNoLock + "it has format 2, this version reads 1")
                   .c_str());
        broken("version = \"",
               "release = \"",
               (std::string("kept.toml:6:1: ") + kNoLock + "unknown key \"release\"").c_str());
        broken("\"pointer size\" = \"",
               "\"pointer size\" = \"1",
               "abi_sha256 is not the hash of the entries of [abi]");
        // read as a number of 32 bits it would be this program's
        broken("\nsdk = ",
               "\nsdk = 429496729600000",
               "error: this is not a lock that \"ancora lock\" wrote: sdk: 429496729600000");
        broken("\nsha256 = \"", "\nsha256 = \"x", "sha256: expected 64 hexadecimal digits");
        broken("types = [", "types = [1, ", "types: expected an array of texts, got 1");
    }

    TEST_CASE("a file that is not a lock is not overwritten") {
        const Project project;
        const ProcessResult result = project.ancora({"lock", "m.toml", "--out", "m.toml"});
        CHECK(result.status == 6);
        CHECK(result.err ==
              "error: cannot write \"m.toml\": the file that is there is not a lock, so it is left "
              "alone\n");
        CHECK(project.read("m.toml") == kModel);
        const ProcessResult nowhere = project.ancora({"lock", "m.toml", "--out", "no/m.toml"});
        CHECK(nowhere.status == 6);
        CHECK(contains(nowhere.err, "No such file or directory"));
    }
}

}  // namespace
}  // namespace ancora::testing
