// SPDX-License-Identifier: BSD-3-Clause
// Models that stand in a folder beside the FMUs that they name.
#pragma once

#include <string>

#include "ancora/framework/error.hpp"
#include "ancora/framework/plugin_registry.hpp"
#include "ancora/framework/simulation.hpp"
#include "support/process.hpp"

namespace ancora::testing {

struct Plugins {
    Plugins() { registry.add_folder(ANCORA_TEST_PLUGIN_DIR); }
    PluginRegistry registry;
};

inline Simulation simulation_of(Plugins& plugins,
                                const TempFolder& folder,
                                const std::string& text) {
    return {Manifest::parse(text, folder / "model.toml"), plugins.registry};
}

/// What stops the model from running to its end.
inline std::string failure(const TempFolder& folder, const std::string& text) {
    Plugins plugins;
    try {
        Simulation it = simulation_of(plugins, folder, text);
        while (!it.done()) it.step();
    } catch (const Error& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace ancora::testing
