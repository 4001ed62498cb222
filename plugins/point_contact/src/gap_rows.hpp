// SPDX-License-Identifier: BSD-3-Clause
// Rows that measure how far one point is from another along given directions.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/rows.hpp"

namespace ancora::point_contact {

/// A direction of a gap: an attachment, or constant in inertial axes.
struct GapDirection {
    Vec3 constant = Vec3::Zero();
    int attachment = -1;  ///< its number among the constraint's attachments; -1: constant
};

/// One or two rows on points p and o, the constraint's first two attachments:
///
///   pi_k = w_k . d,   d = r_p - r_o [m]                                                  (1)
///   A = (w_k^T, -w_k^T, d^T) on (r_p, r_o, w_k),   b = -2 w_k' . d'                      (2)
///
/// Linear if the w_k are constant, quadratic if bodies carry them: either way A at the midpoint is
/// the exact discrete derivative.
class GapRows final : public RowSource {
public:
    /// [assembly] `directions`: one or two, all constant or all attachments.
    GapRows(const char* name, std::span<const GapDirection> directions);
    GapRows(const GapRows&) = delete;
    GapRows& operator=(const GapRows&) = delete;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    static constexpr std::size_t kMaxRows = 2;

    std::size_t num_rows_;
    bool is_carried_;
    std::array<GapDirection, kMaxRows> directions_;
    std::array<std::int32_t, 6 + 3 * kMaxRows> stencil_{};
    RowBlock block_;
};

}  // namespace ancora::point_contact
