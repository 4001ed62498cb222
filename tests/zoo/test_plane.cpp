// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: the constraint z = 0.
#include "test_plane.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestPlane>(
        "test_plane", {"keeps a point in a plane", "z = 0"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_plane", "1.0.0", kTypes)
