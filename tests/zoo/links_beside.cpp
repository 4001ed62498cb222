// SPDX-License-Identifier: BSD-3-Clause
// Good: needs a library that lies beside it, in $ORIGIN/lib.
#include "test_mass.hpp"

extern "C" int ancora_test_beside();

namespace {

using namespace ancora;

class Linked final : public zoo::TestMass {
public:
    explicit Linked(const Arguments& arguments) : TestMass(arguments) {
        if (ancora_test_beside() != 42) std::abort();
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<Linked>("linked_mass", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("links_beside", "1.0.0", kTypes)
