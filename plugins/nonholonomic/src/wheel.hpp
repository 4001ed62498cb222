// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `wheel`: a thin disc that rolls on a plane without slipping.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/constraint.hpp"
#include "reading.hpp"

namespace ancora::nonholonomic {

/// The rim of a disc touches a plane, and the material point there has no velocity along it:
///
///   phi   = n . (r_c - p) - R w = 0,   g_i = n . b_i,   w = |g|                           (1)
///   psi_k = t_k . (r_c' - R sum_i g_i b_i' / w) = 0,   k = 1, 2                           (2)
///
/// Terms, inertial axes, u = (r_c, b_1, b_2):
///   r_c       `center` of the disc [m]
///   b_i       two directions of the body across the disc's axis, orthonormal
///   n, p      `normal` and `point` of the plane, fixed in space
///   t_1, t_2  perpendicular to n and to each other
///   R         `radius` [m]
/// Over a step (1) has the exact quotient of w; of (2) the midpoint is taken, where g / w is a unit
/// vector however far the body turns: a disc that turns by an angle alpha in a step moves on by
/// 2 R sin(alpha / 2). The force is on the center, its moment on b_i; it does no work. Flat on the
/// plane, w = 0, a disc touches all around: it has no place where it rolls, and (2) is void.
///
/// Source: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972.
class Wheel final : public Constraint {
public:
    static constexpr Parameter kParameters[] = {
        parameter::body("body", "the disc, or what turns with it").required(),
        parameter::vector("center", 3, "m", "center of the disc, body axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        parameter::vector("axis", 3, "", "of the disc, body axes, of any length")
            .otherwise("[0.0, 1.0, 0.0]"),
        parameter::number("radius", "m", "radius of the disc").positive().required().sensitive(),
        parameter::vector("point", 3, "m", "a point of the plane, inertial axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        kNormal,
    };

    /// [assembly] Refuses through Arguments::fail a normal or an axis that is zero, and a disc that
    /// lies flat.
    explicit Wheel(const Arguments& arguments);
    Wheel(const Wheel&) = delete;
    Wheel& operator=(const Wheel&) = delete;

    std::span<const AttachmentRequest> attachments() const override { return requests_.list(); }
    std::span<const RowBlock> row_blocks() const override { return blocks_; }
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;
    void evaluate_step(int block, const RowStep& step, const RowStepValues& out) const override;
    void evaluate_tangent(int block, const TangentPoint& at, std::span<double> G) const override;
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    static constexpr std::size_t kWidth = 9;
    void evaluate_height(const RowPoint& at, const RowValues& out) const;
    void evaluate_grip(const RowPoint& at, const RowValues& out) const;
    /// (n . b_1, n . b_2) of u.
    Eigen::Vector2d g_of(std::span<const double> u) const;

    double radius_;
    Vec3 n_, point_;
    std::array<Vec3, 2> t_;
    AttachmentTexts requests_;
    std::array<std::int32_t, kWidth> stencil_{};
    std::array<RowLaw, 2> laws_;
    std::array<RowBlock, 2> blocks_;
};

}  // namespace ancora::nonholonomic
