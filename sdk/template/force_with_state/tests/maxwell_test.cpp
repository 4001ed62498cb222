// SPDX-License-Identifier: BSD-3-Clause
// The motion of model.toml against its closed solution.
#include <cmath>
#include <complex>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <doctest/doctest.h>

namespace {

/// Error of the stretch at the end of model.toml [m], whose closed solution is that of
/// x'' + (k / c) x' + 2 k x = 0 with x(0) = 0, x'(0) = 0.5.
double error_after(const std::string& integrator, const std::string& step) {
    ancora::PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/model.toml";
    const std::vector<std::string> settings{"integrator.type=\"" + integrator + "\"",
                                            "integrator.step=" + step};
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    const double half = 0.5 * 100.0 / 8.0;
    const double omega = std::sqrt(200.0 - half * half);
    const double t = simulation.time();
    const double stretch = 0.5 * std::exp(-half * t) * std::sin(omega * t) / omega;
    return std::abs(simulation.value("link.stretch") - stretch);
}

}  // namespace

TEST_SUITE("maxwell") {
    TEST_CASE("the stretch follows its closed solution, at the order of the integrator") {
        const double second = error_after("emm", "2e-3");
        CHECK(second <= 1e-5);
        CHECK(error_after("emm", "4e-3") / second == doctest::Approx(4.0).epsilon(0.05));
        const double fourth = error_after("rk4", "1e-2");
        CHECK(error_after("rk4", "2e-2") / fourth == doctest::Approx(16.0).epsilon(0.2));
    }
}
