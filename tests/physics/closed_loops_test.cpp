// SPDX-License-Identifier: BSD-3-Clause
// Closed loops and hinges of two ball joints, whose rows depend on each other on the constraints
// and not beside them, under the explicit integrators; and what these refuse.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr const char* kBodies[] = {"ancf_rigid_body", "quaternion_body"};

/// What a run is refused with.
std::string refusal(Simulation& simulation) {
    try {
        run_to_end(simulation);
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::numerical);
        return error.what();
    }
    return "nothing";
}

std::vector<double> row_of(const Simulation& simulation) {
    std::vector<double> row(simulation.column_names().size());
    simulation.sample(row);
    return row;
}

TEST_SUITE("closed loops under explicit integrators") {
    // Centre of rod 2 after 10 s, from runs of `dopri5` at 1e-12 with both types of body, whose
    // equations have nothing in common but the joints; they agree to 5e-11 m. Without thickness, at
    // 1e-11, which rk4 at 1e-4 s meets to 1e-10 m.
    const Vec3 kThickEnd(-0.25511732801, -0.46185335787, -0.12499251420);
    const Vec3 kThinEnd(-0.26434995664, -0.41337127292, -0.15096523654);

    TEST_CASE("Bricard's loop has one freedom, and keeps its rank inside the steps of rk4") {
        for (const char* type : kBodies)
            for (const double step : {1e-3, 2.5e-3}) {
                CAPTURE(type);
                CAPTURE(step);
                Simulation simulation =
                    model(bricard(type, kThick, kThickAcross) + integrator("rk4", step, 10.0));
                run_to_end(simulation);
                const double rounding = step < 2e-3 ? 1e-8 : 1e-6;
                CHECK(distance(simulation, "rod2", kThickEnd) <= tolerance(rounding));
                CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
            }
    }
    // Bodies that hang in a row, each by two balls on a line: along it the balls' rows say the
    // same, and what presses there they share alike. Everything else is statics of a straight line.
    TEST_CASE("a hundred hinges of two balls each: their reactions are those of least norm") {
        constexpr int kBodies = 100;
        constexpr double kMass = 2.0, kDown = 9.0, kAlong = 3.0;
        std::string text = with_gravity(Vec3(0.0, kAlong, -kDown) / kGravity);
        for (int k = 0; k < kBodies; ++k)
            text += fmt::format(
                "\n[[body]]\nname = \"b{}\"\ntype = \"ancf_rigid_body\"\nmass = {}\n"
                "inertia = [0.2, 0.3, 0.1]\nposition = [0.0, 0.0, {}]\n",
                k,
                kMass,
                -k - 0.5);
        for (int k = 0; k < kBodies; ++k)
            for (const double side : {-0.1, 0.1})
                text += fmt::format(
                    "\n[[constraint]]\nname = \"{}{}\"\ntype = \"position\"\n"
                    "a = \"b{}@[0, {}, 0.5]\"\nb = \"{}, {}, {}]\"\n",
                    side < 0.0 ? 'l' : 'r',
                    k,
                    k,
                    side,
                    k == 0 ? "ground@[0" : fmt::format("b{}@[0", k - 1),
                    side,
                    k == 0 ? 0.0 : -0.5);
        for (const char* type : {"emm", "rk4"}) {
            CAPTURE(type);
            Simulation simulation = model(text + integrator(type, 1e-3, 2e-3));
            run_to_end(simulation);
            std::vector<double> row(simulation.column_names().size());
            simulation.sample(row);  // reactions at the end, under rk4
            // The lever of a long chain: what its balls bear across is the largest force by far.
            const double largest =
                kMass * kAlong * kBodies * (0.5 * kBodies) / 0.2 + kMass * kDown * kBodies;
            for (int k = 0; k < kBodies; ++k) {
                const std::vector<double> l = simulation.reaction(fmt::format("l{}", k));
                const std::vector<double> r = simulation.reaction(fmt::format("r{}", k));
                const double weight = kMass * (kBodies - k);
                CHECK(l[1] == near(-0.5 * kAlong * weight, 1e-8 * largest));
                CHECK(r[1] == near(-0.5 * kAlong * weight, 1e-8 * largest));
                CHECK(l[1] + r[1] == near(-kAlong * weight, 1e-10 * largest));
                CHECK(l[2] + r[2] == near(kDown * weight, 1e-10 * largest));
            }
        }
    }
    TEST_CASE("Bricard's loop: dopri5 chooses its steps by the motion, not by redundant rows") {
        for (const char* type : kBodies) {
            CAPTURE(type);
            Simulation simulation =
                model(bricard(type, kThick, kThickAcross) + integrator("dopri5", 1e-3, 10.0, 1e-8));
            run_to_end(simulation);
            CHECK(distance(simulation, "rod2", kThickEnd) <= tolerance(1e-6));
            CHECK(simulation.statistics().steps < 1000);
            CHECK(simulation.statistics().evaluations < 8000);
        }
    }
    TEST_CASE("Bricard's loop of rods without thickness: the hinges determine their spin") {
        const std::string text = bricard("ancf_rigid_body", 0.0, kThinAcross);
        for (const auto& [type, step, most] :
             {std::tuple("rk4", 2.5e-3, 1e-6), std::tuple("dopri5", 1e-3, 1e-6)}) {
            CAPTURE(type);
            Simulation simulation =
                model(text + integrator(type, step, 10.0, type[0] == 'd' ? 1e-8 : 0.0));
            run_to_end(simulation);
            CHECK(distance(simulation, "rod2", kThinEnd) <= tolerance(most));
        }
        // emm errs by its own second order
        Simulation simulation = model(text + integrator("emm", 5e-3, 10.0));
        run_to_end(simulation);
        CHECK(distance(simulation, "rod2", kThinEnd) <= tolerance(2e-2));
        CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-10));
    }
    // Five spins that no inertia determines: M is singular also with the rows of each body, and the
    // row that is left out has to be one with a part in the dependency, which changes as it moves.
    TEST_CASE("loops of rods without thickness: a run without a doubt errs as halved steps show") {
        std::mt19937 random(36);
        std::uniform_real_distribution<double> length(0.5, 1.5);
        constexpr double kEnd = 1.5;
        using Hinges = ThinBricard::Hinges;
        for (const int k : {0, 1, 4, 5}) {
            ThinBricard loop;
            if (k > 0) loop.edges = Vec3(length(random), length(random), length(random));
            if (k % 2 == 1) loop.turn = random_attitude(random);
            if (k > 2) loop.down = random_attitude(random).col(0);
            const auto end_of = [&](Hinges hinges, const std::string& method) {
                Simulation simulation = model(loop.text(hinges) + method);
                run_to_end(simulation);
                CHECK(simulation.statistics().doubts.empty());
                return vec3(simulation.pose("rod2").position);
            };
            const Vec3 there = end_of(Hinges::two_balls, integrator("dopri5", 1e-3, kEnd, 1e-10));
            for (const Hinges hinges : {Hinges::joints, Hinges::balls_and_axes})
                for (const double step : {4.5e-3, 4.7e-3, 5e-3}) {
                    CAPTURE(k);
                    CAPTURE(hinges);
                    CAPTURE(step);
                    const Vec3 whole = end_of(hinges, integrator("rk4", step, kEnd));
                    const Vec3 halves = end_of(hinges, integrator("rk4", 0.5 * step, kEnd));
                    CHECK((whole - there).norm() <=
                          tolerance(2.0 * (whole - halves).norm() + 1e-8));
                    CHECK((whole - there).norm() <= tolerance(1e-3));
                }
        }
    }
    // Angles at 30 ms: F. Mazzia, C. Magherini, Test Set for Initial Value Problem Solvers, 2008
    TEST_CASE("Andrews' squeezer of examples/squeezer, with and without redundant rows") {
        const std::array<std::pair<const char*, std::array<double, 2>>, 4> expected = {
            {{"crank", {-0.0617138900142764496, 15.81077119629904}},
             {"B", {0.455279819163070380, 0.04082224013073101}},
             {"A5", {0.487364979543842550, 0.5244099658805304}},
             {"A7", {1.23054744454982119, 1.048080741042263}}}};
        const std::string file =
            std::string(ANCORA_TEST_SOURCE_DIR) + "/examples/squeezer/model.toml";
        for (const bool is_redundant : {false, true}) {
            CAPTURE(is_redundant);
            const auto errors = [&](const char* type, double step) {
                const bool is_discrete = std::string(type) == "emm";
                std::ifstream in(file);
                std::string text((std::istreambuf_iterator<char>(in)), {});
                if (is_redundant) text.replace(text.find("\"in_line\""), 9, "\"revolute\"");
                text.replace(text.find("\"emm\""), 5, fmt::format("\"{}\"", type));
                text.replace(text.find("\"10 us\""),
                             7,
                             fmt::format("{}\n{}", step, is_discrete ? "" : "tolerance = 1e-10"));
                Simulation simulation = model(text);
                CHECK(simulation.statistics().redundant_rows == (is_redundant ? 9 : 0));
                run_to_end(simulation);
                CHECK(simulation.statistics().energy.max_rel <= (is_discrete ? 2e-14 : 1e-9));
                Eigen::Vector4d out;
                for (std::size_t k = 0; k < 4; ++k)
                    out[long(k)] = expected[k].second[0] +
                                   column(simulation, fmt::format("{}.angle", expected[k].first)) -
                                   expected[k].second[1];
                return out;
            };
            CHECK(errors("dopri5", 1e-5).norm() <= tolerance(1e-8));
            const Eigen::Vector4d coarse = errors("emm", 2e-5), fine = errors("emm", 1e-5);
            CHECK(fine.norm() <= tolerance(1e-4));
            CHECK(((4.0 * fine - coarse) / 3.0).norm() <= tolerance(2e-6));
        }
    }
    TEST_CASE(
        "a rod hung up by balls on its axis keeps its convention, one that is hinged does not") {
        for (const bool is_hinged : {true, false}) {
            CAPTURE(is_hinged);
            const Rod rod{"rod", {0, 0, 0}, {1, 0, 0}};
            std::string text =
                with_gravity(-Vec3::UnitZ()) + rod.text("ancf_rigid_body", kThinAcross, 0.0);
            text += is_hinged ? hinge("pin", rod.from, Vec3::UnitY(), &rod, nullptr)
                              : "\n[[constraint]]\nname = \"pin\"\ntype = \"position\"\na = "
                                "\"rod@[-0.5, 0.0, 0.0]\"\nb = \"ground@[0.0, 0.0, 0.0]\"\n";
            Simulation simulation = model(text + integrator("rk4", 1e-3, 0.5));
            run_to_end(simulation);
            // m l^2 / 3 theta'' = m g l / 2 cos(theta)
            const double rate = omega(simulation, "rod").norm();
            const double fall = -2.0 * simulation.pose("rod").position[2];
            CHECK(rate * rate == near(3.0 * kGravity * fall, 1e-9));
        }
    }

    TEST_CASE("a door on two ball joints swings like a pendulum at any attitude") {
        std::mt19937 random(7);
        for (int i = 0; i < 4; ++i) {
            const Mat3 R = random_attitude(random);
            const Door door{R};
            const double end = 2.0;
            const Vec3 expected = door.centre_from_rest(end);
            for (const char* type : kBodies)
                for (const char* method : {"rk4", "dopri5"}) {
                    CAPTURE(i);
                    CAPTURE(type);
                    CAPTURE(method);
                    const std::string text = door.text(type);
                    Simulation simulation =
                        model(text + integrator(method, 2e-3, end, method[0] == 'd' ? 1e-10 : 0.0));
                    run_to_end(simulation);
                    CHECK(distance(simulation, "door", expected) <= tolerance(1e-8));
                }
        }
    }

    TEST_CASE("four-bar linkages at any attitude: both bodies and both methods agree") {
        std::mt19937 random(11);
        for (int i = 0; i < 3; ++i) {
            const Mat3 R = random_attitude(random);
            std::vector<Vec3> ends;
            for (const char* type : kBodies)
                for (const char* method : {"rk4", "dopri5"}) {
                    CAPTURE(i);
                    CAPTURE(type);
                    CAPTURE(method);
                    Simulation simulation =
                        model(four_bar(type, R) +
                              integrator(method, 5e-4, 2.0, method[0] == 'd' ? 1e-10 : 0.0));
                    run_to_end(simulation);
                    // In the frame of the linkage all attitudes move alike.
                    ends.push_back(R.transpose() * vec3(simulation.pose("bar1").position));
                    CHECK((ends.back() - ends.front()).norm() <= tolerance(1e-7));
                    CHECK(std::abs(ends.back().z()) <= tolerance(1e-12));
                    CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-7));
                }
        }
    }

    TEST_CASE("chain of hinges across each other: both bodies agree") {
        std::vector<Vec3> ends;
        for (const char* type : kBodies)
            for (const char* method : {"rk4", "dopri5"}) {
                CAPTURE(type);
                CAPTURE(method);
                std::vector<Rod> rods;
                rods.reserve(6);
                std::string text = with_gravity(-Vec3::UnitZ());
                for (int i = 0; i < 6; ++i) {
                    rods.push_back({fmt::format("link{}", i), Vec3(i, 0, 0), Vec3(i + 1, 0, 0)});
                    text += rods.back().text(type, 0.1, 0.02);
                    const Vec3 axis = i % 2 == 0 ? Vec3(Vec3::UnitY()) : Vec3(0.0, 0.6, 0.8);
                    text += hinge(fmt::format("hinge{}", i),
                                  Vec3(i, 0, 0),
                                  axis,
                                  &rods.back(),
                                  i == 0 ? nullptr : &rods[static_cast<std::size_t>(i) - 1]);
                }
                Simulation simulation =
                    model(text + integrator(method, 1e-3, 1.0, method[0] == 'd' ? 1e-10 : 0.0));
                run_to_end(simulation);
                ends.push_back(vec3(simulation.pose("link5").position));
                CHECK((ends.back() - ends.front()).norm() <= tolerance(1e-7));
            }
    }

    TEST_CASE("a table on four smooth feet slides down a slope of any attitude without turning") {
        std::mt19937 random(3);
        for (const char* type : kBodies)
            for (const char* method : {"rk4", "dopri5"}) {
                CAPTURE(type);
                CAPTURE(method);
                const Mat3 R = random_attitude(random);
                const Eigen::Quaterniond p(R);
                const Vec3 g = kGravity * (R * Vec3(0.3, 0.2, -1.0)).normalized();
                std::string text =
                    "[model]\ngravity = " + triple(g) +
                    fmt::format(
                        "\n\n[[body]]\nname = \"table\"\ntype = \"{}\"\nmass = 20.0\n"
                        "inertia = [1.5, 2.5, 3.0]\norientation = [{:.17g}, {:.17g}, "
                        "{:.17g}, {:.17g}]\n",
                        type,
                        p.w(),
                        p.x(),
                        p.y(),
                        p.z());
                for (int foot = 0; foot < 4; ++foot) {
                    const Vec3 at(foot % 2 == 0 ? 0.6 : -0.6, foot < 2 ? 0.4 : -0.4, -0.7);
                    text += fmt::format(
                        "\n[[constraint]]\nname = \"foot{}\"\ntype = \"point_on_plane\"\n"
                        "point = \"table@{}\"\nnormal = {}\norigin = {}\n",
                        foot,
                        triple(at),
                        triple(R.col(2)),
                        triple(R * at));
                }
                Simulation simulation =
                    model(text + integrator(method, 1e-2, 1.0, method[0] == 'd' ? 1e-10 : 0.0));
                run_to_end(simulation);
                const Vec3 along = g - g.dot(R.col(2)) * R.col(2);
                CHECK(distance(simulation, "table", 0.5 * along) <= tolerance(1e-12));
                CHECK(angle_between(attitude(simulation, "table"), R) <= tolerance(1e-12));
            }
    }
}

TEST_SUITE("bodies of any mass") {
    // Masses from 1e-12 to 1e12 kg hung on each other in a tree, whose rows are independent.
    TEST_CASE(
        "a tree of very light and very heavy bodies has neither contradictions nor redundancy") {
        for (const char* type : kBodies)
            for (const unsigned seed : {1U, 2U}) {
                CAPTURE(type);
                CAPTURE(seed);
                std::mt19937 random(seed);
                std::uniform_real_distribution<double> place(-3.0, 3.0), exponent(-12.0, 12.0);
                std::string text = with_gravity(-Vec3::UnitZ());
                std::vector<Vec3> at;
                for (unsigned i = 0; i < 7; ++i) {
                    const double m = std::pow(10.0, exponent(random));
                    at.emplace_back(place(random), place(random), place(random));
                    const unsigned parent = i == 0 ? 0 : random() % i;
                    const Vec3 other = i == 0 ? Vec3(Vec3::Zero()) : at[parent];
                    const Vec3 joint = 0.5 * (at[i] + other);
                    text += fmt::format(
                        "\n[[body]]\nname = \"b{}\"\ntype = \"{}\"\nmass = {:.17g}\ninertia = "
                        "{}\nposition = {}\n\n[[constraint]]\nname = \"j{}\"\ntype = "
                        "\"position\"\na = \"b{}@{}\"\nb = \"{}@{}\"\n",
                        i,
                        type,
                        m,
                        triple(m * Vec3(0.02, 0.03, 0.04)),
                        triple(at[i]),
                        i,
                        i,
                        triple(joint - at[i]),
                        i == 0 ? "ground" : fmt::format("b{}", parent),
                        triple(joint - other));
                }
                Simulation simulation = model(text + integrator("rk4", 1e-3, 0.2));
                CHECK(simulation.analyse().redundant_rows.empty());
                run_to_end(simulation);
                CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-10));
                CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
            }
    }
}

TEST_SUITE("what explicit integrators refuse") {
    TEST_CASE("a step that leaves the constraints by a part of its way is refused, and advises") {
        // 40 rad/s in steps of 0.1 s: most of a turn.
        Simulation simulation = model(
            "[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\nposition = [1.0, 0.0, "
            "0.0]\nvelocity = [0.0, 40.0, 0.0]\n\n[[constraint]]\nname = \"hoop\"\ntype = "
            "\"point_on_circle\"\npoint = \"bob@0\"\nnormal = [0.0, 0.0, 1.0]\nradius = 1.0\n" +
            integrator("rk4", 0.1, 1.0));
        const std::vector<double> before = row_of(simulation);
        const std::string text = refusal(simulation);
        CAPTURE(text);
        CHECK(text.find("to meet the constraints at its end") != std::string::npos);
        CHECK(text.find("take a shorter one") != std::string::npos);
        // Nothing of the refused step is left in the state: x, v, energies and reactions.
        CHECK(simulation.time() == 0.0);
        CHECK(row_of(simulation) == before);
    }

    TEST_CASE("dopri5 does not lengthen the step after one that was refused") {
        for (const double first : {0.2, 0.35, 0.5, 0.8, 1.3}) {
            CAPTURE(first);
            Simulation simulation = model(
                "[model]\ngravity = [0.0, 0.0, -9.81]\n\n[[body]]\nname = \"bob\"\ntype = "
                "\"particle\"\nmass = 1.0\nposition = [1.0, 0.0, 0.0]\n\n[[constraint]]\nname = "
                "\"hoop\"\ntype = \"point_on_circle\"\npoint = \"bob@0\"\nnormal = [0.0, 1.0, "
                "0.0]\nradius = 1.0\n" +
                integrator("dopri5", first, 5.0, 1e-8));
            simulation.step();
            const double length = simulation.time();
            CHECK(length < first);
            simulation.step();
            CHECK(simulation.time() - length <= length * (1.0 + 1e-12));
        }
    }

    // A point without mass that a velocity row alone carries: its place is no condition, and is
    // left alone where positions are projected.
    TEST_CASE("a massless node that only a velocity row carries is projected like any other") {
        for (const char* method : {"rk4", "dopri5"}) {
            CAPTURE(method);
            Simulation simulation = model(
                "[model]\ngravity = [0.0, 0.0, -9.81]\n\n[[body]]\nname = \"bob\"\ntype = "
                "\"particle\"\nmass = 2.0\nposition = [1.0, 0.0, 0.0]\n\n[[body]]\nname = "
                "\"tape\"\ntype = \"truss\"\nfrom = [3.0, 0.0, 1.0]\nto = [3.0, 0.0, 0.0]\n"
                "young = 1.0\narea = 1e-12\ndensity = 0.0\n\n[[constraint]]\nname = \"root\"\n"
                "type = \"position\"\na = \"tape@0\"\nb = \"ground@[3.0, 0.0, 1.0]\"\n\n"
                "[[constraint]]\nname = \"hoop\"\ntype = \"point_on_circle\"\npoint = \"bob@0\"\n"
                "normal = [0.0, 1.0, 0.0]\nradius = 1.0\n\n[[constraint]]\nname = \"follow\"\n"
                "type = \"general_constraint\"\nlevel = \"velocity\"\nequation = [\"tape@1.vx = "
                "bob.vx\", \"tape@1.vy = bob.vy\", \"tape@1.vz = bob.vz\"]\n" +
                integrator(method, 1e-3, 0.5, method[0] == 'd' ? 1e-10 : 0.0));
            run_to_end(simulation);
            const Vec3 apart = vec3(simulation.point("tape@1").position) -
                               vec3(simulation.point("bob@0").position);
            CHECK((apart - Vec3(2.0, 0.0, 0.0)).norm() <= tolerance(1e-9));
            CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-12));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
