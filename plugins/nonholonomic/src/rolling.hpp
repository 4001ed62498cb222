// SPDX-License-Identifier: BSD-3-Clause
// The constraint type `rolling`: a ball that rolls on a plane without slipping.
#pragma once

#include <array>

#include "ancora/sdk/authoring.hpp"
#include "reading.hpp"

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
/// A is derived from (1). Nothing here keeps the ball on the plane: point_on_plane on its
/// center does. The reaction is the force along the plane; its moment R n x f goes to the axes. It
/// does no work. Over a step in which the ball turns by an angle a, the midpoint form of (1) moves
/// the center by R sin a, where a ball at constant speed moves R a.
///
/// Source: Ju. I. Neimark, N. A. Fufaev, Dynamics of Nonholonomic Systems, AMS, 1972.
class Rolling final : public NonholonomicConstraint<Rolling> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::body("body", "the ball").required(),
        parameter::vector("center", 3, "m", "center of the ball, body axes")
            .otherwise("[0.0, 0.0, 0.0]"),
        parameter::number("radius", "m", "radius of the ball").positive().required().sensitive(),
        kNormal,
    };
    static constexpr ArgumentKind kArguments[] = {ArgumentKind::point,
                                                  ArgumentKind::direction,
                                                  ArgumentKind::direction,
                                                  ArgumentKind::direction};
    static constexpr const char* kRowName = "velocity of the contact point";

    /// [assembly] Refuses through Arguments::fail a normal that is zero.
    explicit Rolling(const Arguments& arguments);

    template <class S>
    std::array<S, 2> psi(const Vector3<S>&,
                         const Vector3<S>& e_1,
                         const Vector3<S>& e_2,
                         const Vector3<S>& e_3,
                         const Vector3<S>& c_rate,
                         const Vector3<S>& e_1_rate,
                         const Vector3<S>& e_2_rate,
                         const Vector3<S>& e_3_rate) const {
        const Vector3<S> turned =
            dot(e_1, n_) * e_1_rate + dot(e_2, n_) * e_2_rate + dot(e_3, n_) * e_3_rate;
        const Vector3<S> slip = c_rate - radius_ * turned;
        return {dot(t_[0], slip), dot(t_[1], slip)};
    }

    /// (2), in one product less than what is derived.
    std::array<double, 2> bias(const Vec3&,
                               const Vec3&,
                               const Vec3&,
                               const Vec3&,
                               const Vec3&,
                               const Vec3& e_1_rate,
                               const Vec3& e_2_rate,
                               const Vec3& e_3_rate) const;

    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    double radius_;
    Vec3 n_;
    std::array<Vec3, 2> t_;
};

}  // namespace ancora::nonholonomic
