// SPDX-License-Identifier: BSD-3-Clause
// A model from the command line, ready to be analysed.
#pragma once

#include <optional>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "commands.hpp"
#include "diagnostics.hpp"

namespace ancora::command {

struct LoadedModel {
    explicit LoadedModel(const Options& options)
        : manifest(Manifest::load(options.operand, options.overrides)) {
        add_folders(registry, options);
        lock_if_asked(registry, options);
        simulation.emplace(manifest, registry, &write_warning);
        simulation->set_threads(options.threads);
    }
    Manifest manifest;
    PluginRegistry registry;
    std::optional<Simulation> simulation;
};

}  // namespace ancora::command
