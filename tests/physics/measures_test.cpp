// SPDX-License-Identifier: BSD-3-Clause
// Measures without a joint, elastic bearings, and the works of laws, against closed solutions.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("measures") {
    TEST_CASE("frames measure where they lie from each other, in axes of a, without any tie") {
        const std::string text =
            model_text(false) +
            body("base",
                 "ancf_rigid_body",
                 "position = [1, 0, 0]\norientation = {axis = [0, 0, 1], angle = \"90 deg\"}\n"
                 "angular_velocity = [0, 0, 0.5]") +
            body("probe",
                 "quaternion_body",
                 "position = [1, 2, 3]\norientation = {axis = [0, 0, 1], angle = \"90 deg\"}\n"
                 "velocity = [0, 0, 0.25]\nangular_velocity = [0.8, 0, 0]") +
            constraint("seen", "measure", "a = \"base\"\nb = \"probe@[0, 0, 1]\"") +
            constraint("gap", "measure", "a = \"ground\"\nb = \"probe\"");
        Simulation simulation = model(text + steps("rk4", 1e-3, 1.0));
        // base's x points along the inertial y
        CHECK(column(simulation, "seen.displacement_x") == Near(2.0, tolerance(1e-14)));
        CHECK(column(simulation, "seen.displacement_y") == Near(0.0, tolerance(1e-14)));
        CHECK(column(simulation, "seen.displacement_z") == Near(4.0, tolerance(1e-14)));
        CHECK(column(simulation, "seen.distance") == Near(std::sqrt(20.0), tolerance(1e-14)));
        CHECK(column(simulation, "seen.tilt") == Near(0.0, tolerance(1e-14)));
        // The point of probe moves by 0.25 z + 0.8 x' cross z', x' along the inertial y
        CHECK(column(simulation, "seen.displacement_z_rate") == Near(0.25, tolerance(1e-14)));
        // Seen from the turning base: -w cross r and the motion of probe's own point
        CHECK(column(simulation, "seen.displacement_y_rate") ==
              Near(-0.5 * 2.0 - 0.8, tolerance(1e-13)));
        CHECK(column(simulation, "gap.distance_rate") ==
              Near(0.25 * 3.0 / std::sqrt(14.0), tolerance(1e-14)));
        run_to_end(simulation);
        CHECK(column(simulation, "seen.tilt") == Near(0.8, tolerance(1e-10)));
        CHECK(column(simulation, "seen.tilt_rate") == Near(0.8, tolerance(1e-10)));
        CHECK(column(simulation, "gap.displacement_z") == Near(3.25, tolerance(1e-12)));
        for (const std::string& name : simulation.column_names())
            CHECK(name.find("seen.on_b") == std::string::npos);
    }

    TEST_CASE("a spring on the angle between two axes swings with its period") {
        // A rod on a ball joint, held upright by a spring on its tilt: J theta'' = -k theta about
        // any horizontal axis
        constexpr double kStiffness = 3.0, kTilt = 0.4;
        const double J = 0.03 + 0.25;
        const double omega = std::sqrt(kStiffness / J);
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            const double period = 2.0 * M_PI / omega;
            Simulation simulation = model(
                model_text(false) +
                body("rod",
                     "ancf_rigid_body",
                     fmt::format("position = [{}, 0, {}]\n"
                                 "orientation = {{axis = [0, 1, 0], angle = {}}}",
                                 0.5 * std::sin(kTilt),
                                 0.5 * std::cos(kTilt),
                                 kTilt)) +
                constraint("ball", "spherical", "a = \"ground\"\nb = \"rod@[0, 0, -0.5]\"") +
                constraint("lean", "measure", "a = \"ground\"\nb = \"rod\"") +
                force("upright",
                      "spring",
                      fmt::format("on = \"lean.tilt\"\nstiffness = {}\nfree = 0.0", kStiffness)) +
                steps(integrator, period / 4000.0, 0.2 * period));
            CHECK(column(simulation, "lean.tilt") == Near(kTilt, tolerance(1e-14)));
            run_to_end(simulation);
            CHECK(column(simulation, "lean.tilt") ==
                  Near(kTilt * std::cos(0.4 * M_PI), tolerance(1e-6)));
            if (integrator == std::string("emm")) check_balances(simulation);
        }
    }

    TEST_CASE("what stands in the bushing's equation is what it bears") {
        // A weight at rest where the bearing's forces hold it
        const double g = 9.81, k = 2000.0, preload = 4.0;
        Simulation simulation = model(
            model_text() +
            body("weight",
                 "ancf_rigid_body",
                 fmt::format("position = [0, 0, {}]", (-3.0 * g + preload) / k),
                 3.0) +
            constraint(
                "rubber",
                "bushing",
                fmt::format("a = \"ground@[0, 0, 0]\"\nb = \"weight@[0, 0, 0]\"\naxis = [0, 0, 1]\n"
                            "stiffness = [500, 500, {}]\ntorsion = [20, 20, 20]\n"
                            "preload = [0, 0, {}]",
                            k,
                            preload)) +
            steps("emm", 1e-3, 0.1));
        run_to_end(simulation);
        CHECK(column(simulation, "rubber.displacement_z") ==
              Near((-3.0 * g + preload) / k, tolerance(1e-13)));
        CHECK(column(simulation, "rubber.on_b.force.z") == Near(3.0 * g, tolerance(1e-9)));
        check_balances(simulation);
    }

    TEST_CASE("a bushing between two bodies loads both alike") {
        const auto text = [](const char* damping) {
            return model_text(false) +
                   body("first",
                        "ancf_rigid_body",
                        "velocity = [0.1, 0.3, 0]\nangular_velocity = [1.0, 0.5, -2.0]") +
                   body("second",
                        "ancf_rigid_body",
                        "position = [0.4, 0, 0]\norientation = {axis = [1, 1, 0], angle = 0.3}\n"
                        "angular_velocity = [-1.0, 0, 2.0]",
                        0.5) +
                   constraint("rubber",
                              "bushing",
                              std::string("a = \"first\"\nb = \"second\"\npoint = [0.2, 0, 0]\n"
                                          "stiffness = [900, 700, 800]\ntorsion = [4, 5, 6]\n") +
                                  damping) +
                   steps("emm", 1e-3, 1.0);
        };
        Simulation elastic = model(text(""));
        run_to_end(elastic);
        check_balances(elastic);
        CHECK(column(elastic, "work.nonideal") == 0.0);
        Simulation damped =
            model(text("damping = [2, 3, 4]\ntorsional_damping = [0.02, 0.01, 0.03]\n"));
        run_to_end(damped);
        check_balances(damped);
        CHECK(column(damped, "work.nonideal") < -1e-3);
    }

    TEST_CASE("works of laws: what springs store, dampers take, motors give and bearings wear") {
        // A wheel with constant rate 3 rad/s by a drive
        const double damping = 0.2, stiffness = 0.5, turned = 3.0 * 0.8;
        const std::string text =
            model_text(false) + body("wheel", "ancf_rigid_body", "") +
            constraint("axle",
                       "revolute",
                       fmt::format("a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                                   "axis = [0, 0, 1]\nstart = {{angle_rate = 3.0}}\n"
                                   "spring = {}\ndamping = {}\nmotor = 0.7\ndrive = \"3*t\"\n",
                                   stiffness,
                                   damping));
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation simulation = model(text + steps(integrator, 1e-3, 0.8, 1e-10));
            run_to_end(simulation);
            const auto work = [&](const char* law) {
                return column(simulation, fmt::format("axle.{}.work", law));
            };
            const double spring = -0.5 * stiffness * turned * turned;
            const double damper = -damping * 3.0 * turned;
            const double motor = 0.7 * turned;
            CHECK(work("spring") == Near(spring, tolerance(1e-9)));
            CHECK(work("damping") == Near(damper, tolerance(1e-9)));
            CHECK(work("motor") == Near(motor, tolerance(1e-9)));
            // The drive pays the rest, and under emm what a chord of the circle is shorter
            const double kinetic = column(simulation, "energy.kinetic") - 0.5 * 0.04 * 9.0;
            CHECK(kinetic == Near(0.0, tolerance(1e-6)));
            CHECK(work("drive") == Near(kinetic - spring - damper - motor, tolerance(1e-9)));
        }
    }

    TEST_CASE("a formula knows value and rate of its own measure: a damper softer one way") {
        // A slider that falls, and one that rises, each against its own damping: v' = -g - (c/m) v
        const double c_down = 40.0, c_up = 8.0, m = 2.0, g = 9.81;
        for (const char* integrator : {"emm", "rk4"}) {
            CAPTURE(integrator);
            for (const double v0 : {0.0, 6.0}) {
                CAPTURE(v0);
                Simulation simulation =
                    model(model_text() + body("slider", "ancf_rigid_body", "", m) +
                          constraint("rail",
                                     "prismatic",
                                     fmt::format("a = \"ground\"\nb = \"slider\"\n"
                                                 "point = [0, 0, 0]\naxis = [0, 0, 1]\n"
                                                 "start = {{displacement_rate = {}}}\n"
                                                 "motor = \"-{}*min(rate, 0) - {}*max(rate, 0)\"",
                                                 v0,
                                                 c_down,
                                                 c_up)) +
                          steps(integrator, 1e-4, 0.25));
                run_to_end(simulation);
                const double c = v0 > 0.0 ? c_up : c_down;
                const double sinking = -m * g / c;
                const double rate = sinking + (v0 - sinking) * std::exp(-c / m * 0.25);
                CHECK((rate > 0.0) == (v0 > 0.0));  // neither turns round
                CHECK(column(simulation, "rail.displacement_rate") == Near(rate, tolerance(1e-5)));
            }
        }
    }

    TEST_CASE("steps that turn a body by more than a radian are told, and by how much it is off") {
        // The step of second order turns by 2 atan(w h / 2) where w h is right.
        for (const bool is_free : {false, true})
            for (const double turned : {0.3, 0.9, 1.1, 2.0, 2.4}) {
                CAPTURE(is_free);
                CAPTURE(turned);
                const double h = 0.01, w = turned / h;
                Simulation simulation =
                    model(model_text(false) +
                          body("wheel",
                               "ancf_rigid_body",
                               fmt::format("angular_velocity = [0, 0, {}]", w),
                               1.0,
                               "[0.02, 0.02, 0.03]") +
                          (is_free ? ""
                                   : constraint("axle",
                                                "revolute",
                                                "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, "
                                                "0]\naxis = [0, 0, 1]")) +
                          steps("emm", h, 5 * h));
                run_to_end(simulation);
                const double one = 2.0 * std::atan(0.5 * turned);
                const Vec3 x = attitude(simulation, "wheel").col(0);
                CHECK(x[0] == near(std::cos(5 * one), 1e-9));
                CHECK(x[1] == near(std::sin(5 * one), 1e-9));
                const std::vector<std::string> doubts = simulation.statistics().doubts;
                const std::string wanted =
                    fmt::format("body \"wheel\" turns at {:.3g} rad a step", turned);
                const auto told = std::ranges::find_if(doubts, [&](const std::string& doubt) {
                    return doubt.starts_with(wanted);
                });
                CHECK((told != doubts.end()) == (turned > 1.0));
                if (turned == 2.0 && told != doubts.end())
                    CHECK(told->find("makes 1.57 rad, 21 % less") != std::string::npos);
            }
        // An explicit method of order 4 follows what a step of second order does not.
        Simulation simulation = model(
            model_text(false) + body("wheel", "ancf_rigid_body", "angular_velocity = [0, 0, 120]") +
            steps("dopri5", 0.01, 0.05, 1e-8));
        run_to_end(simulation);
        CHECK(simulation.statistics().doubts.empty());
    }

    TEST_CASE("turns that a step may miscount are told") {
        const auto text = [](const char* integrator, double step) {
            return model_text(false) + body("wheel", "ancf_rigid_body", "") +
                   constraint("axle",
                              "revolute",
                              "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\n"
                              "axis = [0, 0, 1]\nstart = {angle_rate = 30.0}") +
                   steps(integrator, step, 1.0);
        };
        for (const double step : {0.01, 0.1}) {
            CAPTURE(step);
            Simulation simulation = model(text("emm", step));
            run_to_end(simulation);
            const std::vector<std::string> doubts = simulation.statistics().doubts;
            const bool is_told = std::ranges::any_of(doubts, [](const std::string& doubt) {
                return doubt.find("axle.angle turns at a rate of 3 rad a step") !=
                       std::string::npos;
            });
            CHECK(is_told == (step > 0.05));
            const bool is_right = std::abs(column(simulation, "axle.angle") - 30.0) < 0.3;
            CHECK(is_right == !is_told);
        }
    }

    TEST_CASE("friction in a bearing wears what the wheel loses") {
        const std::string text =
            model_text() +
            body("wheel",
                 "ancf_rigid_body",
                 "orientation = {axis = [1, 0, 0], angle = \"90 deg\"}") +
            constraint("axle",
                       "revolute",
                       "a = \"ground\"\nb = \"wheel\"\npoint = [0, 0, 0]\naxis = [0, 1, 0]\n"
                       "start = {angle_rate = 5.0}\nfriction = {mu = 0.1, radius = 0.05}");
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            // What `emm` leaves of the energy follows its tolerance, 1e-7 J at 1e-9 m
            Simulation simulation = model(text + steps(integrator, 1e-2, 8.0, 1e-10));
            const double before = column(simulation, "energy.kinetic");
            run_to_end(simulation);
            CHECK(column(simulation, "energy.kinetic") == Near(0.0, tolerance(1e-12)));
            // The residual speed where it is stopped is recorded as projection
            const double lost = column(simulation, "axle.friction.work");
            CHECK(lost == Near(column(simulation, "work.nonideal"), tolerance(1e-12)));
            CHECK(lost == Near(-before, tolerance(1e-7)));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
