// SPDX-License-Identifier: BSD-3-Clause
// `ancora run`: simulates a model, shows progress, and sums up what came out.
#include <algorithm>
#include <filesystem>
#include <string>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "ancora/framework/crash_guard.hpp"
#include "ancora/framework/run.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "interrupt.hpp"
#include "progress.hpp"
#include "table.hpp"

namespace ancora::command {
namespace {

std::filesystem::path output_folder(const Options& options) {
    if (options.out) return *options.out;
    return std::filesystem::path("results") / std::filesystem::path(options.operand).stem();
}

RunResult run_shown(Simulation& simulation, Recorder& recorder, const Options& options) {
    const InterruptGuard guard;
    Progress progress(!options.quiet && !options.verbose);
    RunOptions run_options;
    run_options.resume = options.resume;
    run_options.stop = [] {
        return InterruptGuard::is_asked_for();
    };
    if (progress.is_shown())
        run_options.after_step = [&](Simulation& at) {
            progress.update(at);
        };
    return ancora::run(simulation, &recorder, run_options);
}

std::string closing_table(const Simulation& simulation,
                          const Recorder& recorder,
                          const RunResult& result) {
    const RunStatistics statistics = simulation.statistics();
    const double steps = static_cast<double>(std::max(statistics.steps, 1L));

    TextTable table;
    table.add({"simulated time",
               fmt::format("{:.6g} s of {:.6g} s", simulation.time(), simulation.end_time())});
    table.add({"steps",
               statistics.substeps == statistics.steps
                   ? fmt::format("{}", statistics.steps)
                   : fmt::format("{} in {} pieces", statistics.steps, statistics.substeps)});
    table.add({"wall time", duration(result.wall_seconds)});
    table.add({"time per step", duration(result.wall_seconds / steps)});
    if (statistics.evaluations > 0) {
        table.add({"accelerations",
                   fmt::format("{:.2f} evaluations per step on average",
                               static_cast<double>(statistics.evaluations) / steps)});
    } else {
        table.add({"Newton iterations",
                   fmt::format("{:.2f} per step on average, {} at most",
                               static_cast<double>(statistics.iterations) / steps,
                               statistics.max_iterations)});
        table.add(
            {"factorisations",
             fmt::format(
                 "{} in {}", statistics.factorisations, duration(statistics.factorise_seconds))});
    }

    TextTable balances;
    const auto add = [&](const char* name, const BalanceMaximum& maximum, const char* unit) {
        balances.add({name,
                      fmt::format("{:.3e} {}", maximum.max_abs, unit),
                      fmt::format("{:.1e}", maximum.max_rel)});
    };
    balances.add({"largest over every step", "absolute", "relative"});
    add("energy balance", statistics.energy, "J");
    add("momentum balance", statistics.momentum, "kg m/s");
    add("angular momentum balance", statistics.angular_momentum, "kg m^2/s");
    add("constraint position", statistics.constraint_position, "m");

    TextTable costs;
    costs.add({"cost per plugin", "time", "calls"});
    for (const PluginCost& cost : statistics.plugins)
        costs.add({cost.plugin, duration(cost.seconds), fmt::format("{}", cost.calls)});

    return fmt::format("{}: {}\n\n{}\n{}\n{}\n  results in {}\n",
                       simulation.name(),
                       result.interrupted ? "interrupted" : "completed",
                       table.text(),
                       balances.text(),
                       statistics.plugins.empty() ? "" : costs.text(),
                       recorder.folder().string());
}

}  // namespace

int run(const Options& options) {
    const Manifest manifest = Manifest::load(options.operand, options.overrides);
    spdlog::info("read {}", options.operand);

    PluginRegistry registry;
    add_folders(registry, options);
    lock_if_asked(registry, options);
    Simulation simulation(manifest, registry, &write_warning);
    simulation.set_threads(options.threads);
    for (const Plugin* plugin : simulation.plugins())
        spdlog::info("plugin {} {} from {}", plugin->name, plugin->version, plugin->file.string());
    spdlog::info("assembled \"{}\": {} coordinates, {} steps of {} s",
                 simulation.name(),
                 simulation.q().size(),
                 simulation.num_steps(),
                 simulation.step_size());

    Recorder recorder(output_folder(options),
                      simulation,
                      manifest,
                      {.full_paths = options.full_paths, .plugin_dirs = options.plugin_dirs});
    if (options.resume && recorder.has_complete_run()) {
        write_note(
            fmt::format("the run in \"{}\" is complete, there is nothing to resume; without "
                        "--resume it is run anew",
                        recorder.folder().string()));
        return 0;
    }
    RunResult result;
    const CrashGuard crash([&](const std::exception_ptr& failure) {
        try {
            end_failed_run(&recorder, failure);
        } catch (...) {
            if (options.json) write_out(recorder.summary());
            return told(std::current_exception());
        }
    });
    try {
        result = run_shown(simulation, recorder, options);
    } catch (const Error&) {
        if (options.json) write_out(recorder.summary());
        throw;
    }
    spdlog::info("results in {}", recorder.folder().string());

    if (options.json)
        write_out(recorder.summary());
    else if (!options.quiet)
        write_out(closing_table(simulation, recorder, result));
    if (!result.interrupted) return 0;
    write_note(
        fmt::format("interrupted at t = {} s; what was computed is in \"{}\"{}",
                    simulation.time(),
                    recorder.folder().string(),
                    manifest.output.checkpoint > 0.0 ? ", and --resume goes on from there" : ""));
    return kInterrupted;
}

}  // namespace ancora::command
