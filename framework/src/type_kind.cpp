// SPDX-License-Identifier: BSD-3-Clause
// Kinds of types in words.
#include "ancora/framework/plugin_registry.hpp"

namespace ancora {

const char* to_text(TypeKind kind) {
    switch (kind) {
        case TypeKind::body:
            return "body";
        case TypeKind::constraint:
            return "constraint";
        case TypeKind::force:
            return "force";
        case TypeKind::integrator:
            return "integrator";
    }
    return "unknown kind";
}

}  // namespace ancora
