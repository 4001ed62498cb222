// SPDX-License-Identifier: BSD-3-Clause
// The body's strain against differences, and its motion against a steady spin.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <ancora/framework/simulation.hpp>
#include <ancora/sdk/plugin.hpp>
#include <ancora/sdk/testing/fake_arguments.hpp>
#include <ancora/sdk/testing/row_errors.hpp>
#include <doctest/doctest.h>

extern "C" const ancora::PluginDescriptor ancora_plugin_descriptor;

namespace {

/// Distance of the first end from where a steady spin brings it, at the end of model.toml [m].
double error_after(const std::string& step) {
    ancora::PluginRegistry registry;
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    const std::string file = std::string(ANCORA_TEST_SOURCE_DIR) + "/model.toml";
    const std::vector<std::string> settings{"integrator.step=" + step};
    ancora::Simulation simulation(ancora::Manifest::load(file, settings), registry);
    while (!simulation.done()) simulation.step();
    CHECK(simulation.statistics().energy.max_rel <= 1e-14);
    const double angle = std::sqrt(40.0) * simulation.time();
    const auto r = simulation.point("spinner@0").position;
    return std::hypot(r[0] - 0.625 * std::cos(angle), r[1] - 0.625 * std::sin(angle), r[2]);
}

}  // namespace

TEST_SUITE("dumbbell") {
    TEST_CASE("the strain's rows are its derivatives, and exact over a step of any size") {
        ancora::test::FakeArguments arguments(ancora_plugin_descriptor.types[0]);
        arguments.set_matrix("ends", 3, {0.0, 0.0, 0.0, 1.0, 0.0, 0.0})
            .set("mass", 1.0)
            .set("length", 1.5)
            .set("stiffness", 10.0);
        const std::unique_ptr<ancora::Body> body(
            static_cast<ancora::Body*>(ancora_plugin_descriptor.types[0].create(arguments)));
        const ancora::test::RowErrors errors = ancora::test::row_errors(
            *body, 0, {1.0, 2.0, 3.0, 0.5, -1.0, 2.5}, {0.25, -0.5, 1.0, 2.0, 0.125, -0.75});
        CHECK(errors.jacobian <= 1e-11);
        CHECK(errors.bias <= 1e-9);
        CHECK(errors.tangent <= 1e-11);
        CHECK(errors.discrete <= 4e-15);
    }

    TEST_CASE("it spins steadily, with an error of second order in the step") {
        const double error = error_after("1e-3");
        CHECK(error <= 1e-4);
        CHECK(error_after("2e-3") / error == doctest::Approx(4.0).epsilon(0.02));
    }
}
