// SPDX-License-Identifier: BSD-3-Clause
// `ancora schema`: the JSON Schema of manifests, for editors.
#include "ancora/framework/manifest_schema.hpp"
#include "commands.hpp"
#include "table.hpp"

namespace ancora::command {

int schema(const Options& options) {
    PluginRegistry registry;
    add_folders(registry, options);
    write_out(manifest_schema(registry));
    return 0;
}

}  // namespace ancora::command
