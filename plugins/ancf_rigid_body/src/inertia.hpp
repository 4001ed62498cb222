// SPDX-License-Identifier: BSD-3-Clause
// Mass properties of a rigid body, brought to its centre of mass and principal axes.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/math.hpp"

namespace ancora::ancf {

/// How mass lies in a body. In principal axes from the centre of mass the second moments are
///
///   m_i = integral of rho xi_i^2 dV,   J_i = m_j + m_k,   m_i = (J_j + J_k - J_i) / 2      (1)
///
/// Body axes and reference point are those in which the user gives points, inertia and attitude;
/// xi = R_p^T (p - c) is the material point p in principal axes.
struct MassProperties {
    double mass = 0.0;              ///< M [kg]
    Vec3 center = Vec3::Zero();     ///< c, centre of mass from the reference point, body axes [m]
    Mat3 axes = Mat3::Identity();   ///< R_p, principal axes as columns, body axes
    Vec3 moments = Vec3::Zero();    ///< m_i [kg m^2]; exactly zero: director without mass
    Vec3 half_size = Vec3::Zero();  ///< of the box with this mass and these m_i [m]
    double volume = 0.0;            ///< V [m^3]; zero: not known, for a flat body or a line

    /// The principal axis that all mass lies on (0, 1, 2), or -1 if the body is no rod.
    int rod_axis() const;
};

/// [assembly] Reads `size` and `density`, or `mass` and `inertia`; `center_of_mass` and `volume`.
/// Refuses through Arguments::fail what is no rigid body.
MassProperties read_mass_properties(const Arguments& arguments);

/// [assembly] Eigenvectors of a symmetric matrix by Jacobi's rotations, as a right-handed frame;
/// `J` becomes diagonal. A diagonal matrix gives exactly I, a nearly diagonal one keeps its order.
Mat3 diagonalise(Mat3& J);

}  // namespace ancora::ancf
