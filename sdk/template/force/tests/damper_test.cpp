// SPDX-License-Identifier: BSD-3-Clause
// The force at an instant, and the motion of model.toml against its closed solution.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

/// Error of the speed at which the masses drift apart, at the end of model.toml [m/s].
double error_after(const std::string& step) {
    ancora::PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/model.toml";
    const std::vector<std::string> settings{"integrator.step=" + step};
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    CHECK(simulation.statistics().energy.max_rel <= 1e-14);
    const double speed =
        simulation.point("right@0").velocity[0] - simulation.point("left@0").velocity[0];
    return std::abs(speed - 0.5 * std::exp(-2.0 * 0.4 * simulation.time()));
}

}  // namespace

TEST_SUITE("damper") {
    TEST_CASE("it acts along the line of its ends, against the speed along that line") {
        ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set("coefficient", 0.5);
        const std::unique_ptr<ancora::NonidealForce> force(static_cast<ancora::NonidealForce*>(
            ancora_plugin_descriptor.types[0].create(arguments)));
        const std::vector<double> u{2.0, 0.0, 0.0, 0.0, 0.0, 0.0};  // a two metres from b along x
        const std::vector<double> du{3.0, 7.0, 0.0, 1.0, 0.0, 5.0};
        std::vector<double> f(6);
        force->evaluate({u, du, 0.0}, {}, {f});
        CHECK(f == std::vector<double>{-1.0, 0.0, 0.0, 1.0, 0.0, 0.0});
    }

    TEST_CASE("the masses slow down as exp(-2 c t / m), with an error of second order") {
        const double error = error_after("1e-2");
        CHECK(error <= 1e-5);
        CHECK(error_after("2e-2") / error == doctest::Approx(4.0).epsilon(0.02));
    }
}
