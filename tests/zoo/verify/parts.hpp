// SPDX-License-Identifier: BSD-3-Clause
// Right constraints, bodies and forces, from which the wrong ones differ in one thing each.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <stdexcept>

#include "ancora/sdk/plugin.hpp"

namespace ancora::zoo {

/// A rod of length L: pi = (d . d - L^2) / 2, d = r_a - r_b, quadratic.
class Rod : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "distance of the ends").positive().otherwise("1.0"),
    };
    static constexpr TypeDocs kDocs = {
        .doc = "a rod",
        .equation = "(d . d - L^2) / 2 = 0",
        .source = "made for tests",
        .examples = {"a = \"a@[0.3, 0.1, -0.2]\"\nb = \"b@[-0.4, 0.2, 0.1]\""},
        .claims = {Claim::rigid_motion_invariant}};

    explicit Rod(const Arguments& arguments) : length_(arguments.number("length")) {}

    std::span<const AttachmentRequest> attachments() const override { return kAttachments; }
    std::span<const RowBlock> row_blocks() const override { return {&kBlock, 1}; }

    void evaluate(int, const RowPoint& at, const RowValues& out) const override {
        double square = 0.0;
        double rate = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double d = at.u[i] - at.u[i + 3];
            square += d * d;
            if (!at.du.empty()) rate += (at.du[i] - at.du[i + 3]) * (at.du[i] - at.du[i + 3]);
            if (out.A.empty()) continue;
            out.A[i] = d;
            out.A[i + 3] = -d;
        }
        if (!out.pi.empty()) out.pi[0] = 0.5 * (square - length_ * length_);
        if (!out.b.empty()) out.b[0] = -rate;
    }
    void evaluate_tangent(int, const TangentPoint& at, std::span<double> G) const override {
        const double k = at.positive_part ? std::max(at.s[0], 0.0) : at.s[0];
        G[0] = G[3] = k;
        G[1] = G[2] = -k;
    }

protected:
    static constexpr AttachmentRequest kAttachments[] = {{"a"}, {"b"}};
    static constexpr std::int32_t kStencil[] = {0, 1, 2, 3, 4, 5};
    static constexpr RowLaw kLaws[] = {{.kind = RowKind::constraint}};
    static constexpr RowBlock kBlock = {.name = "length",
                                        .num_items = 1,
                                        .rows_per_item = 1,
                                        .scalars_per_item = 6,
                                        .stencil = kStencil,
                                        .laws = kLaws,
                                        .degree = Degree::quadratic,
                                        .tangent = TangentForm::isotropic};

    double length_;
};

}  // namespace ancora::zoo
