// SPDX-License-Identifier: BSD-3-Clause
// Every model of examples/ is complete, starts, and keeps its balances over a few steps.
#include <algorithm>
#include <filesystem>
#include <vector>

#include <doctest/doctest.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

std::vector<std::filesystem::path> models() {
    std::vector<std::filesystem::path> found;
    const std::filesystem::path root = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples";
    for (const auto& folder : std::filesystem::directory_iterator(root))
        if (std::filesystem::exists(folder.path() / "model.toml"))
            found.push_back(folder.path() / "model.toml");
    std::sort(found.begin(), found.end());
    return found;
}

TEST_SUITE("examples") {
    TEST_CASE("each has a README, loads without a warning, and runs 20 steps in balance") {
        const auto files = models();
        CHECK(files.size() >= 4);
        for (const auto& file : files) {
            CAPTURE(file.string());
            CHECK(std::filesystem::exists(file.parent_path() / "README.md"));

            Manifest manifest = Manifest::load(file);
            manifest.integrator.end =
                std::min(manifest.integrator.end, 20.0 * manifest.integrator.step);
            std::vector<std::string> warnings;
            Simulation simulation(manifest, registry(), [&](const std::string& text) {
                warnings.push_back(text);
            });
            CHECK(warnings.empty());

            const RunStatistics statistics = run_to_end(simulation).statistics();
            CHECK(statistics.substeps == statistics.steps);
            // Sums over the elements of large models round too: allow for a hundred parts.
            const double bound = 10.0 * rounding_bound(20.0);
            CHECK(statistics.energy.max_rel <= tolerance(bound));
            CHECK(statistics.momentum.max_rel <= tolerance(bound));
            CHECK(statistics.angular_momentum.max_rel <= tolerance(bound));
        }
    }
}

}  // namespace
}  // namespace ancora::testing
