// SPDX-License-Identifier: BSD-3-Clause
// How an elastic box of growing penalty approaches the rigid body, and how it rings.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/euler_top.hpp"
#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

// The box of Sugano's Table 1.
EulerTop exact() {
    return {Vec3(6750.0, 13500.0, 17550.0), Vec3(0.3, 0.5, 0.8)};
}

// Attitude error at 10 s [rad].
double attitude_error(double penalty, double step, const std::string& start) {
    Simulation simulation = example("tumbling_box",
                                    {setting("body.box.penalty", penalty),
                                     setting("integrator.step", step),
                                     "body.box.start=" + start});
    run_to_end(simulation);
    return angle_between(attitude(simulation, "box"), exact().attitude(10.0));
}

// Largest difference of the polar angular velocity from the exact one within 1 s [rad/s].
double chatter(double penalty, const std::string& start) {
    Simulation simulation = example("tumbling_box",
                                    {setting("body.box.penalty", penalty),
                                     "integrator.step=1e-4",
                                     "integrator.end=1",
                                     "body.box.start=" + start});
    const EulerTop top = exact();
    double largest = 0.0;
    while (!simulation.done()) {
        simulation.step();
        largest =
            std::max(largest, (omega(simulation, "box") - top.omega(simulation.time())).norm());
    }
    return largest;
}

// Slope of log error over log penalty by least squares.
double slope(const std::vector<double>& penalties, const std::vector<double>& errors) {
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    const auto n = static_cast<double>(penalties.size());
    for (std::size_t i = 0; i < penalties.size(); ++i) {
        const double lx = std::log(penalties[i]), ly = std::log(errors[i]);
        x += lx, y += ly, xx += lx * lx, xy += lx * ly;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

TEST_SUITE("penalty") {
    // Error = 3e4 / alpha + 0.813 h^2; with h = 1e-4 the second term is 8e-9.
    TEST_CASE("attitude error falls as 1 / alpha from 1e6 to 1e11 Pa") {
        const std::vector<double> penalties = {1e6, 1e7, 1e8, 1e9, 1e10, 1e11};
        const double floor = 0.813e-8;
        for (const std::string start : {"unstrained", "relaxed"}) {
            CAPTURE(start);
            std::vector<double> errors;
            for (const double penalty : penalties) {
                // A soft body needs no fine step: its own error covers 0.813 h^2 anyway.
                const double step = penalty < 1e9 ? 1e-3 : 1e-4;
                errors.push_back(attitude_error(penalty, step, start));
            }
            CHECK(slope(penalties, errors) == near(-1.0, 0.1));
            for (std::size_t i = 0; i < penalties.size(); ++i) {
                CAPTURE(penalties[i]);
                CHECK(errors[i] * penalties[i] <= tolerance(4.5e4));
                CHECK(errors[i] > floor);
            }
        }
    }

    TEST_CASE("the fall ends at the error of the step, 0.813 h^2") {
        // 3e4 / 1e15 adds 3e-11
        CHECK(attitude_error(1e15, 1e-3, "unstrained") == near(0.813e-6, 0.001e-6));
        CHECK(attitude_error(INFINITY, 1e-3, "unstrained") == near(0.813e-6, 0.001e-6));
    }

    TEST_CASE("an unstrained start rings with an amplitude of alpha^(-1/2)") {
        const double soft = chatter(1e8, "unstrained"), stiff = chatter(1e10, "unstrained");
        CHECK(std::log(stiff / soft) / std::log(100.0) == near(-0.5, 0.05));
    }

    TEST_CASE("a relaxed start rings at least 30 times less") {
        const double unstrained = chatter(1e9, "unstrained"), relaxed = chatter(1e9, "relaxed");
        CHECK(30.0 * relaxed <= unstrained);
    }
}

}  // namespace
}  // namespace ancora::testing
