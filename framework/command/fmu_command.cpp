// SPDX-License-Identifier: BSD-3-Clause
// `ancora fmu`: a model as a file that other simulators run.
#include <filesystem>

#include <fmt/format.h>

#include "ancora/framework/fmu.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {

int fmu(const Options& options) {
    const Manifest manifest = Manifest::load(options.operand, options.overrides);
    PluginRegistry registry;
    add_folders(registry, options);
    const std::filesystem::path file =
        options.file ? *options.file
                     : std::filesystem::path(
                           std::filesystem::path(options.operand).stem().string() + ".fmu");
    write_fmu(manifest,
              registry,
              file,
              {.inputs = options.inputs,
               .outputs = options.outputs,
               .parameters = options.parameters,
               .version = options.fmi_version,
               .for_cosimulation = options.for_cosimulation,
               .for_model_exchange = options.for_model_exchange,
               .others = options.other_fmus});
    if (!options.quiet) write_out(fmt::format("FMU in {}\n", file.string()));
    return 0;
}

}  // namespace ancora::command
