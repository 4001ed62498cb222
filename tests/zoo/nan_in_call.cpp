// SPDX-License-Identifier: BSD-3-Clause
// Bad: the constraint z = 0, which returns NaN as soon as time is above zero.
#include <limits>

#include "test_plane.hpp"

namespace {

using namespace ancora;

class NanInCall final : public zoo::TestPlane {
public:
    using TestPlane::TestPlane;

    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        TestPlane::evaluate(block, at, out);
        if (at.t <= 0.0) return;
        constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
        if (!out.pi.empty()) out.pi[0] = kNan;
        if (!out.A.empty()) out.A[2] = kNan;
        if (!out.b.empty()) out.b[0] = kNan;
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<NanInCall>("nan_in_call", {"z = 0"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("nan_in_call", "1.0.0", kTypes)
