// SPDX-License-Identifier: BSD-3-Clause
// Kinds of types in words.
#include "type_kind.hpp"

#include <fmt/format.h>

#include "wording.hpp"

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

std::string object_title(TypeKind kind, std::string_view name) {
    return fmt::format("{} {}", to_text(kind), in_quotes(name));
}

}  // namespace ancora
