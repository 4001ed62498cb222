// SPDX-License-Identifier: BSD-3-Clause
// The impulses of contacts that meet at one instant, by a law of restitution.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/rows.hpp"
#include "friction_impulse.hpp"

namespace ancora {

/// What meets: rates u = q + W p of rows, those normal to contacts first, then those along them.
struct Collision {
    struct Contact {
        double e = 0.0;  ///< 0 to 1
        ImpactLaw law = ImpactLaw::poisson;
        double at_rest = 0.0;  ///< what of its rate is rounding
    };
    Eigen::MatrixXd W;  ///< symmetric, positive semidefinite
    Eigen::VectorXd q;  ///< rates before, u-
    std::vector<Contact> contacts;
    std::vector<FrictionCone> cones;
    bool is_in_turn = false;

    Eigen::Index num_normal() const { return static_cast<Eigen::Index>(contacts.size()); }
    /// (p + p') . (u- + u+) / 2, the change of energy by impulses p; an identity.
    double change(const Eigen::VectorXd& p) const { return 0.5 * p.dot(2.0 * q + W * p); }
};

/// Impulses that meet one condition per contact, with friction or without:
/// 0 <= p_n - given _|_ u_n >= 0 for the rates u = q + W p.
void solve_contacts(const Collision& collision,
                    const Eigen::VectorXd& q,
                    const Eigen::VectorXd& given,
                    Eigen::VectorXd& p);

struct CollisionImpulses {
    Eigen::VectorXd p;         ///< of both phases
    bool was_lowered = false;  ///< all e, to the largest that gains no energy
    bool are_several = false;  ///< another solution of compression was seen
};

/// Together, all contacts have two phases at once: compression, 0 <= p _|_ u* >= 0, and expansion,
///
///   Poisson   0 <= p' - e p  _|_  u+ >= 0                                                (1)
///   Newton    0 <= p'  _|_  u+ - e |u-| >= 0                                             (2)
///
/// where u- is below zero. In turn, the one that closes fastest meets alone, with its own friction,
/// until none closes. The energetic law compares works, which needs the way of the impulse: with
/// dp_t = -mu dp_n u_t / |u_t|, or sticking, the work of the normal impulse in expansion is
///
///   Stronge   W' = -e^2 W                                                                (3)
///
/// times that in compression, of one contact: contacts with it meet in turn.
///
/// Where the energy would grow, as by (2) with friction, e is lowered until it does not.
///
/// Sources: theory, section 8.1; W. J. Stronge, Impact Mechanics, Cambridge, 2000, for (3).
CollisionImpulses solve_collision(const Collision& collision);

/// The end of a step that went over all events, with the impulses P of that step and the rates
/// `began` where it began: p of either sign with
///
///   0 <= P + p  _|_  u+ + e min(0, began) >= 0                                           (4)
///
/// and no gain of energy together with the work that P has done.
/// Source: theory, section 8.3.
CollisionImpulses solve_sum(const Collision& collision,
                            const Eigen::VectorXd& P,
                            const Eigen::VectorXd& began,
                            double work);

}  // namespace ancora
