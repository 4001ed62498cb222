// SPDX-License-Identifier: BSD-3-Clause
// A plugin that Clang has built runs in a kernel that GCC has built.
#include <cmath>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "ancora/framework/simulation.hpp"
#include "framework/models.hpp"

using namespace ancora;
namespace fs = std::filesystem;

namespace {

/// Where a mass on a hardening spring is after a second, with the spring of `folder`.
double swung(const fs::path& folder) {
    PluginRegistry registry;
    registry.add_folder(folder);
    registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
    registry.add_folder(ANCORA_TEST_ZOO_DIR);
    Simulation simulation(
        ancora::testing::manifest(
            "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\nposition = [0.5, 0, 0]\n"
            "[[constraint]]\nname = \"s\"\ntype = \"test_spring\"\na = \"m@0\"\n"
            "b = \"ground@[0, 0, 0]\"\nlaw = \"hardening\"\ncompliance = 0.1\ncubic = 30.0\n"
            "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 1.0\n"),
        registry);
    while (!simulation.done()) simulation.step();
    for (const Plugin* plugin : simulation.plugins())
        if (plugin->name == "test_spring") CHECK(plugin->file.parent_path() == folder);
    CHECK(simulation.statistics().energy.max_rel < 1e-14);
    return simulation.q()[0];
}

}  // namespace

TEST_SUITE("plugins of another compiler") {
    TEST_CASE("its rows, laws and errors are those of the same source by this one") {
        const fs::path zoo = ANCORA_TEST_ZOO_DIR;
        if (!fs::exists(zoo / "other_compiler/test_spring.so")) {
            MESSAGE("there is no clang++ here");
            return;
        }
        const double here = swung(zoo);
        CHECK(std::abs(here) > 1e-3);
        CHECK(swung(zoo / "other_compiler") == doctest::Approx(here).epsilon(1e-12));
    }

    TEST_CASE("what it throws is told as any plugin's error") {
        const fs::path zoo = ANCORA_TEST_ZOO_DIR;
        if (!fs::exists(zoo / "other_compiler/test_spring.so")) return;
        PluginRegistry registry;
        registry.add_folder(zoo / "other_compiler");
        registry.add_folder(ANCORA_TEST_PLUGIN_DIR);
        registry.add_folder(zoo);
        std::string message;
        try {
            Simulation simulation(
                ancora::testing::manifest(
                    "[[body]]\nname = \"m\"\ntype = \"test_mass\"\nmass = 2.0\n"
                    "velocity = [1.0, 0, 0]\n"
                    "[[constraint]]\nname = \"c\"\ntype = \"throws_in_call\"\nat = \"m@0\"\n"
                    "[integrator]\ntype = \"emm\"\nstep = 0.01\nend = 0.1\n"),
                registry);
            while (!simulation.done()) simulation.step();
        } catch (const Error& error) {
            message = error.message();
        }
        CHECK(message.find("constraint \"c\"") != std::string::npos);
        CHECK(message.find("out of order") != std::string::npos);
    }
}
