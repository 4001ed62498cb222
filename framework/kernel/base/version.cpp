// SPDX-License-Identifier: BSD-3-Clause
// The version of the kernel library, as the build system knows it.
#include "ancora/framework/version.hpp"

namespace ancora {

const char* version() {
    return ANCORA_VERSION;
}

}  // namespace ancora
