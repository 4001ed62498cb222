// SPDX-License-Identifier: BSD-3-Clause
// The force type `coulomb_friction`: dry friction on a constraint.
#pragma once

#include <array>

#include "ancora/sdk/authoring.hpp"

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
class CoulombFriction final : public FrictionLaw<CoulombFriction> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::object("on", "the constraint on which it acts, one on which a point slides")
            .required(),
        parameter::number("mu_static", "-", "coefficient of static friction; left out: mu_kinetic")
            .nonnegative()
            .sensitive(),
        parameter::number("mu_kinetic", "-", "coefficient of kinetic friction; left out: mu_static")
            .nonnegative()
            .sensitive(),
        parameter::number("viscous", "N s/m", "viscous coefficient: adds c |w| while it slips")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("stribeck_velocity",
                          "m/s",
                          "speed over which static falls to kinetic friction; left out: at once")
            .positive()
            .sensitive(),
        parameter::vector(
            "surface_velocity",
            3,
            "m/s",
            "velocity of the surface that the point slides on, such as a belt's, inertial axes")
            .otherwise("[0.0, 0.0, 0.0]"),
    };

    /// [assembly] Refuses through Arguments::fail missing coefficients and mu_s < mu_k.
    explicit CoulombFriction(const Arguments& arguments);

    /// The magnitude in (1).
    template <class S>
    S friction(const S& N, const S& speed) const {
        S mu = mu_kinetic_;
        if (inv_stribeck_ > 0.0) {
            const S x = speed * inv_stribeck_;
            mu = mu + (mu_static_ - mu_kinetic_) * exp(-x * x);
        }
        return mu * N + viscous_ * speed;
    }

private:
    double stick_limit(double N) const override { return mu_static_ * N; }
    std::array<double, 3> surface_velocity() const override { return surface_velocity_; }

    double mu_static_ = 0.0;
    double mu_kinetic_ = 0.0;
    double viscous_;
    double inv_stribeck_;  ///< 1 / v_s [s/m]; 0: no Stribeck curve
    std::array<double, 3> surface_velocity_;
};

}  // namespace ancora::coulomb_friction
