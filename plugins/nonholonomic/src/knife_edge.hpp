// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `knife_edge`: a skate, a sled, a wheel without mass.
#pragma once

#include <array>
#include <span>
#include <string>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::nonholonomic {

/// A point of a body does not move across an edge that the body carries:
///
///   psi = (n x d) . r_p' = 0                                                             (1)
///   A = (n x d)^T on r_p,   b = -(n x d') . r_p'                                         (2)
///
/// Terms, inertial axes, u = (r_p, d):
///   r_p   `point` of the edge [m]
///   d     `direction` along the edge, carried by the body, of unit length
///   n     `normal` of the plane that the edge runs on, fixed in space, of unit length
/// (2) is (1) differentiated once. Nothing here keeps the point on the plane or the body upright.
/// Where d comes to stand along n the edge has no side, and (1) is void. The reaction is a force on
/// the point, across the edge and along the plane; it does no work. The inertial frame takes its
/// moment.
///
/// Source: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972.
class KnifeEdge final : public Constraint {
public:
    /// [assembly] Refuses through Arguments::fail directions that are zero.
    explicit KnifeEdge(const Arguments& arguments);
    KnifeEdge(const KnifeEdge&) = delete;
    KnifeEdge& operator=(const KnifeEdge&) = delete;

    std::span<const char* const> attachments() const override { return {}; }
    std::span<const AttachmentRequest> more_attachments() const override { return requests_; }
    bool tied_to_inertial_frame() const override { return true; }
    std::span<const RowBlock> row_blocks() const override;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

private:
    Vec3 n_;
    std::array<std::string, 2> texts_;
    std::array<AttachmentRequest, 2> requests_;
};

}  // namespace ancora::nonholonomic
