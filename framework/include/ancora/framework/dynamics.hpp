// SPDX-License-Identifier: BSD-3-Clause
// Accelerations and forces at a state, by the Udwadia-Kalaba equation.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace ancora {

/// What a constraint contributes to the Udwadia-Kalaba equation: on its first attachment, inertial
/// axes [N], or as multipliers if it reports those.
struct ConstraintForces {
    std::string name;
    std::vector<double> ideal;     ///< its part of F_L
    std::vector<double> nonideal;  ///< its part of F_C - C: what it takes up of C
    std::vector<double> reaction;  ///< the sum, F_L + F_C - C
    /// Of a joint that ties anything: force [N] and moment [N m] on b at the joint's point, in the
    /// axes of the joint in a, as the columns on_b of a run; else empty.
    std::vector<double> on_b;
};

/// A force object's C: the force on its first attachment, or on all points of a group if that is
/// one; for friction on the constraint's. What it does to directions of a body is a torque.
struct AppliedForce {
    std::string name;
    std::array<double, 3> force{};   ///< [N], inertial axes
    std::array<double, 3> torque{};  ///< sum of d x f over the directions of one body [N m]
};

/// The Udwadia-Kalaba equation at a state, n entries each (theory: Udwadia, Kalaba, Fan 2005, eqs.
/// 8 to 11):
///
///   M a = Q + F_L + F_C,   A a = b
struct Dynamics {
    std::vector<double> acceleration;  ///< a
    std::vector<double> Q;             ///< impressed: gravity, elastic and viscous rows, inertia
    std::vector<double> C;             ///< of all force objects, friction included
    std::vector<double> F_L;           ///< ideal constraint force
    std::vector<double> F_C;           ///< nonideal constraint force
    std::vector<ConstraintForces> constraints;
    std::vector<AppliedForce> forces;
};

}  // namespace ancora
