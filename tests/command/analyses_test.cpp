// SPDX-License-Identifier: BSD-3-Clause
// `ancora equilibrium`, `modes`, `linearize`, `inverse`, `convergence`, `gradient` and `fit` from
// outside: what they write against closed forms, their files, messages and exit statuses.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <numbers>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "support/program.hpp"

namespace ancora::testing {
namespace {

using Json = nlohmann::json;

constexpr double kG = 9.81, kMass = 1.0, kArm = 0.5;
constexpr double kInertia = 0.09 + kMass * kArm * kArm;  // about the pin
constexpr double kDamping = 0.05;

const std::string kModel = R"([model]
name = "arm"
gravity = [0.0, 0.0, -9.81]
)";

const std::string kBar = R"(
[[body]]
name = "bar"
type = "ancf_rigid_body"
mass = 1.0
inertia = [0.09, 0.09, 0.01]
position = [0.0, 0.0, -0.5]
)";

const std::string kPin = R"(
[[joint]]
name = "pin"
type = "revolute"
a = "ground"
b = "bar"
point = [0.0, 0.0, 0.0]
axis = [0.0, 1.0, 0.0]
start = 0.0
)";

const std::string kDamper = R"(
[[force]]
name = "oil"
type = "damper"
on = "pin.angle"
damping = 0.05
)";

const std::string kDrive = R"(
[[joint]]
name = "motor"
type = "drive"
on = "pin.angle"
motion = "sin(t)*sin(t)*3"
)";

/// Throws as soon as time is above zero.
const std::string kThrows = R"(
[[constraint]]
name = "bad"
type = "throws_in_call"
at = "bar@[0, 0, 0.5]"
)";

const std::string kSteps = R"(
[integrator]
type = "emm"
step = 1.0e-2
end = 1.0
)";

/// arm.toml hangs and is damped; driven.toml is moved by a drive; stone.toml falls.
class Models : public TempFolder {
public:
    Models() {
        write("arm.toml", kModel + kBar + kPin + kDamper + kSteps);
        write("driven.toml", kModel + kBar + kPin + kDrive + kSteps);
        write("stone.toml", kModel + kBar + kSteps);
    }
};

/// A call that ends well, with nothing on standard error.
std::string said(const TempFolder& folder, const CommandArguments& arguments) {
    const ProcessResult result = run_ancora(folder, arguments);
    REQUIRE_MESSAGE(result.status == 0, result.err);
    CHECK(result.err == "");
    return result.out;
}

Json json_of(const TempFolder& folder, CommandArguments arguments) {
    arguments.emplace_back("--json");
    return Json::parse(said(folder, arguments));
}

/// A call that is refused with this status, and says this and nothing on standard output.
void check_refused(const TempFolder& folder,
                   const CommandArguments& arguments,
                   int status,
                   const std::string& message) {
    CAPTURE(arguments[0]);
    const ProcessResult result = run_ancora(folder, arguments);
    CHECK(result.status == status);
    CHECK(result.out == "");
    CHECK(contains(result.err, message));
}

std::vector<std::string> lines_of(const std::string& text) {
    std::istringstream in(text);
    std::vector<std::string> lines;
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::vector<std::string> cells_of(const std::string& line) {
    std::istringstream in(line);
    std::vector<std::string> cells;
    for (std::string cell; std::getline(in, cell, ',');) cells.push_back(cell);
    return cells;
}

double number(const Json& x) {
    return x.get<double>();
}

doctest::Approx about(double x, double relative = 1e-9) {
    return doctest::Approx(x).epsilon(relative);
}

TEST_SUITE("ancora equilibrium") {
    TEST_CASE("an arm let go from the side rests below its pin, whose reaction is its weight") {
        const Models models;
        const CommandArguments call{"equilibrium", "arm.toml", "--set", "joint.pin.start=2.0"};
        const std::string text = said(models, call);
        CHECK(contains(text, "arm: rest"));
        CHECK(contains(text, "rest is          stable"));
        CHECK(contains(text, "steps of damped descent"));
        CHECK(contains(text, "reaction of pin"));
        const Json rest = json_of(models, call);
        CHECK(rest["stability"] == "stable");
        CHECK(rest["degrees_of_freedom"] == 1);
        CHECK(rest["all_directions_counted"] == true);
        CHECK(number(rest["bodies"]["bar"][2]) == about(-kArm));
        CHECK(std::abs(number(rest["bodies"]["bar"][0])) < 1e-12);
        CHECK(std::abs(number(rest["reactions"]["pin"][2])) == about(kMass * kG));
        CHECK(number(rest["residual"]) < 1e-12);
        CHECK(rest.contains("moves_away_first") == false);
    }
    TEST_CASE("a clamp's moment is said, in the table and as JSON") {
        const Models models;
        models.write("clamp.toml",
                     kModel + kBar +
                         "[[joint]]\nname = \"clamp\"\ntype = \"fixed\"\na = \"ground\"\nb = "
                         "\"bar\"\npoint = [0.5, 0.0, -0.5]\n" +
                         kSteps);
        // The weight half a metre beside the clamp, about y.
        const Json json = json_of(models, {"equilibrium", "clamp.toml"});
        const double moment = kMass * kG * 0.5;
        CHECK(number(json["on_b"]["clamp"]["moment"][1]) == about(moment));
        CHECK(number(json["on_b"]["clamp"]["force"][2]) == about(kMass * kG));
        const std::string text = said(models, {"equilibrium", "clamp.toml"});
        CHECK(text.find("clamp.on_b.moment") != std::string::npos);
        CHECK(text.find("4.905") != std::string::npos);
    }
    TEST_CASE("--nearest takes the position on its head, and names what moves away from it") {
        const Models models;
        const CommandArguments call{
            "equilibrium", "arm.toml", "--set", "joint.pin.start=3.0", "--nearest"};
        CHECK(contains(said(models, call),
                       "unstable, 1 of 1 directions lower the energy; body \"bar\" moves away "
                       "first"));
        const Json rest = json_of(models, call);
        CHECK(rest["stability"] == "unstable");
        CHECK(rest["unstable_directions"] == 1);
        CHECK(rest["descent_steps"] == 0);
        CHECK(number(rest["bodies"]["bar"][2]) == about(kArm));
        CHECK(rest["moves_away_first"] == "body \"bar\"");
    }
    TEST_CASE("--spinning finds the cone of a pendulum, about which modes are then taken") {
        const Models models;
        // On a rod of 0.5 m, at 6 rad/s.
        models.write("cone.toml", kModel + R"(
[[body]]
name = "bob"
type = "particle"
mass = 1.0
position = [0.3, 0.0, -0.4]
velocity = [0.0, 1.8, 0.0]
[[constraint]]
name = "rod"
type = "distance"
a = "ground@[0, 0, 0]"
b = "bob@[0, 0, 0]"
)" + kSteps);
        const CommandArguments call{"equilibrium", "cone.toml", "--spinning"};
        const std::string text = said(models, call);
        CHECK(contains(text, "arm: steady spin"));
        CHECK(contains(text, "[0, 0, 6] rad/s"));
        CHECK(contains(text, "neutral, 1 of 2 directions change nothing"));
        const Json rest = json_of(models, call);
        const double height = -kG / 36.0;
        CHECK(number(rest["bodies"]["bob"][2]) == about(height));
        CHECK(number(rest["spin"][2]) == about(6.0));
        // Of small motions about the cone: w^2 = W^2 (1 + 3 cos^2), and round it nothing.
        const Json modes = json_of(models, {"modes", "cone.toml", "--spinning"});
        double fastest = 0.0;
        for (const Json& mode : modes["modes"])
            fastest = std::max(fastest, 2.0 * std::numbers::pi * number(mode["frequency"]));
        const double cosine = -height / 0.5;
        CHECK(fastest == about(6.0 * std::sqrt(1.0 + 3.0 * cosine * cosine), 1e-6));
        check_refused(models, {"equilibrium", "arm.toml", "--spinning"}, 5, "are no spin");
        check_refused(models,
                      {"modes", "cone.toml", "--spinning", "--at-rest"},
                      2,
                      "\"--spinning\" and \"--at-rest\" exclude each other");
    }
    TEST_CASE("--quiet writes nothing; what has no rest is refused by name") {
        const Models models;
        CHECK(said(models, {"equilibrium", "arm.toml", "--quiet"}) == "");
        check_refused(models, {"equilibrium", "stone.toml"}, 5, "body \"bar\" moves on");
        check_refused(models, {"equilibrium", "stone.toml"}, 5, "nothing holds it");
    }
}

TEST_SUITE("ancora modes") {
    // Two bars of 1 m with a spring k = 8 across them at the hinge: P = k / 2
    TEST_CASE("--buckling lists load factors and writes their shapes") {
        const Models models;
        models.write("strut.toml", R"([model]
name = "strut"

[[body]]
name = "bars"
type = "truss"
nodes = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [1, 1, 0], [1, 0, 1]]
elements = [[0, 1], [1, 2], [1, 3], [1, 4]]
young = [1e8, 1e8, 8, 20]
area = 1
density = 1

[[constraint]]
name = "start"
type = "position"
a = "bars@0"
b = "ground@[0, 0, 0]"

[[constraint]]
name = "hold_y"
type = "position"
a = "bars@3"
b = "ground@[1, 1, 0]"

[[constraint]]
name = "hold_z"
type = "position"
a = "bars@4"
b = "ground@[1, 0, 1]"

[[constraint]]
name = "roller"
type = "position"
a = "bars@2"
b = "ground@[2, 0, 0]"
components = "yz"

[[force]]
name = "load"
type = "point_load"
at = "bars@2"
force = [-0.5, 0, 0]

[integrator]
type = "emm"
step = 1e-2
end = 1.0
)");
        const std::string text = said(models, {"modes", "strut.toml", "--buckling"});
        CHECK(contains(text, "strut: buckling about rest, 4 degrees of freedom\n"));
        CHECK(contains(text, "bars (100 %)"));
        const Json found = json_of(
            models, {"modes", "strut.toml", "--buckling", "--count", "1", "--dir", "shapes"});
        REQUIRE(found["buckling"].size() == 1);
        CHECK(number(found["buckling"][0]["factor"]) == about(8.0, 1e-6));
        CHECK(number(found["buckling"][0]["shape"][4][0]) == about(1.0, 1e-9));
        CHECK(std::filesystem::exists(models.path() / "shapes/mode_01/frames.npy"));
        check_refused(models, {"modes", "strut.toml", "--buckling", "--spinning"}, 2, "--buckling");
        check_refused(models,
                      {"modes", "strut.toml", "--buckling", "--set", "force.load.force=[0, 0, 0]"},
                      5,
                      "nothing is stressed");
    }

    TEST_CASE("frequency and damping ratio of the arm are those on paper") {
        const Models models;
        const double w = std::sqrt(kMass * kG * kArm / kInertia);
        const double d = 0.5 * kDamping / kInertia;
        const std::string text = said(models, {"modes", "arm.toml"});
        CHECK(contains(text, "arm: modes at t = 0 s, 1 degree of freedom\n"));
        CHECK(contains(text, "pin.angle"));
        const Json found = json_of(models, {"modes", "arm.toml"});
        CHECK(found["complete"] == true);
        REQUIRE(found["modes"].size() == 1);
        const Json& mode = found["modes"][0];
        CHECK(number(mode["eigenvalue"][0]) == about(-d, 1e-7));
        CHECK(number(mode["eigenvalue"][1]) == about(std::sqrt(w * w - d * d), 1e-7));
        CHECK(number(mode["frequency"]) == about(w / (2.0 * std::numbers::pi), 1e-7));
        CHECK(number(mode["damping_ratio"]) == about(d / w, 1e-7));
        CHECK(mode["measures"].contains("pin.angle"));
        CHECK(number(mode["bodies"]["bar"]["energy"]) == about(1.0));
    }
    // The bar turns about the pin, half a metre above its centre.
    TEST_CASE("--dir writes a period of each mode, as results that reports are made of") {
        const Models models;
        const std::string text = said(models, {"modes", "arm.toml", "--dir", "shapes"});
        CHECK(contains(text, "ancora report shapes/mode_01"));
        std::istringstream history(models.read("shapes/mode_01/history.csv"));
        std::string line;
        REQUIRE(std::getline(history, line));
        CHECK(line == "t,bar.x,bar.y,bar.z,pin.angle");
        std::vector<std::vector<double>> rows;
        while (std::getline(history, line)) {
            rows.emplace_back();
            std::istringstream cells(line);
            for (std::string cell; std::getline(cells, cell, ',');)
                rows.back().push_back(std::stod(cell));
        }
        REQUIRE(rows.size() == 61);
        double largest = 0.0;
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const std::vector<double>& row = rows[k];
            CHECK(row[0] == about(4.0 * static_cast<double>(k) / 60.0));
            CHECK(row[1] == about(-0.5 * row[4], 1e-9));
            CHECK(row[3] == about(-0.5, 1e-9));
            CHECK(row[4] == about((rows[0][4] * std::cos(0.5 * std::numbers::pi * row[0])) +
                                      rows[15][4] * std::sin(0.5 * std::numbers::pi * row[0]),
                                  1e-9));
            largest = std::max(largest, std::abs(row[4]));
        }
        CHECK(largest > 0.05);
        CHECK(rows.front()[4] == about(rows.back()[4], 1e-12));
        said(models, {"report", "shapes/mode_01"});
        const std::string page = models.read("shapes/mode_01/report.html");
        CHECK(contains(page, "arm, mode 1: "));
        // Again, and with a folder that holds something else
        said(models, {"modes", "arm.toml", "--dir", "shapes"});
        // What a call with more modes left there goes, and nothing else.
        std::filesystem::copy(models / "shapes/mode_01", models / "shapes/mode_02");
        said(models, {"run", "arm.toml", "--out", "shapes/mode_03"});
        said(models, {"modes", "arm.toml", "--dir", "shapes"});
        CHECK(std::filesystem::exists(models / "shapes/mode_01/summary.json"));
        CHECK_FALSE(std::filesystem::exists(models / "shapes/mode_02"));
        CHECK(std::filesystem::exists(models / "shapes/mode_03/summary.json"));
        models.write("taken/mode_01", "mine");
        check_refused(models, {"modes", "arm.toml", "--dir", "taken"}, 6, "taken/mode_01");
    }
    // Jt w^2 -+ Jp W w - K = 0 of its tilt; sideways w^2 = k / m.
    TEST_CASE("a rotor on bearings in axes at rest, and Campbell's diagram of it") {
        const Models models;
        models.write("rotor.toml", R"([model]
name = "rotor"
[[body]]
name = "disc"
type = "ancf_rigid_body"
mass = 2.0
inertia = [0.01, 0.01, 0.016]
penalty = inf
angular_velocity = [0, 0, 300]
[[constraint]]
name = "bearing"
type = "bushing"
a = "ground@[0, 0, 0]"
b = "disc@[0, 0, 0]"
stiffness = [1e5, 2e5, 1e5]
torsion = [400, 400, 0]
)" + kSteps);
        const std::string text = said(models, {"modes", "rotor.toml"});
        CHECK(contains(text, "about a spin of disc at [0, 0, 300] rad/s, in axes at rest"));
        CHECK(contains(text, "free motion"));
        const Json found = json_of(models, {"modes", "rotor.toml"});
        CHECK(number(found["spinning_parts"]["disc"][2]) == about(300.0));
        std::vector<double> rates;
        for (const Json& mode : found["modes"]) rates.push_back(number(mode["eigenvalue"][1]));
        const double root = std::sqrt(240.0 * 240.0 + 4e4);
        const std::vector<double> expected{
            0.0, 0.0, root - 240.0, std::sqrt(5e4), std::sqrt(5e4), std::sqrt(1e5), root + 240.0};
        REQUIRE(rates.size() == expected.size());
        for (std::size_t k = 0; k < rates.size(); ++k) CHECK(rates[k] == about(expected[k], 1e-8));
        check_refused(models,
                      {"modes", "rotor.toml", "--axes", "turning"},
                      5,
                      "constraint \"bearing\" (type bushing) resists displacements otherwise");

        const CommandArguments range{
            "modes", "rotor.toml", "--spin-range", "0:400:41", "--dir", "campbell"};
        const std::string table = said(models, range);
        CHECK(contains(table, "rotor: modes over spins, in axes at rest"));
        CHECK(contains(table, "the spin meets a frequency at"));
        CHECK(contains(table, "campbell.csv and campbell.svg in campbell"));
        const Json over = json_of(models, range);
        CHECK(over["axes"] == "fixed");
        CHECK(over["rates"].size() == 41);
        // Sideways the spin meets 223.6 and 316.2 rad/s; forward tilt stays ahead of it, since Jp
        // is more than Jt, and backward it is met at sqrt(K / (Jt + Jp)).
        std::vector<double> critical;
        for (const Json& mode : over["modes"])
            for (const Json& rate : mode["critical_rates"]) critical.push_back(number(rate));
        std::ranges::sort(critical);
        const std::vector<double> met{
            std::sqrt(400.0 / 0.026), std::sqrt(5e4), std::sqrt(5e4), std::sqrt(1e5)};
        REQUIRE(critical.size() == met.size());
        for (std::size_t k = 0; k < met.size(); ++k) CHECK(critical[k] == about(met[k], 1e-3));
        const std::vector<std::string> lines = lines_of(models.read("campbell/campbell.csv"));
        CHECK(lines.size() == 42);
        CHECK(contains(lines[0], "spin_rate,mode1.frequency,mode1.damping_ratio,mode1.whirl"));
        CHECK(contains(models.read("campbell/campbell.svg"), "<polyline"));
        models.write("taken/campbell.csv", "mine");
        check_refused(models,
                      {"modes", "rotor.toml", "--spin-range", "0:400:3", "--dir", "taken"},
                      6,
                      "taken/campbell.csv");
        for (const char* bad : {"0:400", "0:400:1", "5:5:3", "a:400:3", "0:400:x"})
            check_refused(models, {"modes", "rotor.toml", "--spin-range", bad}, 2, "--spin-range");
        check_refused(models, {"modes", "arm.toml", "--spin-range", "0:9:3"}, 2, "nothing spins");
        models.write(
            "driven.toml",
            "[model]\nname = \"driven\"\n[[body]]\nname = \"disc\"\ntype = "
            "\"ancf_rigid_body\"\nmass = 1.0\ninertia = [0.1, 0.1, 0.2]\n"
            "angular_velocity = [0, 0, 3]\n[[joint]]\nname = \"shaft\"\ntype = "
            "\"revolute\"\na = \"ground\"\nb = \"disc\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
            "drive = \"3*t\"\n" +
                kSteps);
        check_refused(models,
                      {"modes", "driven.toml", "--spin-range", "1:9:3"},
                      5,
                      "does not follow the range");
    }
    TEST_CASE("--at-rest looks for rest first, --at runs, --count takes the lowest") {
        const Models models;
        const Json below = json_of(models, {"modes", "arm.toml"});
        const Json found =
            json_of(models, {"modes", "arm.toml", "--at-rest", "--set", "joint.pin.start=2.0"});
        CHECK(number(found["modes"][0]["frequency"]) ==
              about(number(below["modes"][0]["frequency"]), 1e-7));
        CHECK(number(json_of(models, {"modes", "arm.toml", "--at", "0.5"})["time"]) == about(0.5));
        models.write("two.toml",
                     kModel + kBar + kPin +
                         "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\nposition = "
                         "[0, 0, -1.5]\n[[joint]]\nname = \"rope\"\ntype = \"distance\"\na = "
                         "\"bar@[0, 0, -0.5]\"\nb = \"bob@0\"\n" +
                         kSteps);
        // The bar swings in a plane, the bob on its rope in two.
        const Json all = json_of(models, {"modes", "two.toml"});
        REQUIRE(all["modes"].size() == 3);
        const Json lowest = json_of(models, {"modes", "two.toml", "--count", "1"});
        REQUIRE(lowest["modes"].size() == 1);
        CHECK(lowest["complete"] == false);
        CHECK(number(lowest["modes"][0]["frequency"]) ==
              about(number(all["modes"][0]["frequency"])));
    }
    TEST_CASE("what it refuses") {
        const Models models;
        check_refused(models,
                      {"modes", "arm.toml", "--set", "joint.pin.start=2.0"},
                      5,
                      "not in equilibrium there");
        check_refused(models,
                      {"modes", "arm.toml", "--at", "0.1", "--set", "joint.pin.start=2.0"},
                      5,
                      "the model moves");
        check_refused(models, {"modes", "arm.toml", "--at", "5"}, 2, "the run ends at 1 s");
        check_refused(models, {"modes", "arm.toml", "--at", "soon"}, 2, "no");
        check_refused(models,
                      {"modes", "arm.toml", "--at", "0.5", "--at-rest"},
                      2,
                      "\"--at\" and \"--at-rest\" exclude each other");
        check_refused(
            models, {"modes", "arm.toml", "--count", "few"}, 2, "\"few\" is not a whole number");
        check_refused(models, {"modes", "arm.toml", "--count", "0"}, 2, "there may be 1 to");
    }
}

TEST_SUITE("ancora linearize") {
    TEST_CASE("a call that fails leaves its inputs in the folder that was asked for, or nowhere") {
        const Models models;
        models.write("bad.toml",
                     "[model]\nplugin_dirs = [\"" + std::string(ANCORA_TEST_ZOO_DIR) + "\"]\n" +
                         kModel.substr(kModel.find('\n') + 1) + kBar + kPin + kThrows + kSteps);
        const CommandArguments call{"linearize", "bad.toml", "--out", "pin.angle", "--at", "0.05"};
        check_refused(
            models, call, 4, "\n  the inputs of the call are not kept; \"--dir DIR\" keeps");
        CHECK_FALSE(std::filesystem::exists(models / "failed_call.toml"));
        CommandArguments to_folder = call;
        to_folder.insert(to_folder.end(), {"--dir", "made"});
        check_refused(models, to_folder, 4, "are in \"made/failed_call.toml\"");
        CHECK(std::filesystem::exists(models / "made/failed_call.toml"));
        CHECK_FALSE(std::filesystem::exists(models / "failed_call.toml"));
    }
    TEST_CASE("A, B, C, D of the arm, as JSON and as files that hold the same numbers") {
        const Models models;
        const CommandArguments call{
            "linearize", "arm.toml", "--in", "pin.angle,bar.x", "--out", "pin.angle,bar.vx"};
        const Json found = json_of(models, call);
        CHECK(found["inputs"] == Json({"pin.angle", "bar.x"}));
        CHECK(found["outputs"] == Json({"pin.angle", "bar.vx"}));
        const auto at = [&](const char* name, std::size_t i, std::size_t j) {
            return number(found[name][i][j]);
        };
        // J x'' + c x' + m g l x = u1 - l u2, bar.vx = -l x', in states that are multiples of x.
        CHECK(at("A", 0, 0) == about(0.0));
        CHECK(at("A", 0, 1) == about(1.0));
        CHECK(at("A", 1, 0) == about(-kMass * kG * kArm / kInertia, 1e-7));
        CHECK(at("A", 1, 1) == about(-kDamping / kInertia, 1e-7));
        const double scale = at("C", 0, 0);  // of the angle over its state
        CHECK(scale * at("B", 1, 0) == about(1.0 / kInertia, 1e-7));
        CHECK(scale * at("B", 1, 1) == about(-kArm / kInertia, 1e-7));
        CHECK(at("C", 1, 1) == about(-kArm * scale, 1e-7));
        CHECK(found["D"] == Json({{0.0, 0.0}, {0.0, 0.0}}));

        CommandArguments to_files = call;
        to_files.insert(to_files.end(), {"--dir", "made/here"});
        CHECK(contains(said(models, to_files), "arm: 2 states, 2 inputs, 2 outputs; A.npy"));
        for (const char* name : {"A", "B", "C", "D"}) {
            CAPTURE(name);
            const std::string file = models.read(std::string("made/here/") + name + ".npy");
            const Json& rows = found[name];
            REQUIRE(file.starts_with(std::string("\x93NUMPY\x01\x00", 8)));
            const std::size_t begin = file.find('\n') + 1;
            CHECK(begin % 64 == 0);
            CHECK(contains(file.substr(0, begin), "'fortran_order': False, 'shape': (2, 2)"));
            REQUIRE(file.size() - begin == 4 * sizeof(double));
            for (std::size_t k = 0; k < 4; ++k) {
                double x = 0.0;
                std::memcpy(&x, file.data() + begin + k * sizeof x, sizeof x);
                CHECK(x == number(rows[k / 2][k % 2]));
            }
        }
    }
    TEST_CASE("without inputs, and at the rest that it looks for") {
        const Models models;
        CHECK(said(models, {"linearize", "arm.toml", "--out", "pin.angle"}) ==
              "arm: 2 states, 0 inputs, 1 output; --json or --dir DIR writes the matrices\n");
        const Json found = json_of(models,
                                   {"linearize",
                                    "arm.toml",
                                    "--out",
                                    "bar.z",
                                    "--at-rest",
                                    "--set",
                                    "joint.pin.start=2.0"});
        CHECK(number(found["outputs_at_rest"][0]) == about(-kArm));
    }
    TEST_CASE("what it refuses") {
        const Models models;
        check_refused(models, {"linearize", "arm.toml"}, 2, "needs --out COLUMNS");
        check_refused(models,
                      {"linearize", "arm.toml", "--in", "pin.angel", "--out", "pin.angle"},
                      2,
                      "there is no input \"pin.angel\"; did you mean \"pin.angle\"?");
        check_refused(models,
                      {"linearize", "arm.toml", "--in", "pin.angle", "--out", "bar.w"},
                      2,
                      "there is no output \"bar.w\"");
        check_refused(
            models, {"linearize", "arm.toml", "--out", "bar@[0, 0"}, 2, "a bracket is not closed");
        // A linear model about a state that does not last would lack what moves it.
        check_refused(
            models,
            {"linearize", "arm.toml", "--out", "pin.angle", "--set", "joint.pin.start=2.0"},
            5,
            "linearize: the model is not in equilibrium there");
        models.write("file", "a file");
        check_refused(models,
                      {"linearize", "arm.toml", "--out", "pin.angle", "--dir", "file"},
                      6,
                      "cannot be written");
        CHECK(models.read("file") == "a file");
    }
}

TEST_SUITE("ancora joint-space, ancora inverse-kinematics") {
    TEST_CASE("the arm as JSON, text and files; what is fixed or left out is said") {
        const Models models;
        const CommandArguments call{"joint-space",
                                    "arm.toml",
                                    "--of",
                                    "bar@[0, 0, -0.5]",
                                    "--set",
                                    "joint.pin.start={angle=1.0, angle_rate=2.0}"};
        const Json found = json_of(models, call);
        CHECK(found["coordinates"][0]["name"] == "pin.angle");
        CHECK(number(found["coordinates"][0]["value"]) == about(1.0));
        CHECK(number(found["coordinates"][0]["rate"]) == about(2.0));
        CHECK(number(found["M"][0][0]) == about(kInertia));
        // J a'' + c a' + m g l sin a = tau
        CHECK(number(found["bias"][0]) ==
              about(kDamping * 2.0 + kMass * kG * kArm * std::sin(1.0)));
        // The tip is 1 m from the pin, and the angle turns it towards -x.
        CHECK(number(found["points"][0]["J"][0][0]) == about(-std::cos(1.0)));
        CHECK(number(found["points"][0]["J"][2][0]) == about(std::sin(1.0)));
        CHECK(number(found["points"][0]["bias"][0]) == about(4.0 * std::sin(1.0)));
        CommandArguments to_files = call;
        to_files.insert(to_files.end(), {"--dir", "made"});
        CHECK(contains(said(models, to_files), "M p'' + bias = tau, 1 coordinate"));
        for (const char* const name : {"M", "C", "bias", "T", "J", "J_bias"})
            CHECK(std::filesystem::exists(models / (std::string("made/") + name + ".npy")));
        CHECK(std::filesystem::exists(models / "made/joint_space.mat"));
        const std::string driven = said(models, {"joint-space", "driven.toml"});
        CHECK(contains(driven, "nothing is free to move"));
        CHECK(contains(driven, "these do not move, by constraints or drives: pin.angle"));
        CHECK(contains(said(models, {"joint-space", "stone.toml"}), "bar.wz"));
    }
    TEST_CASE("the arm goes where it can, and what it cannot ends with status 5") {
        const Models models;
        const Json found = json_of(
            models,
            {"inverse-kinematics", "arm.toml", "--to", "bar@[0, 0, -0.5] = [-0.6, 0, -0.8]"});
        CHECK(found["reached"] == true);
        CHECK(number(found["measures"]["pin.angle"]) == about(std::asin(0.6), 1e-9));
        const ProcessResult far = run_ancora(
            models, {"inverse-kinematics", "arm.toml", "--to", "bar.x=-0.8", "--to", "bar.y = 0"});
        CHECK(far.status == 5);
        CHECK(contains(far.err, "the targets are not reached from this start: 0.3 m"));
        CHECK(contains(far.out, "the nearest place"));
        check_refused(models, {"inverse-kinematics", "arm.toml"}, 2, "needs --to TARGET");
        check_refused(
            models, {"inverse-kinematics", "arm.toml", "--to", "bar"}, 2, "is no target; write");
        check_refused(models,
                      {"inverse-kinematics", "arm.toml", "--to", "pin.angel = 1"},
                      2,
                      "there is no \"pin.angel\"; did you mean \"pin.angle\"?");
        check_refused(models,
                      {"joint-space", "arm.toml", "--by", "pin.angle,bar.x"},
                      2,
                      "bar.x follows from the coordinates named before it");
    }
}

TEST_SUITE("ancora inverse") {
    TEST_CASE("the torque of a driven arm, in a table with the head of history.csv") {
        const Models models;
        const std::vector<std::string> lines = lines_of(said(models, {"inverse", "driven.toml"}));
        REQUIRE(lines.size() == 102);
        const std::vector<std::string> names = cells_of(lines[0]);
        const auto column = [&](const char* name) {
            const auto at = std::ranges::find(names, name);
            REQUIRE(at != names.end());
            return static_cast<std::size_t>(at - names.begin());
        };
        CHECK(names[0] == "t");
        CHECK(std::ranges::find(names, "energy.balance") == names.end());
        const std::size_t t = column("t"), effort = column("motor.effort"),
                          angle = column("pin.angle");
        for (std::size_t k = 1; k < lines.size(); ++k) {
            const std::vector<std::string> row = cells_of(lines[k]);
            REQUIRE(row.size() == names.size());
            const double at = std::stod(row[t]);
            CHECK(at == about(0.01 * static_cast<double>(k - 1)));
            const double x = 3.0 * std::sin(at) * std::sin(at), xdd = 6.0 * std::cos(2.0 * at);
            CHECK(std::stod(row[angle]) == about(x));
            CHECK(std::stod(row[effort]) ==
                  about(kInertia * xdd + kMass * kG * kArm * std::sin(x), 1e-7));
        }
    }
    TEST_CASE("positions and velocities at the start are those of the drives, whatever is given") {
        // Through rows by the natural spline, which does not begin at rest as the bodies do.
        const Models models;
        models.write("spline.toml",
                     kModel + kBar + kPin +
                         "drive = { motion = [[0, 0], [0.5, 0.4], [1, 1], [1.5, 1.6]] }\n" +
                         kSteps);
        const std::vector<std::string> lines = lines_of(said(models, {"inverse", "spline.toml"}));
        REQUIRE(lines.size() == 102);
        const std::vector<std::string> names = cells_of(lines[0]), first = cells_of(lines[1]);
        const auto at = std::ranges::find(names, "pin.angle_rate") - names.begin();
        // Its curvatures at the inner rows: h (4 m1 + m2) = 6 (1.2 - 0.8), h (m1 + 4 m2) = 0.
        const double h = 0.5, m1 = 4 * 2.4 / (15 * h);
        CHECK(std::stod(first[at]) == about(0.4 / h - h * m1 / 6));
    }
    TEST_CASE(
        "random chains begin where their drives do, however far the bodies stand from there") {
        const Models models;
        std::mt19937 random(17);
        std::uniform_real_distribution<double> part(-1.0, 1.0);
        for (int trial = 0; trial < 12; ++trial) {
            CAPTURE(trial);
            std::string text = kModel;
            std::vector<double> begin, rate;
            for (int i = 0; i < 1 + trial % 4; ++i) {
                begin.push_back(2.5 * part(random));
                rate.push_back(part(random));
                std::ostringstream out;
                out.precision(17);
                out << "\n[[body]]\nname = \"b" << i << "\"\ntype = \"ancf_rigid_body\"\n"
                    << "size = [0.4, 0.05, 0.08]\ndensity = 900\npenalty = inf\nposition = ["
                    << 0.4 * i + 0.2 << ", 0, 0]\n\n[[joint]]\nname = \"j" << i
                    << "\"\ntype = \"revolute\"\na = \""
                    << (i == 0 ? "ground" : "b" + std::to_string(i - 1)) << "\"\nb = \"b" << i
                    << "\"\npoint = [" << 0.4 * i << ", 0, 0]\naxis = [" << part(random) << ", 1, "
                    << part(random) << "]\n";
                // Every other one by a file, as a value of the key itself.
                if (i % 2 == 0) {
                    out << "drive = \"" << begin.back() << " + " << rate.back() << "*t\"\n";
                } else {
                    rate.back() = 0.0;
                    std::ostringstream rows;
                    rows.precision(17);
                    rows << "t,q\n0," << begin.back() << "\n0.5," << begin.back() << "\n1,"
                         << begin.back() << "\n";
                    models.write("rows" + std::to_string(i) + ".csv", rows.str());
                    out << "drive = { file = \"rows" << i << ".csv\", column = \"q\" }\n";
                }
                text += out.str();
            }
            models.write("chain.toml", text + kSteps);
            const std::vector<std::string> lines =
                lines_of(said(models, {"inverse", "chain.toml"}));
            const std::vector<std::string> names = cells_of(lines[0]), first = cells_of(lines[1]);
            const auto value = [&](const std::string& name) {
                const auto at = std::ranges::find(names, name) - names.begin();
                return std::stod(first[static_cast<std::size_t>(at)]);
            };
            for (std::size_t i = 0; i < begin.size(); ++i) {
                CHECK(value("j" + std::to_string(i) + ".angle") == about(begin[i], 1e-9));
                CHECK(value("j" + std::to_string(i) + ".angle_rate") == about(rate[i], 1e-9));
            }
        }
    }
    TEST_CASE("--out writes the same table, again over itself, and over nothing else") {
        const Models models;
        const std::string text = said(models, {"inverse", "driven.toml"});
        for (int k = 0; k < 2; ++k)
            CHECK(said(models, {"inverse", "driven.toml", "--out", "table.csv"}) ==
                  "arm: 101 instants up to t = 1 s in table.csv\n");
        CHECK(models.read("table.csv") == text);
        models.write("mine.csv", "a,b\n1,2\n");
        check_refused(models,
                      {"inverse", "driven.toml", "--out", "mine.csv"},
                      6,
                      "\"mine.csv\" is there and is no table of this kind");
        CHECK(models.read("mine.csv") == "a,b\n1,2\n");
        check_refused(models,
                      {"inverse", "driven.toml", "--out", "nowhere/table.csv"},
                      6,
                      "\"nowhere/table.csv\" cannot be written");
        const Json json = json_of(models, {"inverse", "driven.toml"});
        CHECK(json["columns"][0] == "t");
        CHECK(json["rows"].size() == 101);
        CHECK(number(json["rows"][100][0]) == about(1.0));
        CHECK(said(models, {"inverse", "driven.toml", "--quiet"}) == "");
    }
    TEST_CASE("a call that fails leaves its inputs beside the table, or nowhere") {
        const Models models;
        models.write("bad.toml",
                     "[model]\nplugin_dirs = [\"" + std::string(ANCORA_TEST_ZOO_DIR) + "\"]\n" +
                         kModel.substr(kModel.find('\n') + 1) + kBar + kPin + kDrive + kThrows +
                         kSteps);
        check_refused(models,
                      {"inverse", "bad.toml"},
                      4,
                      "\n  the inputs of the call are not kept; \"--out FILE\" keeps them");
        CHECK_FALSE(std::filesystem::exists(models / "failed_call.toml"));
        std::filesystem::create_directory(models / "out");
        check_refused(models,
                      {"inverse", "bad.toml", "--out", "out/table.csv"},
                      4,
                      "are in \"out/failed_call.toml\"");
        CHECK(std::filesystem::exists(models / "out/failed_call.toml"));
        CHECK_FALSE(std::filesystem::exists(models / "failed_call.toml"));
    }
    TEST_CASE("what it refuses") {
        const Models models;
        check_refused(models,
                      {"inverse", "arm.toml"},
                      5,
                      "the model has 1 degree of freedom that nothing prescribes");
        models.write("with_state.toml",
                     kModel + kBar + kPin + kDrive +
                         "[[force]]\nname = \"slow\"\ntype = \"sensor\"\ninput = "
                         "\"pin.angle\"\nbandwidth = \"80 Hz\"\n" +
                         kSteps);
        check_refused(models, {"inverse", "with_state.toml"}, 3, "has states of its own");
    }
}

TEST_SUITE("ancora convergence") {
    TEST_CASE("order 2 of emm, and a value whose error bar holds") {
        const Models models;
        const CommandArguments call{"convergence",
                                    "arm.toml",
                                    "--set",
                                    "joint.pin.start=2.0",
                                    "--columns",
                                    "pin.angle,pin.angle_rate"};
        const std::string text = said(models, call);
        CHECK(contains(text, "arm: runs with steps of [s] 0.01, 0.005, 0.0025, 0.00125"));
        const Json emm = json_of(models, call);
        CHECK(emm["by"] == "step");
        CHECK(emm["parameters"].size() == 4);
        CommandArguments by_tolerance = call;
        by_tolerance.insert(
            by_tolerance.end(),
            {"--set", "integrator.type=dopri5", "--set", "integrator.tolerance=1e-9"});
        const Json dopri5 = json_of(models, by_tolerance);
        CHECK(dopri5["by"] == "tolerance");
        CHECK(number(dopri5["parameters"][1]) == about(1e-10));
        for (std::size_t c = 0; c < 2; ++c) {
            CAPTURE(c);
            const Json& column = emm["columns"][c];
            CHECK(number(column["order"]) == doctest::Approx(2.0).epsilon(0.02));
            const double truth = number(dopri5["columns"][c]["extrapolated"]);
            const double bar = number(column["error"]);
            CHECK(bar < 1e-5);
            CHECK(std::abs(number(column["extrapolated"]) - truth) <= bar);
            // The first run, ten times coarser than the last, errs by 64 times as much.
            const double first = number(column["error_of_first_run"]);
            CHECK(first ==
                  doctest::Approx(64.0 * std::abs(number(column["value"]) - truth)).epsilon(0.5));
        }
    }
    TEST_CASE("the picture is an SVG; another file in its place stays, before any run is made") {
        const Models models;
        const CommandArguments call{"convergence",
                                    "arm.toml",
                                    "--set",
                                    "joint.pin.start=2.0",
                                    "--columns",
                                    "pin.angle",
                                    "--quiet",
                                    "--out"};
        const auto with = [&](const char* file, const char* end = "1.0") {
            CommandArguments all = call;
            all.insert(all.end(), {file, "--set", std::string("integrator.end=") + end});
            return all;
        };
        CHECK(said(models, with("orders.svg")) == "");
        CHECK(said(models, with("orders.svg")) == "");
        const std::string picture = models.read("orders.svg");
        CHECK(picture.starts_with("<svg "));
        CHECK(contains(picture, "pin.angle"));
        CHECK(contains(picture, "<polyline"));
        models.write("mine.svg", "<svg/>");
        // Runs of this length would take minutes.
        check_refused(models, with("mine.svg", "1e5"), 6, "is no picture of a convergence");
        check_refused(models, with("orders.png", "1e5"), 2, "ends in .svg");
        CHECK(models.read("mine.svg") == "<svg/>");
    }
    TEST_CASE("what does not change is told from what does not converge") {
        const Models models;
        const Json still = json_of(models, {"convergence", "arm.toml", "--columns", "bar.z"});
        CHECK(still["columns"][0]["remark"] == "rounding");
        CHECK(still["columns"][0]["order"].is_null());
        CHECK(number(still["columns"][0]["extrapolated"]) == about(-kArm));
        check_refused(models,
                      {"convergence", "arm.toml", "--columns", "pin.angel"},
                      2,
                      "there is no column \"pin.angel\"; did you mean \"pin.angle\"?");
    }
}

TEST_SUITE("ancora gradient and fit") {
    TEST_CASE("a damped swing: what was put in is found again, and derivatives agree with it") {
        Models models;
        const CommandArguments swing{"--set", "joint.pin.start=1.0", "--set", "integrator.end=1.0"};
        const auto with = [&](CommandArguments call, const CommandArguments& more = {}) {
            call.insert(call.end(), swing.begin(), swing.end());
            call.insert(call.end(), more.begin(), more.end());
            return call;
        };
        // The damping is the force's own: its derivative leads from one run to another.
        const Json found = json_of(models,
                                   with({"gradient",
                                         "arm.toml",
                                         "--of",
                                         "pin.angle,max(pin.angle_rate)",
                                         "--by",
                                         "force.oil.damping,model.gravity[2]",
                                         "--workers",
                                         "2"}));
        CHECK(found["model"] == "arm");
        CHECK(found["gradient"].size() == 2);
        CHECK(found["by"][1]["unit"] == "m/s^2");
        CHECK(found["of"][1].contains("time"));
        const auto angle_with = [&](double change) {
            return number(json_of(models,
                                  with({"gradient",
                                        "arm.toml",
                                        "--of",
                                        "pin.angle",
                                        "--by",
                                        "model.gravity[2]",
                                        "--set",
                                        "force.oil.damping=" +
                                            std::to_string(kDamping + change)}))["of"][0]["value"]);
        };
        const double slope = (angle_with(1e-3) - angle_with(-1e-3)) / 2e-3;
        CHECK(number(found["gradient"][0][0]) == doctest::Approx(slope).epsilon(1e-4));
        CHECK(number(found["relative"][0][0]) ==
              doctest::Approx(kDamping * slope / number(found["of"][0]["value"])).epsilon(1e-4));

        said(models, with({"run", "arm.toml", "--out", "truth"}));
        models.write("data.csv", models.read("truth/history.csv"));
        const Json fit = json_of(models,
                                 with({"fit",
                                       "arm.toml",
                                       "data.csv",
                                       "--columns",
                                       "pin.angle",
                                       "--by",
                                       "force.oil.damping=0:1",
                                       "--workers",
                                       "1",
                                       "--set",
                                       "force.oil.damping=0.2"}));
        CHECK(fit["converged"] == true);
        CHECK(number(fit["by"][0]["start"]) == 0.2);
        CHECK(number(fit["by"][0]["value"]) == doctest::Approx(kDamping).epsilon(1e-6));
        CHECK(number(fit["columns"][0]["rms"]) < 1e-7);
    }
    TEST_CASE("pictures, and mistakes in words") {
        Models models;
        const CommandArguments gradient{
            "gradient", "arm.toml", "--of", "pin.angle", "--by", "model.gravity[2]", "--out"};
        const auto into = [](CommandArguments call, const char* file) {
            call.emplace_back(file);
            return call;
        };
        CHECK(contains(said(models, into(gradient, "g.svg")), "change by 1 %"));
        CHECK(models.read("g.svg").starts_with("<svg "));
        models.write("mine.svg", "<svg/>");
        check_refused(models, into(gradient, "mine.svg"), 6, "is no picture of a gradient");
        check_refused(models, into(gradient, "g.png"), 2, "ends in .svg");
        check_refused(models, {"gradient", "arm.toml"}, 2, "needs --of");
        check_refused(models, {"fit", "arm.toml"}, 2, "MODEL.toml DATA.csv");
        models.write("data.csv", "t,pin.angle\n0.1,0\n0.2,0.0\n0.3,0.01\n");
        const CommandArguments fit{
            "fit", "arm.toml", "data.csv", "--by", "force.oil.damping", "--out"};
        CHECK(contains(said(models, into(fit, "f.svg")), "correlation") == false);
        CHECK(contains(models.read("f.svg"), "<polyline"));
        check_refused(models, into(fit, "g.svg"), 6, "is no picture of a fit");
        models.write("bad.csv", "t,pin.angle\n0.1,zero\n");
        check_refused(
            models, {"fit", "arm.toml", "bad.csv", "--by", "force.oil.damping"}, 3, "bad.csv:2:");
    }
}

TEST_CASE("a model that cannot move has no modes, no states, and rests") {
    Models models;
    models.write("fixed.toml",
                 kModel + kBar +
                     "[[joint]]\nname = \"weld\"\ntype = \"fixed\"\na = \"ground\"\nb = "
                     "\"bar\"\npoint = [0, 0, 0]\n" +
                     kSteps);
    CHECK(json_of(models, {"equilibrium", "fixed.toml"})["degrees_of_freedom"] == 0);
    for (const CommandArguments& more :
         {CommandArguments{}, CommandArguments{"--at-rest"}, CommandArguments{"--count", "1"}}) {
        CommandArguments call{"modes", "fixed.toml"};
        call.insert(call.end(), more.begin(), more.end());
        const Json found = json_of(models, call);
        CHECK(found["degrees_of_freedom"] == 0);
        CHECK(found["modes"].empty());
    }
    const Json linear =
        json_of(models, {"linearize", "fixed.toml", "--in", "bar.x", "--out", "bar.x"});
    CHECK(linear["A"].empty());
    CHECK(linear["D"] == Json::parse("[[0.0]]"));
}

// They would be taken as constant, which is another model.
TEST_CASE(
    "values that are held between samples are refused, and dry friction without false advice") {
    Models models;
    models.write("held.toml", kModel + kBar + kPin + R"(
[[force]]
name = "pid"
type = "sampled_pid"
reference = 1.0
measured = "pin.angle"
period = 0.005
kp = 60.0
[[force]]
name = "push"
type = "actuator"
on = "pin.angle"
command = "pid.command"
)" + kSteps);
    models.write("dry.toml", kModel + kBar + kPin + R"(
[[force]]
name = "rust"
type = "joint_friction"
on = "pin"
mu = 0.1
radius = 0.01
)" + kSteps);
    for (const CommandArguments& call :
         {CommandArguments{"equilibrium"},
          CommandArguments{"modes", "--at-rest"},
          CommandArguments{"modes"},
          CommandArguments{"linearize", "--out", "pin.angle"},
          CommandArguments{"check", "--set", "model.start=equilibrium"}}) {
        CAPTURE(call[0]);
        CommandArguments held = call, dry = call;
        held.emplace_back("held.toml");
        dry.emplace_back("dry.toml");
        check_refused(models, held, 3, "force \"pid\" has values that it holds between samples: ");
        check_refused(models, dry, 3, "force \"rust\" (type joint_friction) is dry friction");
        CHECK_FALSE(run_ancora(models, dry).err.find("integrator") != std::string::npos);
    }
}

TEST_CASE("all of them: files, manifests, options and plugins that are not there") {
    const Models models;
    for (const CommandArguments& call :
         {CommandArguments{"equilibrium", "arm.toml"},
          CommandArguments{"modes", "arm.toml"},
          CommandArguments{"linearize", "arm.toml", "--out", "pin.angle"},
          CommandArguments{"inverse", "driven.toml"},
          CommandArguments{"convergence", "arm.toml"}}) {
        CAPTURE(call[0]);
        const auto with = [&](const CommandArguments& more) {
            CommandArguments all = call;
            all.insert(all.end(), more.begin(), more.end());
            return all;
        };
        CHECK(contains(said(models, {call[0], "--help"}), "usage: ancora " + call[0]));
        CommandArguments missing = call;
        missing[1] = "none.toml";
        check_refused(models, missing, 6, "none.toml: error: cannot read the manifest");
        check_refused(models, {call[0]}, 2, "needs an argument");
        check_refused(models, with({"other.toml"}), 2, "unexpected argument \"other.toml\"");
        check_refused(models, with({"--jsn"}), 2, "unknown option \"--jsn\"");
        check_refused(models, with({"--set", "body.bar.mas=2"}), 3, "did you mean \"mass\"?");
        check_refused(models, with({"--set", "body.bar.type=bax"}), 3, "bax");
        check_refused(models,
                      with({"--set", "model.plugins=[\"none\"]"}),
                      4,
                      "plugin \"none\" was not found");
        check_refused(models, with({"--locked"}), 6, "cannot read the lock");
        check_refused(models, with({"--set", "integrator.step=-1"}), 3, "step");
    }
}

}  // namespace
}  // namespace ancora::testing
