// SPDX-License-Identifier: BSD-3-Clause
// A model as an FMU: a file that other simulators run, with the kernel and its plugins inside.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "ancora/framework/export.hpp"
#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// What others see of the model.
struct FmuOptions {
    /// Inputs of objects, "motor.voltage", or with a start, "motor.voltage=12"; and points that are
    /// pushed, "bar@[0.5, 0, 0]", three inputs each. What is an input is driven from outside alone.
    std::vector<std::string> inputs;
    /// Columns of history.csv.
    std::vector<std::string> outputs;
    /// Keys as after `--set` whose values are numbers, truth values or texts.
    std::vector<std::string> parameters;
    int version = 2;  ///< of the standard: 2 for FMI 2.0, 3 for FMI 3.0
    bool for_cosimulation = true;
    /// The importer integrates x' = f(t, x), see ContinuousModel.
    bool for_model_exchange = false;
    /// FMUs of the same model, with the same options, that were written on other platforms: their
    /// binaries go into this one, which then runs there too.
    std::vector<std::filesystem::path> others;
};

/// Writes an FMU for this platform and those of others, as a whole or not at all; a file that is
/// there is replaced only if it is an archive of this kind.
/// @throws Error (usage) for a name that the model does not have; (manifest) if its integrator
///         chooses its steps, for co-simulation; (file); and what the model throws
ANCORA_FRAMEWORK_EXPORT void write_fmu(const Manifest& manifest,
                                       PluginRegistry& registry,
                                       const std::filesystem::path& file,
                                       const FmuOptions& options);

}  // namespace ancora
