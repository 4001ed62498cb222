// SPDX-License-Identifier: BSD-3-Clause
// The constraint z = 0, which the zoo's misbehaving constraints spoil each in their own way.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/plugin.hpp"

namespace ancora::zoo {

/// One point stays in the plane z = 0:  pi = u_z,  A = (0 0 1),  b = 0.
class TestPlane : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "the point that stays in the plane").required(),
    };

    explicit TestPlane(const Arguments&) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        if (!out.pi.empty()) out.pi[0] = at.u[2];
        for (std::size_t i = 0; i < out.A.size(); ++i) out.A[i] = i == 2 ? 1.0 : 0.0;
        if (!out.pi_t.empty()) out.pi_t[0] = 0.0;
        if (!out.b.empty()) out.b[0] = 0.0;
    }

protected:
    static constexpr AttachmentRequest kAttachments[] = {{"at"}};
    static constexpr std::array<std::int32_t, 3> kStencil = {0, 1, 2};
    static constexpr std::array<RowLaw, 1> kLaws = {};

    RowBlock block_ = {"gap", 1, 1, 3, kStencil, kLaws, Degree::linear, TangentForm::none, false};
};

}  // namespace ancora::zoo
