// SPDX-License-Identifier: BSD-3-Clause
// Bad: the constraint z = 0, which throws as soon as time is above zero.
#include <stdexcept>

#include "test_plane.hpp"

namespace {

using namespace ancora;

class ThrowsInCall final : public zoo::TestPlane {
public:
    using TestPlane::TestPlane;

    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        if (at.t > 0.0) throw std::runtime_error("out of order");
        TestPlane::evaluate(block, at, out);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<ThrowsInCall>("throws_in_call", {"z = 0"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("throws_in_call", "1.0.0", kTypes)
