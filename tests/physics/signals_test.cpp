// SPDX-License-Identifier: BSD-3-Clause
// Objects with states of their own: motors, sensors, controllers, against closed solutions.
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"
#include "support/restored.hpp"

namespace ancora::testing {
namespace {

std::string rotor(const std::string& more) {
    return model_text(false) + body("rotor", "ancf_rigid_body", "") +
           constraint("shaft",
                      "revolute",
                      "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]") +
           more;
}

constexpr double kInertia = 0.04;  // of the rotor about its axis

/// Error of `value` at the end for steps h, h/2, h/4, and the order that the last two show.
template <class Exact>
double order_of(const std::string& text,
                const char* integrator,
                double h,
                double end,
                const std::string& column_name,
                const Exact& exact,
                double& error) {
    std::vector<double> errors;
    for (const double step : {h, h / 2.0, h / 4.0}) {
        Simulation simulation = model(text + steps(integrator, step, end));
        run_to_end(simulation);
        errors.push_back(std::abs(simulation.value(column_name) - exact));
    }
    error = errors.back();
    return std::log2(errors[1] / errors[2]);
}

/// Of an angle that turns by less than a tenth of a radian a step: base vectors turn at order 2
/// or 4.
double error_of(const std::string& integrator) {
    return integrator == "emm" ? 3e-4 : integrator == "rk4" ? 1e-6 : 1e-8;
}

TEST_SUITE("own states") {
    TEST_CASE("a locked motor's current rises as its coil lets it") {
        constexpr double V = 12.0, R = 1.5, L = 0.03, k = 0.08, end = 0.05;
        const std::string text =
            rotor(constraint("lock", "drive", "on = \"shaft\"\nmotion = 0.0") +
                  force("motor",
                        "dc_motor",
                        fmt::format("on = \"shaft\"\nvoltage = {}\nresistance = {}\n"
                                    "inductance = {}\nconstant = {}",
                                    V,
                                    R,
                                    L,
                                    k)));
        const double current = V / R * (1.0 - std::exp(-R / L * end));
        double error = 0.0;
        CHECK(order_of(text, "emm", 2e-3, end, "motor.current", current, error) ==
              doctest::Approx(2.0).epsilon(0.02));
        CHECK(order_of(text, "generalized_alpha", 2e-3, end, "motor.current", current, error) ==
              doctest::Approx(2.0).epsilon(0.03));
        CHECK(order_of(text, "rk4", 4e-3, end, "motor.current", current, error) ==
              doctest::Approx(4.0).epsilon(0.03));
        Simulation fine = model(text + steps("dopri5", 1e-3, end));
        run_to_end(fine);
        CHECK(fine.value("motor.current") == Near(current, tolerance(1e-7)));
        CHECK(fine.value("motor.shaft_power") == Near(0.0, tolerance(1e-9)));
        CHECK(fine.value("motor.heat") == Near(R * current * current, tolerance(1e-6)));
        // the torque is on the lock
        CHECK(std::abs(fine.value("lock.effort")) == Near(k * current, tolerance(1e-7)));
    }

    TEST_CASE("a motor that turns a free rotor: current and speed as two linear equations say") {
        constexpr double V = 24.0, R = 0.8, L = 0.05, k = 0.6, n = 2.0, end = 0.3;
        constexpr double J = kInertia;
        const std::string text = rotor(force("motor",
                                             "dc_motor",
                                             fmt::format("on = \"shaft\"\nvoltage = {}\n"
                                                         "resistance = {}\ninductance = {}\n"
                                                         "constant = {}\nratio = {}",
                                                         V,
                                                         R,
                                                         L,
                                                         k,
                                                         n)));
        // L i' = V - R i - k n w, J w' = k n i: from rest w = W (1 - sum c exp(s t))
        const double K = k * n;
        const std::complex<double> root =
            std::sqrt(std::complex<double>(R * R / (L * L) / 4.0 - K * K / (L * J)));
        const std::complex<double> a = -0.5 * R / L + root, b = -0.5 * R / L - root;
        const double W = V / K;
        const double speed =
            W * (1.0 + ((b * std::exp(a * end) - a * std::exp(b * end)) / (a - b)).real());
        double error = 0.0;
        CHECK(order_of(text, "emm", 4e-3, end, "shaft.angle_rate", speed, error) ==
              doctest::Approx(2.0).epsilon(0.02));
        CHECK(order_of(text, "generalized_alpha", 4e-3, end, "shaft.angle_rate", speed, error) ==
              doctest::Approx(2.0).epsilon(0.03));
        CHECK(order_of(text, "rk4", 1e-2, end, "shaft.angle_rate", speed, error) ==
              doctest::Approx(4.0).epsilon(0.05));
        for (const char* integrator : {"emm", "dopri5"}) {
            CAPTURE(integrator);
            Simulation run = model(text + steps(integrator, 1e-3, end));
            run_to_end(run);
            // the work of the motor is in the ledger
            const double energy = run.value("energy.kinetic");
            CHECK(std::abs(run.value("energy.balance")) < 1e-9 * energy);
            CHECK(run.value("motor.work") == Near(energy, tolerance(1e-8 * energy)));
        }
    }

    TEST_CASE("a loop over a motor's own current is none without delay") {
        // V = r (i* - i) makes R + r of R: i = r i* / (R + r) (1 - exp(-(R + r) t / L))
        const std::string text =
            rotor(constraint("lock", "drive", "on = \"shaft\"\nmotion = 0.0") +
                  force("motor",
                        "dc_motor",
                        "on = \"shaft\"\nvoltage = \"8*(2 - motor.current)\"\nresistance = 2.0\n"
                        "inductance = 0.05\nconstant = 0.1"));
        Simulation run = model(text + steps("dopri5", 1e-3, 0.01));
        run_to_end(run);
        CHECK(run.value("motor.current") == Near(1.6 * (1.0 - std::exp(-2.0)), tolerance(1e-8)));
    }

    TEST_CASE("a stiff position loop over a sensor and an actuator settles in few iterations") {
        // J a'' = -kp y - kd a', y behind a low pass: gains far beyond h kd / J = 1
        const std::string text = rotor(
            force("encoder", "sensor", "input = \"shaft.angle\"\nbandwidth = 200.0") +
            force("tacho", "sensor", "input = \"shaft.angle_rate\"") +
            force("drive",
                  "actuator",
                  "on = \"shaft\"\ncommand = \"4e5*(0.3 - encoder.value) - 2e3*tacho.value\""));
        Simulation loop = model(text + steps("emm", 1e-3, 0.5));
        run_to_end(loop);
        CHECK(loop.value("shaft.angle") == Near(0.3, tolerance(1e-3)));
        CHECK(static_cast<double>(loop.work_done()) / 500.0 < 5.0);
        Simulation fine = model(text + steps("dopri5", 1e-5, 0.5));
        run_to_end(fine);
        CHECK(loop.value("shaft.angle") == Near(fine.value("shaft.angle"), tolerance(1e-5)));
    }

    TEST_CASE("a load follows what a sensor shows: as a spring, it swings") {
        const auto text = [](double k) {
            return model_text(false) +
                   "[[body]]\nname = \"bead\"\ntype = \"particle\"\nmass = 2.0\n"
                   "position = [0.1, 0.0, 0.0]\n" +
                   force("gauge", "sensor", "input = \"bead.x\"") +
                   force("pull",
                         "point_load",
                         fmt::format("at = \"bead@0\"\nforce = [-{}, 0.0, 0.0]\n"
                                     "factor = \"gauge.value\"",
                                     k));
        };
        // m x'' = -k y, y = x
        Simulation run = model(text(50.0) + steps("emm", 1e-3, 0.5));
        run_to_end(run);
        check_balances(run);
        CHECK(run.value("bead.x") == Near(0.1 * std::cos(2.5), tolerance(1e-6)));
        Simulation fine = model(text(50.0) + steps("rk4", 1e-3, 0.5));
        run_to_end(fine);
        CHECK(fine.value("bead.x") == Near(0.1 * std::cos(2.5), tolerance(1e-12)));
        // Stiffer than steps resolve, w h = 1.6: the step knows how the load answers.
        Simulation stiff = model(text(5e6) + steps("emm", 1e-3, 0.5));
        run_to_end(stiff);
        CHECK(static_cast<double>(stiff.work_done()) / 500.0 < 5.0);
    }

    TEST_CASE("a shut cylinder is the spring of its fluid, an open valve fills it") {
        constexpr double kMass = 100.0, A = 1e-3, B = 6e-4, V = 1e-3, beta = 1.4e9;
        const std::string slide =
            model_text(false) + body("load", "ancf_rigid_body", "velocity = [0.01, 0, 0]", kMass) +
            constraint("rail",
                       "prismatic",
                       "a = \"ground\"\nb = \"load\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]");
        const auto cylinder = [&](const char* valve, const char* pressures) {
            return force("ram",
                         "hydraulic_cylinder",
                         fmt::format("on = \"rail\"\nvalve = {}\npiston_area = {}\n"
                                     "rod_side_area = {}\nsupply = 2e6\nconductance = 1e-7\n"
                                     "volumes = [{}, {}]\nbulk_modulus = {}\n"
                                     "start_pressures = {}",
                                     valve,
                                     A,
                                     B,
                                     V,
                                     V,
                                     beta,
                                     pressures));
        };
        // A p_a = B p_b at the start: small swings about it
        const double w = std::sqrt(beta * (A * A / V + B * B / V) / kMass);
        const double end = 1.3 * 2.0 * M_PI / w;
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation shut = model(slide + cylinder("0.0", "[6e5, 1e6]") +
                                    steps(integrator, end / 520.0, end, 1e-10));
            run_to_end(shut);
            CHECK(shut.value("rail.displacement") ==
                  Near(0.01 / w * std::sin(w * end), tolerance(5e-3 * 0.01 / w)));
        }
        // Held fast, a fills: p' = beta C sqrt(2e6 - p) / V
        Simulation held = model(slide.substr(0, slide.find("velocity")) +
                                slide.substr(slide.find("[[constraint]]")) +
                                constraint("stop", "drive", "on = \"rail\"\nmotion = 0.0") +
                                cylinder("1.0", "[0.0, 0.0]") + steps("dopri5", 1e-4, 5e-3, 1e-10));
        run_to_end(held);
        const double root = std::sqrt(2e6) - 0.5 * beta * 1e-7 / V * 5e-3;
        CHECK(held.value("ram.pressure_a") == Near(2e6 - root * root, tolerance(1e-6 * 2e6)));
        CHECK(held.value("ram.pressure_b") == Near(0.0, tolerance(1e-3)));
    }

    TEST_CASE("a sensor of second order rings as a damped oscillator") {
        constexpr double f = 5.0, zeta = 0.2, end = 0.37;
        const std::string text = rotor(force(
            "meter",
            "sensor",
            fmt::format("input = 2.0\nbandwidth = {}\norder = 2\ndamping_ratio = {}", f, zeta)));
        const double w = 2.0 * M_PI * f, d = w * std::sqrt(1.0 - zeta * zeta);
        const double y = 2.0 * (1.0 - std::exp(-zeta * w * end) *
                                          (std::cos(d * end) + zeta * w / d * std::sin(d * end)));
        double error = 0.0;
        CHECK(order_of(text, "emm", 5e-3, end, "meter.value", y, error) ==
              doctest::Approx(2.0).epsilon(0.03));
        CHECK(order_of(text, "rk4", 5e-3, end, "meter.value", y, error) ==
              doctest::Approx(4.0).epsilon(0.05));
        CHECK(error < 1e-6);
    }
}

TEST_SUITE("events of signals") {
    TEST_CASE("a sampled controller of a double integrator: its discrete closed form") {
        // x'' = u / J, u held for T: exactly x_{k+1} = x_k + T v_k + T^2/2 u/J, v_{k+1} = v_k + T
        // u/J
        constexpr double J = kInertia;
        constexpr double T = 0.02, kp = 3.0, kd = 0.5, ki = 2.0, target = 0.7;
        constexpr int kSamples = 60;
        constexpr double kRest = 0.75;  // of the last period
        double x = 0.0, v = 0.0, integral = 0.0, last = 0.0, command = 0.0;
        for (int k = 0; k < kSamples; ++k) {
            const double error = target - x;
            const double rate = k > 0 ? (error - last) / T : 0.0;
            last = error;
            command = std::clamp(kp * error + integral + kd * rate, -1.5, 1.5);
            const double wanted = kp * error + integral + kd * rate;
            const double growth = ki * T * error;
            if (!((wanted > 1.5 && growth > 0.0) || (wanted < -1.5 && growth < 0.0)))
                integral += growth;
            const double s = k + 1 < kSamples ? T : kRest * T;
            x += s * v + 0.5 * s * s * command / J;
            v += s * command / J;
        }
        const std::string text = rotor(
            force("pid",
                  "sampled_pid",
                  fmt::format("reference = {}\nmeasured = \"shaft.angle\"\nperiod = {}\nkp = {}\n"
                              "ki = {}\nkd = {}\nlimits = [-1.5, 1.5]",
                              target,
                              T,
                              kp,
                              ki,
                              kd)) +
            force("drive", "actuator", "on = \"shaft\"\ncommand = \"pid.command\""));
        // steps that meet the samples, and steps that do not
        for (const char* integrator : {"emm", "rk4", "dopri5"})
            for (const double h : {0.005, 0.0031, 0.05}) {
                CAPTURE(integrator);
                CAPTURE(h);
                Simulation run = model(text + steps(integrator, h, (kSamples - 1 + kRest) * T));
                run_to_end(run);
                const double error = tolerance(error_of(integrator));
                CHECK(run.value("shaft.angle") == Near(x, error));
                CHECK(run.value("shaft.angle_rate") == Near(v, error));
                CHECK(run.value("pid.command") == Near(command, (kp + kd / T) * error));
                CHECK(run.value("pid.integral") == Near(integral, error));
            }
    }

    TEST_CASE("a relay switches inside a step, and the limit cycle has its period") {
        // J a'' = -M sign with hysteresis: between switches the motion is a parabola
        constexpr double J = kInertia;
        constexpr double M = 0.4, edge = 0.1;
        const std::string text =
            rotor(force("switch",
                        "relay",
                        fmt::format("input = \"shaft.angle\"\non_at = {}\noff_at = {}\n"
                                    "on = {}\noff = {}",
                                    edge,
                                    -edge,
                                    -M,
                                    M)) +
                  force("drive", "actuator", "on = \"shaft\"\ncommand = \"switch.value\""));
        // From rest at 0 it is driven up by M: at edge after t1 with speed v1; then down to -edge
        const double t1 = std::sqrt(2.0 * edge * J / M), v1 = M / J * t1;
        // edge + v1 s - M/(2J) s^2 = -edge
        const double t2 = J / M * (v1 + std::sqrt(v1 * v1 + 4.0 * edge * M / J));
        const double v2 = v1 - M / J * t2;
        const double rest = 0.2;
        const double angle = -edge + v2 * rest + 0.5 * M / J * rest * rest;
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation run = model(text + steps(integrator, 0.013, t1 + t2 + rest));
            run_to_end(run);
            CHECK(run.value("switch.switched") == 2.0);
            const double error = tolerance(error_of(integrator));
            CHECK(run.value("shaft.angle") == Near(angle, error));
            CHECK(run.value("shaft.angle_rate") == Near(v2 + M / J * rest, error));
        }
    }

    TEST_CASE("a switch without hysteresis is refused by its name, whatever the integrator") {
        for (const char* integrator : {"emm", "rk4", "dopri5"}) {
            CAPTURE(integrator);
            Simulation run = model(
                rotor(force("switch",
                            "relay",
                            "input = \"shaft.angle_rate\"\non_at = 1e-9\noff_at = -1e-9\n"
                            "on = -50.0\noff = 50.0") +
                      force("drive", "actuator", "on = \"shaft\"\ncommand = \"switch.value\"")) +
                steps(integrator, 1e-3, 0.2));
            std::string message;
            try {
                run_to_end(run);
            } catch (const Error& error) {
                message = error.message();
            }
            CHECK(message.find("switch acts again and again") != std::string::npos);
        }
    }

    TEST_CASE("a run that is saved between samples goes on with the same bits") {
        const std::string text = rotor(
            force("encoder", "sensor", "input = \"shaft.angle\"\nbandwidth = 20.0") +
            force("pid",
                  "sampled_pid",
                  "reference = \"0.5*sin(3*t)\"\nmeasured = \"encoder.value\"\nperiod = 0.017\n"
                  "kp = 3.0\nki = 4.0\nkd = 0.3\nfilter = 0.01") +
            force("drive",
                  "dc_motor",
                  "on = \"shaft\"\nvoltage = \"5*pid.command\"\nresistance = 0.5\n"
                  "inductance = 0.01\nconstant = 0.2"));
        for (const char* integrator : {"emm", "rk4", "dopri5", "generalized_alpha"}) {
            CAPTURE(integrator);
            CHECK(ends_alike_restored(text + steps(integrator, 0.005, 1.0), 30));
        }
    }
}

TEST_SUITE("inputs") {
    TEST_CASE("an embedding program sets a voltage and gives it back") {
        constexpr double J = kInertia;
        Simulation run = model(
            rotor(force("drive", "actuator", "on = \"shaft\"\ncommand = \"0.0*shaft.angle\"")) +
            steps("rk4", 0.01, 1.0));
        REQUIRE(run.inputs().size() == 1);
        CHECK(run.inputs()[0].name == "drive.command");
        run.set_input("drive.command", 0.5);
        for (int k = 0; k < 40; ++k) run.step();
        CHECK(run.inputs()[0].is_set);
        CHECK(run.value("shaft.angle_rate") == Near(0.5 / J * 0.4, tolerance(1e-6)));
        run.release_input("drive.command");
        for (int k = 0; k < 40; ++k) run.step();
        CHECK(run.value("shaft.angle_rate") == Near(0.5 / J * 0.4, tolerance(1e-6)));
        std::string message;
        try {
            run.set_input("drive.comand", 1.0);
        } catch (const Error& error) {
            message = error.message();
        }
        CHECK(message == "there is no input \"drive.comand\"; did you mean \"drive.command\"?");
        CHECK_THROWS_AS(run.set_input("drive.command", NAN), Error);
    }

    TEST_CASE("tables over time, values of bodies, and outputs of outputs") {
        Simulation run =
            model(rotor(force("ramp", "sensor", "input = [[0, 1], [2, 5]]") +
                        force("twice", "sensor", "input = \"2*ramp.value + rotor.wz\"")) +
                  steps("rk4", 0.01, 1.0));
        run_to_end(run);
        CHECK(run.value("ramp.value") == Near(3.0, tolerance(1e-14)));
        CHECK(run.value("twice.value") == Near(6.0, tolerance(1e-14)));
    }

    TEST_CASE("a loop without delay is refused by its names, one with a state is solved") {
        const auto loop = [](const char* bandwidth) {
            return rotor(
                       force("one", "sensor", "input = \"1 + 0.5*two.value\"") +
                       force("two", "sensor", fmt::format("input = \"one.value\"{}", bandwidth))) +
                   steps("emm", 0.01, 2.0);
        };
        std::string message;
        try {
            model(loop(""));
        } catch (const Error& error) {
            message = error.message();
        }
        CHECK(message.find("signals form a loop without delay: ") != std::string::npos);
        CHECK(message.find("reads") != std::string::npos);
        // y' T = 1 + y/2 - y: to 2 with the time constant 2 T
        Simulation run = model(loop("\nbandwidth = 1.0"));
        run_to_end(run);
        CHECK(run.value("two.value") == Near(2.0 * (1.0 - std::exp(-2.0 * M_PI)), tolerance(2e-4)));
    }

    TEST_CASE("names that are not there") {
        const auto message = [](const std::string& input) {
            try {
                model(rotor(force("meter", "sensor", "input = 1.0") +
                            force("other", "sensor", "input = \"" + input + "\"")) +
                      steps("rk4", 0.01, 1.0));
            } catch (const Error& error) {
                return error.message();
            }
            return std::string("nothing was refused");
        };
        CHECK(message("meter.valeu").find("its outputs are meter.value") != std::string::npos);
        CHECK(message("metre.value").find("metre") != std::string::npos);
        CHECK(message("shaft.angel").find("shaft") != std::string::npos);
        CHECK(message("2*").find("2*") != std::string::npos);
    }
}

}  // namespace
}  // namespace ancora::testing
