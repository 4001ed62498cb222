// SPDX-License-Identifier: BSD-3-Clause
// `ancora completion`: what bash offers, and that the scripts of other shells are well-formed.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/process.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;

std::string script(const std::string& shell) {
    const ProcessResult result = run_process({ANCORA_TEST_BIN, "completion", shell}, {});
    CHECK(result.err == "");
    REQUIRE(result.status == 0);
    return result.out;
}

// Where a shell is, empty if it is not.
std::string find_shell(const std::string& name) {
    for (const char* const folder : {"/bin/", "/usr/bin/", "/usr/local/bin/"})
        if (fs::exists(folder + name)) return folder + name;
    return "";
}

// What bash offers for the last of the words, one name a line.
class Bash {
public:
    Bash() {
        folder.write("ancora.bash", script("bash"));
        folder.write("a model.toml", "");
        folder.write("b.toml", "");
        folder.write("notes.txt", "");
        fs::create_directories(folder / "models");
    }
    std::string operator()(const std::vector<std::string>& words) const {
        std::string list = std::string("'") + ANCORA_TEST_BIN + "'";
        for (const std::string& word : words) list += " '" + word + "'";
        const std::string text = "source ./ancora.bash; COMP_WORDS=(" + list +
                                 "); COMP_CWORD=" + std::to_string(words.size()) +
                                 "; _ancora; printf '%s\\n' \"${COMPREPLY[@]}\" | LC_ALL=C sort -u";
        ProcessOptions options;
        options.folder = folder.path();
        const ProcessResult result =
            run_process({find_shell("bash"), "--norc", "-c", text}, options);
        CHECK(result.err == "");
        return result.out;
    }
    TempFolder folder;
};

}  // namespace

TEST_SUITE("ancora completion") {
    TEST_CASE("bash: commands, options, files, types") {
        if (find_shell("bash").empty()) return;
        const Bash offers;
        CHECK(offers({"ru"}) == "run\n");
        CHECK(offers({"--ve"}) == "--verbose\n--version\n");
        CHECK(offers({"--threads", "2", "ru"}) == "run\n");
        CHECK(offers({"run", "--res"}) == "--resume\n");
        CHECK(offers({"check", "--pr"}) == "--print\n");
        CHECK(offers({"run", ""}) == "a model.toml\nb.toml\nmodels\n");
        CHECK(offers({"run", "--json", "b"}) == "b.toml\n");
        CHECK(offers({"run", "b.toml", ""}) == "\n");  // takes one
        CHECK(offers({"run", "--out", ""}) == "models\n");
        CHECK(offers({"run", "--out", "=", "m"}) == "models\n");
        CHECK(offers({"run", "--out", "=", "models", "b"}) == "b.toml\n");
        CHECK(offers({"run", "--set", "a.b=1", "b"}) == "b.toml\n");
        CHECK(offers({"replay", ""}) == "a model.toml\nancora.bash\nb.toml\nmodels\nnotes.txt\n");
        CHECK(offers({"report", "models", ""}) == "models\n");
        CHECK(offers({"describe", "ancf"}) == "ancf_rigid_body\n");
        CHECK(offers({"verify", "explicit"}) == "explicit_integrators\n");
        CHECK(offers({"new", "con"}) == "constraint\n");
        CHECK(offers({"completion", ""}) == "bash\nfish\nzsh\n");
        CHECK(offers({"nonsense", ""}) == "\n");
    }

    TEST_CASE("every command and option of the help is in every script") {
        const ProcessResult help = run_process({ANCORA_TEST_BIN, "--help"}, {});
        REQUIRE(help.status == 0);
        for (const std::string shell : {"bash", "zsh", "fish"}) {
            const std::string text = script(shell);
            for (const std::string name : {"run", "check", "describe", "schema", "completion"}) {
                CAPTURE(shell);
                CAPTURE(name);
                CHECK(help.out.find("\n  " + name + " ") != std::string::npos);
                CHECK(text.find(name) != std::string::npos);
            }
            const bool is_fish = shell == "fish";
            for (const std::string option : {"plugin-dir", "resume", "markdown", "memory-limit"})
                CHECK(text.find((is_fish ? "-l " : "--") + option) != std::string::npos);
        }
        CHECK(run_process({ANCORA_TEST_BIN, "completion", "tcsh"}, {}).status == 2);
    }

    TEST_CASE("the scripts are well-formed") {
        for (const std::string name : {"bash", "zsh", "fish"}) {
            const std::string shell = find_shell(name);
            if (shell.empty()) continue;
            CAPTURE(shell);
            const TempFolder folder;
            folder.write("script", script(name));
            const ProcessResult result =
                run_process({shell, "-n", (folder / "script").string()}, {});
            CHECK(result.status == 0);
            CHECK(result.err == "");
        }
    }
}

}  // namespace ancora::testing
