// SPDX-License-Identifier: BSD-3-Clause
// Objects with states that come to rest, or that keep a motion up against nothing: what is left of
// their states is the rounding of terms that cancel.
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "support/mechanisms.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::string rotor(double inertia) {
    return model_text(false) +
           body("rotor", "ancf_rigid_body", "", 1.0, fmt::format("[{0}, {0}, {0}]", inertia)) +
           constraint("shaft",
                      "revolute",
                      "a = \"ground\"\nb = \"rotor\"\npoint = [0, 0, 0]\naxis = [0, 0, 1]");
}

struct Motor {
    double R, L, k, n;
    std::string text(const std::string& voltage) const {
        return force("motor",
                     "dc_motor",
                     fmt::format("on = \"shaft\"\nvoltage = {}\nresistance = {}\n"
                                 "inductance = {}\nconstant = {}\nratio = {}",
                                 voltage,
                                 R,
                                 L,
                                 k,
                                 n));
    }
};

class Random {
public:
    explicit Random(unsigned seed) : engine_(seed) {}
    double log_between(double low, double high) {
        return low * std::pow(high / low, std::uniform_real_distribution<double>()(engine_));
    }
    int pick(int count) { return std::uniform_int_distribution<int>(0, count - 1)(engine_); }

private:
    std::mt19937 engine_;
};

/// From rest to `level`, and in one of four ways on: it stays, goes to zero, turns round, or
/// alternates; over the time `end`.
std::string course(Random& random, double level, double end) {
    switch (random.pick(5)) {
        case 0:
            return fmt::format("{:.17g}", level);
        case 1:
            return fmt::format("\"{:.17g}*min(t/{:.17g}, 1)\"", level, 0.1 * end);
        case 2:
            return fmt::format("[[0, 0], [{}, {}], [{}, {}], [{}, 0], [{}, 0]]",
                               0.1 * end,
                               level,
                               0.4 * end,
                               level,
                               0.5 * end,
                               2.0 * end);
        case 3:
            return fmt::format("[[0, {}], [{}, {}], [{}, {}], [{}, {}]]",
                               level,
                               0.3 * end,
                               level,
                               0.4 * end,
                               -level,
                               2.0 * end,
                               -level);
        default:
            return fmt::format("[[0, 0], [{}, 0], [{}, {}], [{}, 0], [{}, 0], [{}, {}], [{}, {}]]",
                               0.1 * end,
                               0.2 * end,
                               level,
                               0.3 * end,
                               0.6 * end,
                               0.7 * end,
                               level,
                               2.0 * end,
                               level);
    }
}

TEST_SUITE("standstill") {
    TEST_CASE("a motor at constant voltage turns an unloaded shaft as long as one likes") {
        // The current decays to nothing while V and k n w cancel
        int num_settled = 0;
        for (unsigned seed = 1; seed <= 60; ++seed) {
            Random random(seed);
            const Motor motor{random.log_between(0.1, 5.0),
                              random.log_between(4e-4, 4e-2),
                              random.log_between(0.01, 0.2),
                              random.log_between(1.0, 30.0)};
            const double V = random.log_between(1.0, 48.0), K = motor.k * motor.n;
            // A step turns by as much as is resolved, and the motor needs some of them
            const double step = std::min(random.log_between(1e-4, 5e-3), 0.3 * K / V);
            const double J = K * K / motor.R * step * random.log_between(5.0, 40.0);
            const double end = 600.0 * step;
            const bool is_emm = seed % 3 != 0;
            CAPTURE(seed);
            const std::string text = rotor(J) + motor.text(fmt::format("{:.17g}", V)) +
                                     steps(is_emm ? "emm" : "generalized_alpha", step, end);
            CAPTURE(text);
            Simulation run = model(text);
            double before = 0.0;
            REQUIRE_NOTHROW([&] {
                for (; !run.done(); run.step()) before = run.value("motor.current");
            }());
            // What the midpoint rule leaves of the roots of L J s^2 + R J s + K^2
            const double half = 0.5 * motor.R / motor.L;
            const std::complex<double> root =
                std::sqrt(std::complex<double>(half * half - K * K / (motor.L * J)));
            double left = 0.0;
            for (const std::complex<double> s : {-half + root, -half - root})
                left = std::max(left, std::abs((1.0 + 0.5 * step * s) / (1.0 - 0.5 * step * s)));
            if (!is_emm || std::pow(left, 600.0) > 1e-11) continue;
            ++num_settled;
            CHECK(run.value("shaft.angle_rate") == Near(V / K, tolerance(1e-9 * V / K)));
            // Velocities at the ends of steps alternate by what the step leaves of them
            CHECK(0.5 * std::abs(run.value("motor.current") + before) <=
                  tolerance(1e-9 * V / motor.R));
        }
        CHECK(num_settled >= 10);
    }

    TEST_CASE("drives, cylinders and sensors go from rest to standstill and back") {
        long num_steps = 0;
        for (unsigned seed = 1; seed <= 200; ++seed) {
            CAPTURE(seed);
            Random random(seed);
            const double h = random.log_between(1e-4, 5e-3), end = 500.0 * h;
            std::string text;
            if (random.pick(4) > 0) {
                const Motor motor{random.log_between(0.1, 5.0),
                                  random.log_between(4e-4, 4e-2),
                                  random.log_between(0.01, 0.2),
                                  random.log_between(1.0, 30.0)};
                const double K = motor.k * motor.n;
                const double V = std::min(random.log_between(1.0, 48.0), 0.3 * K / h);
                text = rotor(random.log_between(1e-3, 1.0));
                switch (random.pick(3)) {
                    case 0:  // open loop
                        text += motor.text(course(random, V, end));
                        break;
                    case 1:  // the speed is held through a sensor
                        text += force("tacho",
                                      "sensor",
                                      fmt::format("input = \"shaft.angle_rate\"\nbandwidth = {}\n"
                                                  "order = {}",
                                                  random.log_between(1.0, 0.2 / h),
                                                  1 + random.pick(2))) +
                                force("wanted", "sensor", "input = " + course(random, V, end)) +
                                motor.text(
                                    fmt::format("\"wanted.value - {:.17g}*tacho.value\"", 0.3 * K));
                        break;
                    default:  // a loop for the current inside
                        text += force("wanted", "sensor", "input = " + course(random, V, end)) +
                                motor.text(fmt::format("\"wanted.value - {:.17g}*motor.current\"",
                                                       motor.R));
                        break;
                }
                text += force("lag",
                              "actuator",
                              fmt::format("on = \"shaft\"\ncommand = \"-{:.17g}*motor.current\"\n"
                                          "time_constant = {}",
                                          0.1 * K,
                                          random.log_between(h, 50.0 * h)));
            } else {
                text = model_text(false) +
                       body("load", "ancf_rigid_body", "", random.log_between(1.0, 1e3)) +
                       constraint(
                           "rail",
                           "prismatic",
                           "a = \"ground\"\nb = \"load\"\npoint = [0, 0, 0]\naxis = [1, 0, 0]") +
                       constraint("rub", "damper", "on = \"rail\"\ndamping = 2e3") +
                       force("wanted", "sensor", "input = " + course(random, 0.2, end)) +
                       force("ram",
                             "hydraulic_cylinder",
                             fmt::format("on = \"rail\"\nvalve = \"wanted.value\"\n"
                                         "piston_area = 1e-3\nrod_side_area = 6e-4\n"
                                         "supply = {}\nconductance = 1e-7\n"
                                         "volumes = [1e-2, 1e-2]\nbulk_modulus = 1.4e9",
                                         random.log_between(1e5, 2e6)));
            }
            const bool is_emm = random.pick(4) > 0;
            CAPTURE(text);
            Simulation run = model(text + steps(is_emm ? "emm" : "generalized_alpha", h, end));
            REQUIRE_NOTHROW(run_to_end(run));
            num_steps += run.steps_done();
        }
        CHECK(num_steps == 100'000);
    }

    TEST_CASE("states decay to nothing at all, through numbers that have not all their digits") {
        // exp(-t / T) to 1e-320 and on
        for (const char* integrator : {"emm", "generalized_alpha"}) {
            CAPTURE(integrator);
            Simulation run =
                model(rotor(1.0) +
                      force("filter",
                            "sensor",
                            "input = [[0, 1], [0.1, 1], [0.1001, 0], [1, 0]]\nbandwidth = 400.0\n"
                            "order = 2\ndamping_ratio = 0.9") +
                      force("meter", "sensor", "input = \"filter.value\"\nbandwidth = 500.0") +
                      steps(integrator, 2e-4, 0.5));
            REQUIRE_NOTHROW(run_to_end(run));
            CHECK(std::abs(run.value("meter.value")) < 1e-250);
        }
    }
}

}  // namespace
}  // namespace ancora::testing
