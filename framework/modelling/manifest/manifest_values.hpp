// SPDX-License-Identifier: BSD-3-Clause
// Values of a manifest by their keys, as after --set.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ancora/framework/manifest.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

class PluginRegistry;

/// The value that the manifest gives for "KIND.NAME.KEY", "integrator.KEY" or "model.gravity";
/// nothing if it gives none. Keys of tables inside a value follow by dots.
std::optional<Value> value_of(const Manifest& manifest, std::string_view key);

/// Of an integer too.
std::optional<double> number_in(const Value& value);

/// The schema's entry of "KIND.NAME.KEY", for unit, range and default; null where there is none: a
/// key of the model's own, a table inside a value, a type that is not found.
const Parameter* schema_of(const Manifest& manifest,
                           std::string_view key,
                           PluginRegistry& registry);

}  // namespace ancora
