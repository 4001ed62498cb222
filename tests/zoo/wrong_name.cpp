// SPDX-License-Identifier: BSD-3-Clause
// Bad: the plugin's name is not that of its file.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("wrong_name", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("other_name", "1.0.0", kTypes)
