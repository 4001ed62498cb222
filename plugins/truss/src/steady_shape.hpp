// SPDX-License-Identifier: BSD-3-Clause
// The shape in which a network rests under its weight, or turns steadily under its spin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/rows.hpp"
#include "network.hpp"
#include "steady_spin.hpp"

namespace ancora::truss {

/// What a network is made of and what it bears, seen from axes that turn with it.
struct SteadyLoad {
    std::span<const double> rest_length;  ///< L of each element [m]
    std::span<const RowLaw> laws;      ///< of the strain, c and s0 below; one for all or one each
    Eigen::SparseMatrix<double> mass;  ///< M, nodes by nodes [kg]; each entry times I_3
    std::vector<bool> is_held;         ///< nodes that something else keeps where they are
    Spin spin;                         ///< omega, c
    Vec3 gravity = Vec3::Zero();       ///< g [m/s^2]
};

/// [assembly] Positions of the nodes [m], 3 per node, in which the network is in balance:
///
///   sum_e A_e^T s_e + M omega x (omega x (r - c)) = M g    at every node that is not held   (1)
///
/// found as a minimum of the potential whose derivative (1) is,
///
///   Pi(r) = sum_e s_e eps_e - c_e (s_e - s0_e)^2 / 2 - 1/2 omega^2 rho^T M rho - g^T M r     (2)
///
/// Terms:
///   A_e   d eps_e / d r, eps = (l^2 - L^2) / (2 L^2)
///   s_e   = eps_e / c_e + s0_e [J], not below 0 where the law is tension only; c = 0: a rigid link
///   rho   parts of r - c normal to the axis. Of a part of the network that nothing holds, c is its
///         own centre of mass, which must lie on the axis: Pi then does not change if the part is
///         shifted, instead of falling in every direction
/// Pi falls from one shape to the next along Newton's directions. Their equations are solved by
/// conjugate gradients, with the stiffness of the stretched elements alone, which is definite, as
/// preconditioner; where Pi curves downward, because elements are compressed or the spin is fast,
/// the direction in which it does is followed. Rigid and very stiff elements are softened by delta
/// at first and carry the stress s^ found so far, s = (eps + c s0 + delta s^) / (c + delta): the
/// method of multipliers, whose solution does not depend on delta. Nets of ropes alone without
/// spin, whose Pi is convex, are softened much more at first and stiffened in steps. A shape that
/// is in balance but not at a minimum, a column on its tip, is left, except in a part that spins
/// freely.
///
/// @throws NoSteadyShape with the reason and the node or element: nothing holds a weight, gravity
/// is
///         not along the axis, the centre of mass is off it, rigid links are too short, an element
///         breaks, or the search does not converge
///
/// Sources: J. Nocedal, S. Wright, Numerical Optimization, 2nd ed., Springer, 2006, chapters 7
/// (truncated Newton method) and 17 (method of multipliers).
std::vector<double> steady_shape(const Network& net, const SteadyLoad& load);

}  // namespace ancora::truss
