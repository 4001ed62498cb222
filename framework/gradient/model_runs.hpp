// SPDX-License-Identifier: BSD-3-Clause
// Runs of one model with other values, side by side.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ancora/framework/gradient.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

class RecordedRun;

/// Takes numbers of a run while it is under way.
class RunWatch {
public:
    virtual ~RunWatch() = default;
    virtual void after_step(const Simulation& simulation) = 0;
    /// At the end.
    virtual std::vector<double> finish(const Simulation& simulation) = 0;
};

/// What became of a run.
struct RunResult {
    std::vector<double> values;  ///< RunWatch::finish()
    /// Contacts, impacts, breaks and singular positions in their order, by kind and name: runs on
    /// one branch of the motion have the same.
    std::string events;
    std::string failure;  ///< empty if it came to its end
};

class ModelRuns {
public:
    /// Called at the start.
    using MakeWatch = std::function<std::unique_ptr<RunWatch>(const Simulation&)>;

    /// @param workers  threads, at least 1; 0: one per core that this process may use
    ModelRuns(const ModelSource& model, PluginRegistry& registry, int workers);

    /// A simulation with these overrides; all columns can be asked for.
    Simulation make(std::span<const std::string> overrides) const;
    /// Runs one to its end.
    /// @throws what it throws
    RunResult run(Simulation& simulation, RunWatch& watch);
    /// The same, recorded.
    RunResult run(RecordedRun& recorded, const Simulation& simulation, RunWatch& watch);
    /// Runs one for each list of overrides; what one throws is in its result.
    std::vector<RunResult> run(const std::vector<std::vector<std::string>>& overrides,
                               const MakeWatch& watch);

    std::size_t count = 0;  ///< of runs so far

private:
    const ModelSource& model_;
    PluginRegistry& registry_;
    int workers_;
};

}  // namespace ancora
