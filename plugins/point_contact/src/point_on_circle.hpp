// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `point_on_circle`: a bead on a hoop.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "axes.hpp"

namespace ancora::point_contact {

/// Rate at which a point slides along a circle, positive about n from t1 to t2:
///
///   psi = (xi eta' - eta xi') / r,   xi = t1 . rho,  eta = t2 . rho,  r^2 = xi^2 + eta^2 (1)
///   A = e_p^T on r_p, -e_p^T on r_c, -(eta / r) rho^T on t1, (xi / r) rho^T on t2;
///   e_p = (xi t2 - eta t1) / r
///   b = 2 (eta t1' - xi t2') . rho' / r + psi r' / r                                     (2)
///
/// rho = r_p - r_c [m]. Division by r and not by the radius makes e_p a unit vector at the midpoint
/// of a step too, where the chord lies inside the circle.
class CircleSliding final : public RowSource {
public:
    explicit CircleSliding(const Axes& axes);
    CircleSliding(const CircleSliding&) = delete;
    CircleSliding& operator=(const CircleSliding&) = delete;

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

private:
    const Axes& axes_;
    RowBlock block_;
};

/// A point stays on a circle:
///
///   phi_1 = n . rho = 0,   phi_2 = (rho . rho - R^2) / (2 R) = 0,   rho = r_p - r_c      (1)
///   A_1 = (n^T, -n^T, rho^T),  b_1 = -2 n' . rho'
///   A_2 = (rho^T, -rho^T, 0) / R,  b_2 = -rho' . rho' / R                                (2)
///   sliding:  psi = (xi eta' - eta xi') / r, see CircleSliding                           (3)
///
/// Terms, inertial axes:
///   r_p, r_c   `point`, and `center` of the circle [m]
///   n          `normal` of its plane, of unit length, carried by a body or the ground
///   R          `radius` [m]
/// Both rows are quadratic: A at the midpoint is the exact discrete derivative. Sliding is a rate,
/// since an arc length would have to count its turns.
///
/// Source: A. A. Shabana, Dynamics of Multibody Systems, 4th ed., Cambridge UP, 2013.
class PointOnCircle final : public Constraint {
public:
    /// [assembly]
    explicit PointOnCircle(const Arguments& arguments);

    std::span<const AttachmentRequest> attachments() const override { return axes_.attachments(); }
    void facets(ConstraintFacets& out) const override {
        out.tangents = &sliding_;
        // An axis of the ground takes moments.
        out.tied_to_inertial_frame = axes_.on_ground();
    }

    std::span<const RowBlock> row_blocks() const override { return {&block_, 1}; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;

private:
    double radius_;
    Axes axes_;
    CircleSliding sliding_;
    RowBlock block_;
};

}  // namespace ancora::point_contact
