// SPDX-License-Identifier: BSD-3-Clause
// A good plugin: a constant force on a point, recorded as external work.
#include <array>

#include "ancora/sdk/plugin.hpp"

namespace {

using namespace ancora;

constexpr Parameter kParameters[] = {
    parameter::point("at", "where it acts").required(),
    parameter::vector("force", 3, "N", "the force, inertial axes").required(),
};

// Built anew with another one, for programs that exchange plugins.
#ifndef ANCORA_TEST_FACTOR
#define ANCORA_TEST_FACTOR 1.0
#endif

/// f is constant.
class TestLoad final : public NonidealForce {
public:
    explicit TestLoad(const Arguments& arguments) : f_(arguments.triple("force")) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    WorkKind work() const override { return WorkKind::external; }

    void evaluate(const RowPoint&, std::span<const double>, const ForceValues& out) const override {
        for (std::size_t i = 0; i < 3; ++i) out.f[i] = ANCORA_TEST_FACTOR * f_[i];
    }

private:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};

    std::array<double, 3> f_;
};

constexpr TypeDescriptor kTypes[] = {
    type<TestLoad>("test_load", {"constant force", "f = constant"}, kParameters),
};

}  // namespace

ANCORA_PLUGIN("test_load", "1.0.0", kTypes)
