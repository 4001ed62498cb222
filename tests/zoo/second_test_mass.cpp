// SPDX-License-Identifier: BSD-3-Clause
// A good plugin by itself, but its type is that of test_mass.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("test_mass", {"point mass", "m r'' = f"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("second_test_mass", "1.0.0", kTypes)
