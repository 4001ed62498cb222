// SPDX-License-Identifier: BSD-3-Clause
// Bad: two body types of one name.
#include "test_mass.hpp"

namespace {

using namespace ancora;

constexpr TypeDescriptor kTypes[] = {
    type<zoo::TestMass>("twin", {"point mass"}, zoo::TestMass::kParameters),
    type<zoo::TestMass>("twin", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("duplicate_types", "1.0.0", kTypes)
