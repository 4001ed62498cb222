// SPDX-License-Identifier: BSD-3-Clause
// Values of a manifest by their keys, as after --set.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/framework/manifest.hpp"
#include "ancora/sdk/parameter.hpp"

namespace ancora {

class PluginRegistry;

/// The value that the manifest gives for "KIND.NAME.KEY", "integrator.KEY" or "model.gravity";
/// nothing if it gives none. Keys of tables inside a value follow by dots.
std::optional<Value> value_of(const Manifest& manifest, std::string_view key);

/// Of an integer too.
std::optional<double> number_in(const Value& value);

/// The schema's entry of "KIND.NAME.KEY" or "KIND.NAME.TABLE.KEY", for unit, range and default;
/// null where there is none: a key of the model's own, a table inside a value, a type that is not
/// found.
const Parameter* schema_of(const Manifest& manifest,
                           std::string_view key,
                           PluginRegistry& registry);

/// Whether there is the object "KIND.NAME".
bool has_object(const Manifest& manifest, std::string_view key);

/// Why a manifest has no value of "KIND.NAME.KEY", and what is near: the object, or the key, or its
/// value is missing.
std::string why_no_value(const Manifest& manifest, std::string_view key, PluginRegistry& registry);

/// Keys of all finite numbers that the manifest gives to parameters which types call sensitive, of
/// one object, "body.boom", or of all where it is empty.
std::vector<std::string> sensitive_keys(const Manifest& manifest,
                                        std::string_view object,
                                        PluginRegistry& registry);

}  // namespace ancora
