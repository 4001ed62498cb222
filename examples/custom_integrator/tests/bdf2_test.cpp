// SPDX-License-Identifier: BSD-3-Clause
// The motion of slider_crank.toml against dopri5, which shares no formula with it.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <doctest/doctest.h>

namespace {

struct End {
    std::vector<double> place, velocity;
    double violation;
};

/// Where the middle of the rod is at the end of the run.
End end_of(const std::vector<std::string>& settings) {
    ancora::PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/slider_crank.toml";
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    const auto rod = simulation.point("rod@[0, 0, 0]");
    return {{rod.position.begin(), rod.position.end()},
            {rod.velocity.begin(), rod.velocity.end()},
            simulation.statistics().constraint_position.max_abs};
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return std::sqrt(sum);
}

}  // namespace

TEST_SUITE("bdf2") {
    TEST_CASE("a slider-crank with a redundant row moves as under dopri5, at second order") {
        const End exact = end_of({"integrator.type=dopri5", "integrator.tolerance=1e-11"});
        double places[2], velocities[2];
        for (int k = 0; k < 2; ++k) {
            const End end = end_of({k == 0 ? "integrator.step=1e-3" : "integrator.step=5e-4"});
            places[k] = distance(end.place, exact.place);
            velocities[k] = distance(end.velocity, exact.velocity);
            CHECK(end.violation <= 1e-12);
        }
        CHECK(places[1] <= 1e-4);
        CHECK(places[0] / places[1] == doctest::Approx(4.0).epsilon(0.1));
        CHECK(velocities[0] / velocities[1] == doctest::Approx(4.0).epsilon(0.1));
    }
}
