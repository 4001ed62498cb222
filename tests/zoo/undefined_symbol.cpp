// SPDX-License-Identifier: BSD-3-Clause
// Bad: calls a function that nobody defines; the linker was not asked to look.
#include "test_mass.hpp"

namespace ancora::zoo {
[[gnu::visibility("default")]] double missing_mass(int layer);
}

namespace {

using namespace ancora;

class Heavier final : public zoo::TestMass {
public:
    explicit Heavier(const Arguments& arguments) : TestMass(arguments) {}
    void mass(MassSink& M) const override { M.add(0, 0, zoo::missing_mass(1)); }
};

constexpr TypeDescriptor kTypes[] = {
    type<Heavier>("undefined_symbol", {"point mass"}, zoo::TestMass::kParameters),
};

}  // namespace

ANCORA_PLUGIN("undefined_symbol", "1.0.0", kTypes)
