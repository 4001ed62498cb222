// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: linear viscous drag on a point, recorded as nonideal work.
#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::point("at", "where it acts").required(),
    parameter::number("c", "N s/m", "coefficient of drag").nonnegative().required(),
};

/// f = -c u'.
class TestDrag final : public NonidealForce {
public:
    explicit TestDrag(const Arguments& arguments) : c_(arguments.number("c")) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override { out.tied_to_inertial_frame = true; }

    void evaluate(const RowPoint& at,
                  std::span<const double>,
                  const ForceValues& out) const override {
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = -c_ * at.du[i];
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};

    double c_;
};

constexpr TypeDescriptor kTypes[] = {
    type<TestDrag>("test_drag", {"linear viscous drag", "f = -c u'"}, kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_drag", "1.0.0", kTypes)
