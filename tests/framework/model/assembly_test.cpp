// SPDX-License-Identifier: BSD-3-Clause
// A model of many objects stands in a time that grows as their number does.
#include <ctime>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"

namespace {

using namespace ancora;

/// A chain of boxes in a row under emm, the first hung from the ground.
Manifest chain(int N) {
    Manifest manifest;
    manifest.integrator.type = "emm";
    manifest.integrator.step = 1e-3;
    manifest.integrator.end = 1.0;
    for (int i = 0; i < N; ++i) {
        manifest.add_body(fmt::format("link{}", i), "ancf_rigid_body")
            .set("size", {1.0, 0.2, 0.1})
            .set("density", 1000.0)
            .set("position", {i + 0.5, 0.0, 0.0});
        manifest.add_constraint(fmt::format("joint{}", i), "position")
            .set("a", fmt::format("link{}@[-0.5, 0, 0]", i))
            .set("b",
                 i == 0 ? std::string("ground@[0, 0, 0]")
                        : fmt::format("link{}@[0.5, 0, 0]", i - 1));
    }
    return manifest;
}

/// Processor time until a chain stands; the shortest of several, since other work only adds to it.
double seconds_to_assemble(int N, PluginRegistry& registry) {
    double best = 0.0;
    for (int k = 0; k < 4; ++k) {
        const std::clock_t begin = std::clock();
        const Manifest manifest = chain(N);
        const Simulation simulation(manifest, registry);
        CHECK(simulation.analyse().rank == 9 * N);
        const double taken = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        if (k == 0 || taken < best) best = taken;
    }
    return best;
}

}  // namespace

TEST_SUITE("assembly") {
    TEST_CASE("eight times as many boxes take about eight times as long") {
        PluginRegistry registry;
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        const double few = seconds_to_assemble(1000, registry);
        const double many = seconds_to_assemble(8000, registry);
        CAPTURE(few);
        CAPTURE(many);
        // 64 where every object is searched for among all the others
        CHECK(many < 18.0 * few);
    }
}
