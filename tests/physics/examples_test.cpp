// SPDX-License-Identifier: BSD-3-Clause
// Every model of examples/ is complete, starts, and keeps its balances over a few steps.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "support/model.hpp"
#include "support/near.hpp"

namespace ancora::testing {
namespace {

// Folders that show a program or a script and not a model of their own, or one with a plugin that
// is built out of tree.
const std::vector<std::string> kNoModel{"ancf_against_rotations",
                                        "custom_constraint",
                                        "custom_integrator",
                                        "embed_c",
                                        "embed_minimal",
                                        "fmu",
                                        "sugano_figures"};

/// The folders of examples/ that must hold a model.
std::vector<std::filesystem::path> folders() {
    std::vector<std::filesystem::path> found;
    const std::filesystem::path root = std::string(ANCORA_TEST_SOURCE_DIR) + "/examples";
    for (const auto& entry : std::filesystem::directory_iterator(root))
        if (entry.is_directory() &&
            std::ranges::find(kNoModel, entry.path().filename().string()) == kNoModel.end())
            found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    return found;
}

TEST_SUITE("examples") {
    TEST_CASE("each has a README, loads without a warning, and runs 20 steps in balance") {
        CHECK(folders().size() >= 9);
        for (const auto& folder : folders()) {
            CAPTURE(folder.string());
            CHECK(std::filesystem::exists(folder / "README.md"));
            const std::filesystem::path file = folder / "model.toml";
            CHECK(std::filesystem::exists(file));
            if (!std::filesystem::exists(file)) continue;

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
