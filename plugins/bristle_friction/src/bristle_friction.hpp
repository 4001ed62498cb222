// SPDX-License-Identifier: BSD-3-Clause
// The force type `bristle_friction`: friction on a measure that gives way before it slides.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/helpers/effort_law.hpp"

namespace ancora::bristle_friction {

/// The LuGre law: bristles on the surfaces bend by z before they slip,
///
///   z' = v - sigma_0 |v| z / g(v),   g(v) = F_k + (F_s - F_k) exp(-(v / v_s)^2)          (1)
///   effort = -L (sigma_0 z + sigma_1 z') - sigma_2 v                                     (2)
///
/// Terms:
///   v          rate of the measure [m/s, rad/s]
///   L          load, a factor over time [-]
///   F_k, F_s   effort of sliding, and of breaking away, at L = 1 [N, N m]
///   sigma_0    stiffness of the bristles at L = 1 [N/m, N m/rad]
///   sigma_1    damping of the bristles at L = 1, sigma_2 of a film between the surfaces
/// With F_s = F_k and no damping it is Dahl's law, dF/dx = sigma_0 (1 - F sign(v) / F_k): its
/// hysteresis does not depend on the rate. In steady sliding the effort is L g(v) + sigma_2 |v|.
/// Unlike `joint_friction` nothing sticks: under a constant effort below F_s the measure comes to
/// rest at a displacement F / sigma_0, where z holds it.
///
/// Sources: P. R. Dahl, AIAA J. 14 (1976) 1675-1682; C. Canudas de Wit, H. Olsson, K. J. Astrom, P.
/// Lischinsky, IEEE Trans. Autom. Control 40 (1995) 419-425.
class BristleFriction final : public EffortLaw, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::measure("on", "the measure that it acts against, such as \"slide.displacement\"")
            .required(),
        parameter::number("kinetic", "N or N m", "F_k, effort of sliding")
            .positive()
            .required()
            .sensitive(),
        parameter::number("static", "N or N m", "F_s, effort of breaking away; left out: F_k")
            .positive()
            .sensitive(),
        parameter::number("stiffness", "N/m or N m/rad", "sigma_0, of the bristles")
            .positive()
            .required()
            .sensitive(),
        parameter::number("damping", "N s/m or N m s/rad", "sigma_1, of the bristles")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("viscous", "N s/m or N m s/rad", "sigma_2, of a film")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("stribeck_velocity", "m/s or rad/s", "v_s, where static is given")
            .positive()
            .sensitive(),
        parameter::signal("load", "", "L, a factor of all but the film").otherwise("1.0"),
    };
    explicit BristleFriction(const Arguments& arguments);

    double effort(const MeasureReading& on, double t, const OwnValues& own) const override;

    void facets(ForceFacets& out) const override {
        EffortLaw::facets(out);
        out.signals = this;
    }
    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override {
        y[0] = at.own.x[0];
    }
    int num_continuous() const override { return 1; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override {
        dx[0] = rate(rate_of(at), at.own.x[0]);
    }

private:
    static constexpr std::array<const char*, 1> kInputs{"load"};
    static constexpr std::array<Output, 1> kOutputs{
        {{"deflection", "", "z, of the bristles [m, rad]"}}};
    double rate(double v, double z) const;

    double kinetic_, static_, stiffness_, damping_, viscous_;
    double stribeck_ = 0.0;  ///< 1 / v_s
};

}  // namespace ancora::bristle_friction
