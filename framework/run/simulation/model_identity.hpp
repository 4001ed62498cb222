// SPDX-License-Identifier: BSD-3-Clause
// The identity of a model as text: two models with the same text have the same motion.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/simulation.hpp"

namespace ancora {

/// Keys with their values.
using Identity = std::vector<std::pair<std::string, std::string>>;

/// Settings and parameters of a manifest, and the contents of the files that these name:
/// "body.hub.mass". Not the kernel and the plugins, nor when the run ends and what it writes.
/// @param manifest  whose model has been made, so that it is known which [parameters] were used
Identity model_identity(const Manifest& manifest, std::span<const InputFile> files);

}  // namespace ancora
