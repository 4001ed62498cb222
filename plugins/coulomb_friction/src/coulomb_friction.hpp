// SPDX-License-Identifier: BSD-3-Clause
// The force type `coulomb_friction`: dry friction on a constraint.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/nonideal_force.hpp"

namespace ancora::coulomb_friction {

/// Dry friction, the nonideal force C of a constraint on which a point slides with velocity w under
/// the normal force N:
///
///   slip:   C = -(mu(|w|) N + c |w|) w / |w|                                             (1)
///   stick:  w = 0, |C| <= mu_s N                                                         (2)
///   mu(v) = mu_k + (mu_s - mu_k) exp(-(v / v_s)^2)                                       (3)
///
/// Terms:
///   N          magnitude of the constraint's reaction on its first attachment [N]
///   w          sliding velocity less the part of the surface's velocity along it [m/s]
///   mu_s, mu_k coefficients of static and kinetic friction [-], mu_s >= mu_k
///   v_s        Stribeck velocity [m/s]; without it mu(v) = mu_k for every slip
///   c          viscous coefficient [N s/m]
/// w has one or two components, those of Constraint::tangents: (2) is a cone. The kernel decides
/// between (1) and (2) and solves for N and C together.
///
/// Sources: C. A. Coulomb, Théorie des machines simples, 1785; R. Stribeck, Z. VDI 46, 1902, for
/// (3); F. E. Udwadia, R. E. Kalaba, ASME J. Appl. Mech. 69, 2002, for C.
class CoulombFriction final : public NonidealForce, private ContactLaw {
public:
    /// [assembly] Refuses through Arguments::fail missing coefficients and mu_s < mu_k.
    explicit CoulombFriction(const Arguments& arguments);

    std::span<const char* const> attachments() const override { return {}; }
    const ContactLaw* contact() const override { return this; }
    WorkKind work() const override { return WorkKind::nonideal; }
    /// Zero: friction acts through contact().
    void evaluate(const RowPoint& at,
                  std::span<const double> state,
                  const ForceValues& out) const override;

private:
    const char* constraint() const override { return "on"; }
    SlipForce slip(double N, double speed) const override;
    double stick_limit(double N) const override { return mu_static_ * N; }
    std::array<double, 3> surface_velocity() const override { return surface_velocity_; }

    double mu_static_ = 0.0;
    double mu_kinetic_ = 0.0;
    double viscous_;
    double inv_stribeck_;  ///< 1 / v_s [s/m]; 0: no Stribeck curve
    std::array<double, 3> surface_velocity_;
};

}  // namespace ancora::coulomb_friction
