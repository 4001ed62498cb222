// SPDX-License-Identifier: BSD-3-Clause
// Ordinary mechanisms under the energy-momentum step: redundant joints, drives, closed loops, parts
// of next to no mass, from rest and in motion.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "linkages.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr const char* kRigid = "ancf_rigid_body";

/// Runs to the end; every step converged by itself, joints are closed and balances at rounding.
void run_and_check(Simulation& simulation, double most_iterations) {
    run_to_end(simulation);
    const RunStatistics statistics = simulation.statistics();
    const double steps = static_cast<double>(statistics.steps);
    CHECK(statistics.substeps == statistics.steps);
    CHECK(static_cast<double>(statistics.iterations) <= most_iterations * steps);
    CHECK(statistics.constraint_position.max_abs <= tolerance(1e-12));
    CHECK(statistics.energy.max_rel <= tolerance(3.0 * rounding_bound(steps)));
    CHECK(statistics.momentum.max_rel <= tolerance(3.0 * rounding_bound(steps)));
    CHECK(statistics.angular_momentum.max_rel <= tolerance(3.0 * rounding_bound(steps)));
}

TEST_SUITE("emm: redundant joints") {
    TEST_CASE("a door on two ball joints, at any attitude, from rest and pushed") {
        std::mt19937 random(3);
        for (int i = 0; i < 50; ++i) {
            CAPTURE(i);
            const Door door{random_attitude(random)};
            for (const double step : {1e-3, 1e-2}) {
                CAPTURE(step);
                const double end = 200.0 * step;
                Simulation at_rest = model(door.text(kRigid) + integrator("emm", step, end));
                const double most = step < 5e-3 ? 4.0 : 5.0;
                run_and_check(at_rest, most);
                // Second order: at most some 10 rad/s^2 over the run
                CHECK(distance(at_rest, "door", door.centre_from_rest(end)) <=
                      tolerance(20.0 * step * step));
                Simulation pushed = model(door.text(kRigid, 1.0) + integrator("emm", step, end));
                run_and_check(pushed, most);
            }
            Simulation finely = model(door.text(kRigid) + integrator("emm", 1e-4, 5e-3));
            run_and_check(finely, 4.0);
        }
    }

    // May fail: entries of a row that are next to nothing, as a hinge along an inertial axis makes
    // them, taken for masses that hold on to its director.
    TEST_CASE("a flat door upright swings on two ball joints") {
        for (const double thickness : {0.0, 1e-3, 0.04})
            for (const double step : {1e-3, 1e-2}) {
                CAPTURE(thickness);
                CAPTURE(step);
                const double t2 = thickness * thickness;
                std::string text =
                    with_gravity(Vec3::UnitY()) +
                    fmt::format(
                        "\n[[body]]\nname = \"door\"\ntype = \"{}\"\nmass = 3.0\ninertia = "
                        "{}\nposition = [0.4, 0.0, 0.0]\n",
                        kRigid,
                        triple(Vec3(0.25 * (4.0 + t2), 0.25 * 4.64, 0.25 * (0.64 + t2))));
                for (const double at : {-0.9, 0.9})
                    text += fmt::format(
                        "\n[[constraint]]\nname = \"ball{}\"\ntype = \"position\"\na = "
                        "\"door@[-0.4, 0.0, {}]\"\nb = \"ground@[0.0, 0.0, {}]\"\n",
                        at < 0.0 ? "a" : "b",
                        at,
                        at);
                Simulation simulation = model(text + integrator("emm", step, 200.0 * step));
                run_and_check(simulation, 5.0);
                CHECK(std::abs(vec3(simulation.pose("door").position).z()) <= tolerance(1e-14));
            }
    }

    TEST_CASE("four-bar linkages of hinges of two balls each, at any attitude") {
        std::mt19937 random(5);
        std::vector<Vec3> ends;
        for (int i = 0; i < 50; ++i) {
            CAPTURE(i);
            const Mat3 R = random_attitude(random);
            Simulation simulation = model(four_bar(kRigid, R) + integrator("emm", 2e-3, 0.4));
            run_and_check(simulation, 4.0);
            ends.push_back(R.transpose() * vec3(simulation.pose("bar1").position));
            CHECK((ends.back() - ends.front()).norm() <= tolerance(1e-10));
            CHECK(std::abs(ends.back().z()) <= tolerance(1e-12));
        }
        // Order two towards dopri5
        Simulation exact = model(four_bar("quaternion_body", Mat3::Identity()) +
                                 integrator("dopri5", 1e-3, 0.4, 1e-11));
        run_to_end(exact);
        const Vec3 limit = vec3(exact.pose("bar1").position);
        const auto error = [&](double step) {
            Simulation run =
                model(four_bar(kRigid, Mat3::Identity()) + integrator("emm", step, 0.4));
            run_to_end(run);
            return (vec3(run.pose("bar1").position) - limit).norm();
        };
        CHECK(observed_order(4e-3, error(4e-3), 2e-3, error(2e-3)) == near(2.0, 0.1));
    }

    // Reactions of least norm do not depend on which rows a step leaves out.
    TEST_CASE("a table on four feet rests, and its feet share its weight") {
        for (const bool rubs : {false, true}) {
            CAPTURE(rubs);
            for (int i = 0; i < 10; ++i) {
                CAPTURE(i);
                const double yaw = 0.6 * i;
                std::string text = with_gravity(-Vec3::UnitZ()) +
                                   fmt::format(
                                       "\n[[body]]\nname = \"table\"\ntype = \"{}\"\n"
                                       "size = [1.2, 0.8, 0.7]\ndensity = 300.0\n"
                                       "position = [{:.17g}, 0.3, 1.0]\n"
                                       "orientation = {{axis = [0, 0, 1], angle = {:.17g}}}\n",
                                       kRigid,
                                       0.1 * i,
                                       yaw);
                for (int foot = 0; foot < 4; ++foot) {
                    const double x = foot % 2 == 0 ? -0.6 : 0.6;
                    const double y = foot < 2 ? -0.4 : 0.4;
                    text += fmt::format(
                        "\n[[constraint]]\nname = \"foot{0}\"\ntype = \"point_on_plane\"\n"
                        "point = \"table@[{1}, {2}, -0.35]\"\norigin = [0.0, 0.0, 0.65]\n"
                        "normal = [0.0, 0.0, 1.0]\n",
                        foot,
                        x,
                        y);
                    if (rubs)
                        text += fmt::format(
                            "\n[[force]]\nname = \"rub{0}\"\ntype = \"coulomb_friction\"\n"
                            "on = \"foot{0}\"\nmu_static = 0.5\nmu_kinetic = 0.4\n",
                            foot);
                }
                Simulation simulation = model(text + integrator("emm", 1e-3, 0.05));
                run_to_end(simulation);
                const double weight = 1.2 * 0.8 * 0.7 * 300.0 * kGravity;
                CHECK(distance(simulation, "table", Vec3(0.1 * i, 0.3, 1.0)) <= tolerance(1e-14));
                for (int foot = 0; foot < 4; ++foot)
                    CHECK(simulation.reaction(fmt::format("foot{}", foot))[2] ==
                          near(0.25 * weight, 1e-9 * weight));
            }
        }
    }
}

TEST_SUITE("emm: closed loops") {
    TEST_CASE("Bricard's loop keeps energy, and comes to its end with order two") {
        const Vec3 end(-0.25511732801, -0.46185335787, -0.12499251420);  // see closed_loops_test
        const auto error = [&](double step) {
            Simulation simulation =
                model(bricard(kRigid, kThick, kThickAcross) + integrator("emm", step, 10.0));
            run_to_end(simulation);
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-10));
            CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-11));
            return distance(simulation, "rod2", end);
        };
        CHECK(observed_order(2e-3, error(2e-3), 1e-3, error(1e-3)) == near(2.0, 0.1));
    }
    // The spin of rods with little or no inertia about their axis is determined by the hinges.
    TEST_CASE("Bricard's loop of ever thinner rods takes a few iterations a step") {
        for (const double along : {kThick, 1e-6, 1e-9, 1e-12, 0.0})
            for (const double step : {1e-3, 2e-3, 1e-2}) {
                CAPTURE(along);
                CAPTURE(step);
                Simulation simulation =
                    model(bricard(kRigid, along, kThinAcross) + integrator("emm", step, 1.0));
                run_to_end(simulation);
                const RunStatistics run = simulation.statistics();
                CHECK(run.energy.max_rel <= tolerance(1e-13));
                CHECK(run.constraint_position.max_abs <= tolerance(1e-13));
                CHECK(static_cast<double>(run.iterations) <=
                      (along > 1e-10 ? 4.0 : 8.0) * static_cast<double>(run.steps));
            }
    }
}

TEST_SUITE("emm: parts of next to no mass or stiffness") {
    /// A weight of 1 kg on a foot on the ground; the foot is a particle, or a node without mass
    /// that a bar ties to a fixed point.
    std::string on_foot(double mass, double young) {
        std::string text = with_gravity(-Vec3::UnitZ()) +
                           "\n[[body]]\nname = \"weight\"\ntype = \"particle\"\nmass = 1.0\n"
                           "position = [0.0, 0.0, 1.0]\n";
        text += mass > 0.0 ? fmt::format(
                                 "\n[[body]]\nname = \"foot\"\ntype = \"particle\"\nmass = "
                                 "{}\nposition = [0.0, 0.0, 1.0]\n",
                                 mass)
                           : fmt::format(
                                 "\n[[body]]\nname = \"foot\"\ntype = \"truss\"\nfrom = "
                                 "[0.0, 0.0, 1.0]\nto = [1.0, 0.0, 1.0]\narea = 1e-4\nyoung = "
                                 "{}\ndensity = 0.0\n\n[[constraint]]\nname = \"far\"\ntype = "
                                 "\"position\"\na = \"foot@1\"\nb = \"ground@[1.0, 0.0, "
                                 "1.0]\"\n",
                                 young);
        return text +
               "\n[[constraint]]\nname = \"joint\"\ntype = \"position\"\na = \"weight@0\"\nb "
               "= \"foot@0\"\n\n[[constraint]]\nname = \"floor\"\ntype = \"position\"\na = "
               "\"foot@0\"\nb = \"ground@[0.0, 0.0, 1.0]\"\n";
    }

    // May fail: acceptance by energies alone let the weight fall through, since the stress of a
    // joint that opens is small.
    TEST_CASE("a weight stands on a light foot, or on a node that is next to nothing") {
        for (const double step : {1e-4, 1e-3, 1e-2}) {
            CAPTURE(step);
            const auto check = [&](const std::string& text, double weight_of_foot) {
                Simulation simulation = model(text + integrator("emm", step, 100.0 * step));
                run_to_end(simulation);
                CHECK(vec3(simulation.point("weight@0").position).z() == near(1.0, 1e-14));
                CHECK(simulation.reaction("floor")[2] ==
                      near((1.0 + weight_of_foot) * kGravity, 1e-9));
                CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-14));
            };
            for (const double mass : {1e-30, 1e-12, 1e-6}) {
                CAPTURE(mass);
                check(on_foot(mass, 0.0), mass);
            }
            for (const double young : {1e-12, 1e-6, 1e-3, 1.0, 1e9}) {
                CAPTURE(young);
                check(on_foot(0.0, young), 0.0);
            }
        }
    }
}

TEST_SUITE("flat bodies with a penalty") {
    // May fail: a joint in the plane of a flat body, which sees the director across it by rounding,
    // taken for what determines that director's velocity.
    TEST_CASE("across a plate that swings on a ball joint in its plane, points move with it") {
        std::mt19937 random(11);
        for (int i = 0; i < 20; ++i) {
            CAPTURE(i);
            // A plate of edges 6 and 2 in axes that are not its own
            const Mat3 P = random_attitude(random);
            const Mat3 J = P * Vec3(1.0, 9.0, 10.0).asDiagonal() * P.transpose();
            const Vec3 joint = P * Vec3(3.0, 0.0, 0.0);
            const Vec3 across = P.col(2);
            const Vec3 w(-1.0, 0.4, 0.7);
            const Mat3 even = 0.5 * (J + J.transpose());
            const auto swing = [&](const char* stiffness) {
                return with_gravity(Vec3::UnitY()) +
                       fmt::format(
                           "\n[[body]]\nname = \"plate\"\ntype = \"{}\"\nmass = 3.0\ninertia = "
                           "[{}, {}, {}]\nvelocity = {}\nangular_velocity = {}\n{}"
                           "\n[[constraint]]\nname = \"ball\"\ntype = \"position\"\na = "
                           "\"plate@{}\"\nb = \"ground@{}\"\n",
                           kRigid,
                           triple(even.row(0).transpose()),
                           triple(even.row(1).transpose()),
                           triple(even.row(2).transpose()),
                           triple(-w.cross(joint)),
                           triple(w),
                           stiffness,
                           triple(joint),
                           triple(joint)) +
                       integrator("emm", 1e-2, 1.0);
            };
            Simulation plate = model(swing("volume = 1.0e-3\npenalty = 1.0e13\n"));
            Simulation rigid = model(swing(""));
            const std::string tip =
                fmt::format("plate@[{:.17g}, {:.17g}, {:.17g}]", across(0), across(1), across(2));
            CHECK((vec3(plate.point(tip).velocity) - w.cross(across) + w.cross(joint)).norm() <=
                  tolerance(1e-12));
            double farthest = 0.0;
            while (!plate.done()) {
                plate.step();
                rigid.step();
                const auto here = plate.point(tip);
                const auto there = rigid.point(tip);
                farthest = std::max({farthest,
                                     (vec3(here.velocity) - vec3(there.velocity)).norm(),
                                     (vec3(here.position) - vec3(there.position)).norm()});
            }
            CHECK(farthest <= tolerance(1e-2));
            CHECK(plate.statistics().iterations <= 6 * plate.statistics().steps);
        }
    }

    // May fail: the director across the plate that light bodies hold in one direction, and nothing
    // in the others, taken for determined; then no row of the model counted as independent.
    TEST_CASE(
        "on feet beside its plane, on a rod that weighs next to nothing, no row is redundant") {
        const auto body = [](const char* name, double mass, const Vec3& inertia, const Vec3& at) {
            return fmt::format(
                "\n[[body]]\nname = \"{}\"\ntype = \"{}\"\nmass = {}\ninertia = {}\nposition = "
                "{}\n",
                name,
                kRigid,
                mass,
                triple(inertia),
                triple(at));
        };
        const auto tie = [](const char* name, const char* a, const char* b) {
            return fmt::format(
                "\n[[constraint]]\nname = \"{}\"\ntype = \"position\"\na = \"{}\"\nb = \"{}\"\n",
                name,
                a,
                b);
        };
        const double light = 1e-8;
        std::string text =
            with_gravity(Vec3(0.3, 0.5, -0.8)) +
            body("base", 1.0, Vec3::Constant(0.1), Vec3(1.0, 0.0, 0.0)) +
            body("rod", light, light * Vec3(1e-3, 0.1, 0.1), Vec3::Zero()) +
            "volume = 1.0e-6\npenalty = 1.0e12\n" +
            body("plate", 0.1, Vec3(0.01, 0.03, 0.04), Vec3(0.0, 0.0, 0.5)) +
            "volume = 1.0e-4\npenalty = 1.0e12\nvelocity = [0.1, 0.2, 0.0]\n" +
            body("weight", 0.01, Vec3(1e-6, 1e-3, 1e-3), Vec3(2.5, 0.0, 0.0)) +
            "\n[[body]]\nname = \"link\"\ntype = \"truss\"\nfrom = [1.5, 0.0, 0.0]\nto = [2.0, "
            "0.0, 0.0]\nyoung = inf\ndensity = 0.0\n" +
            tie("ball", "rod@[0.5, 0.0, 0.0]", "base@[-0.5, 0.0, 0.0]") +
            tie("from", "base@[0.5, 0.0, 0.0]", "link@0") +
            tie("to", "weight@[-0.5, 0.0, 0.0]", "link@1");
        int count = 0;
        for (const char* foot : {"[0.3, 0.1, -0.5]", "[-0.3, 0.2, -0.5]", "[0.0, -0.3, -0.5]"})
            text += fmt::format(
                "\n[[constraint]]\nname = \"foot{}\"\ntype = \"point_on_plane\"\npoint = "
                "\"plate@{}\"\norigin = \"rod@[0.0, 0.0, 0.0]\"\nnormal = \"rod@[0.0, 0.0, "
                "1.0]\"\n",
                count++,
                foot);
        Simulation simulation = model(text + integrator("emm", 1e-3, 1e-2));
        CHECK(simulation.statistics().redundant_rows == 0);
    }
}

TEST_SUITE("emm: rounding is no fault") {
    // At its turning points a small swing moves by less than what a formula's values are rounded
    // by.
    TEST_CASE("a pendulum's length written as a root swings like one written as a square") {
        for (const double amplitude : {1e-6, 1e-3, 0.1, 1.0})
            for (const double step : {1e-4, 1e-3, 1e-2}) {
                CAPTURE(amplitude);
                CAPTURE(step);
                const auto swing = [&](const char* equation) {
                    const std::string text = fmt::format(
                        "{}\n[[body]]\nname = \"bob\"\ntype = \"particle\"\nmass = 1.0\n"
                        "coordinates = \"xz\"\nposition = [{:.17g}, 0.0, {:.17g}]\n\n"
                        "[[constraint]]\nname = \"rod\"\ntype = \"general_constraint\"\n"
                        "equation = \"{}\"\n",
                        with_gravity(-Vec3::UnitZ()),
                        std::sin(amplitude),
                        -std::cos(amplitude),
                        equation);
                    Simulation simulation = model(text + integrator("emm", step, 2000.0 * step));
                    run_to_end(simulation);
                    CHECK(simulation.statistics().constraint_position.max_abs <= tolerance(1e-14));
                    return vec3(simulation.point("bob@0").position);
                };
                const Vec3 root = swing("sqrt(bob.x^2 + bob.z^2) = 1");
                const Vec3 square = swing("bob.x^2 + bob.z^2 = 1");
                CHECK((root - square).norm() <=
                      tolerance(1e-9 * amplitude + 1e-2 * step * step * amplitude));
            }
    }

    TEST_CASE("three hinged links with prescribed angles start from rest") {
        for (const double step : {1e-4, 5e-4, 1e-3, 2e-3, 1e-2}) {
            CAPTURE(step);
            std::string text = with_gravity(-Vec3::UnitZ());
            std::vector<Rod> rods;
            rods.reserve(3);
            for (int i = 0; i < 3; ++i) {
                rods.push_back({fmt::format("link{}", i), Vec3(i, 0, 0), Vec3(i + 1, 0, 0)});
                text += rods.back().text(kRigid, 0.1, 0.02);
                text += hinge(fmt::format("hinge{}", i),
                              Vec3(i, 0, 0),
                              Vec3::UnitY(),
                              &rods.back(),
                              i == 0 ? nullptr : &rods[static_cast<std::size_t>(i) - 1]);
                const std::string angle = fmt::format("({} * sin(2*t)^2)", 0.3 * (i + 1));
                const std::string tip = fmt::format("link{}@[0.5, 0, 0]", i);
                const std::string tail = fmt::format("link{}@[-0.5, 0, 0]", i);
                text += fmt::format(
                    "\n[[constraint]]\nname = \"drive{}\"\ntype = \"general_constraint\"\n"
                    "equation = \"({}.z - {}.z)*cos{} + ({}.x - {}.x)*sin{} = 0\"\n",
                    i,
                    tip,
                    tail,
                    angle,
                    tip,
                    tail,
                    angle);
            }
            const double end = 200.0 * step;
            Simulation simulation = model(text + integrator("emm", step, end));
            run_to_end(simulation);
            Vec3 tip = Vec3::Zero();
            for (int i = 0; i < 3; ++i) {
                const double angle = 0.3 * (i + 1) * std::pow(std::sin(2.0 * end), 2);
                tip += Vec3(std::cos(angle), 0.0, -std::sin(angle));
            }
            CHECK((vec3(simulation.point("link2@[0.5, 0.0, 0.0]").position) - tip).norm() <=
                  tolerance(1e-12));
            CHECK(simulation.statistics().energy.max_rel <= tolerance(1e-12));
        }
    }

    // May fail: the rounding-error bound of a function's values, taken from coordinates, where the
    // difference of two points of a body does not depend on the body's distance.
    TEST_CASE("links that are driven against each other take few iterations") {
        std::string text = with_gravity(-9.81 * Vec3::UnitZ());
        std::vector<Rod> rods;
        for (int i = 0; i < 3; ++i) {
            const std::string here = fmt::format("link{}", i);
            rods.push_back({here, Vec3(i, 0, 0), Vec3(i + 1, 0, 0)});
            text += rods.back().text(kRigid, 1.0, 0.1);
            text += hinge(fmt::format("hinge{}", i),
                          Vec3(i, 0, 0),
                          Vec3::UnitY(),
                          &rods.back(),
                          i == 0 ? nullptr : &rods[static_cast<std::size_t>(i) - 1]);
            // Along the link before, and upright on it
            std::string product;
            for (const char axis : {'x', 'y', 'z'}) {
                const auto differ = [axis](const std::string& body, const char* a, const char* b) {
                    return fmt::format("({0}@{1}.{3} - {0}@{2}.{3})", body, a, b, axis);
                };
                const std::string before = fmt::format("link{}", i - 1);
                const std::string along = i > 0 ? differ(before, "[0.5, 0, 0]", "[-0.5, 0, 0]")
                                          : axis == 'x' ? "1"
                                                        : "0";
                const std::string up = i > 0         ? differ(before, "[0.5, 0, 1]", "[0.5, 0, 0]")
                                       : axis == 'z' ? "1"
                                                     : "0";
                product += fmt::format("{0}{1}*({2}*cos(0.5*sin(3*t)^2) + {3}*sin(0.5*sin(3*t)^2))",
                                       product.empty() ? "" : " + ",
                                       differ(here, "[0.5, 0, 0]", "[-0.5, 0, 0]"),
                                       up,
                                       along);
            }
            text += fmt::format(
                "\n[[constraint]]\nname = \"drive{}\"\ntype = \"general_constraint\"\n"
                "equation = \"{} = 0\"\n",
                i,
                product);
        }
        Simulation simulation = model(text + integrator("emm", 1e-3, 0.3));
        run_and_check(simulation, 3.0);
    }
}

TEST_SUITE("emm: energy that grows without end is told") {
    TEST_CASE("by the force that does it, where steps do not converge any more") {
        // A floor that pulls up what has left it, instead of pushing what is below.
        for (const double stiffness : {1e2, 1e3, 1e4}) {
            CAPTURE(stiffness);
            std::string message;
            try {
                Simulation simulation = model(
                    "[model]\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"ball\"\ntype = "
                    "\"particle\"\nmass = 1.0\nposition = [0, 0, 1]\n[[force]]\nname = "
                    "\"air\"\ntype = \"drag\"\nat = \"ball@[0, 0, 0]\"\nlinear = "
                    "1e-3\n[[force]]\nname = \"floor\"\ntype = \"point_load\"\nat = "
                    "\"ball@[0, 0, 0]\"\nforce = [\"0\", \"0\", \"" +
                    std::to_string(stiffness) + " * ball.z * abs(ball.z)\"]\n" +
                    integrator("emm", 1e-2, 100.0));
                run_to_end(simulation);
            } catch (const Error& error) {
                message = error.message();
            }
            CAPTURE(message);
            CHECK(message.find("the energy of motion grew from") != std::string::npos);
            CHECK(message.find("force \"floor\"") != std::string::npos);
            CHECK(message.find("very stiff") == std::string::npos);
        }
    }
}

TEST_SUITE("emm: a balance that does not close is told") {
    TEST_CASE("at a loose tolerance, and neither at the default nor at rest") {
        const auto warnings = [](const std::string& tolerance) {
            std::vector<std::string> said;
            Simulation simulation(
                example_manifest("hanging_chain", {"integrator.tolerance=" + tolerance}),
                registry(),
                [&](const std::string& message) {
                    said.push_back(message);
                });
            run_to_end(simulation);
            return said;
        };
        CHECK(warnings("1e-12").empty());
        const std::vector<std::string> loose = warnings("1e-6");
        REQUIRE(loose.size() == 1);
        CHECK(loose[0].starts_with("the balances of this run do not close (energy by "));

        std::vector<std::string> said;
        Simulation resting(
            Manifest::parse(with_gravity(-Vec3::UnitZ()) +
                                "\n[[body]]\nname = \"weight\"\ntype = \"particle\"\n"
                                "mass = 1.0\nposition = [0.3, 0.1, 1.0]\n\n"
                                "[[constraint]]\nname = \"nail\"\ntype = "
                                "\"position\"\na = \"weight@0\"\nb = \"ground@[0.3, "
                                "0.1, 1.0]\"\n" +
                                integrator("emm", 1e-3, 0.1),
                            "test.toml"),
            registry(),
            [&](const std::string& message) {
                said.push_back(message);
            });
        run_to_end(resting);
        CHECK(said.empty());
    }

    // Weights are balanced by reactions, at positions that are rounded: 1e-19 J of 1e-13 J.
    TEST_CASE("not by a loop that starts from its equilibrium") {
        std::vector<std::string> said;
        Simulation loop(Manifest::parse(std::string(R"(
[model]
gravity=[0,0,-9.81]
start="equilibrium"
[[body]]
name="a"
type="ancf_rigid_body"
mass=1.0
inertia=[0.01,0.02,0.03]
position=[0.3,0.4,0]
[[body]]
name="b"
type="ancf_rigid_body"
mass=2.0
inertia=[0.01,0.02,0.03]
position=[0.6,0.8,0]
[[constraint]]
name="j1"
type="revolute"
a="ground"
b="a"
point=[0.0,0.0,0.0]
axis=[0.3,1,0.2]
[[constraint]]
name="j2"
type="spherical"
a="a"
b="b"
point=[0.5,0.6,0.1]
[[constraint]]
name="close"
type="spherical"
a="ground"
b="b"
point=[1.1,0.7,0.2]
)") + integrator("emm", 1e-3, 3.0),
                                        "loop.toml"),
                        registry(),
                        [&](const std::string& message) {
                            said.push_back(message);
                        });
        run_to_end(loop);
        CHECK(said.empty());
        CHECK(loop.statistics().energy.max_abs < 1e-15);
    }
}

TEST_SUITE("emm: what ties to inertial axes") {
    // May fail: a free pair of boxes whose points keep one height, and an angular momentum that
    // changes with no word of who changes it.
    TEST_CASE("components between two bodies: the frame's moment is booked") {
        std::string text;
        for (int i = 0; i < 2; ++i)
            text += fmt::format(
                "\n[[body]]\nname = \"box{0}\"\ntype = \"{1}\"\nsize = [1.0, 0.6, 0.3]\ndensity = "
                "500.0\nposition = [{2}.0, 0.0, 0.0]\nangular_velocity = [0.0, 0.0, {3}]\n",
                i,
                kRigid,
                2 * i,
                0.7 + i);
        text +=
            "\n[[constraint]]\nname = \"level\"\ntype = \"position\"\na = \"box0@[0.2, 0.1, "
            "0.1]\"\nb = \"box1@[-0.3, 0.2, 0.1]\"\ncomponents = \"z\"\n\n[[force]]\nname = "
            "\"push\"\ntype = \"point_load\"\nat = \"box0@[0.5, 0.0, 0.0]\"\nforce = [0.0, "
            "0.0, 40.0]\n";
        Simulation simulation = model(text + integrator("emm", 1e-2, 2.0));
        run_and_check(simulation, 4.0);
        CHECK(simulation.reaction("level")[2] != 0.0);
    }
}

}  // namespace
}  // namespace ancora::testing
