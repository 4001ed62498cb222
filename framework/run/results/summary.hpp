// SPDX-License-Identifier: BSD-3-Clause
// summary.json: what was run, how it went, and how it ended.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// What the summary says beyond what the simulation knows.
struct RunRecord {
    std::filesystem::path manifest;  ///< empty for a model built in code
    IntegratorSettings integrator;
    double wall_seconds = 0.0;
    std::vector<double> resumed_at;  ///< times from which the run went on after an interruption [s]
    std::string exit_reason;
    std::string run_sha256;   ///< of what was run, see identity_of()
    bool full_paths = false;  ///< else there are none that name folders of this machine
};

/// Whether a summary is of this run, which came to its end.
bool is_complete(const std::string& text, const std::string& run_sha256);

/// The text of summary.json; numbers that are not finite become null.
std::string summary_text(const Simulation& simulation, const RunRecord& record);

}  // namespace ancora
