// SPDX-License-Identifier: BSD-3-Clause
// A manifest written out: one file, plain numbers.
#pragma once

#include <string>

#include "ancora/framework/export.hpp"

namespace ancora {

class Manifest;
class PluginRegistry;

/// The manifest as TOML that reads as the same model, from any folder: included files merged,
/// overrides applied, expressions computed in SI units, objects generated, files by their whole
/// paths. What a type's schema says of its values is checked on the way; nothing is assembled.
///
/// @throws Error (manifest, plugin, file) as Simulation does for the same mistakes
ANCORA_FRAMEWORK_EXPORT std::string expanded_text(const Manifest& manifest,
                                                  PluginRegistry& registry);

}  // namespace ancora
