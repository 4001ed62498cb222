// SPDX-License-Identifier: BSD-3-Clause
// Laws in joints: rotors with a ratio, springs whose stiffness changes, the limits of servos.
#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <boost/math/special_functions/ellint_1.hpp>
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "joint_law_models.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

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
