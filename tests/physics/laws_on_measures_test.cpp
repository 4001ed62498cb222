// SPDX-License-Identifier: BSD-3-Clause
// Laws on measures of joints: springs, motors, servos and drives against closed solutions, what
// they take.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

constexpr double kPi = 3.14159265358979323846;

TEST_SUITE("laws on measures") {
    TEST_CASE("a torsion spring swings with its period, and a damper takes what it should") {
        const double J = 0.04, k = 3.0;
        const double omega = std::sqrt(k / J);
        for (const char* integrator : {"emm", "dopri5"}) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text(false) + body("wheel", "ancf_rigid_body", "") +
                      constraint("axle",
                                 "revolute",
                                 "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                 "axis = [0, 0, 1]\nstart = 7.0\n"
                                 "spring = {stiffness = 3.0, free = 6.5, damping = 0.02}") +
                      steps(integrator, 1e-4, 1.0, 1e-10));
            run_to_end(simulation);
            const double decay = 0.02 / (2.0 * J);
            const double damped = std::sqrt(omega * omega - decay * decay);
            const double x =
                0.5 * std::exp(-decay) * (std::cos(damped) + decay / damped * std::sin(damped));
            CHECK(column(simulation, "axle.angle") - 6.5 == Near(x, tolerance(3e-7)));
            if (integrator == std::string("emm")) check_balances(simulation);
        }
    }

    TEST_CASE("a stiff spring-damper in a spinning linkage keeps the balances") {
        const std::string text =
            model_text(false) + body("x", "ancf_rigid_body", "angular_velocity = [0.3, 2.0, 5.0]") +
            body("y",
                 "ancf_rigid_body",
                 "position = [1.0, 0.2, 0.1]\nangular_velocity = [1, 0, 3]") +
            constraint("ball", "spherical", "a = \"x\"\nb = \"y\"\npoint = [0.5, 0.1, 0.0]") +
            force("strut",
                  "spring_damper",
                  "a = \"x@[0.1, 0.3, 0.0]\"\nb = \"y@[-0.2, 0.2, 0.1]\"\n"
                  "stiffness = \"1e6 N/m\"\ndamping = \"500 N*s/m\"\npreload = 100.0");
        Simulation simulation = model("[model]\nproject_start = true\n" +
                                      text.substr(text.find("[[body]]")) + steps("emm", 1e-3, 1.0));
        run_to_end(simulation);
        const RunStatistics statistics = simulation.statistics();
        CHECK(statistics.energy.max_rel <= tolerance(1e-11));
        CHECK(statistics.angular_momentum.max_rel <= tolerance(1e-12));
    }

    TEST_CASE("torques that drives need are those of Newton and Euler, and move the same arm") {
        // Two links in the plane, angles about +y, which let the links sink
        const auto arm = [](const std::string& first, const std::string& second) {
            const std::string frames =
                "[[body.frame]]\nname = \"in\"\nposition = [{}, 0, 0]\naxis = [0, 1, 0]\n";
            return model_text() +
                   body("upper",
                        "ancf_rigid_body",
                        "position = [0.5, 0, 0]",
                        2.0,
                        "[0.02, 0.3, 0.3]") +
                   body("lower",
                        "ancf_rigid_body",
                        "position = [1.4, 0, 0]",
                        1.0,
                        "[0.01, 0.1, 0.1]") +
                   constraint(
                       "shoulder",
                       "revolute",
                       "a = \"ground\"\nb = \"upper\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n" +
                           first) +
                   constraint(
                       "elbow",
                       "revolute",
                       "a = \"upper\"\nb = \"lower\"\npoint = [1, 0, 0]\naxis = [0, 1, 0]\n" +
                           second);
        };
        struct Motion {
            double q, v, a;
        };
        const auto motions = [](double t) {
            const auto of = [t](double size, double w) {
                // size sin^2(w t)
                return Motion{size * std::sin(w * t) * std::sin(w * t),
                              size * w * std::sin(2.0 * w * t),
                              2.0 * size * w * w * std::cos(2.0 * w * t)};
            };
            return std::pair(of(0.5, 2.0), of(0.3, 3.0));
        };
        const auto torques = [&](double t) {
            const auto [s, e] = motions(t);
            const double g = 9.81, c1 = 0.5, c2 = 0.4, l = 1.0;
            const double M11 =
                0.3 + 0.1 + 2.0 * c1 * c1 + (l * l + c2 * c2 + 2.0 * l * c2 * std::cos(e.q));
            const double M12 = 0.1 + c2 * c2 + l * c2 * std::cos(e.q);
            const double M22 = 0.1 + c2 * c2;
            const double h = -l * c2 * std::sin(e.q);
            return std::pair(M11 * s.a + M12 * e.a + h * (2.0 * s.v * e.v + e.v * e.v) -
                                 (2.0 * c1 + l) * g * std::cos(s.q) - c2 * g * std::cos(s.q + e.q),
                             M12 * s.a + M22 * e.a - h * s.v * s.v - c2 * g * std::cos(s.q + e.q));
        };
        Simulation driven = model(arm("drive = \"0.5*sin(2*t)^2\"", "drive = \"0.3*sin(3*t)^2\"") +
                                  steps("rk4", 1e-3, 0.5));
        std::string first = "motor = {effort = [", second = first;
        while (!driven.done()) {
            driven.step();
            const auto [tau1, tau2] = torques(driven.time());
            CHECK(column(driven, "shoulder.drive.effort") == Near(tau1, tolerance(1e-10)));
            CHECK(column(driven, "elbow.drive.effort") == Near(tau2, tolerance(1e-10)));
        }
        // Fed back as tables: straight pieces of 1 ms, and the method's error
        for (int i = 0; i <= 500; ++i) {
            const auto [tau1, tau2] = torques(1e-3 * i);
            first += fmt::format("[{}, {}], ", 1e-3 * i, tau1);
            second += fmt::format("[{}, {}], ", 1e-3 * i, tau2);
        }
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation fed = model(arm(first + "]}", second + "]}") + steps(integrator, 1e-3, 0.5));
            run_to_end(fed);
            const auto [s, e] = motions(0.5);
            CHECK(column(fed, "shoulder.angle") == Near(s.q, tolerance(2e-5)));
            CHECK(column(fed, "elbow.angle") == Near(e.q, tolerance(5e-5)));
            if (integrator == std::string("emm")) {
                check_balances(fed);
                const double work =
                    column(fed, "shoulder.motor.work") + column(fed, "elbow.motor.work");
                CHECK(work == Near(column(fed, "work.nonideal"), tolerance(1e-12)));
            }
        }
    }

    TEST_CASE("gears reflect inertia by the square of their ratio") {
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation = model(
                model_text(false) + body("small", "ancf_rigid_body", "") +
                body("large", "ancf_rigid_body", "position = [0.3, 0, 0]", 4.0, "[1, 1, 2]") +
                constraint("p",
                           "revolute",
                           "a = \"ground\"\nb = \"small\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                           "motor = \"0.5 N*m\"") +
                constraint("q",
                           "revolute",
                           "a = \"ground\"\nb = \"large\"\npoint = [0.3, 0, 0]\naxis = [0, 0, 1]") +
                constraint("mesh", "gear", "on = [\"p.angle\", \"q.angle\"]\nteeth = [20, 60]") +
                steps(integrator, 1e-3, 3.0));
            run_to_end(simulation);
            const double J = 0.04 + 2.0 / 9.0;
            const bool is_emm = integrator == std::string("emm");
            CHECK(column(simulation, "p.angle") ==
                  Near(0.5 * 0.5 / J * 9.0, tolerance(is_emm ? 1e-5 : 1e-10)));
            CHECK(column(simulation, "q.angle") ==
                  Near(-column(simulation, "p.angle") / 3.0, tolerance(1e-12)));
            if (integrator == std::string("emm")) check_balances(simulation);
        }
    }

    TEST_CASE("a wheel stops in its bearing at the closed time, and stays") {
        // N = m g: the torque mu N r is constant
        const double mu = 0.2, radius = 0.05, J = 0.04, rate = 3.0;
        const double torque = mu * 1.0 * 9.81 * radius;
        const double stop = J * rate / torque;
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            Simulation simulation =
                model(model_text() + body("wheel", "ancf_rigid_body", "") +
                      constraint("axle",
                                 "revolute",
                                 fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                             "axis = [0, 0, 1]\nstart = {{angle_rate = {}}}\n"
                                             "friction = {{mu = {}, radius = {}}}",
                                             rate,
                                             mu,
                                             radius)) +
                      steps(integrator, 1e-3, 1.5 * stop));
            run_to_end(simulation);
            CHECK(column(simulation, "axle.angle") == Near(0.5 * rate * stop, tolerance(1e-8)));
            CHECK(std::abs(column(simulation, "axle.angle_rate")) <= tolerance(1e-12));
            REQUIRE(simulation.events().size() == 1);
            CHECK(simulation.events()[0].t == Near(stop, tolerance(1e-6)));
        }
    }

    // May fail: to stick is a row that others contain there, and rounding decides on its force.
    TEST_CASE("friction in joints that cannot move leaves a locked mechanism alone, and says so") {
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            std::vector<std::string> warnings;
            Simulation simulation(
                Manifest::parse(
                    model_text() +
                        body("b",
                             "ancf_rigid_body",
                             "position = [0.662, 0.643, -0.607]\norientation = {axis = "
                             "[-0.51, -0.032, 0.505], angle = -1.8250161651913963}",
                             0.01) +
                        "[[joint]]\nname = \"j0\"\ntype = \"fixed\"\na = \"ground\"\nb = \"b\"\n"
                        "point = [-0.533, -0.032, 0.4]\n"
                        "[[joint]]\nname = \"j1\"\ntype = \"revolute\"\na = \"ground\"\nb = "
                        "\"b\"\npoint = [-0.772, -0.481, 0.885]\naxis = [0.879, 0.155, 0.018]\n"
                        "friction = {mu = 1.5, radius = 0.1}\n"
                        "[[joint]]\nname = \"j2\"\ntype = \"screw\"\na = \"ground\"\nb = \"b\"\n"
                        "point = [0.67, 0.542, 0.911]\naxis = [-0.256, -0.184, 0.874]\npitch = "
                        "0.1\n"
                        "friction = {mu = 0.2, radius = 0.05}\n"
                        "[[joint]]\nname = \"j3\"\ntype = \"cylindrical\"\na = \"ground\"\nb = "
                        "\"b\"\npoint = [0.585, -0.533, -0.51]\naxis = [0.402, -0.971, 0.909]\n" +
                        fmt::format("[integrator]\ntype = \"{}\"\nstep = 2e-3\nend = 0.02\n",
                                    integrator),
                    "model.toml"),
                registry(),
                [&](const std::string& warning) {
                    warnings.push_back(warning);
                });
            const Vec3 start = vec3(simulation.pose("b").position);
            run_to_end(simulation);
            CHECK((vec3(simulation.pose("b").position) - start).norm() <= tolerance(1e-15));
            CHECK(simulation.statistics().substeps == simulation.statistics().steps);
            for (const char* force : {"j1.friction", "j2.friction"})
                CHECK(std::ranges::count(warnings,
                                         fmt::format("force \"{}\": what it acts on cannot slide, "
                                                     "since constraints hold it; its force is not "
                                                     "determined and is left out",
                                                     force)) == 1);
        }
    }

    TEST_CASE("a slider on a slope slides with what friction leaves, or sticks") {
        constexpr double kSlope = 0.5;
        for (const char* integrator : {"emm", "rk4"})
            for (const double mu : {0.2, 0.6}) {  // tan 0.5 = 0.546
                CAPTURE(integrator);
                CAPTURE(mu);
                Simulation simulation = model(
                    model_text() + body("block", "ancf_rigid_body", "") +
                    constraint("rail",
                               "prismatic",
                               fmt::format("a = \"ground\"\nb = \"block\"\npoint = [0, 0, 0]\n"
                                           "axis = [{}, 0, {}]\nfriction = {}",
                                           std::cos(kSlope),
                                           -std::sin(kSlope),
                                           mu)) +
                    steps(integrator, 1e-3, 1.0));
                run_to_end(simulation);
                const double acceleration =
                    mu > std::tan(kSlope) ? 0.0 : 9.81 * (std::sin(kSlope) - mu * std::cos(kSlope));
                CHECK(column(simulation, "rail.displacement") ==
                      Near(0.5 * acceleration, tolerance(1e-9)));
            }
    }

    TEST_CASE("a screw locks itself where friction bears the pitch, and descends where not") {
        // The weight W presses on the radius r: it turns by W lead, friction holds mu W r
        constexpr double kRadius = 0.02, kMu = 0.1;
        const double limit = 2.0 * kPi * kMu * kRadius;  // pitch at which it lets go
        for (const char* integrator : {"emm", "rk4"})
            for (const double pitch : {0.98 * limit, 1.1 * limit}) {
                CAPTURE(integrator);
                CAPTURE(pitch);
                Simulation simulation =
                    model(model_text() + body("nut", "ancf_rigid_body", "") +
                          constraint("thread",
                                     "screw",
                                     fmt::format("a = \"ground\"\nb = \"nut\"\npoint = [0, 0, 0]\n"
                                                 "axis = [0, 0, 1]\npitch = {}\n"
                                                 "friction = {{mu = {}, radius = {}}}",
                                                 pitch,
                                                 kMu,
                                                 kRadius)) +
                          steps(integrator, 1e-3, 0.5));
                run_to_end(simulation);
                const double angle = column(simulation, "thread.angle");
                if (pitch < limit)
                    CHECK(std::abs(angle) <= tolerance(1e-12));
                else
                    CHECK(angle < -1e-3);
            }
    }

    TEST_CASE("a formula may read as many coordinates as it has room for") {
        // Points of a body at rest beside the wheel: their x add up to a constant torque
        std::string effort = "0.01*axle.angle_rate";
        double sum = 0.0;
        for (int i = 0; i < 60; ++i) {
            effort += fmt::format(" + rest@[{}, 0, 0].x", 0.01 * i);
            sum += 0.01 * i;
        }
        const auto text = [&](const std::string& motor) {
            return model_text(false) + body("wheel", "ancf_rigid_body", "", 1.0, "[2, 2, 4]") +
                   body("rest", "ancf_rigid_body", "") +
                   constraint("axle",
                              "revolute",
                              "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n"
                              "motor = \"" +
                                  motor + "\"") +
                   steps("emm", 1e-3, 0.3);
        };
        Simulation many = model(text(effort));
        Simulation few = model(text(fmt::format("0.01*axle.angle_rate + {}", sum)));
        run_to_end(many);
        run_to_end(few);
        CHECK(column(many, "axle.angle") == Near(column(few, "axle.angle"), tolerance(1e-12)));
        CHECK(column(many, "axle.angle") > 0.1);
    }

    TEST_CASE("parameters that say nothing of a law are refused") {
        const auto refused = [](const std::string& type, const std::string& law) -> std::string {
            try {
                model(
                    model_text() + body("x", "ancf_rigid_body", "") +
                    constraint(
                        "j",
                        type,
                        "a = \"ground\"\nb = \"x\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]\n" + law) +
                    steps("emm", 1e-3, 0.1));
            } catch (const Error& error) {
                CHECK(error.kind() == ErrorKind::manifest);
                return error.message();
            }
            return "";
        };
        CHECK(
            refused("prismatic", "friction = {mu = 0.1, radius = 0.1}") ==
            "force \"j.friction\": radius: is for joints that turn; what slides has friction mu N");
        CHECK(
            refused("revolute", "friction = 0.1") ==
            "force \"j.friction\": radius: is missing: on an angle, friction acts on the radius of "
            "the bearing");
        CHECK(refused("revolute", "drive = {motion = \"0*t\", interpolation = \"rest\"}") ==
              "force \"j.drive\": interpolation: is about a table, and motion is none");
        CHECK(refused("revolute", "drive = {motion = [[0, 0], [0.05, 0.1]], outside = \"hold\"}")
                  .starts_with("force \"j.drive\": outside: \"hold\" would stop a motion"));
    }

    TEST_CASE("a servo holds and follows, within its limit") {
        Simulation simulation = model(
            model_text() + body("rod", "ancf_rigid_body", "position = [0.5, 0, 0]") +
            constraint("hinge",
                       "revolute",
                       "a = \"ground\"\nb = \"rod\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
                       "servo = {target = 0.4, kp = 200.0, kd = 20.0, ki = 300.0, limit = 50.0}") +
            steps("emm", 1e-3, 6.0));
        double most = 0.0;
        while (!simulation.done()) {
            simulation.step();
            most = std::max(most, std::abs(column(simulation, "hinge.servo.effort")));
        }
        CHECK(most <= 50.0 * (1.0 + 1e-12));
        CHECK(most > 30.0);
        // The integral takes the weight
        CHECK(column(simulation, "hinge.angle") == Near(0.4, tolerance(1e-4)));
        CHECK(column(simulation, "hinge.servo.effort") ==
              Near(-9.81 * 0.5 * std::cos(0.4), tolerance(1e-2)));
        check_balances(simulation);
    }
}

}  // namespace
}  // namespace ancora::testing
