// SPDX-License-Identifier: BSD-3-Clause
// An object's full name.
#include "object_ref.hpp"

#include <fmt/format.h>

namespace ancora {

std::string describe(const ObjectRef& object) {
    return fmt::format("{} (type {} of plugin {} {})",
                       object.label,
                       object.type->name,
                       object.plugin->name,
                       object.plugin->version);
}

}  // namespace ancora
