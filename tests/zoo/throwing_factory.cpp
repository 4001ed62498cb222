// SPDX-License-Identifier: BSD-3-Clause
// Bad: a body that refuses to be made without using Arguments::fail.
#include "test_mass.hpp"

namespace {

using namespace ancora;

class ThrowingFactory final : public zoo::TestMass {
public:
    explicit ThrowingFactory(const Arguments& arguments) : TestMass(arguments) {
        throw std::runtime_error("out of luck");
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<ThrowingFactory>("throwing_factory", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("throwing_factory", "1.0.0", kTypes)
