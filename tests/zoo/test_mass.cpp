// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: a point mass.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("test_mass", {"point mass", "m r'' = f"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_mass", "1.0.0", kTypes)
