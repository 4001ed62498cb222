// SPDX-License-Identifier: BSD-3-Clause
// The force type `hydraulic_cylinder`: two chambers of a compressible fluid and a valve.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/helpers/effort_law.hpp"

namespace ancora::control {

/// A double-acting cylinder on a measure x that grows as it extends, with the pressures p_a behind
/// the piston and p_b on the side of the rod:
///
///   force = A_a p_a - A_b p_b
///   (V_a + A_a s) p_a' = beta (Q_a - A_a x'),   (V_b - A_b s) p_b' = beta (Q_b + A_b x')    (1)
///
/// s = x - x(0). The valve's opening u in [-1, 1] joins a to the supply and b to the tank for u >
/// 0, the other way round for u < 0, through orifices of one conductance C:
///
///   Q = C |u| sign(dp) sqrt|dp|,   smoothed to C |u| dp / sqrt(dp0) below |dp| = dp0        (2)
///
/// Source: H. E. Merritt, Hydraulic Control Systems, Wiley, 1967, sections 3.2 and 6.2.
class HydraulicCylinder final : public EffortLaw, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::measure("on", "the measure that it drives, such as \"boom.distance\"")
            .required(),
        parameter::signal("valve", "", "opening u of the valve, cut to -1 ... 1").required(),
        parameter::number("piston_area", "m^2", "A_a").positive().required().sensitive(),
        parameter::number("rod_side_area", "m^2", "A_b; left out: A_a").positive().sensitive(),
        parameter::number("supply", "Pa", "pressure of the supply")
            .positive()
            .required()
            .sensitive(),
        parameter::number("tank", "Pa", "pressure of the tank")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("conductance", "", "C of the open valve [m^3/(s Pa^0.5)]")
            .positive()
            .required()
            .sensitive(),
        parameter::vector("volumes", 2, "m^3", "V_a, V_b at the start")
            .positive()
            .required()
            .sensitive(),
        parameter::number("bulk_modulus", "Pa", "beta of the fluid")
            .positive()
            .otherwise("1.4e9")
            .sensitive(),
        parameter::vector(
            "start_pressures", 2, "Pa", "p_a, p_b at the start; left out: the tank's"),
    };
    explicit HydraulicCylinder(const Arguments& arguments);

    double effort(const MeasureReading& on, double t, const OwnValues& own) const override;

    void facets(ForceFacets& out) const override {
        EffortLaw::facets(out);
        out.signals = this;
    }
    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_continuous() const override { return kNumStates; }
    void start_values(std::span<double> x, std::span<double> z) const override;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;

private:
    /// s is a state as well: the rate is all that is known of the measure here.
    enum State : int { kPressureA, kPressureB, kStroke, kNumStates };
    static constexpr std::array<const char*, 1> kInputs{"valve"};
    static constexpr std::array<Output, 4> kOutputs{{{"pressure_a", "Pa", "p_a"},
                                                     {"pressure_b", "Pa", "p_b"},
                                                     {"flow_a", "m^3/s", "Q_a"},
                                                     {"flow_b", "m^3/s", "Q_b"}}};
    struct Flows {
        double a, b;
    };
    Flows flows(const OwnValues& own) const;
    double orifice(double opening, double dp) const;

    double A_a_, A_b_, supply_, tank_, C_, V_a_, V_b_, beta_, p_a_, p_b_;
};

}  // namespace ancora::control
