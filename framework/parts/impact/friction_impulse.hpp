// SPDX-License-Identifier: BSD-3-Clause
// Impulses of contacts with dry friction, for the rates that they meet with.
#pragma once

#include <vector>

#include <Eigen/Core>

namespace ancora {

/// The rows along which one contact slides, among those of an impact, and its coefficient.
struct FrictionCone {
    int normal = 0;
    int first = 0, count = 0;
    double mu = 0.0;
    double rubbed = 0.0;  ///< part of p_n whose friction is accounted for elsewhere
};

enum class FrictionStart { frictionless, sticking };

/// Solves, for u = W p + q whose first rows are normal to contacts, and the others tangential,
///
///   0 <= p_n - given  _|_  u_n >= 0                                                      (1)
///   |p_t| <= mu p_n,   p_t = -mu p_n u_t / |u_t| where u_t is not zero                   (2)
///
/// with p_n in (2) less what has rubbed elsewhere, and W symmetric and positive semidefinite, by
/// sweeps over the contacts and Newton's iteration on projections: p_t is that of p_t - r u_t onto
/// the disc (2), for any r > 0.
///
/// More than one solution may exist where friction is large; it then depends on where sweeps begin:
/// from p_n without friction, or from all contacts closed and sticking.
///
/// Sources: M. Jean, The non-smooth contact dynamics method, Comput. Methods Appl. Mech. Engrg.
/// 177 (1999); P. Alart, A. Curnier, ibid. 92 (1991), for Newton's iteration.
/// @returns what is left of (1) and (2) in units of u
double solve_friction(const Eigen::MatrixXd& W,
                      const Eigen::VectorXd& q,
                      const Eigen::VectorXd& given,
                      const std::vector<FrictionCone>& cones,
                      Eigen::VectorXd& p,
                      FrictionStart start = FrictionStart::frictionless);

}  // namespace ancora
