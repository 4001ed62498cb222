// SPDX-License-Identifier: BSD-3-Clause
// The sail from a mesh file: steady spin of net, tethers, tip masses and hub, and the push.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

TEST_SUITE("sail from a mesh file") {
    // The elements alone carry the centripetal loads, so the hub need not. The scheme turns a
    // relative equilibrium by the Cayley map of h Omega: 2 atan(h Omega / 2) in each step.
    TEST_CASE("unpushed, sail and hub turn as one, and nothing passes between them") {
        Simulation run = example(
            "sail_net", {"force.thruster.force=[[0,0,0,0],[1,0,0,0]]", "integrator.end=1.0"});
        const std::vector<std::string> points = {
            "sail@tip_0", "sail@tip_3", "sail@hub_1", "sail@215", "hub@[0.5,-0.5,0.0]"};
        std::vector<std::array<double, 3>> start;
        for (const std::string& point : points) start.push_back(run.point(point).position);
        run_to_end(run);
        CHECK(run.num_steps() == 200);
        const double angle = 200.0 * 2.0 * std::atan(0.5 * 5e-3 * 1.5);
        const double c = std::cos(angle);
        const double s = std::sin(angle);
        for (std::size_t i = 0; i < points.size(); ++i) {
            CAPTURE(points[i]);
            const auto end = run.point(points[i]).position;
            CHECK(end[0] == near(c * start[i][0] - s * start[i][1], 1e-13));
            CHECK(end[1] == near(s * start[i][0] + c * start[i][1], 1e-13));
            CHECK(end[2] == near(0.0, 1e-13));
        }
        // A tip of 0.5 kg at 7.07 m alone pulls with 8 N
        for (int k = 0; k < 4; ++k)
            CHECK(columns(run, "hold_" + std::to_string(k) + ".force").norm() <= tolerance(1e-10));
    }

    // Masses by hand: 840 pieces of tape of 0.5 m, four cords of 4.5 sqrt(2) m, four tips, the hub.
    // The rest lengths are shorter by the strain of the spin, some 1e-3.
    TEST_CASE("the push gives its impulse to all") {
        Simulation run = example("sail_net", {"integrator.end=1.0"});
        const double mass =
            840 * 0.5 * 1420e-6 + 4 * 4.5 * std::sqrt(2.0) * 1440 * 2e-6 + 4 * 0.5 + 0.5 * 60.0;
        run_to_end(run);
        // 20 N over 0.5 s and a ramp of 1 ms
        const double impulse = 20.0 * 0.5 + 0.5 * 20.0 * 1e-3;
        CHECK(column(run, "momentum.z") == near(impulse, 1e-12));
        const double hub_speed = column(run, "hub.vz");
        CHECK(hub_speed > impulse / mass);  // the sail still lags
        CHECK(hub_speed < impulse / 30.0);
        CHECK(run.statistics().energy.max_rel <= tolerance(rounding_bound(200)));
    }
}

}  // namespace
}  // namespace ancora::testing
