// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `rolling`: a ball that rolls on a plane without slipping.
#pragma once

#include <array>
#include <span>
#include <string>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/constraint.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::nonholonomic {

/// The material point of a ball that touches a plane has no velocity along the plane:
///
///   psi_k = t_k . (r_c' + omega x (-R n))
///         = t_k . (r_c' - R sum_i (e_i . n) e_i') = 0,   k = 1, 2                        (1)
///   A_k = (t_k^T, -R (e_1 . n) t_k^T, -R (e_2 . n) t_k^T, -R (e_3 . n) t_k^T)
///   b_k = R sum_i (e_i' . n) (e_i' . t_k)                                                (2)
///
/// Terms, inertial axes, u = (r_c, e_1, e_2, e_3):
///   r_c         `center` of the ball [m]
///   e_i         axes of the body; both lines of (1) agree where they are orthonormal, so on a body
///               with a finite penalty to the order of its strain
///   n           `normal` of the plane, fixed in space, of unit length, on the ball's side
///   t_1, t_2    perpendicular to n and to each other
///   R           `radius` [m]
/// (2) is (1) differentiated once. Nothing here keeps the ball on the plane: point_on_plane on its
/// center does. The reaction is the force along the plane; its moment R n x f goes to the axes. It
/// does no work. Over a step in which the ball turns by an angle a, the midpoint form of (1) moves
/// the center by R sin a, where a ball at constant speed moves R a.
///
/// Source: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972.
class Rolling final : public Constraint {
public:
    /// [assembly] Refuses through Arguments::fail a normal that is zero.
    explicit Rolling(const Arguments& arguments);
    Rolling(const Rolling&) = delete;
    Rolling& operator=(const Rolling&) = delete;

    std::span<const char* const> attachments() const override { return {}; }
    std::span<const AttachmentRequest> more_attachments() const override { return requests_; }
    bool tied_to_inertial_frame() const override { return true; }
    std::span<const RowBlock> row_blocks() const override;
    void evaluate(int block, const RowPoint& at, const RowValues& out) const override;

private:
    double radius_;
    Vec3 n_;
    std::array<Vec3, 2> t_;
    std::array<std::string, 4> texts_;
    std::array<AttachmentRequest, 4> requests_;
};

}  // namespace ancora::nonholonomic
