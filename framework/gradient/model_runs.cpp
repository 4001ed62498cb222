// SPDX-License-Identifier: BSD-3-Clause
// Runs of one model with other values, side by side.
#include "model_runs.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "recorded_run.hpp"
#include "workers.hpp"

namespace ancora {
namespace {

std::string events_of(const Simulation& simulation) {
    std::string text;
    for (const ImpactEvent& event : simulation.impacts())
        text += fmt::format("{}{};", "icr"[static_cast<int>(event.kind)], event.constraint);
    text += '|';
    for (const ContactEvent& event : simulation.events())
        text += fmt::format("{}{};", event.sticks ? '=' : '~', event.force);
    text += '|';
    for (const BreakEvent& event : simulation.breaks())
        text += fmt::format("{}@{};", event.object, event.item);
    return text += fmt::format("|{}", simulation.singular_positions().size());
}

RunResult run_to_end(Simulation& simulation, RunWatch& watch) {
    RunResult out;
    while (!simulation.done()) {
        simulation.step();
        watch.after_step(simulation);
    }
    out.values = watch.finish(simulation);
    out.events = events_of(simulation);
    return out;
}

}  // namespace

ModelRuns::ModelRuns(const ModelSource& model, PluginRegistry& registry, int workers)
    : model_(model), registry_(registry), workers_(workers > 0 ? workers : available_cores()) {}

Simulation ModelRuns::make(std::span<const std::string> overrides) const {
    Manifest manifest = model_(overrides);
    // All columns may be asked for; which are recorded changes no motion.
    manifest.output.columns.reset();
    return Simulation(manifest, registry_);
}

RunResult ModelRuns::run(Simulation& simulation, RunWatch& watch) {
    ++count;
    return run_to_end(simulation, watch);
}

RunResult ModelRuns::run(RecordedRun& recorded, const Simulation& simulation, RunWatch& watch) {
    ++count;
    recorded.run([&] {
        watch.after_step(simulation);
    });
    return {watch.finish(simulation), events_of(simulation), {}};
}

std::vector<RunResult> ModelRuns::run(const std::vector<std::vector<std::string>>& overrides,
                                      const MakeWatch& make_watch) {
    std::vector<RunResult> results(overrides.size());
    std::atomic<std::size_t> next{0};
    std::mutex making;  // a registry serves one thread at a time
    const auto work = [&] {
        for (std::size_t i; (i = next.fetch_add(1)) < overrides.size();) {
            try {
                std::optional<Simulation> simulation;
                std::unique_ptr<RunWatch> watch;
                {
                    const std::lock_guard<std::mutex> lock(making);
                    simulation.emplace(make(overrides[i]));
                    watch = make_watch(*simulation);
                }
                results[i] = run_to_end(*simulation, *watch);
                const std::lock_guard<std::mutex> lock(making);
                simulation.reset();
            } catch (const std::exception& error) {
                results[i].failure = error.what();
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        const std::size_t wanted = std::min(overrides.size(), static_cast<std::size_t>(workers_));
        for (std::size_t k = 1; k < wanted; ++k) threads.emplace_back(work);
        work();
    }
    count += overrides.size();
    return results;
}

}  // namespace ancora
