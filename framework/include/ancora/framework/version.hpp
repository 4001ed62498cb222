// SPDX-License-Identifier: BSD-3-Clause
// The version of the kernel library that a program runs with.
#pragma once

#include "ancora/framework/export.hpp"

namespace ancora {

/// "MAJOR.MINOR.PATCH" of the library that is loaded, which may differ from the headers' one.
ANCORA_FRAMEWORK_EXPORT const char* version();

}  // namespace ancora
