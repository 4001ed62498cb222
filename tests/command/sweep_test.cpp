// SPDX-License-Identifier: BSD-3-Clause
// `ancora sweep`: plans, rows against closed forms, kills, crashes, parts, and studies that are
// wrong.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include "ancora/framework/sweep.hpp"

#include <cmath>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "ancora/framework/error.hpp"
#include "support/program.hpp"

using namespace ancora;
using namespace ancora::testing;

namespace {

const std::string kModel = R"([model]
name = "oscillator"
[[body]]
name = "ball"
type = "particle"
mass = 1.0
position = [1.5, 0, 0]
[[force]]
name = "spring"
type = "spring_damper"
a = "ground@[0, 0, 0]"
b = "ball@0"
stiffness = 100.0
damping = 0.5
free = 1.0
[integrator]
type = "emm"
step = 1.0e-3
end = 0.5
)";

std::vector<std::string> command(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), ANCORA_TEST_BIN);
    return arguments;
}

ProcessOptions in(const std::filesystem::path& folder,
                  std::vector<std::pair<std::string, std::string>> environment = {}) {
    ProcessOptions options;
    options.folder = folder;
    options.environment = std::move(environment);
    return options;
}

ProcessResult sweep(const TempFolder& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "sweep");
    return run_for_messages(command(std::move(arguments)), in(folder.path()));
}

std::vector<std::string> split(const std::string& line) {
    std::vector<std::string> cells(1);
    bool in_quotes = false;
    for (const char c : line) {
        if (c == '"') in_quotes = !in_quotes;
        if (c == ',' && !in_quotes)
            cells.emplace_back();
        else
            cells.back() += c;
    }
    return cells;
}

/// The rows of a table, each by the names of its columns.
std::vector<std::map<std::string, std::string>> table(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    std::getline(in, line);
    const std::vector<std::string> names = split(line);
    std::vector<std::map<std::string, std::string>> rows;
    while (std::getline(in, line)) {
        const std::vector<std::string> cells = split(line);
        REQUIRE(cells.size() == names.size());
        auto& row = rows.emplace_back();
        for (std::size_t i = 0; i < names.size(); ++i) row[names[i]] = cells[i];
    }
    return rows;
}

/// Position and velocity of the damped oscillator, let go at x = 1.5 about 1.
std::pair<double, double> exact(double stiffness, double damping, double t) {
    const double d = damping / 2.0, w = std::sqrt(stiffness - d * d);
    const double decay = 0.5 * std::exp(-d * t);
    return {1.0 + decay * (std::cos(w * t) + d / w * std::sin(w * t)),
            -decay * stiffness / w * std::sin(w * t)};
}

const std::string kGrid = R"([study]
model = "model.toml"
[[vary]]
key = "force.spring.stiffness"
from = 10.0
to = 1000.0
count = 3
scale = "log"
[[vary]]
key = "force.spring.damping"
values = [0.0, 2.0]
[results]
final = ["ball.x"]
largest = ["ball.vx"]
minimum = ["ball.x"]
maximum = ["ball.x"]
at = [{column = "ball.x", time = 0.2}]
)";

}  // namespace

TEST_CASE("a grid's rows are those of closed forms, in the order of the factors") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write("grid.toml", kGrid);
    const ProcessResult run = sweep(folder, {"grid.toml"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(contains(run.out, "grid: 6 of 6 cases, 0 failed"));
    const auto rows = table(folder.read("results/grid/cases.csv"));
    REQUIRE(rows.size() == 6);
    const double stiffness[] = {10.0, 100.0, 1000.0};
    for (std::size_t i = 0; i < 6; ++i) {
        CAPTURE(i);
        const double k = std::stod(rows[i].at("force.spring.stiffness"));
        const double c = std::stod(rows[i].at("force.spring.damping"));
        CHECK(k == doctest::Approx(stiffness[i / 2]).epsilon(1e-14));
        CHECK(c == (i % 2 == 0 ? 0.0 : 2.0));
        CHECK(rows[i].at("case") == std::to_string(i));
        CHECK(rows[i].at("exit") == "completed");
        CHECK(rows[i].at("steps") == "500");
        const double tolerance = 1e-6 * k;  // of order h^2 w^2
        CHECK(std::abs(std::stod(rows[i].at("ball.x")) - exact(k, c, 0.5).first) < tolerance);
        CHECK(std::abs(std::stod(rows[i].at("ball.x at 0.2")) - exact(k, c, 0.2).first) <
              tolerance);
        double fastest = 0.0, least = 9.0;
        for (int s = 0; s <= 500; ++s) {
            const auto [x, v] = exact(k, c, 1e-3 * s);
            fastest = std::max(fastest, std::abs(v));
            least = std::min(least, x);
        }
        CHECK(std::stod(rows[i].at("ball.vx.largest")) == doctest::Approx(fastest).epsilon(1e-3));
        CHECK(std::abs(std::stod(rows[i].at("ball.x.min")) - least) < tolerance + 1e-5);
        CHECK(std::stod(rows[i].at("ball.x.max")) == 1.5);  // where it was let go
    }
    // a row is a run of the command
    const ProcessResult alone = run_process(command({"run",
                                                     "model.toml",
                                                     "--set",
                                                     "force.spring.stiffness=1000.0",
                                                     "--set",
                                                     "force.spring.damping=2.0",
                                                     "--quiet",
                                                     "--out",
                                                     "alone"}),
                                            in(folder.path()));
    REQUIRE(alone.status == 0);
    std::istringstream history(folder.read("alone/history.csv"));
    std::string line, last;
    std::getline(history, line);
    const std::vector<std::string> names = split(line);
    while (std::getline(history, line)) last = line;
    const auto x = std::ranges::find(names, "ball.x") - names.begin();
    CHECK(std::stod(split(last)[x]) == std::stod(rows[5].at("ball.x")));
}

TEST_CASE("plans fill the cube as they must, on every machine alike") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    const auto study = [&](const std::string& method) {
        return Study::parse("[study]\nmodel = \"model.toml\"\n[[vary]]\nmethod = \"" + method +
                                "\"\ncount = 64\nranges = [{key = \"a.b\", from = 0, to = 64},"
                                "{key = \"a.c\", from = -1, to = 1},"
                                "{key = \"a.d\", from = 1, to = 10000, scale = \"log\"}]\n",
                            folder / "study.toml");
    };
    const Study latin = study("latin_hypercube");
    REQUIRE(latin.num_cases() == 64);
    std::set<int> first, second, third;
    bool is_sorted = true;
    double before = -1.0;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::vector<std::string> values = latin.values(i);
        const double a = std::stod(values[0]);
        first.insert(static_cast<int>(a));
        second.insert(static_cast<int>((std::stod(values[1]) + 1.0) * 32.0));
        third.insert(static_cast<int>(std::log10(std::stod(values[2])) * 16.0));
        is_sorted &= a > before;
        before = a;
    }
    CHECK(first.size() == 64);
    CHECK(second.size() == 64);
    CHECK(third.size() == 64);
    CHECK(!is_sorted);
    CHECK(study("latin_hypercube").values(17) == latin.values(17));

    // Sobol's points are known: Joe and Kuo, new-joe-kuo-6
    const Study even = study("sobol");
    const double known[7][2] = {{0.5, 0.5},
                                {0.75, 0.25},
                                {0.25, 0.75},
                                {0.375, 0.375},
                                {0.875, 0.875},
                                {0.625, 0.125},
                                {0.125, 0.625}};
    for (std::size_t i = 0; i < 7; ++i) {
        CAPTURE(i);
        CHECK(std::stod(even.values(i)[0]) == 64.0 * known[i][0]);
        CHECK(std::stod(even.values(i)[1]) == 2.0 * known[i][1] - 1.0);
    }
}

TEST_CASE("cases from a table and from rows, values of any kind, and failures with their message") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write("cases.csv",
                 "\xef\xbb\xbf"
                 "integrator.type,\"integrator.step\"\r\nemm,1e-3\r\nrk4,\"2e-3\"\r\n"
                 "nothing,1e-3\r\n\r\nemm,-1\r\n");
    folder.write("study.toml", R"([study]
model = "model.toml"
name = "kinds"
set = ["integrator.end=0.1"]
[[vary]]
file = "cases.csv"
[[vary]]
keys = ["body.ball.position", "force.spring.free"]
rows = [[[1.5, 0, 0], 1.0], [[0, 2, 0], 2.0]]
[results]
final = ["ball.y"]
)");
    const ProcessResult run = sweep(folder, {"study.toml", "--json", "--workers", "2"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(contains(run.out, "\"failed\": 4"));
    CHECK(contains(run.out, "\"complete\": true"));
    const std::string text = folder.read("results/study/cases.csv");
    const auto rows = table(text);
    REQUIRE(rows.size() == 8);
    CHECK(rows[0].at("ball.y") == "0");
    CHECK(rows[1].at("ball.y") == "2");  // at rest
    CHECK(rows[3].at("steps") == "50");
    for (const std::size_t i : {4u, 5u, 6u, 7u}) {
        CHECK(rows[i].at("status") == "3");
        CHECK(rows[i].at("exit") == "model");
        CHECK(rows[i].at("ball.y").empty());
    }
    CHECK(contains(rows[4].at("message"), "nothing"));
    CHECK(contains(rows[6].at("message"), "step"));
}

TEST_CASE("values with units are numbers in SI units in the table, and others are refused") {
    const auto study = [](const std::string& varied) {
        return "[study]\nmodel = \"model.toml\"\n[[vary]]\n" + varied +
               "[results]\nfinal = [\"ball.x\"]\n";
    };
    const auto values = [&](const std::string& key, const std::string& varied) {
        TempFolder folder;
        folder.write("model.toml", kModel);
        folder.write("study.toml", study("key = \"" + key + "\"\n" + varied));
        const ProcessResult result = sweep(folder, {"study.toml"});
        CAPTURE(result.err);
        std::vector<double> out;
        if (result.status != 0) return out;
        for (auto& row : table(folder.read("results/study/cases.csv"))) {
            if (row["status"] == "0") out.push_back(std::stod(row[key]));
        }
        return out;
    };
    CHECK(values("body.ball.mass", "values = [\"1 kg\", \"500 g\", 3]\n") ==
          std::vector<double>{1.0, 0.5, 3.0});
    const std::vector<double> stiff =
        values("force.spring.stiffness", "from = \"1 N/cm\"\nto = \"200 N/m\"\ncount = 3\n");
    REQUIRE(stiff.size() == 3);
    for (std::size_t i = 0; i < 3; ++i)
        CHECK(stiff[i] == doctest::Approx(100.0 + 50.0 * static_cast<double>(i)));
    CHECK(values("body.ball.mass", "from = \"1 m\"\nto = \"2 m\"\ncount = 2\n").empty());
    CHECK(values("body.ball.mass", "from = \"1 kg\"\nto = 2\ncount = 2\n").empty());
    CHECK(values("body.ball.mass", "from = \"1 kg\"\nto = \"5 m\"\ncount = 2\n").empty());
    CHECK(values("body.ball.mass", "from = \"1 kg + 1 kg\"\nto = \"3 kg\"\ncount = 2\n").empty());
    CHECK(values("body.ball.mass", "from = \"heavy\"\nto = \"2 kg\"\ncount = 2\n").empty());
}

TEST_CASE("the table has the same bytes for any number of processes, after kills and with damage") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write("many.toml",
                 "[study]\nmodel = \"model.toml\"\n[[vary]]\nmethod = \"latin_hypercube\"\ncount = "
                 "400\nranges = [{key = \"force.spring.stiffness\", from = 10, to = 500}]\n"
                 "[results]\nfinal = [\"ball.x\", \"energy.balance\"]\nmaximum = [\"ball.vx\"]\n");
    REQUIRE(sweep(folder, {"many.toml", "--workers", "1", "--out", "one"}).status == 0);
    REQUIRE(sweep(folder, {"many.toml", "--workers", "3", "--out", "three"}).status == 0);
    const std::string expected = folder.read("one/cases.csv");
    CHECK(table(expected).size() == 400);
    CHECK(folder.read("three/cases.csv") == expected);

    // killed again and again, with the worst signal
    int kills = 0;
    for (int round = 0; round < 40; ++round) {
        ChildProcess child(
            command(
                {"sweep", "many.toml", "--workers", "2", "--out", "killed", "--resume", "--quiet"}),
            in(folder.path()));
        // The first time amid the cases, wherever the machine's speed puts it later.
        if (round == 0)
            REQUIRE(child.wait_until([&] {
                return folder.read("killed/journal-0-0-0").size() > 500;
            }));
        else
            std::this_thread::sleep_for(std::chrono::milliseconds(60 + 10 * round));
        child.send(SIGKILL);
        const int status = child.wait().status;
        if (status == 0) break;
        ++kills;
    }
    CHECK(kills >= 1);
    REQUIRE(sweep(folder, {"many.toml", "--out", "killed", "--resume"}).status == 0);
    CHECK(folder.read("killed/cases.csv") == expected);

    // a journal that was cut and damaged loses rows, which are run again
    ChildProcess child(
        command({"sweep", "many.toml", "--workers", "1", "--out", "damaged", "--quiet"}),
        in(folder.path()));
    std::string journal;
    REQUIRE(child.wait_until([&] {
        journal = folder.read("damaged/journal-0-0-0");
        return journal.size() >= 2000;
    }));
    child.send(SIGKILL);
    child.wait();
    std::mt19937 random(5);
    for (int i = 0; i < 20; ++i) journal[random() % journal.size()] = static_cast<char>(random());
    folder.write("damaged/journal-0-0-0",
                 journal.substr(0, journal.size() - 7) + "\n0,not a row\n");
    REQUIRE(sweep(folder, {"many.toml", "--out", "damaged", "--resume"}).status == 0);
    CHECK(folder.read("damaged/cases.csv") == expected);

    // Ctrl-C keeps the rows so far and reports it
    ChildProcess interrupted(command({"sweep", "many.toml", "--workers", "1", "--out", "stopped"}),
                             in(folder.path()));
    REQUIRE(interrupted.wait_until([&] {
        return folder.read("stopped/journal-0-0-0").size() >= 500;
    }));
    interrupted.send(SIGINT);
    const ProcessResult stopped = interrupted.wait();
    CHECK(stopped.status == 130);
    CHECK(contains(stopped.err, "--resume"));
    CHECK(folder.read("stopped/cases.csv").empty());
    REQUIRE(sweep(folder, {"many.toml", "--out", "stopped", "--resume"}).status == 0);
    CHECK(folder.read("stopped/cases.csv") == expected);

    // in parts, of which one is run twice
    for (const char* part : {"2/3", "0/3", "0/3"}) {
        const ProcessResult run = sweep(folder, {"many.toml", "--out", "parts", "--part", part});
        REQUIRE_MESSAGE(run.status == 0, run.err, run.out);
    }
    const ProcessResult early = sweep(folder, {"many.toml", "--out", "parts", "--merge"});
    CHECK(early.status == 6);
    CHECK(contains(early.err, "133 of 400 cases are missing"));
    REQUIRE(sweep(folder, {"many.toml", "--out", "parts", "--part", "1/3"}).status == 0);
    REQUIRE(sweep(folder, {"many.toml", "--out", "parts", "--merge"}).status == 0);
    CHECK(folder.read("parts/cases.csv") == expected);

    // another study does not go on with these rows, and no sweep takes a folder of something else
    folder.write("other.toml", folder.read("many.toml") + "minimum = [\"ball.x\"]\n");
    const ProcessResult other = sweep(folder, {"other.toml", "--out", "one", "--resume"});
    CHECK(other.status == 6);
    CHECK(contains(other.err, "another study"));
    CHECK(folder.read("one/cases.csv") == expected);
    folder.write("strange/file.txt", "mine");
    const ProcessResult strange = sweep(folder, {"many.toml", "--out", "strange"});
    CHECK(strange.status == 6);
    CHECK(folder.read("strange/file.txt") == "mine");
}

TEST_CASE("a plugin that crashes costs its case and no other") {
    const TempFolder folder;
    folder.write("model.toml",
                 "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\nvelocity = [1.0, 0.0, "
                 "0.0]\n[[constraint]]\nname = \"c\"\ntype = \"ends_in_call\"\nat = \"m@0\"\nhow = "
                 "\"talk\"\n[integrator]\ntype = \"emm\"\nstep = 0.001\nend = 0.01\n");
    folder.write(
        "study.toml",
        "[study]\nmodel = \"model.toml\"\n[[vary]]\nkey = \"body.m.mass\"\nvalues = [1, 2]\n"
        "[[vary]]\nkey = \"constraint.c.how\"\nvalues = [\"talk\", \"memory\", \"abort\", "
        "\"exit\"]\n[results]\nfinal = [\"m.x\"]\n");
    ProcessOptions options;
    options.folder = folder.path();
    options.environment = {{"ANCORA_PLUGIN_PATH", ANCORA_TEST_ZOO_DIR}};
    const ProcessResult run =
        run_for_messages(command({"sweep", "study.toml", "--workers", "2"}), options);
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(contains(run.out, "8 of 8 cases, 6 failed"));
    const auto rows = table(folder.read("results/study/cases.csv"));
    REQUIRE(rows.size() == 8);
    for (std::size_t i = 0; i < 8; ++i) {
        CAPTURE(i);
        CHECK(rows[i].at("exit") == (i % 4 == 0 ? "completed" : "crashed"));
        CHECK(rows[i].at("message").empty() == (i % 4 == 0));
    }
}

TEST_CASE("runs of cases are kept where that is asked for") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write(
        "study.toml",
        "[study]\nmodel = \"model.toml\"\nruns = true\n[[vary]]\nkey = "
        "\"force.spring.damping\"\nvalues = [0.0, 1.0]\n[results]\nfinal = [\"ball.x\"]\n");
    REQUIRE(sweep(folder, {"study.toml"}).status == 0);
    for (const char* run : {"000000", "000001"}) {
        const std::string at = std::string("results/study/runs/") + run;
        CHECK(contains(folder.read(at + "/summary.json"), "\"exit_reason\": \"completed\""));
        CHECK(folder.read(at + "/history.csv").size() > 1000);
    }
}

TEST_CASE("scripts for Slurm name the parts, and go on where they were preempted") {
    const TempFolder folder;
    folder.write("it's/model.toml", kModel);
    folder.write("it's/study.toml",
                 kGrid +
                     "[slurm]\ntasks = 3\ntime = \"00:10:00\"\nmemory = \"500M\"\noptions = "
                     "[\"--partition=long\"]\n");
    const ProcessResult run =
        sweep(folder, {"it's/study.toml", "--slurm", "--no-submit", "--out", "s"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    const std::string script = folder.read("s/slurm-array.sh");
    CHECK(contains(script, "#SBATCH --array=0-2\n"));
    CHECK(contains(script, "#SBATCH --time=00:10:00\n"));
    CHECK(contains(script, "#SBATCH --mem=500M\n"));
    CHECK(contains(script, "#SBATCH --partition=long\n"));
    CHECK(contains(script, "#SBATCH --requeue\n"));
    // as a shell runs them, one task after the other
    for (const char* task : {"0", "1", "2"}) {
        const ProcessResult part = run_process({"/bin/sh", (folder / "s/slurm-array.sh").string()},
                                               in("/", {{"SLURM_ARRAY_TASK_ID", task}}));
        CHECK_MESSAGE(part.status == 0, part.err);
    }
    const ProcessResult merged =
        run_process({"/bin/sh", (folder / "s/slurm-merge.sh").string()}, in("/"));
    CHECK_MESSAGE(merged.status == 0, merged.err);
    CHECK(table(folder.read("s/cases.csv")).size() == 6);
}

TEST_CASE("a study that is wrong is told with its place, before anything runs") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    const auto said = [&](const std::string& text) {
        folder.write("s.toml", text);
        const ProcessResult run = sweep(folder, {"s.toml", "--out", "out"});
        CHECK(run.status == 3);
        CHECK(!std::filesystem::exists(folder / "out"));
        return run.err;
    };
    const std::string study = "[study]\nmodel = \"model.toml\"\n";
    CHECK(contains(said(""), "the key \"study\" is missing"));
    CHECK(contains(said("[study]\n"), "s.toml:1:"));
    CHECK(contains(said(study + "modle = 3\n"), "did you mean \"model\""));
    CHECK(contains(said(study + "[[vary]]\nkey = \"spring\"\nvalues = [1]\n"), "is no key"));
    CHECK(contains(said(study + "[[vary]]\nkey = \"force.spring.free\"\nvalues = []\n"),
                   "has no values"));
    CHECK(contains(said(study + "[[vary]]\nkey = \"force.spring.free\"\nfrom = -1\nto = 1\ncount = "
                                "3\nscale = \"log\"\n"),
                   "s.toml:8:9"));
    CHECK(
        contains(said(study + "[[vary]]\nkey = \"force.spring.free\"\nfrom = nan\nto = 1\ncount = "
                              "3\n"),
                 "not finite"));
    CHECK(contains(said(study + "[[vary]]\nmethod = \"sobel\"\ncount = 3\nranges = []\n"),
                   "did you mean \"sobol\""));
    CHECK(contains(said(study + "[[vary]]\nkeys = [\"a.b\", \"a.c\"]\nrows = [[1, 2], [3]]\n"),
                   "1 values for 2 keys"));
    CHECK(contains(
        said(study + "[[vary]]\nkey = \"a.b\"\nvalues = [1]\n[[vary]]\nkey = \"a.b\"\nvalues "
                     "= [1]\n"),
        "varied twice"));
    std::string huge = study;
    for (const char* key : {"a.a", "a.b", "a.c", "a.d"})
        huge += std::string("[[vary]]\nkey = \"") + key + "\"\nfrom = 0\nto = 1\ncount = 1000000\n";
    CHECK(contains(said(huge), "too many"));
    // the model's own keys and columns
    CHECK(contains(said(study + "[[vary]]\nkey = \"force.sprung.free\"\nvalues = [1]\n"),
                   "did you mean \"spring\""));
    const std::string column = said(study + "[results]\nfinal = [\"ball.xx\"]\n");
    CHECK(contains(column, "s.toml:4:9: error: [results]: there is no column \"ball.xx\""));
    CHECK(contains(column, "did you mean \"ball.x\""));
    CHECK(contains(said(study + "[results]\nfinal = [\"ball.x\", \"ball.x\"]\n"),
                   "\"ball.x\" is asked for twice"));
    // where the study states them, and not as of a command line that nobody wrote
    CHECK(contains(said(study + "[[vary]]\nkey = \"force.sprung.free\"\nvalues = [1]\n"),
                   "s.toml:4:7: error: [[vary]]: \"force.sprung.free=1\": no force \"sprung\""));
    CHECK(contains(said(study + "set = [\"force.sprung.free=1\"]\n"),
                   "s.toml:3:7: error: [study]: set: \"force.sprung.free=1\": no force"));
    CHECK(contains(said(study + "set = [\"force.free\"]\n"),
                   "s.toml:3:7: error: [study]: set takes TABLE.KEY=VALUE, not \"force.free\""));
    CHECK(contains(said(study + "[[vary]]\nkeys = [\"force.free\"]\nrows = [[1]]\n"),
                   "s.toml:4:8: error: [[vary]] takes force.NAME.KEY=VALUE, not \"force.free=1\""));
    CHECK(sweep(folder, {"nowhere.toml"}).status == 6);
    CHECK(sweep(folder, {"s.toml", "--part", "3/3"}).status == 2);
    CHECK(sweep(folder, {"s.toml", "--part", "0"}).status == 2);
    CHECK(sweep(folder, {"s.toml", "--workers", "0"}).status == 2);
    CHECK(sweep(folder, {"s.toml", "--part", "0/2", "--merge"}).status == 2);
}

TEST_CASE("studies of any bytes are read or refused") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write("cases.csv", "a.b,a.c\n1,2\n3,\"4\"\"\"\n");
    const std::string seeds[] = {
        kGrid,
        "[study]\nmodel = \"model.toml\"\n[[vary]]\nfile = \"cases.csv\"\n[slurm]\ntasks = 3\n",
        "[study]\nmodel = \"model.toml\"\nset = [\"a.b=1\"]\n[[vary]]\nmethod = \"sobol\"\ncount = "
        "5\nseed = 3\nranges = [{key = \"a.b\", from = 0, to = 1}]\n"};
    std::mt19937 random(7);
    int good = 0, bad = 0;
    for (int i = 0; i < 3000; ++i) {
        std::string text = seeds[random() % 3];
        for (int edits = static_cast<int>(random() % 4); edits > 0; --edits) {
            const std::size_t at = random() % text.size();
            switch (random() % 4) {
                case 0:
                    text[at] = static_cast<char>(random());
                    break;
                case 1:
                    text.erase(at, random() % 12);
                    break;
                case 2:
                    text.insert(at, text.substr(random() % text.size(), random() % 20));
                    break;
                default:
                    text.insert(at, std::to_string(static_cast<int>(random())));
                    break;
            }
            if (text.empty()) text = "x";
        }
        try {
            const Study study = Study::parse(text, folder / "study.toml");
            ++good;
            const std::size_t count = study.num_cases();
            REQUIRE(count >= 1);
            for (const std::size_t index : {std::size_t{0}, count / 2, count - 1})
                CHECK(study.values(index).size() == study.keys().size());
        } catch (const Error&) {
            ++bad;
        }
    }
    CHECK(good > 300);
    CHECK(bad > 300);
}

TEST_CASE("the page of a study holds each case, and no text in it is markup") {
    const TempFolder folder;
    folder.write("model.toml", kModel);
    folder.write("study.toml",
                 "[study]\nname = \"</script><b>&amp; \\\"x\\\" %DATA%\"\nmodel = \"model.toml\"\n"
                 "set = [\"integrator.end=0.1\"]\n"
                 "[[vary]]\nkey = \"force.spring.stiffness\"\nvalues = [50.0, 100.0, -1.0]\n"
                 "[[vary]]\nkey = \"integrator.type\"\nvalues = [\"emm\", \"rk4\"]\n"
                 "[results]\nfinal = [\"ball.x\"]\n");
    const ProcessResult run = sweep(folder, {"study.toml", "--out", "out"});
    REQUIRE_MESSAGE(run.status == 0, run.err);
    CHECK(contains(run.out, "page in out/study.html"));
    const std::string page = folder.read("out/study.html");
    CHECK(page.starts_with("<!doctype html><!-- Ancora study -->"));
    CHECK(contains(page, "<title>&lt;/script>&lt;b>&amp;amp; "));
    const std::string begin = "<script id=\"data\" type=\"application/json\">";
    const std::size_t at = page.find(begin) + begin.size();
    const std::size_t end = page.find("</script>", at);
    REQUIRE(end != std::string::npos);
    const nlohmann::json data = nlohmann::json::parse(page.substr(at, end - at));
    CHECK(data["name"] == "</script><b>&amp; \"x\" %DATA%");
    CHECK(data["keys"] == 2);
    CHECK(data["failed"] == 2);
    CHECK(data["total"] == 6);
    CHECK(data["set"][0] == "integrator.end=0.1");
    const auto rows = table(folder.read("out/cases.csv"));
    REQUIRE(rows.size() == 6);
    REQUIRE(data["rows"].size() == 6);
    const auto& columns = data["columns"];
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t k = 0; k < columns.size(); ++k) {
            std::string cell = rows[i].at(columns[k].get<std::string>());
            if (cell.find('"') != std::string::npos) continue;  // the reader here keeps quotes
            CHECK(data["rows"][i][k] == cell);
        }
    CHECK(data["rows"][0][2] == "\"emm\"");
    // Nothing is loaded from elsewhere.
    CHECK(page.find("http://www.w3.org/2000/svg") != std::string::npos);
    CHECK(page.find("src=") == std::string::npos);
    CHECK(page.find("https://") == std::string::npos);

    // It goes with the table of another study.
    const ProcessResult again = sweep(folder, {"study.toml", "--out", "out", "--json"});
    REQUIRE(again.status == 0);
    CHECK(contains(again.out, "\"page\": \"out/study.html\""));
}
