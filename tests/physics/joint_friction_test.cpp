// SPDX-License-Identifier: BSD-3-Clause
// Friction in joints: of what turns, slides, does both, and of ball joints.
#include <array>
#include <cmath>
#include <cstddef>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

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
    TEST_CASE(
        "a part that is always there brakes alike whatever the load, and holds up to itself") {
        // A wheel about a vertical and a horizontal shaft: the load on the pin is another, the
        // friction is not. It comes to rest, is held against less, and let go by more.
        constexpr double kJ = 0.3, kF = 0.4, kRate = 2.0;
        const double stop = kJ * kRate / kF;
        const double release = stop + 0.5;  // the motor begins to win
        for (const std::string integrator : kIntegrators)
            for (const std::string axis : {"[0, 0, 1]", "[1, 0, 0]"}) {
                CAPTURE(integrator);
                CAPTURE(axis);
                const double slope = kF / 0.5;  // reaches F at release
                Simulation simulation = model(
                    model_text() +
                    body("wheel", "ancf_rigid_body", "", 1.0, fmt::format("[{0}, {0}, {0}]", kJ)) +
                    constraint("pin",
                               "revolute",
                               fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                           "axis = {}\nstart = {{angle_rate = {}}}\n"
                                           "friction = {{effort = {}}}\n"
                                           "motor = \"{}*max(0, t - {})\"",
                                           axis,
                                           kRate,
                                           kF,
                                           slope,
                                           stop)) +
                    steps(integrator, 1e-3, release + 0.5));
                while (simulation.time() < stop + 0.25) simulation.step();
                const double rest = 0.5 * kRate * stop;
                CHECK(column(simulation, "pin.angle") == Near(rest, tolerance(1e-6)));
                CHECK(std::abs(column(simulation, "pin.angle_rate")) <= tolerance(1e-12));
                run_to_end(simulation);
                // J w' = slope (t - release) - F + F at the start of sliding: slope s^3 / 6 J
                CHECK(column(simulation, "pin.angle") ==
                      Near(rest + slope * 0.125 / (6.0 * kJ), tolerance(1e-5)));
                REQUIRE(simulation.events().size() == 2);
                CHECK(simulation.events()[0].t == Near(stop, tolerance(1e-5)));
                CHECK(simulation.events()[1].t == Near(release, tolerance(1e-3)));
                if (is_emm(integrator)) check_balances(simulation);
            }
    }

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

}  // namespace
}  // namespace ancora::testing
