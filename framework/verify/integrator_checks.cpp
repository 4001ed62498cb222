// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

namespace ancora::verify {

std::span<const Check> integrator_checks() {
    return {};
}

}  // namespace ancora::verify
