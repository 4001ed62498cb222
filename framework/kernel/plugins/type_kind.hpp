// SPDX-License-Identifier: BSD-3-Clause
// Kinds of types in messages.
#pragma once

#include <string>
#include <string_view>

#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

/// An object in messages: `body "box"`.
std::string object_title(TypeKind kind, std::string_view name);

}  // namespace ancora
