// SPDX-License-Identifier: BSD-3-Clause
// `--unchecked-plugin-dirs`: which commands refuse a folder that somebody else could have put a
// plugin into, and take it with the option.
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOption = "--unchecked-plugin-dirs";
constexpr const char* kOrAllow =
    "or allow it with --unchecked-plugin-dirs (in a program: "
    "PluginRegistry::allow_unchecked_folders)";

// test_mass comes from a folder of the test's, the integrator from the installed ones.
std::string model(std::string_view more) {
    return fmt::format(
        "[model]\nname = \"thrown\"\nplugins = [\"test_mass\"]\n{}\n"
        "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\nvelocity = [1.0, 0.0, 0.0]\n\n"
        "[integrator]\ntype = \"emm\"\nstep = 1.0e-2\nend = 0.1\n",
        more);
}

/// A folder with m.toml, and with shared/test_mass.so, where everybody may write.
class Project : public TempFolder {
public:
    Project() {
        write("m.toml", model(""));
        fs::create_directories(*this / "shared");
        fs::copy_file(fs::path(ANCORA_TEST_ZOO_DIR) / "test_mass.so",
                      *this / "shared/test_mass.so");
        ::chmod((*this / "shared").c_str(), 0777);
    }
    ProcessResult ancora(std::vector<std::string> arguments) const {
        arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
        ProcessOptions options;
        options.folder = path();
        return run_for_messages(arguments, options);
    }
    /// 'plugin "test_mass" (...) is refused: ...'
    std::string refusal() const {
        struct stat s = {};
        REQUIRE(::stat((*this / "shared").c_str(), &s) == 0);
        return fmt::format(
            "plugin \"test_mass\" ({0}/test_mass.so) is refused: others may write to the folder "
            "\"{0}\" (mode 0777, owner uid {1}, group gid {2}); mend it with chmod go-w \"{0}\", "
            "{3}",
            (*this / "shared").string(),
            s.st_uid,
            s.st_gid,
            kOrAllow);
    }
};

TEST_SUITE("ancora --unchecked-plugin-dirs") {
    TEST_CASE("what reads a model refuses the folder, and takes it with the option") {
        const std::vector<std::vector<std::string>> commands = {{"run", "m.toml"},
                                                                {"run", "m.toml", "--json"},
                                                                {"check", "m.toml"},
                                                                {"check", "m.toml", "--json"},
                                                                {"lock", "m.toml"}};
        for (std::vector<std::string> arguments : commands) {
            CAPTURE(arguments[0]);
            const Project project;
            arguments.insert(arguments.end(), {"--plugin-dir", "shared"});
            const ProcessResult refused = project.ancora(arguments);
            CHECK(refused.status == 4);
            CHECK(refused.out == "");
            CHECK(refused.err == "m.toml:3:12: error: " + project.refusal() + "\n");
            CHECK_FALSE(fs::exists(project / "results"));
            CHECK_FALSE(fs::exists(project / "m.lock.toml"));

            arguments.push_back(kOption);
            const ProcessResult taken = project.ancora(arguments);
            CHECK(taken.err == "");
            CHECK(taken.status == 0);
            CHECK(contains(taken.out, "thrown"));
        }
    }

    TEST_CASE("what is given a type or a plugin: describe, verify") {
        const Project project;
        const ProcessResult unknown =
            project.ancora({"describe", "test_mass", "--plugin-dir", "shared"});
        CHECK(unknown.status == 3);
        CHECK(contains(unknown.err, "unknown type \"test_mass\""));
        CHECK(contains(unknown.err, "\n  refused: " + project.refusal() + "\n"));
        const ProcessResult known =
            project.ancora({"describe", "test_mass", "--plugin-dir", "shared", kOption});
        CHECK(known.status == 0);
        CHECK(contains(known.out, "body \"test_mass\": point mass"));

        // `load` alone is asked for: what the plugin does is the concern of other tests
        std::vector<std::string> verify = {
            "verify", "test_mass", "--plugin-dir", "shared", "--check", "load"};
        const ProcessResult failed = project.ancora(verify);
        CHECK(failed.status == 4);
        CHECK(contains(failed.out + failed.err, project.refusal()));
        verify.push_back(kOption);
        CHECK(project.ancora(verify).status == 0);
    }

    TEST_CASE("what lists says why a file is not in the list: plugins, schema") {
        const Project project;
        const ProcessResult without = project.ancora({"plugins", "--plugin-dir", "shared"});
        CHECK(without.status == 0);
        CHECK(contains(without.out, "is refused: others may write to the folder"));
        CHECK(contains(without.out, kOrAllow));
        const ProcessResult with = project.ancora({"plugins", "--plugin-dir", "shared", kOption});
        CHECK(with.status == 0);
        CHECK_FALSE(with.out.find("is refused") != std::string::npos);
        CHECK(contains(with.out, "test_mass"));

        const ProcessResult poor = project.ancora({"schema", "--plugin-dir", "shared"});
        CHECK(poor.out.find("test_mass") == std::string::npos);
        const ProcessResult rich = project.ancora({"schema", "--plugin-dir", "shared", kOption});
        CHECK(rich.status == 0);
        CHECK(contains(rich.out, "test_mass"));
    }

    TEST_CASE("a call that failed is made again with a plugin from such a folder: replay") {
        const Project project;
        fs::copy_file(fs::path(ANCORA_TEST_ZOO_DIR) / "throws_in_call.so",
                      project / "shared/throws_in_call.so");
        project.write("m.toml",
                      model("") +
                          "[[constraint]]\nname = \"c\"\ntype = \"throws_in_call\"\n"
                          "at = \"m@0\"\n");
        const ProcessResult run =
            project.ancora({"run", "m.toml", "--plugin-dir", "shared", kOption});
        CHECK(run.status == 4);
        CHECK(contains(run.err, "evaluate threw \"out of order\""));

        std::vector<std::string> replay = {
            "replay", "results/m/failed_call.toml", "--plugin-dir", "shared"};
        const ProcessResult refused = project.ancora(replay);
        CHECK(refused.status == 4);
        CHECK(refused.out == "");
        CHECK(contains(refused.err, "is refused: others may write to the folder"));
        CHECK(contains(refused.err, kOrAllow));
        replay.push_back(kOption);
        const ProcessResult again = project.ancora(replay);
        CHECK(again.err == "");
        CHECK(again.out.ends_with("it fails again: it threw \"out of order\"\n"));
    }

    TEST_CASE("a name that is taken in such a folder is seen with the option alone: new") {
        const Project project;
        std::vector<std::string> arguments = {
            "new", "body", "test_mass", "--plugin-dir", "shared", kOption};
        const ProcessResult taken = project.ancora(arguments);
        CHECK(taken.status == 2);
        CHECK(contains(taken.err, "choose another one"));
        CHECK_FALSE(fs::exists(project / "test_mass"));
    }

    TEST_CASE("a folder of somebody else") {
        if (::geteuid() != 0) return;  // only root can give files away
        const Project project;
        ::chmod((project / "shared").c_str(), 0755);
        REQUIRE(::chown((project / "shared").c_str(), 65534, 65534) == 0);
        std::vector<std::string> arguments = {"check", "m.toml", "--plugin-dir", "shared"};
        const ProcessResult refused = project.ancora(arguments);
        CHECK(refused.status == 4);
        CHECK(contains(
            refused.err,
            fmt::format("is refused: the folder \"{}\" belongs neither to root nor to the user of "
                        "this program, uid 0 (mode 0755, owner uid 65534, group gid 65534); "
                        "change its owner with chown, {}",
                        (project / "shared").string(),
                        kOrAllow)));
        arguments.push_back(kOption);
        const ProcessResult taken = project.ancora(arguments);
        CHECK(taken.err == "");
        CHECK(taken.status == 0);
    }

    TEST_CASE("a folder that the model names is taken with the option, too") {
        const Project project;
        project.write("m.toml", model("plugin_dirs = [\"shared\"]\n"));
        const ProcessResult refused = project.ancora({"run", "m.toml"});
        CHECK(refused.status == 4);
        CHECK(contains(refused.err, project.refusal()));
        CHECK(project.ancora({"run", "m.toml", kOption}).status == 0);
    }

    TEST_CASE("a model that grants it to itself is refused, with the option and without") {
        const Project project;
        for (const char* value : {"true", "false"}) {
            CAPTURE(value);
            project.write("m.toml",
                          model(fmt::format("plugin_dirs = [\"shared\"]\n"
                                            "unchecked_plugin_dirs = {}\n",
                                            value)));
            for (const char* command : {"run", "check", "lock"})
                for (const bool has_option : {false, true}) {
                    CAPTURE(command);
                    std::vector<std::string> arguments = {command, "m.toml"};
                    if (has_option) arguments.push_back(kOption);
                    const ProcessResult result = project.ancora(arguments);
                    CHECK(result.status == 3);
                    CHECK(result.err ==
                          "m.toml:5:25: error: [model]: unchecked_plugin_dirs: a model cannot "
                          "allow this for itself; remove the key, and if you trust the folders, "
                          "give the command the option --unchecked-plugin-dirs (in a program: "
                          "PluginRegistry::allow_unchecked_folders)\n");
                }
        }
        // nor by way of the command line
        project.write("m.toml", model(""));
        const ProcessResult set =
            project.ancora({"check", "m.toml", "--set", "model.unchecked_plugin_dirs=true"});
        CHECK(set.status == 3);
        CHECK(contains(set.err, "a model cannot allow this for itself"));
    }

    TEST_CASE("the option has no value, and commands without plugins do not have it") {
        const Project project;
        const ProcessResult valued =
            project.ancora({"check", "m.toml", "--unchecked-plugin-dirs=no"});
        CHECK(valued.status == 2);
        const ProcessResult report = project.ancora({"report", "results/m", kOption});
        CHECK(report.status == 2);
        CHECK(contains(report.err, kOption));
    }
}

}  // namespace
}  // namespace ancora::testing
