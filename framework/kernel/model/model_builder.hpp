// SPDX-License-Identifier: BSD-3-Clause
// Makes a model's objects from their specifications.
#pragma once

#include "ancora/framework/manifest.hpp"
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

class Model;

/// Fills an empty model with the manifest's objects: bodies, then constraints, then forces, then
/// the integrator.
void build(Model& model, const Manifest& manifest, PluginRegistry& registry);

}  // namespace ancora
