// SPDX-License-Identifier: BSD-3-Clause
// Laws in joints: rotors with a ratio, friction of what turns and slides, springs whose stiffness
// changes, the limits of servos.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>

#include <boost/math/special_functions/ellint_1.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kG = 9.81;
constexpr const char* kIntegrators[] = {"emm", "rk4", "dopri5"};

bool is_emm(const std::string& integrator) {
    return integrator == "emm";
}

std::string axle(const std::string& laws, const std::string& axis = "[0, 0, 1]") {
    return constraint(
        "axle",
        "revolute",
        fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = {}\n{}", axis, laws));
}

/// Why a model is refused when it is made.
std::string refused(const std::string& text) {
    try {
        model(text + steps("emm", 1e-3, 0.1));
    } catch (const Error& error) {
        CHECK(error.kind() == ErrorKind::manifest);
        return error.message();
    }
    return "";
}

TEST_SUITE("rotors") {
    TEST_CASE("a motor accelerates what it drives and its rotor by the square of the ratio") {
        constexpr double kTorque = 0.5, kEnd = 2.0, kAngle = 0.3, kRate = 1.5;
        const double J = 0.04 + 5.0 * 5.0 * 0.01;
        const double acceleration = kTorque / J;
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text(false) + body("wheel", "ancf_rigid_body", "") +
                      axle(fmt::format("motor = {}\nstart = {{angle = {}, angle_rate = {}}}\n"
                                       "rotor = {{inertia = \"0.01 kg*m^2\", ratio = -5}}",
                                       kTorque,
                                       kAngle,
                                       kRate)) +
                      steps(integrator, 1e-3, kEnd));
            CHECK(column(simulation, "energy.kinetic") ==
                  Near(0.5 * J * kRate * kRate, tolerance(1e-14)));
            run_to_end(simulation);
            // The middle of a step turns by 2 tan(angle / 2)
            const double bound = tolerance(is_emm(integrator) ? 5e-5 : 1e-10);
            CHECK(column(simulation, "axle.angle") ==
                  Near(kAngle + kRate * kEnd + 0.5 * acceleration * kEnd * kEnd, bound));
            CHECK(column(simulation, "axle.rotor.effort") ==
                  Near(-(J - 0.04) * acceleration, bound));
            const double rate = column(simulation, "axle.angle_rate");
            CHECK(rate == Near(kRate + acceleration * kEnd, bound));
            CHECK(column(simulation, "energy.kinetic") == Near(0.5 * J * rate * rate, bound));
            CHECK(column(simulation, "axle.rotor.work") ==
                  Near(-0.5 * (J - 0.04) * (rate * rate - kRate * kRate), bound));
            if (is_emm(integrator)) check_balances(simulation);
        }
    }

    TEST_CASE("a pendulum swings as slowly as its rotor makes it") {
        const double amplitude = 1.2;
        const double J = 0.03 + 0.25 + 50.0 * 50.0 * 2e-4;
        const double omega = std::sqrt(kG * 0.5 / J);
        const double period = 4.0 / omega * boost::math::ellint_1(std::sin(0.5 * amplitude));
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text() + body("rod", "ancf_rigid_body", "position = [0, 0, -0.5]") +
                      constraint("hinge",
                                 "revolute",
                                 fmt::format("a = \"ground\"\nb = \"rod\"\npoint = [0, 0, 0]\n"
                                             "axis = [0, 1, 0]\nstart = {}\n"
                                             "rotor = {{inertia = 2e-4, ratio = 50}}",
                                             amplitude)) +
                      steps(integrator, period / 1000.0, period));
            run_to_end(simulation);
            CHECK(column(simulation, "hinge.angle") ==
                  Near(amplitude, tolerance(is_emm(integrator) ? 1e-8 : 1e-9)));
            CHECK(std::abs(column(simulation, "hinge.angle_rate")) <=
                  tolerance(is_emm(integrator) ? 5e-4 : 1e-8));
            if (is_emm(integrator)) check_balances(simulation);
        }
    }

    TEST_CASE("through a train of gears every rotor is felt by the square of its ratio") {
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation = model(
                model_text(false) + body("small", "ancf_rigid_body", "") +
                body("large", "ancf_rigid_body", "position = [0.3, 0, 0]", 4.0, "[1, 1, 2]") +
                constraint("p",
                           "revolute",
                           "a = \"ground\"\nb = \"small\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                           "motor = 0.5\nrotor = 0.01") +
                constraint("q",
                           "revolute",
                           "a = \"ground\"\nb = \"large\"\npoint = [0.3, 0, 0]\naxis = [0, 0, 1]\n"
                           "rotor = {inertia = 0.02, ratio = 4}") +
                constraint("mesh", "gear", "on = [\"p.angle\", \"q.angle\"]\nteeth = [20, 60]") +
                steps(integrator, 1e-3, 2.0));
            run_to_end(simulation);
            const double J = 0.04 + 0.01 + (2.0 + 16.0 * 0.02) / 9.0;
            CHECK(column(simulation, "p.angle") ==
                  Near(0.5 * 0.5 / J * 4.0, tolerance(is_emm(integrator) ? 5e-6 : 1e-10)));
            if (is_emm(integrator)) check_balances(simulation);
        }
    }

    TEST_CASE("a weight that turns a drum falls with what is left; so do two points") {
        // 100 rad/m on 1e-4 kg m^2 weighs 1 kg to what moves
        const std::string rotor = "inertia = 1e-4\nratio = 100";
        for (const std::string integrator : kIntegrators)
            for (const bool by_points : {false, true}) {
                CAPTURE(integrator);
                CAPTURE(by_points);
                Simulation simulation = model(
                    model_text() + body("load", "ancf_rigid_body", "position = [0, 0, -1]", 2.0) +
                    constraint("rail",
                               "prismatic",
                               "a = \"ground\"\nb = \"load\"\npoint = [0, 0, -1]\n"
                               "axis = [0, 0, 1]") +
                    force("drum",
                          "rotor",
                          (by_points ? "a = \"ground@[0, 0, 0]\"\nb = \"load@[0, 0, 0]\"\n"
                                     : "on = \"rail\"\n") +
                              rotor) +
                    steps(integrator, 1e-3, 0.5));
                run_to_end(simulation);
                CHECK(column(simulation, "rail.displacement") ==
                      Near(-0.5 * kG * 2.0 / 3.0 * 0.25, tolerance(1e-10)));
                CHECK(column(simulation, "drum.effort") ==
                      Near((by_points ? -1.0 : 1.0) * kG * 2.0 / 3.0, tolerance(1e-9)));
            }
    }

    TEST_CASE("between free bodies momentum and angular momentum stay as they were") {
        const auto text = [](const std::string& laws) {
            return model_text(false) +
                   body("first",
                        "ancf_rigid_body",
                        "velocity = [0.3, -0.2, 0.5]\nangular_velocity = [0.4, -0.3, 0.7]") +
                   body("second",
                        "ancf_rigid_body",
                        "position = [0.3, 0.2, 0.1]\nvelocity_from = \"first\"",
                        1.5,
                        "[0.05, 0.03, 0.04]") +
                   constraint("joint",
                              "revolute",
                              "a = \"first\"\nb = \"second\"\npoint = [0.2, 0.1, 0.1]\n"
                              "axis = [0.3, -0.7, 0.5]\nmotor = \"0.2*sin(5*t)\"\n" +
                                  laws);
        };
        Simulation simulation =
            model(text("rotor = {inertia = 1e-4, ratio = 30}") + steps("emm", 1e-3, 2.0));
        const Vec3 P = columns(simulation, "momentum"), L = columns(simulation, "angular_momentum");
        run_to_end(simulation);
        check_balances(simulation);
        CHECK((columns(simulation, "momentum") - P).norm() <= tolerance(1e-13));
        CHECK((columns(simulation, "angular_momentum") - L).norm() <= tolerance(1e-13));
        Simulation exact =
            model(text("rotor = {inertia = 1e-4, ratio = 30}") + steps("dopri5", 1e-3, 2.0));
        Simulation without = model(text("") + steps("dopri5", 1e-3, 2.0));
        run_to_end(exact);
        run_to_end(without);
        const double angle = column(exact, "joint.angle");
        CHECK(column(simulation, "joint.angle") == Near(angle, tolerance(2e-5)));
        CHECK(std::abs(column(without, "joint.angle") - angle) > 1e-2);
    }

    TEST_CASE("spins on one axis share a torque between the reduced inertia and the rotor") {
        const double reduced = 0.04 * 0.07 / (0.04 + 0.07), J = 9.0 * 0.002;
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation = model(
                model_text(false) + body("stator", "ancf_rigid_body", "") +
                body("wheel", "ancf_rigid_body", "", 1.0, "[0.05, 0.05, 0.07]") +
                constraint("axle",
                           "revolute",
                           "a = \"stator\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                           "motor = 0.1\nrotor = {inertia = 0.002, ratio = 3}") +
                steps(integrator, 1e-3, 1.0));
            run_to_end(simulation);
            CHECK(column(simulation, "axle.angle_rate") ==
                  Near(0.1 / (reduced + J), tolerance(is_emm(integrator) ? 1e-5 : 1e-11)));
            CHECK(columns(simulation, "angular_momentum").norm() <= tolerance(1e-14));
        }
    }

    TEST_CASE("in a loop with one row too many, driven, it costs the drive what it should") {
        // A parallelogram whose coupler is held by a third, redundant crank; the crank is driven
        const auto crank = [](const std::string& name, double x, const std::string& laws) {
            return body(name, "ancf_rigid_body", fmt::format("position = [{}, 0, 0.15]", x)) +
                   constraint(name + "_foot",
                              "revolute",
                              fmt::format("a = \"ground\"\nb = \"{}\"\npoint = [{}, 0, 0]\n"
                                          "axis = [0, 1, 0]\n{}",
                                          name,
                                          x,
                                          laws)) +
                   constraint(name + "_head",
                              "revolute",
                              fmt::format("a = \"{}\"\nb = \"coupler\"\npoint = [{}, 0, 0.3]\n"
                                          "axis = [0, 1, 0]",
                                          name,
                                          x));
        };
        const auto torque = [&](const std::string& integrator, const std::string& rotor) {
            const std::string drive =
                "drive = {rate = \"2 + sin(3*t)\"}\nstart = {angle_rate = 2.0}\n" + rotor;
            Simulation simulation =
                model("[model]\ngravity = [0, 0, -9.81]\nproject_start = true\n" +
                      body("coupler", "ancf_rigid_body", "position = [0.4, 0, 0.3]") +
                      crank("left", 0.0, drive) + crank("middle", 0.4, "") +
                      crank("right", 0.8, "") + steps(integrator, 1e-3, 1.0));
            run_to_end(simulation);
            if (is_emm(integrator)) check_balances(simulation);
            return column(simulation, "left_foot.drive.effort");
        };
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            const double J = 30.0 * 30.0 * 1e-3;
            const double t = is_emm(integrator) ? 1.0 - 0.5e-3 : 1.0;
            CHECK(torque(integrator, "rotor = {inertia = 1e-3, ratio = 30}") -
                      torque(integrator, "") ==
                  // Where a rate is given over steps accelerations alternate by h / 4 of its second
                  Near(J * 3.0 * std::cos(3.0 * t), tolerance(is_emm(integrator) ? 2.5e-3 : 1e-6)));
        }
    }

    TEST_CASE("it is no body that anyone sees, and goes through saved states") {
        const std::string text =
            model_text() + body("wheel", "ancf_rigid_body", "") +
            axle("motor = 0.1\nrotor = {inertia = 1e-3, ratio = 4}\nstart = 0.2") +
            steps("emm", 1e-3, 1.0);
        Simulation simulation = model(text);
        CHECK(simulation.body_states().size() == 1);
        CHECK(simulation.scene().bodies.size() == 1);
        const ModelAnalysis analysis = simulation.analyse();
        CHECK(analysis.num_bodies == 1);
        CHECK(analysis.gruebler == 1);
        CHECK(analysis.degrees_of_freedom == 1);
        CHECK(analysis.redundant_rows.empty());
        CHECK(analysis.mass == 1.0);
        CHECK_THROWS_AS(simulation.pose("axle.rotor"), Error);
        while (simulation.time() < 0.5) simulation.step();
        const std::vector<std::byte> saved = simulation.save();
        run_to_end(simulation);
        Simulation again = model(text);
        again.restore(saved);
        run_to_end(again);
        CHECK(column(again, "axle.angle") == column(simulation, "axle.angle"));
        CHECK(column(again, "axle.rotor.work") == column(simulation, "axle.rotor.work"));
        CHECK(refused(model_text() + body("wheel", "ancf_rigid_body", "") +
                      axle("rotor = {inertia = 1e-3, ratio = 0}")) ==
              "force \"axle.rotor\": ratio: is zero, so that the rotor would not turn");
    }
}

/// A sleeve of inertia J about its horizontal shaft, N = m g.
std::string sleeve(double J, const std::string& keys, const std::string& axis = "[1, 0, 0]") {
    return model_text() +
           body("sleeve", "ancf_rigid_body", "", 1.0, fmt::format("[{}, 0.04, 0.04]", J)) +
           constraint(
               "shaft",
               "cylindrical",
               fmt::format(
                   "a = \"ground\"\nb = \"sleeve\"\npoint = [0, 0, 0]\naxis = {}\n{}", axis, keys));
}

TEST_SUITE("friction in bearings") {
    TEST_CASE("what turns and slides stops on a straight line where both have one inertia") {
        constexpr double kMu = 0.2, kRadius = 0.2, kJ = kRadius * kRadius;
        constexpr double kRate = 3.0, kSpeed = 0.45;  // 0.6 m/s on the surface
        const double speed = std::hypot(kRadius * kRate, kSpeed);
        const double stop = speed / (kMu * kG);
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation =
                model(sleeve(kJ,
                             fmt::format("start = {{angle_rate = {}, displacement_rate = {}}}\n"
                                         "friction = {{mu = {}, radius = {}}}",
                                         kRate,
                                         kSpeed,
                                         kMu,
                                         kRadius)) +
                      steps(integrator, 1e-3, 1.5 * stop));
            simulation.step();
            simulation.step();
            CHECK(column(simulation, "shaft.friction.effort.displacement") ==
                  Near(-kMu * kG * kSpeed / speed, tolerance(1e-6)));
            CHECK(column(simulation, "shaft.friction.effort.angle") ==
                  Near(-kMu * kG * kRadius * kRadius * kRate / speed, tolerance(1e-6)));
            run_to_end(simulation);
            CHECK(column(simulation, "shaft.angle") ==
                  Near(0.5 * kRate * stop, tolerance(is_emm(integrator) ? 1e-6 : 1e-8)));
            CHECK(column(simulation, "shaft.displacement") ==
                  Near(0.5 * kSpeed * stop, tolerance(is_emm(integrator) ? 1e-6 : 1e-8)));
            CHECK(std::abs(column(simulation, "shaft.angle_rate")) <= tolerance(1e-12));
            CHECK(std::abs(column(simulation, "shaft.displacement_rate")) <= tolerance(1e-12));
            CHECK(column(simulation, "shaft.friction.work") ==
                  Near(-0.5 * (kJ * kRate * kRate + kSpeed * kSpeed), tolerance(1e-6)));
            REQUIRE(simulation.events().size() == 1);
            CHECK(simulation.events()[0].t == Near(stop, tolerance(1e-5)));
            if (is_emm(integrator)) check_balances(simulation);
        }
    }

    TEST_CASE("where they differ, the slower to stop takes the direction over") {
        // m v' = -f v / w, J / r^2 u' = -f u / w: u goes with v to the power m r^2 / J = 1/2
        constexpr double kRadius = 0.2, kJ = 2.0 * kRadius * kRadius;
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation =
                model(sleeve(kJ,
                             fmt::format("start = {{angle_rate = 3.0, displacement_rate = 0.5}}\n"
                                         "friction = {{mu = 0.2, radius = {}}}",
                                         kRadius)) +
                      steps(integrator, 1e-3, 0.3));
            run_to_end(simulation);
            const double v = column(simulation, "shaft.displacement_rate");
            CHECK(v < 0.2);
            CHECK(v > 0.01);
            CHECK(column(simulation, "shaft.angle_rate") ==
                  Near(3.0 * std::sqrt(v / 0.5), tolerance(is_emm(integrator) ? 1e-4 : 1e-7)));
        }
    }

    TEST_CASE("it sticks up to the cone of both loads, and slides along them beyond") {
        constexpr double kSlope = 0.15, kMu = 0.3, kRadius = 0.1;
        const double N = kG * std::cos(kSlope), axial = kG * std::sin(kSlope);
        const double rest = std::sqrt(kMu * N * kMu * N - axial * axial);  // for the turn
        const std::string axis = fmt::format("[{}, 0, {}]", std::cos(kSlope), -std::sin(kSlope));
        const std::string turned =
            fmt::format("orientation = {{axis = [0, 1, 0], angle = {}}}", kSlope);
        for (const std::string integrator : kIntegrators)
            for (const double part : {0.98, 1.05}) {
                CAPTURE(integrator);
                CAPTURE(part);
                const double J = kRadius * kRadius;
                Simulation simulation = model(
                    model_text() +
                    body("sleeve",
                         "ancf_rigid_body",
                         turned,
                         1.0,
                         fmt::format("[{}, 0.04, 0.04]", J)) +
                    constraint("shaft",
                               "cylindrical",
                               fmt::format("a = \"ground\"\nb = \"sleeve\"\npoint = [0, 0, 0]\n"
                                           "axis = {}\nmotor = {{on = \"angle\", effort = {}}}\n"
                                           "friction = {{mu = {}, radius = {}}}",
                                           axis,
                                           part * rest * kRadius,
                                           kMu,
                                           kRadius)) +
                    steps(integrator, 1e-3, 0.3));
                run_to_end(simulation);
                const double turn = kRadius * column(simulation, "shaft.angle");
                const double way = column(simulation, "shaft.displacement");
                if (part < 1.0) {
                    CHECK(std::abs(turn) <= tolerance(1e-12));
                    CHECK(std::abs(way) <= tolerance(1e-12));
                    CHECK(column(simulation, "shaft.friction.effort.displacement") ==
                          Near(-axial, tolerance(1e-9)));
                    CHECK(column(simulation, "shaft.friction.effort.angle") ==
                          Near(-part * rest * kRadius, tolerance(1e-9)));
                    CHECK(simulation.events().empty());
                    continue;
                }
                // One inertia both ways: straight along the load
                const double load = std::hypot(axial, part * rest);
                const double path = 0.5 * (load - kMu * N) * 0.3 * 0.3;
                CHECK(way == Near(path * axial / load, tolerance(1e-7)));
                CHECK(turn == Near(path * part * rest / load, tolerance(1e-7)));
            }
    }

    TEST_CASE("a shaft that is turned lets its sleeve creep under a load that it would hold") {
        // Friction mu N against the velocity on the surface: axially v / (r Omega) of it, nearly
        constexpr double kMu = 0.3, kRadius = 0.1, kOmega = 20.0, kLoad = 0.5;
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation = model(
                sleeve(0.01,
                       fmt::format("start = {{angle_rate = {0}}}\ndrive = {{on = \"angle\", rate = "
                                   "{0}}}\nmotor = {{on = \"displacement\", effort = {1}}}\n"
                                   "friction = {{mu = {2}, radius = {3}}}",
                                   kOmega,
                                   kLoad,
                                   kMu,
                                   kRadius)) +
                steps(integrator, 2e-3, 20.0));
            run_to_end(simulation);
            const double across = std::sqrt(kMu * kG * kMu * kG - kLoad * kLoad);
            // The middle of a step turns by 2 tan(angle / 2), of 0.04 rad
            const double bound = tolerance(is_emm(integrator) ? 6e-5 : 1e-6);
            CHECK(column(simulation, "shaft.displacement_rate") ==
                  Near(kRadius * kOmega * kLoad / across, bound));
            CHECK(column(simulation, "shaft.drive.effort") == Near(kRadius * across, bound));
        }
    }

    TEST_CASE("a ball's spin stops about its axis at the closed time, and stays") {
        constexpr double kMu = 0.3, kRadius = 0.05, kJ = 0.02;
        const Vec3 spin(1.2, -0.8, 1.5);
        const double stop = kJ * spin.norm() / (kMu * kG * kRadius);
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text() +
                      body("ball",
                           "ancf_rigid_body",
                           "angular_velocity = [1.2, -0.8, 1.5]",
                           1.0,
                           "[0.02, 0.02, 0.02]") +
                      constraint("socket",
                                 "spherical",
                                 fmt::format("a = \"ground\"\nb = \"ball\"\npoint = [0, 0, 0]\n"
                                             "friction = {{mu = {}, radius = {}}}",
                                             kMu,
                                             kRadius)) +
                      steps(integrator, 1e-3, 1.5 * stop));
            simulation.step();
            simulation.step();
            CHECK((columns(simulation, "socket.friction.torque") +
                   kMu * kG * kRadius * spin.normalized())
                      .norm() <= tolerance(1e-6));
            run_to_end(simulation);
            const Mat3 turned =
                Eigen::AngleAxisd(0.5 * spin.norm() * stop, spin.normalized()).toRotationMatrix();
            CHECK(angle_between(attitude(simulation, "ball"), turned) <=
                  tolerance(is_emm(integrator) ? 2e-6 : 1e-8));
            CHECK(omega(simulation, "ball").norm() <= tolerance(1e-12));
            CHECK(column(simulation, "socket.friction.work") ==
                  Near(-0.5 * kJ * spin.squaredNorm(), tolerance(1e-6)));
            REQUIRE(simulation.events().size() == 1);
            CHECK(simulation.events()[0].t == Near(stop, tolerance(1e-5)));
            if (is_emm(integrator)) check_balances(simulation);
        }
    }

    TEST_CASE("a ball joint holds a lever up to mu N r in any attitude, and not beyond") {
        constexpr double kMu = 0.4, kRadius = 0.1;
        // The lever m g d against mu m g r
        const Vec3 level = Vec3(0.6, 0.8, 0.0);
        for (const std::string integrator : kIntegrators)
            for (const double part : {0.98, 1.05}) {
                CAPTURE(integrator);
                CAPTURE(part);
                const Vec3 center = part * kMu * kRadius * level;
                Simulation simulation = model(
                    model_text() +
                    body("lever",
                         "ancf_rigid_body",
                         fmt::format("position = [{}, {}, {}]\norientation = {{axis = [1, 2, 3], "
                                     "angle = 0.8}}",
                                     center(0),
                                     center(1),
                                     center(2)),
                         1.0,
                         "[0.02, 0.02, 0.02]") +
                    constraint("socket",
                               "spherical",
                               fmt::format("a = \"ground\"\nb = \"lever\"\npoint = [0, 0, 0]\n"
                                           "friction = {{mu = {}, radius = {}}}",
                                           kMu,
                                           kRadius)) +
                    steps(integrator, 1e-3, 0.1));
                run_to_end(simulation);
                const Vec3 torque = columns(simulation, "socket.friction.torque");
                const Vec3 axis = level.cross(Vec3(0, 0, -1));  // it would tip about
                const Vec3 moved = vec3(simulation.pose("lever").position) - center;
                CHECK(torque.cross(axis).norm() <= tolerance(1e-6) * torque.norm());
                CHECK(torque.dot(axis) < 0.0);
                if (part < 1.0) {
                    CHECK(moved.norm() <= tolerance(1e-13));
                    CHECK(torque.norm() == Near(center.norm() * kG, tolerance(1e-9)));
                    continue;
                }
                // It bears m (g - a) while it tips: to first order as at the start
                const double J = 0.02 + center.squaredNorm();
                CHECK(moved(2) < 0.0);
                CHECK(moved.norm() <= 0.5 * kG * center.norm() / J * 0.01 * center.norm());
            }
    }

    TEST_CASE("a tumbling pair on a ball with friction: order two, momenta and books kept") {
        const std::string text =
            model_text(false) +
            body("first",
                 "ancf_rigid_body",
                 "velocity = [0.3, -0.2, 0.5]\nangular_velocity = [1.4, -1.3, 2.7]") +
            body("second",
                 "ancf_rigid_body",
                 "position = [0.3, 0.2, 0.1]\nvelocity_from = \"first\"",
                 1.5,
                 "[0.05, 0.03, 0.04]") +
            constraint("joint",
                       "spherical",
                       "a = \"first\"\nb = \"second\"\npoint = [0.2, 0.1, 0.1]\n"
                       "friction = {mu = 0.3, radius = 0.02}");
        // They start as one body: loosen them by turning the second about the joint
        const std::string loose = [&] {
            std::string out = text;
            const std::string from = "velocity_from = \"first\"";
            const Vec3 w(1.4, -1.3, 2.7), w2(-2.0, 1.0, 0.5);
            const Vec3 at_joint = Vec3(0.3, -0.2, 0.5) + w.cross(Vec3(0.2, 0.1, 0.1));
            const Vec3 v2 = at_joint + w2.cross(Vec3(0.1, 0.1, 0.0));
            return out.replace(
                out.find(from),
                from.size(),
                fmt::format("velocity = [{}, {}, {}]\nangular_velocity = [-2.0, 1.0, 0.5]",
                            v2(0),
                            v2(1),
                            v2(2)));
        }();
        Simulation exact = model(loose + steps("dopri5", 1e-3, 0.2));
        run_to_end(exact);
        std::array<double, 2> error{};
        for (std::size_t i = 0; i < 2; ++i) {
            Simulation simulation = model(loose + steps("emm", i == 0 ? 2e-3 : 1e-3, 0.2));
            const Vec3 P = columns(simulation, "momentum");
            const Vec3 L = columns(simulation, "angular_momentum");
            run_to_end(simulation);
            check_balances(simulation);
            CHECK((columns(simulation, "momentum") - P).norm() <= tolerance(1e-13));
            CHECK((columns(simulation, "angular_momentum") - L).norm() <= tolerance(1e-13));
            CHECK(column(simulation, "work.nonideal") < -5e-3);
            error[i] =
                (vec3(simulation.pose("second").position) - vec3(exact.pose("second").position))
                    .norm();
        }
        CHECK(error[1] <= tolerance(2e-4));
        CHECK(error[0] / error[1] == Near(4.0, 0.5));
        // From one motion they stick where friction is strong, and tumble as one body
        std::string strong = text;
        strong.replace(strong.find("mu = 0.3"), 8, "mu = 50.0");
        Simulation stuck = model(strong + steps("emm", 1e-3, 0.5));
        const auto relative = [&]() -> Mat3 {
            return attitude(stuck, "first").transpose() * attitude(stuck, "second");
        };
        const Mat3 before = relative();
        run_to_end(stuck);
        check_balances(stuck);
        CHECK(stuck.events().empty());
        CHECK(angle_between(before, relative()) <= tolerance(1e-13));
        CHECK(std::abs(column(stuck, "work.nonideal")) <= tolerance(1e-14));
    }

    // Constraints hold the ball in two of its three directions. Forces along these are shared with
    // theirs in any way, and must not count against the limit of what could slide.
    TEST_CASE("a loop that can only turn about the line of its two balls stays at rest") {
        struct Loop {
            double mu, radius;
            const char* on;
            std::array<double, 3> first, middle, last;
        };
        constexpr Loop kLoops[] = {
            {0.05, 0.005, "last", {-0.1, 0, -0.291}, {0.5365, 0, -0.2759}, {1.2, 0, -0.1969}},
            {0.3, 0.02, "last", {-0.12, 0, -0.271}, {0.7299, 0, 0.2408}, {1.2, 0, 0.0246}},
            {0.8, 0.005, "first", {0.25, 0, -0.269}, {0.4066, 0, -0.2277}, {1.2, 0, 0.1095}}};
        const auto vec = [](const std::array<double, 3>& r) {
            return fmt::format("[{}, {}, {}]", r[0], r[1], r[2]);
        };
        for (const Loop& loop : kLoops) {
            CAPTURE(loop.middle[0]);
            const std::string friction =
                fmt::format("friction = {{mu = {}, radius = {}}}\n", loop.mu, loop.radius);
            const auto bar = [&](const char* name, const auto& a, const auto& b) {
                return fmt::format(
                    "[[body]]\nname = \"{}\"\ntype = \"ancf_rigid_body\"\n"
                    "size = [0.5, 0.06, 0.04]\ndensity = 1000\n"
                    "orientation = {{axis = [-0.4, 0.76, 0.63], angle = -2}}\n"
                    "position = [{}, 0, {}]\n",
                    name,
                    0.5 * (a[0] + b[0]),
                    0.5 * (a[2] + b[2]));
            };
            const auto ball = [&](const char* name, const char* a, const char* b, const auto& r) {
                return constraint(name,
                                  "spherical",
                                  fmt::format("a = \"{}\"\nb = \"{}\"\npoint = {}\n{}",
                                              a,
                                              b,
                                              vec(r),
                                              std::string(loop.on) == name ? friction : ""));
            };
            Simulation simulation = model(
                "[model]\ngravity = [0, 0, -9.81]\n" + bar("left", loop.first, loop.middle) +
                bar("right", loop.middle, loop.last) + ball("first", "ground", "left", loop.first) +
                constraint("middle",
                           "revolute",
                           fmt::format("a = \"left\"\nb = \"right\"\npoint = {}\n"
                                       "axis = [0, 1, 0]\n",
                                       vec(loop.middle))) +
                ball("last", "right", "ground", loop.last) + steps("emm", 1e-3, 0.2));
            const Mat3 before = attitude(simulation, "right");
            run_to_end(simulation);
            CHECK(angle_between(before, attitude(simulation, "right")) < 1e-9);
            CHECK(simulation.events().empty());
        }
    }

    TEST_CASE("what has no bearing has no friction") {
        const std::string one = model_text() + body("wheel", "ancf_rigid_body", "");
        const std::string where = "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n";
        CHECK(refused(one + constraint("socket", "spherical", where + "friction = 0.1")) ==
              "force \"socket.friction\": radius: is missing: on an angle, friction acts on the "
              "radius of the bearing");
        CHECK(refused(one + constraint("cross",
                                       "universal",
                                       where + "axis_a = [0, 0, 1]\naxis_b = [1, 0, 0]\n"
                                               "friction = {mu = 0.1, radius = 0.1}"))
                  .starts_with("force \"cross.friction\": nothing slides on constraint"));
    }
}

/// x at `end` of x'' = a(t, x, x'), by the classical fourth-order method in small steps.
std::array<double, 2> integrate(const std::function<double(double, double, double)>& a,
                                double x,
                                double v,
                                double end) {
    const int count = static_cast<int>(std::ceil(end / 1e-4));
    const double h = end / count;
    for (int k = 0; k < count; ++k) {
        const double t = k * h;
        const double a1 = a(t, x, v);
        const double v2 = v + 0.5 * h * a1, a2 = a(t + 0.5 * h, x + 0.5 * h * v, v2);
        const double v3 = v + 0.5 * h * a2, a3 = a(t + 0.5 * h, x + 0.5 * h * v2, v3);
        const double v4 = v + h * a3, a4 = a(t + h, x + h * v3, v4);
        x += h / 6.0 * (v + 2.0 * v2 + 2.0 * v3 + v4);
        v += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    return {x, v};
}

TEST_SUITE("stiffness over time") {
    TEST_CASE("a mass on a spring that is pumped moves as Mathieu's equation says") {
        // x'' + (delta + 2 eps cos 2t) x = 0 in the first resonance: it grows
        const auto k = [](double t) {
            return 1.0 + 0.6 * std::cos(2.0 * t);
        };
        const auto [x, v] = integrate(
            [&](double t, double at, double) {
                return -k(t) * at;
            },
            0.1,
            0.0,
            12.0);
        CHECK(std::abs(x) + std::abs(v) > 0.3);
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            const auto run = [&](double h) {
                Simulation simulation =
                    model(model_text(false) + body("mass", "ancf_rigid_body", "") +
                          constraint("rail",
                                     "prismatic",
                                     "a = \"ground\"\nb = \"mass\"\npoint = [0, 0, 0]\n"
                                     "axis = [1, 0, 0]\nstart = 0.1\n"
                                     "spring = {stiffness = \"1 + 0.6*cos(2*t)\", free = 0.0}") +
                          steps(integrator, h, 12.0));
                run_to_end(simulation);
                return simulation;
            };
            Simulation simulation = run(5e-3);
            const double at = column(simulation, "rail.displacement");
            const double rate = column(simulation, "rail.displacement_rate");
            const double error = std::abs(at - x);
            CHECK(error <= tolerance(is_emm(integrator) ? 2e-5 : 1e-9));
            CHECK(rate == Near(v, tolerance(is_emm(integrator) ? 2e-5 : 1e-9)));
            CHECK(column(simulation, "energy.potential") ==
                  Near(0.5 * k(12.0) * at * at, tolerance(1e-10)));
            // What the pump gives is work from outside
            CHECK(column(simulation, "energy.total") - column(simulation, "work.external") ==
                  Near(0.5 * k(0.0) * 0.01, tolerance(is_emm(integrator) ? 1e-13 : 1e-8)));
            CHECK(column(simulation, "rail.spring.work") ==
                  Near(0.5 * rate * rate, tolerance(is_emm(integrator) ? 1e-13 : 1e-8)));
            const double middle = is_emm(integrator) ? 12.0 - 2.5e-3 : 12.0;
            CHECK(column(simulation, "rail.spring.effort") ==
                  Near(-k(middle) * (at - (12.0 - middle) * rate), tolerance(1e-4)));
            if (!is_emm(integrator)) continue;
            check_balances(simulation);
            const double half = std::abs(column(run(2.5e-3), "rail.displacement") - x);
            CHECK(error / half == Near(4.0, 0.2));
        }
    }

    TEST_CASE("with a damper, a preload and turns on a hinge") {
        const auto motion = [](double t, double x, double v) {
            const double k = 2.0 + std::sin(3.0 * t);
            return (-k * (x - 0.4) - 0.05 * v + 1.5) / 0.04;
        };
        const auto [x, v] = integrate(motion, 7.0, 2.0, 1.5);
        for (const std::string integrator : kIntegrators) {
            CAPTURE(integrator);
            const auto run = [&](double h) {
                Simulation simulation = model(
                    model_text(false) + body("wheel", "ancf_rigid_body", "") +
                    axle("start = {angle = 7.0, angle_rate = 2.0}\nspring = {stiffness = \"2 + "
                         "sin(3*t)\", free = 0.4, damping = 0.05, preload = 1.5}") +
                    steps(integrator, h, 1.5));
                run_to_end(simulation);
                return simulation;
            };
            Simulation simulation = run(1e-3);
            const double error = std::abs(column(simulation, "axle.angle") - x);
            CHECK(error <= tolerance(is_emm(integrator) ? 2e-3 : 1e-6));
            CHECK(column(simulation, "axle.angle_rate") ==
                  Near(v, tolerance(is_emm(integrator) ? 2e-2 : 1e-5)));
            if (!is_emm(integrator)) continue;
            check_balances(simulation);
            const double half = std::abs(column(run(5e-4), "axle.angle") - x);
            CHECK(error / half == Near(4.0, 0.3));
        }
    }

    TEST_CASE("between two points that tumble, by a table; momenta are kept") {
        const std::string text =
            model_text(false) +
            body("first",
                 "ancf_rigid_body",
                 "velocity = [0.3, -0.2, 0.5]\nangular_velocity = [1.4, -1.3, 2.7]") +
            body("second",
                 "ancf_rigid_body",
                 "position = [0.5, 0.2, 0.1]\nangular_velocity = [-1.0, 0.5, 2.0]",
                 1.5,
                 "[0.05, 0.03, 0.04]") +
            force("rope",
                  "spring",
                  "a = \"first@[0.1, 0, 0]\"\nb = \"second@[0, -0.1, 0]\"\nfree = 0.1\n"
                  "stiffness = [[0, 5.0], [0.3, 50.0], [1.0, 800.0]]");
        Simulation exact = model(text + steps("dopri5", 1e-3, 1.0));
        run_to_end(exact);
        Simulation simulation = model(text + steps("emm", 1e-3, 1.0));
        const Vec3 P = columns(simulation, "momentum"), L = columns(simulation, "angular_momentum");
        run_to_end(simulation);
        check_balances(simulation);
        CHECK((columns(simulation, "momentum") - P).norm() <= tolerance(1e-13));
        CHECK((columns(simulation, "angular_momentum") - L).norm() <= tolerance(1e-13));
        CHECK((vec3(simulation.pose("second").position) - vec3(exact.pose("second").position))
                  .norm() <= tolerance(1e-3));
        CHECK(simulation.statistics().iterations <= 8 * simulation.statistics().steps);
    }

    TEST_CASE("a stiffness that ends is refused where it does") {
        const auto hinge = [](const std::string& stiffness) {
            return model_text(false) + body("wheel", "ancf_rigid_body", "") +
                   axle("spring = {stiffness = " + stiffness + ", free = 0.4}");
        };
        CHECK(refused(hinge("\"sin(3*t)\"")) ==
              "force \"axle.spring\": stiffness: is not above zero at the start");
        Simulation simulation = model(hinge("\"1 - 2*t\"") + steps("emm", 1e-3, 1.0));
        try {
            run_to_end(simulation);
            FAIL("it ran");
        } catch (const Error& error) {
            CAPTURE(error.message());
            CHECK(error.message().find("must stay above zero") != std::string::npos);
            CHECK(simulation.time() == Near(0.5, 2e-3));
        }
    }
}

TEST_SUITE("servos and couplers") {
    TEST_CASE("an integral at its limit goes back at once when the error turns") {
        // All integral: it would be stuck at the limit, or unwind for as long as it had wound
        Simulation simulation = model(
            model_text(false) + body("wheel", "ancf_rigid_body", "", 1.0, "[1, 1, 1]") +
            axle("damping = 5.0\nservo = {target = [[0, 1.0], [5.0, 1.0], [5.001, -1.0], [20.0, "
                 "-1.0]], ki = 2.0, limit = 0.5}") +
            steps("emm", 1e-3, 8.0));
        double effort = 0.0;
        while (simulation.time() < 4.999) {
            simulation.step();
            effort = column(simulation, "axle.servo.effort");
        }
        CHECK(effort == Near(0.5, tolerance(1e-9)));
        CHECK(column(simulation, "axle.angle") < 1.0);
        while (simulation.time() < 5.5) simulation.step();
        // error about -1.45, so that the effort falls by 2.9 a second
        CHECK(column(simulation, "axle.servo.effort") < -0.3);
        run_to_end(simulation);
        CHECK(column(simulation, "axle.servo.effort") == Near(-0.5, tolerance(1e-9)));
        check_balances(simulation);
    }

    TEST_CASE("couplers say what their efforts are measured in") {
        const auto wheel = [](const std::string& name, double x) {
            return body(name, "ancf_rigid_body", fmt::format("position = [{}, 0, 0]", x)) +
                   constraint("axle_" + name,
                              "revolute",
                              fmt::format("a = \"ground\"\nb = \"{}\"\npoint = [{}, 0, 0]\n"
                                          "axis = [0, 0, 1]",
                                          name,
                                          x));
        };
        Simulation simulation = model(
            model_text(false) + wheel("p", 0.0) + wheel("q", 0.3) + wheel("r", 0.6) +
            wheel("s", 0.9) + body("rack", "ancf_rigid_body", "position = [0, 1, 0]") +
            constraint("rail",
                       "prismatic",
                       "a = \"ground\"\nb = \"rack\"\npoint = [0, 1, 0]\naxis = [1, 0, 0]") +
            constraint("mesh", "gear", "on = [\"axle_p\", \"axle_q\"]\nteeth = [20, 60]") +
            constraint("belt", "belt", "on = [\"axle_q\", \"axle_r\"]\nradii = [0.1, 0.2]") +
            constraint("pinion", "rack_pinion", "on = [\"axle_r\", \"rail\"]\nradius = 0.1") +
            constraint("cage", "differential", "on = [\"axle_p\", \"axle_q\", \"axle_s\"]") +
            constraint("lever", "coupler", "on = [\"rail\", \"axle_s\"]\nratios = [1.0, 0.3]") +
            steps("emm", 1e-3, 0.1));
        std::map<std::string, std::string> units;
        for (const auto& [name, unit] : simulation.column_units()) units[name] = unit;
        CHECK(units["mesh.effort"] == "N m");
        CHECK(units["belt.effort"] == "N");
        CHECK(units["pinion.effort"] == "N");
        CHECK(units["cage.effort"] == "N m");
        CHECK(units["lever.effort"] == "N");
    }
}

}  // namespace
}  // namespace ancora::testing
