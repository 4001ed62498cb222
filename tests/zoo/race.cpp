// SPDX-License-Identifier: BSD-3-Clause
// Good, twice under one name: what runs says which it is, in its version and in the environment
// as soon as it is opened.
#include <cstdlib>

#include "test_mass.hpp"

namespace {

using namespace ancora;

[[gnu::constructor]] void say_so() {
    ::setenv("ANCORA_TEST_RACE_" ANCORA_TEST_VARIANT, "1", 1);
}

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("race_mass", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("race", ANCORA_TEST_VARIANT, kTypes)
