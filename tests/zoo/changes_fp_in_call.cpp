// SPDX-License-Identifier: BSD-3-Clause
// Bad: the constraint z = 0, which leaves another rounding direction behind after time zero.
#include <cfenv>

#include "test_plane.hpp"

namespace {

using namespace ancora;

class ChangesFpInCall final : public zoo::TestPlane {
public:
    using TestPlane::TestPlane;

    void evaluate(int block, const RowPoint& at, const RowValues& out) const override {
        TestPlane::evaluate(block, at, out);
        if (at.t > 0.0) std::fesetround(FE_UPWARD);
    }
};

constexpr TypeDescriptor kTypes[] = {
    type<ChangesFpInCall>("changes_fp_in_call", {"z = 0"}, zoo::TestPlane::kParameters),
};

}  // namespace

ANCORA_PLUGIN("changes_fp_in_call", "1.0.0", kTypes)
