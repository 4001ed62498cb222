// SPDX-License-Identifier: BSD-3-Clause
// The manifest as editors and validators know formats: a JSON Schema.
#pragma once

#include <string>

#include "ancora/framework/export.hpp"

namespace ancora {

class PluginRegistry;

/// A JSON Schema, draft-07, of manifests with all types of all plugins on the search path: made of
/// the schemas of the types and of the kernel's own keys. Editors for TOML read drafts 4 to 7.
///
/// A file may be a part of a model, see `include`; so no table is required, and [integrator] may
/// lack keys. Where numbers are wanted, strings pass as expressions.
ANCORA_FRAMEWORK_EXPORT std::string manifest_schema(PluginRegistry& registry);

}  // namespace ancora
