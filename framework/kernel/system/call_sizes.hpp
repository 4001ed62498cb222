// SPDX-License-Identifier: BSD-3-Clause
// Sizes of what an integrator hands to a system.
#pragma once

#include <cstddef>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"
#include "model.hpp"

namespace ancora {

/// Refuses a vector of another size than the model's, which would be read behind its end. [step]
/// @throws Error (plugin) that names the integrator
inline void require_size(
    const Model& model, const char* call, const char* what, std::size_t got, int wanted) {
    if (got == static_cast<std::size_t>(wanted)) return;
    throw Error(ErrorKind::plugin,
                fmt::format("{}: it calls {} with {} entries of {}, and there are {}",
                            describe(model.integrator_object),
                            call,
                            got,
                            what,
                            wanted),
                model.integrator_object.place);
}

}  // namespace ancora
