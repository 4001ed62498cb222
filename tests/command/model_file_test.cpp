// SPDX-License-Identifier: BSD-3-Clause
// The model that lies with the results: it runs again to the same bytes, from wherever it lies.
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

namespace fs = std::filesystem;

ProcessResult ancora_in(const fs::path& folder, CommandArguments arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    ProcessOptions options;
    options.folder = folder;
    return run_process(std::move(arguments), options);
}

/// A model of several files: a table, an included load, generated bodies, parameters, texts with
/// what TOML would take for something else.
void write_model(const TempFolder& folder) {
    folder.write("the models/parts/push of air.csv", "0, 0, 0, 0\n0.5, 1, 2, 0\n9, 1, 0, 0\n");
    folder.write("the models/parts/load.toml",
                 "[[force]]\nname = 'push'\ntype = 'point_load'\nat = 'p_1@[0, 0, 0]'\n"
                 "force = 'push of air.csv'\n");
    folder.write(
        "the models/m.toml",
        "include = ['parts/load.toml']\n"
        "[parameters]\nm = '2 lb'\nL = 0.3\n"
        "[model]\nname = 'a \"model\" of $${m} at ${m}'\ngravity = [0, 0, '-9810 mm/s^2']\n"
        "[[generate]]\nfor = {i = 3}\n"
        "[[generate.body]]\nname = 'p_${i}'\ntype = 'particle'\nmass = 'm*(1 + i)'\n"
        "position = ['i*L', 0, 0]\n"
        "[[generate.force]]\nname = 'air_${i}'\ntype = 'drag'\nat = 'p_${i}@[0, 0, 0]'\n"
        "linear = 0.1\n"
        "[integrator]\ntype = 'emm'\nstep = '1 ms'\nend = 0.2\n"
        "[integrator.symplectic]\n"
        "[output]\nevery = 0.01\npoints = ['p_2@[0, 0, 0]']\n");
}

const CommandArguments kChanged = {"--set",
                                   "parameters.L=0.4",
                                   "--set",
                                   "body.p_0.velocity=[1, 0.1, 0]",
                                   "--set",
                                   "integrator.end=0.3"};

/// Runs the model of results again, into a folder beside it.
void check_runs_again(const fs::path& results, const fs::path& from, const std::string& model) {
    const ProcessResult again =
        ancora_in(from, {"run", model, "--out", (results / "again").string(), "--quiet"});
    CHECK(again.err == "");
    REQUIRE(again.status == 0);
    const auto read = [](const fs::path& file) {
        std::ifstream in(file, std::ios::binary);
        return std::string{std::istreambuf_iterator<char>(in), {}};
    };
    const std::string history = read(results / "history.csv");
    REQUIRE(history.size() > 100);
    const bool is_same = read(results / "again/history.csv") == history;
    CHECK(is_same);
    fs::remove_all(results / "again");
}

}  // namespace

TEST_SUITE("the model of results") {
    TEST_CASE("it runs again to the same bytes, from its folder and from others") {
        const TempFolder folder;
        write_model(folder);
        CommandArguments run = {"run", "the models/m.toml", "--out", "my results/a", "--quiet"};
        run.insert(run.end(), kChanged.begin(), kChanged.end());
        REQUIRE(ancora_in(folder.path(), run).status == 0);
        const std::string model = folder.read("my results/a/model.toml");
        CHECK(model.starts_with("# Ancora model of these results\n"));
        CHECK(contains(model, "\n# Applied: --set parameters.L=0.4\n"));
        CHECK(contains(model, "\nforce = \"../../the models/parts/push of air.csv\"\n"));
        CHECK(contains(model, "\nend = 0.3\n"));
        // nothing of this machine, and nothing to be expanded
        CHECK_FALSE(contains(model, folder.path().string()));
        for (const char* const word : {"\ninclude", "[parameters]", "[[generate"})
            CHECK_FALSE(contains(model, word));
        check_runs_again(folder / "my results/a", folder / "my results/a", "model.toml");
        check_runs_again(folder / "my results/a", folder.path(), "my results/a/model.toml");
        check_runs_again(
            folder / "my results/a", "/", (folder / "my results/a/model.toml").string());
        // models and results may move together
        const TempFolder other;
        fs::copy(folder.path(), other / "moved", fs::copy_options::recursive);
        check_runs_again(
            other / "moved/my results/a", other.path(), "moved/my results/a/model.toml");
    }

    TEST_CASE("without a folder in common, and through a link, files have their whole path") {
        const TempFolder folder;
        write_model(folder);
        fs::create_directories(folder / "far/away");
        fs::create_directory_symlink(folder / "far/away", folder / "link");
        REQUIRE(ancora_in(folder / "the models", {"run", "m.toml", "--out", "../link/a", "--quiet"})
                    .status == 0);
        CHECK(contains(folder.read("far/away/a/model.toml"), "\nforce = \"/"));
        check_runs_again(folder / "far/away/a", folder.path(), "link/a/model.toml");
        check_runs_again(folder / "far/away/a", folder / "link/a", "model.toml");
        // in memory, where the machine has that
        char name[] = "/dev/shm/ancora-XXXXXX";
        if (::mkdtemp(name) == nullptr) return;
        const fs::path memory = name;
        CHECK(ancora_in(folder.path(),
                        {"run", "the models/m.toml", "--out", (memory / "a").string(), "--quiet"})
                  .status == 0);
        check_runs_again(memory / "a", memory / "a", "model.toml");
        fs::remove_all(memory);
    }

    TEST_CASE("folders of plugins, of the manifest and of the command, are found again") {
        const TempFolder folder;
        fs::create_directories(folder / "mine");
        fs::create_directories(folder / "given");
        fs::copy(fs::path(ANCORA_TEST_ZOO_DIR) / "test_mass.so", folder / "mine");
        fs::copy(fs::path(ANCORA_TEST_ZOO_DIR) / "test_drag.so", folder / "given");
        folder.write("m.toml",
                     "[model]\nplugin_dirs = ['mine']\n"
                     "[[body]]\nname = 'p'\ntype = 'test_mass'\nmass = 2.0\nvelocity = [1, 0, 0]\n"
                     "[[force]]\nname = 'd'\ntype = 'test_drag'\nat = 'p@[0, 0, 0]'\nc = 0.5\n"
                     "[integrator]\ntype = 'emm'\nstep = 0.01\nend = 0.1\n");
        const ProcessResult run = ancora_in(
            folder.path(), {"run", "m.toml", "--out", "out", "--quiet", "--plugin-dir", "given"});
        CHECK(run.err == "");
        REQUIRE(run.status == 0);
        CHECK(
            contains(folder.read("out/model.toml"), "\nplugin_dirs = [\"../given\", \"../mine\"]"));
        check_runs_again(folder / "out", folder / "out", "model.toml");
    }

    TEST_CASE("a run replaces it, resumes with it, and leaves one of somebody else alone") {
        const TempFolder folder;
        write_model(folder);
        const CommandArguments run = {"run", "the models/m.toml", "--out", "out", "--quiet"};
        REQUIRE(ancora_in(folder.path(), run).status == 0);
        const std::string model = folder.read("out/model.toml");
        const std::string history = folder.read("out/history.csv");
        // The next run replaces what was changed in it.
        folder.write("out/model.toml", model + "# changed\n");
        REQUIRE(ancora_in(folder.path(), run).status == 0);
        CHECK(folder.read("out/model.toml") == model);
        // What has another beginning is somebody's own.
        folder.write("out/model.toml", "[model]\nname = 'mine'\n");
        const ProcessResult refused = ancora_in(folder.path(), run);
        CHECK(refused.status == 6);
        CHECK(
            contains(refused.err, "holds \"model.toml\", which no run made, so it is left alone"));
        CHECK(folder.read("out/model.toml") == "[model]\nname = 'mine'\n");
        CHECK(folder.read("out/history.csv") == history);
        CommandArguments resume = run;
        for (const char* const more : {"--resume", "--set", "integrator.end=0.4"})
            resume.emplace_back(more);
        const ProcessResult not_resumed = ancora_in(folder.path(), resume);
        CHECK(not_resumed.status == 6);
        CHECK(contains(not_resumed.err, "model.toml\": the file that is there is not a model"));
        CHECK(folder.read("out/history.csv") == history);
        // A folder of results from before there were models.
        fs::remove(folder / "out/model.toml");
        REQUIRE(ancora_in(folder.path(), resume).status == 0);
        CHECK(contains(folder.read("out/model.toml"), "\nend = 0.4\n"));
        check_runs_again(folder / "out", folder / "out", "model.toml");
        // A link in its place is nothing that a run writes through.
        fs::remove(folder / "out/model.toml");
        folder.write("theirs.toml", model);
        fs::create_symlink(folder / "theirs.toml", folder / "out/model.toml");
        CHECK(ancora_in(folder.path(), run).status == 6);
        CHECK(folder.read("theirs.toml") == model);
    }

    TEST_CASE("one may run it in its own folder, damaged or not") {
        const TempFolder folder;
        write_model(folder);
        REQUIRE(ancora_in(folder.path(), {"run", "the models/m.toml", "--out", "out", "--quiet"})
                    .status == 0);
        const std::string history = folder.read("out/history.csv");
        const std::string model = folder.read("out/model.toml");
        REQUIRE(ancora_in(folder / "out", {"run", "model.toml", "--out", ".", "--quiet"}).status ==
                0);
        CHECK(folder.read("out/history.csv") == history);
        for (std::size_t size = 40; size < model.size(); size += 61) {
            CAPTURE(size);
            folder.write("out/model.toml", model.substr(0, size));
            const ProcessResult cut = ancora_in(folder / "out", {"check", "model.toml"});
            CHECK((cut.status == 3 || cut.status == 0));
        }
    }

    TEST_CASE("a folder that cannot be written is refused before the run") {
        if (::geteuid() == 0) return;  // may write anywhere
        const TempFolder folder;
        write_model(folder);
        fs::create_directory(folder / "out");
        ::chmod((folder / "out").c_str(), 0555);
        const ProcessResult refused =
            ancora_in(folder.path(), {"run", "the models/m.toml", "--out", "out", "--quiet"});
        CHECK(refused.status == 6);
        ::chmod((folder / "out").c_str(), 0755);
    }
}

}  // namespace ancora::testing
