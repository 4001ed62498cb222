// SPDX-License-Identifier: BSD-3-Clause
// Cables in models: laws kept, shapes of rest and frequencies against closed forms with their
// orders in the mesh, another method, attachments.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "framework/models.hpp"
#include "support/near.hpp"

using namespace ancora;
using ancora::testing::Near;
using ancora::testing::Run;
using ancora::testing::tolerance;

namespace {

using Point = std::array<double, 3>;

std::string by(const char* type, double h, double end) {
    return fmt::format(
        "\n[integrator]\ntype = \"{}\"\nstep = {:.17g}\nend = {:.17g}\n", type, h, end);
}
std::string cable(const std::string& keys) {
    return "[[body]]\nname = \"cable\"\ntype = \"cable\"\n" + keys + "\n";
}
std::string held(const std::string& name, const std::string& at, const Point& place) {
    return fmt::format(
        "[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"cable@{}\"\nb = "
        "\"ground@[{:.17g}, {:.17g}, {:.17g}]\"\n",
        name,
        at,
        place[0],
        place[1],
        place[2]);
}
const std::string kGravity = "[model]\ngravity = [0, 0, -9.81]\n";

/// Largest balances over a run.
double off_balance(Run& run) {
    double out = 0.0;
    while (!run.simulation.done()) {
        run.simulation.step();
        out = std::max(out, std::abs(run.column("energy.balance")));
        for (const char* axis : {"x", "y", "z"})
            out =
                std::max({out,
                          std::abs(run.column(fmt::format("momentum.balance.{}", axis))),
                          std::abs(run.column(fmt::format("angular_momentum.balance.{}", axis)))});
    }
    return out;
}

/// A random cable, free or hung up, perhaps with a body on it, along listed nodes or straight.
struct RandomCable {
    explicit RandomCable(unsigned seed) : random(seed) {
        const int n = 2 + pick(4);
        std::string keys;
        if (pick(2) == 0) {
            keys = fmt::format("from = [0, 0, 0]\nto = {}\nelements = {}\n",
                               written(1.02 + uniform(0.02), uniform(0.1), uniform(0.1)),
                               n);
            if (pick(2) == 0) keys += "length = 1.0\n";
        } else {
            keys = "nodes = [";
            for (int i = 0; i <= n; ++i)
                keys +=
                    written(i / double(n), uniform(0.02), 0.3 * std::pow(i / double(n), 2)) + ", ";
            keys += "]\n";
        }
        keys += fmt::format("EA = {}\nEI = {}\nmass = {}\ntension_only = {}\ndamping = {}\n",
                            std::pow(10.0, 2.5 + uniform(0.7)),
                            pick(3) == 0 ? 0.0 : std::pow(10.0, -2.0 + uniform(1.0)),
                            0.3 + uniform(0.1),
                            pick(2) == 0,
                            pick(3) == 0 ? 1e-3 : 0.0);
        if (pick(2) == 0)
            keys += fmt::format("spin = {{ axis = {}, rate = {} }}\n",
                                written(uniform(1.0), 1.0, uniform(1.0)),
                                uniform(4.0));
        if (pick(3) == 0) keys += fmt::format("node_masses = [[{}, 0.1]]\n", pick(n));
        text = fmt::format("[model]\nproject_start = true\ngravity = {}\n",
                           written(uniform(5.0), uniform(5.0), uniform(5.0))) +
               cable(keys);
        if (pick(2) == 0) text += held("root", "start", {0.0, 0.0, 0.0});
        if (pick(2) == 0)
            text +=
                "[[body]]\nname = \"weight\"\ntype = \"ancf_rigid_body\"\nsize = [0.1, 0.2, "
                "0.15]\ndensity = 500\nposition = [1, 0, -0.1]\n[[constraint]]\nname = "
                "\"hang\"\ntype = \"spherical\"\na = \"cable@end\"\nb = \"weight\"\n";
        if (pick(2) == 0)
            text +=
                "[[force]]\nname = \"pull\"\ntype = \"point_load\"\nat = \"cable@[0.3, 0, "
                "0]\"\nforce = [0.3, 1, 0]\n";
        if (pick(3) == 0)
            text +=
                "[[constraint]]\nname = \"spring\"\ntype = \"spring\"\na = \"cable@1\"\nb = "
                "\"ground@[0.2, 0.5, 0.6]\"\nstiffness = 30\n";
    }
    std::string text;

private:
    int pick(int n) { return int(random() % unsigned(n)); }
    double uniform(double size) {
        return size * (2.0 * double(random()) / double(std::mt19937::max()) - 1.0);
    }
    static std::string written(double x, double y, double z) {
        return fmt::format("[{:.6f}, {:.6f}, {:.6f}]", x, y, z);
    }
    std::mt19937 random;
};

/// Angular frequencies above `least`, ascending.
std::vector<double> frequencies(Run& run, double least) {
    std::vector<double> out;
    for (const Mode& mode : run.simulation.modes().modes)
        if (mode.frequency > least) out.push_back(2.0 * std::numbers::pi * mode.frequency);
    return out;
}

}  // namespace

TEST_SUITE("cables") {
    TEST_CASE("random cables keep energy and momenta, and agree with another method") {
        for (unsigned seed = 0; seed < 24; ++seed) {
            CAPTURE(seed);
            const RandomCable random(seed);
            CAPTURE(random.text);
            const auto ends = [&](const std::string& integrator) {
                Run run(random.text + integrator);
                const double off = off_balance(run);
                if (integrator.find("emm") != std::string::npos) CHECK(off <= tolerance(1e-12));
                return std::array{run.simulation.point("cable@end").position,
                                  run.simulation.point("cable@[0.4, 0, 0]").position};
            };
            const auto exact = ends(by("dopri5", 1e-3, 0.05) + "tolerance = 1e-9\n");
            const auto coarse = ends(by("emm", 2e-4, 0.05)), fine = ends(by("emm", 1e-4, 0.05));
            for (std::size_t i = 0; i < 2; ++i)
                for (std::size_t k = 0; k < 3; ++k)
                    CHECK(std::abs(fine[i][k] - exact[i][k]) <=
                          tolerance(0.35 * std::abs(coarse[i][k] - exact[i][k]) + 1e-6));
        }
    }

    // z = a cosh(x / a), 2 a sinh(1 / (2 a)) = 1.2 (Irvine, Cable Structures, 1981, chapter 1)
    TEST_CASE("a slack cable starts on its catenary and stays there") {
        const double pull = 0.4606202341871243, sag = 0.29234379760092877;
        std::vector<double> sags;
        for (const int n : {8, 16, 32}) {
            CAPTURE(n);
            Run run(kGravity +
                    cable(fmt::format("from = [0, 0, 0]\nto = [1, 0, 0]\nelements = {}\nlength = "
                                      "1.2\nEA = 1e7\nmass = 0.1\nstart = \"relaxed\"\n",
                                      n)) +
                    held("left", "start", {0, 0, 0}) + held("right", "end", {1, 0, 0}) +
                    by("emm", 2e-3, 0.02));
            const Point before = run.simulation.point("cable@[0.6, 0, 0]").position;
            run.to_end();
            const Point after = run.simulation.point("cable@[0.6, 0, 0]").position;
            for (std::size_t k = 0; k < 3; ++k) CHECK(after[k] == Near(before[k], 1e-12));
            CHECK(before[0] == Near(0.5, 1e-12));
            CHECK(run.column("right.force.z") == Near(0.5886, 1e-8));
            sags.push_back(-before[2]);
            if (n == 32) CHECK(run.column("right.force.x") == Near(pull, 2e-6));
        }
        CHECK(sags[2] == Near(sag, 1e-6));
        CHECK(std::log2((sags[0] - sag) / (sags[1] - sag)) == Near(4.3, 0.5));
        CHECK(std::log2((sags[1] - sag) / (sags[2] - sag)) == Near(4.2, 0.4));
    }

    // Any two places and lengths: the ends' forces carry the weight; equal pulls at both; on the
    // catenary of these.
    TEST_CASE("cables of any length hang between any two places, and about an end") {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> uniform(-1.0, 1.0);
        for (int k = 0; k < 20; ++k) {
            CAPTURE(k);
            const Point to = {1.0 + 0.5 * uniform(random), uniform(random), uniform(random)};
            const double way = std::hypot(to[0], to[1], to[2]);
            const double length = way * (1.0 + 0.8 * std::abs(uniform(random)));
            const double EI = k % 2 == 0 ? 0.0 : 1e-4;
            Run run(
                kGravity +
                cable(fmt::format("from = [0, 0, 0]\nto = [{}, {}, {}]\nelements = 24\nlength = "
                                  "{}\nEA = {}\nEI = {}\nmass = 0.2\nstart = \"relaxed\"\n",
                                  to[0],
                                  to[1],
                                  to[2],
                                  length,
                                  k % 3 == 0 ? 1e2 : 1e5,
                                  EI)) +
                held("left", "start", {0, 0, 0}) + held("right", "end", to) +
                by("emm", 1e-2, 0.05));
            const std::string middle = fmt::format("cable@[{}, 0, 0]", 0.4 * length);
            const Point before = run.simulation.point(middle).position;
            run.to_end();
            const Point after = run.simulation.point(middle).position;
            for (std::size_t i = 0; i < 3; ++i) CHECK(after[i] == Near(before[i], 1e-9));
            CHECK(run.column("left.force.z") + run.column("right.force.z") ==
                  Near(0.2 * 9.81 * length, 1e-6));
            for (const char* axis : {"x", "y"})
                CHECK(run.column(fmt::format("left.force.{}", axis)) ==
                      Near(-run.column(fmt::format("right.force.{}", axis)), 1e-6));
        }
    }

    // Both ends on one plumb line, or nearly: the cable folds, and elements are wider than the
    // fold.
    TEST_CASE("cables fold where their ends are above each other") {
        for (const Point& to : {Point{0, 0, -0.3}, {0, 0, 0.5}, {1e-3, 0, 0}, {0.1, 0, 0}})
            for (const double EI : {0.0, 1e-5, 1e-3})
                for (const double EA : {1e2, 1e5, 1e8}) {
                    CAPTURE(to[0]);
                    CAPTURE(to[2]);
                    CAPTURE(EI);
                    CAPTURE(EA);
                    Run run(kGravity +
                            cable(fmt::format("from = [0, 0, 0]\nto = [{}, {}, {}]\nelements = "
                                              "12\nlength = 1.2\nEA = {}\nEI = {}\nmass = "
                                              "0.1\nstart = \"relaxed\"\n",
                                              to[0],
                                              to[1],
                                              to[2],
                                              EA,
                                              EI)) +
                            held("left", "start", {0, 0, 0}) + held("right", "end", to) +
                            by("emm", 1e-2, 1e-2));
                    // Stiff, it is as long as it is: the fold lies (L - |rise|) / 2 below
                    double lowest = 0.0;
                    for (int i = 0; i <= 12; ++i)
                        lowest = std::min(
                            lowest, run.simulation.point(fmt::format("cable@{}", i)).position[2]);
                    const double fold = 0.5 * (1.2 - to[2]);
                    CHECK(-lowest <= fold * (EA < 1e3 ? 1.02 : 1.0 + 1e-3));
                    CHECK(-lowest >= 0.8 * fold);
                    run.steps(1);
                    CHECK(run.column("left.force.z") + run.column("right.force.z") ==
                          Near(0.1 * 9.81 * 1.2, 1e-3));
                }
    }

    // w_k = j_k sqrt(g / L) / 2, J_0(j_k) = 0 (Bernoulli)
    TEST_CASE("modes of a hanging cable are those of Bessel's zeros") {
        const std::array<double, 4> zeros = {
            2.404825557695773, 5.520078110286311, 8.653727912911013, 11.79153443901428};
        std::vector<std::vector<double>> errors;
        for (const int n : {4, 8, 16}) {
            Run run(kGravity +
                    cable(fmt::format("from = [0, 0, 0]\nto = [0, 0, -2]\nelements = {}\nEA = "
                                      "1e7\nmass = 0.1\nstart = \"relaxed\"\nheld = [0]\n",
                                      n)) +
                    held("root", "start", {0, 0, 0}) + by("emm", 1e-3, 1e-3));
            const std::vector<double> found = frequencies(run, 1e-3);
            errors.emplace_back();
            for (std::size_t k = 0; k < zeros.size(); ++k) {
                const double exact = 0.5 * zeros[k] * std::sqrt(9.81 / 2.0);
                CHECK(found.at(2 * k) == Near(found.at(2 * k + 1), 1e-6));  // in both planes
                errors.back().push_back(found.at(2 * k) / exact - 1.0);
            }
        }
        // Of the first two modes what is left is the stretch, (1 - 5e-8)
        for (std::size_t k = 2; k < zeros.size(); ++k)
            CHECK(std::log2(errors[1][k] / errors[2][k]) >= 4.0);
        CHECK(std::abs(errors[2][0]) <= tolerance(1e-7));
    }

    // Out of plane, hub at the centre: w^2 / spin^2 = n (2 n - 1)
    TEST_CASE("modes of a string in steady spin") {
        // Lead-lag: n (2 n - 1) - 1; and the first out of plane is the spin itself
        constexpr std::array kSquares = {5.0, 6.0, 14.0, 15.0};
        std::array<std::array<double, 4>, 3> errors{};
        for (std::size_t mesh = 0; mesh < 3; ++mesh) {
            Run run(cable(fmt::format("from = [0, 0, 0]\nto = [1, 0, 0]\nelements = {}\nEA = "
                                      "1e5\nmass = 0.1\nspin = {{ axis = [0, 0, 1], rate = 3 }}\n",
                                      3 << mesh)) +
                    held("hub", "start", {0, 0, 0}) + by("emm", 1e-3, 1e-3));
            EquilibriumOptions options;
            options.spinning = true;
            run.simulation.find_equilibrium(options);
            const std::vector<double> found = frequencies(run, 1e-2);
            const auto error = [&](double square) {
                double least = 1e300;
                for (const double w : found) {
                    const double off = w / (3.0 * std::sqrt(square)) - 1.0;
                    if (std::abs(off) < std::abs(least)) least = off;
                }
                return least;
            };
            CHECK(std::abs(error(1.0)) <= tolerance(1e-6));
            for (std::size_t k = 0; k < 4; ++k) errors[mesh][k] = error(kSquares[k]);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            CAPTURE(kSquares[k]);
            CHECK(std::abs(errors[2][k]) <= tolerance(2e-4));
            if (kSquares[k] > 10.0)  // the others are at the stretch already
                CHECK(std::log2(errors[0][k] / errors[1][k]) >= 4.0);
        }
    }

    // EI 100, L 10, tip force 4, inextensible (elliptic integrals): W 6.699642, U 3.289412
    TEST_CASE("elastica of a cable that is clamped by its slope") {
        std::vector<Point> tips;
        for (const int n : {8, 16, 32}) {
            Run run(cable(fmt::format(
                        "from = [0, 0, 0]\nto = [10, 0, 0]\nelements = {}\nEA = 1.2e5\nEI = "
                        "100\nmass = 1\n",
                        n)) +
                    held("root", "start", {0, 0, 0}) +
                    "[[constraint]]\nname = \"clamp\"\ntype = \"general_constraint\"\nequation = "
                    "[\"cable.slope_0_y = 0\", \"cable.slope_0_z = 0\"]\n"
                    "[[force]]\nname = \"load\"\ntype = \"point_load\"\nat = \"cable@end\"\nforce "
                    "= [0, 0, 4]\n" +
                    by("emm", 1e-2, 1.0));
            run.simulation.find_equilibrium({});
            tips.push_back(run.simulation.point("cable@end").position);
        }
        CHECK(tips[2][2] == Near(6.69988, 2e-5));  // 32 elements, computed apart
        CHECK(10.0 - tips[2][0] == Near(3.28954, 2e-5));
        for (const std::size_t k : {0, 2})
            CHECK(std::log2((tips[0][k] - tips[1][k]) / (tips[1][k] - tips[2][k])) >= 4.0);
    }

    // beta^2 sqrt(EI / m) / L^2, beta = 1.875104, 4.694091, 7.854757, of a cantilever; in a grip
    // that turns, at any attitude, all laws
    TEST_CASE("cables in grips, on the ground and on a hub that turns") {
        const std::string line = cable(
            "from = [0.3, 0, 0]\nto = [1.3, 0, 0]\nelements = 12\nEA = 1e6\nEI = 10\nmass = 0.5");
        const auto grip = [](const std::string& a, const std::string& axis) {
            return fmt::format(
                "[[constraint]]\nname = \"grip\"\ntype = \"cable_clamp\"\na = \"{}\"\nb = "
                "\"cable@start\"\naxis = {}\n",
                a,
                axis);
        };
        Run fixed(line + grip("ground", "[2, 0, 0]") + by("emm", 1e-3, 0.1));
        std::vector<double> found;
        for (const Mode& mode : fixed.simulation.modes().modes) found.push_back(mode.frequency);
        std::ranges::sort(found);
        REQUIRE(found.size() >= 6);
        for (const auto& [k, beta] : {std::pair{0, 1.87510407}, {2, 4.69409113}, {4, 7.85475744}}) {
            const double expected = beta * beta * std::sqrt(20.0) / (2.0 * std::numbers::pi);
            for (const int copy : {0, 1})
                CHECK(found[std::size_t(k + copy)] == Near(expected, 2e-4 * expected));
        }
        for (const bool is_turned : {false, true}) {
            CAPTURE(is_turned);
            const std::string machine =
                fmt::format(
                    "[[body]]\nname = \"hub\"\ntype = \"ancf_rigid_body\"\nmass = 5\ninertia = "
                    "[0.2, 0.3, 0.25]\norientation = {{ axis = [1, 1, 0.5], angle = {} "
                    "}}\nangular_velocity = [0.1, 0.3, 0.5]\n",
                    is_turned ? 0.7 : 0.0) +
                cable(
                    "from = [0, 0, 0.3]\nto = [0, 0, 1.3]\nelements = 4\nEA = 1e4\nEI = 10\nmass = "
                    "0.5\nvelocity_from = \"hub\"") +
                grip("hub", "[0, 0, 1]") +
                "[[force]]\nname = \"push\"\ntype = \"point_load\"\nat = \"cable@end\"\nforce = "
                "[1, "
                "0.5, 0]\n[output]\npoints = [\"cable@end\"]\n";
            std::array<double, 3> end{};
            for (const std::size_t i : {0, 1}) {
                Run run(machine + by("emm", i == 0 ? 1e-3 : 5e-4, 0.2));
                CHECK(off_balance(run) <= tolerance(1e-12));
                end[i] = run.column("cable@end.x");
            }
            Run other(machine + by("dopri5", 1e-3, 0.2));
            off_balance(other);
            end[2] = other.column("cable@end.x");
            const double limit = (4.0 * end[1] - end[0]) / 3.0;
            CHECK(limit == Near(end[2], 3e-6));
        }
        CHECK_THROWS_WITH(Run(line + grip("ground", "[0, 0, 0]") + by("emm", 1e-3, 0.1)),
                          doctest::Contains("has length zero"));
        CHECK_THROWS_WITH(Run(line + grip("ground", "[0, 1, 0]") + by("emm", 1e-3, 0.1)),
                          doctest::Contains("inconsistent start"));
    }

    TEST_CASE("what is said of cables") {
        const auto says = [](const std::string& keys, const char* part) {
            const auto failure = testing::failure_of("[model]\ngravity = [0, 0, -9.81]\n" + keys +
                                                     by("emm", 1e-3, 1e-3));
            CAPTURE(failure.message);
            CHECK(failure.happened);
            CHECK(failure.message.find(part) != std::string::npos);
        };
        const std::string material = "EA = 1e3\nmass = 0.1\n";
        const std::string straight = "from = [0, 0, 0]\nto = [1, 0, 0]\n" + material;
        says(cable(material), "where does the cable lie?");
        says(cable("nodes = [[0, 0, 0]]\n" + material), "two nodes or more; these are 1");
        says(cable("nodes = [[0, 0, 0], [0, 0, 0]]\n" + material), "lie at one place");
        says(cable("nodes = [[0, 0, 0], [1, 0, 0], [1, 1, 0]]\n" + material),
             "turns by 90 degrees at node 1");
        says(cable("nodes = [[0, 0, 0], [1, 0, 0]]\n" + straight), "keep one of them");
        says(cable(straight + "length = 1.2\n"), "start = \"relaxed\" lets the cable hang");
        says(cable(straight + "length = 0.5\n"), "a linear law is no model beyond");
        says(cable(straight + "held = [0]\n"), "starts as given");
        says(cable(straight + "start = \"relaxed\"\nheld = [11]\n"), "the nodes are 0 to 10");
        says(cable(straight + "start = \"relaxed\"\nheld = [\"middle\"]\n"),
             "there is no group \"middle\"");
        says(cable(straight + "start = \"relaxed\"\nspin = { axis = [0, 0, 1], rate = 1 }\n"),
             "starts as given");
        const auto at = [&](const char* point) {
            return cable(straight) + fmt::format(
                                         "[[force]]\nname = \"f\"\ntype = \"point_load\"\nat = "
                                         "\"cable@{}\"\nforce = [0, 0, 1]\n",
                                         point);
        };
        says(at("11"), "this cable has nodes 0 to 10");
        says(at("[1.1, 0, 0]"), "at the length s along it, 0 to 1");
        says(at("[0, 0, 0.1]"), "a cable has no axes");
        says(
            cable(straight) +
                "[[constraint]]\nname = \"j\"\ntype = \"fixed\"\na = \"ground\"\nb = \"cable@0\"\n",
            "points but no attitude");
        says(cable(straight) +
                 "[[force]]\nname = \"f\"\ntype = \"point_load\"\nat = "
                 "\"cable@end\"\ntorque = [0, 0, 1]\n",
             "has no axes");
    }

    TEST_CASE("without gravity a taut cable is straight, and a slack one is refused") {
        Run taut(
            cable("from = [0, 0, 0]\nto = [0, 3, 4]\nelements = 3\nEA = 1e3\nmass = 0.1\nlength "
                  "= 4\nstart = \"relaxed\"\n") +
            held("left", "start", {0, 0, 0}) + held("right", "end", {0, 3, 4}) +
            by("emm", 1e-3, 1e-3));
        CHECK(taut.simulation.point("cable@1").position[1] == Near(1.0, 1e-12));
        taut.to_end();
        // EA eps l / L, eps = (l^2 / L^2 - 1) / 2
        CHECK(taut.column("right.force.z") == Near(0.8 * 1e3 * 0.28125 * 1.25, 1e-9));
        const auto failure = testing::failure_of(
            cable("from = [0, 0, 0]\nto = [1, 0, 0]\nEA = 1e3\nmass = 0.1\nlength = 1.2\nstart = "
                  "\"relaxed\"\n") +
            by("emm", 1e-3, 1e-3));
        CHECK(failure.message.find("without gravity it may lie anywhere") != std::string::npos);
    }
}
