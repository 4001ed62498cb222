// SPDX-License-Identifier: BSD-3-Clause
// `ancora lock`: writes down which plugins a model is run with; --locked reads it.
#include <filesystem>

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include "ancora/framework/lock.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"
#include "table.hpp"

namespace ancora::command {

void lock_if_asked(PluginRegistry& registry, const Options& options) {
    if (!options.locked) return;
    const std::filesystem::path file = options.lock ? *options.lock : lock_file_of(options.operand);
    registry.lock_to(Lock::read(file));
    spdlog::info("held to {}", file.string());
}

int lock(const Options& options) {
    const Manifest manifest = Manifest::load(options.operand, options.overrides);
    PluginRegistry registry;
    add_folders(registry, options);
    const Simulation simulation(manifest, registry, &write_warning);

    const Lock lock = Lock::of(simulation);
    const std::filesystem::path file = options.out ? *options.out : lock_file_of(options.operand);
    lock.write(file);

    TextTable table;
    for (const LockedPlugin& plugin : lock.plugins) {
        std::string types;
        for (const std::string& type : plugin.types) types += (types.empty() ? "" : ", ") + type;
        table.add({fmt::format("{} {}", plugin.name, plugin.version), types});
    }
    write_out(
        fmt::format("{}: locked in {}\n\n{}", simulation.name(), file.string(), table.text()));
    return 0;
}

}  // namespace ancora::command
