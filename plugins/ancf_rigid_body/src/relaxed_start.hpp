// SPDX-License-Identifier: BSD-3-Clause
// The strain that a freely spinning elastic frame has when it does not ring.
#pragma once

#include <optional>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::ancf {

/// A frame [e1 e2 e3] = R U that moves as if rigid, d[e1 e2 e3]/dt = R w^ U, in principal axes.
struct StretchedSpin {
    Mat3 U;  ///< stretch
    Vec3 w;  ///< angular velocity [rad/s]
};

/// [assembly] The stretch in which inertia and elastic forces of a free spin balance:
///
///   K  = -sym[U^-1 (dw^/dt + w^ w^) U m]                                                   (1)
///   U  = sqrt(I + 2 E),   E_ii = K_ii / D,   2 E_ij = K_ij / D                             (2)
///   (tr(P) I - P) w = J w_0,   P = U m U                                                   (3)
///
/// (1) is the equation of motion d2[e1 e2 e3]/dt2 m = -[e1 e2 e3] K of a frame with constant U,
/// dw/dt from Euler's equations; K holds the stresses of the six strains, so a shear strain
/// e_i . e_j = 2 E_ij has K_ij. (3) keeps the angular momentum of a rigid body that spins with w_0.
/// With U = I on the right, (1) holds to first order in the strain; solving (1) to (3) by iteration
/// adds terms of second order, so that spin about a principal axis is exactly steady.
///
/// @param m    second moments of mass, principal axes [kg m^2]; may hold zeros
/// @param D    stiffness of every strain, V alpha [N m]
/// @param w_0  angular velocity of the rigid body [rad/s]; none about the axis of a rod
/// @returns nothing if the elastic forces cannot hold the body together at this spin
std::optional<StretchedSpin> relaxed_spin(const Vec3& m, double D, const Vec3& w_0);

}  // namespace ancora::ancf
