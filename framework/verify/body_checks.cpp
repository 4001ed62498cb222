// SPDX-License-Identifier: BSD-3-Clause
#include "check.hpp"

namespace ancora::verify {

std::span<const Check> body_checks() {
    return {};
}

}  // namespace ancora::verify
