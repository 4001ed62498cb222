// SPDX-License-Identifier: BSD-3-Clause
// "Did you mean": the nearest of some names.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "ancora/framework/export.hpp"

namespace ancora {

/// The nearest of `names` to `name`, if one is near enough to be a slip of the keys; else empty.
ANCORA_FRAMEWORK_EXPORT std::string nearest_name(std::string_view name,
                                                 std::span<const std::string> names);

/// `; did you mean "NAME"?` with the nearest of `names`, empty if none is near: the end of a
/// message that `name` is unknown.
ANCORA_FRAMEWORK_EXPORT std::string did_you_mean(std::string_view name,
                                                 std::span<const std::string> names);

}  // namespace ancora
