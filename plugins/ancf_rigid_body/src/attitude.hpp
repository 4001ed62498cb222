// SPDX-License-Identifier: BSD-3-Clause
// Attitude and angular velocity of a deformable frame, exactly.
#pragma once

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::ancf {

/// Right polar decomposition F = R U: R a rotation, U symmetric and positive definite.
struct Polar {
    Mat3 R;
    Mat3 U;
};

/// [step] Polar decomposition by Newton's iteration, X <- (X + X^-T) / 2 from X = F [1].
///
/// Quadratic: two iterations at strains of 1e-6, six at 0.5. No heap.
/// @throws std::domain_error if det F <= 0: the frame is flat or turned inside out
///
/// [1] N. J. Higham, Computing the polar decomposition, SIAM J. Sci. Stat. Comput. 7 (1986).
Polar polar_decomposition(const Mat3& F);

/// [step] Angular velocity of R in its own axes, from G = R^T dF/dt = w^ U + dU/dt:
///
///   (tr(U) I - U) w = axial(G - G^T),   axial(w^) = w                                      (1)
///
/// since dU/dt is symmetric. (Often written axial(G U^-1), which errs by strain times strain rate.)
Vec3 angular_velocity(const Polar& frame, const Mat3& rate);

}  // namespace ancora::ancf
