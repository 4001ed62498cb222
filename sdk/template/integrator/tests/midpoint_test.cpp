// SPDX-License-Identifier: BSD-3-Clause
// The motion of model.toml against its closed solution.
#include <cmath>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <doctest/doctest.h>

namespace {

/// Distance of the bead from where it should be at the end of model.toml [m].
double error_after(const std::string& step) {
    ancora::PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/model.toml";
    const std::vector<std::string> settings{"integrator.step=" + step};
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    const double t = simulation.time();
    const auto r = simulation.point("bead@0").position;
    CHECK(std::abs(std::hypot(r[0], r[1]) - 1.0) <= 1e-13);
    return std::hypot(r[0] - std::cos(t), r[1] - std::sin(t));
}

}  // namespace

TEST_SUITE("midpoint") {
    TEST_CASE("a bead goes round its circle, with an error of second order in the step") {
        const double error = error_after("1e-2");
        CHECK(error <= 1e-3);
        CHECK(error_after("2e-2") / error == doctest::Approx(4.0).epsilon(0.1));
    }
}
