// SPDX-License-Identifier: BSD-3-Clause
// The force type `dc_motor`: a motor with a coil.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/helpers/effort_law.hpp"

namespace ancora::control {

/// With the rate w of the measure, behind a gear of ratio n:
///
///   L i' = V - R i - k n w,   effort = k n i                                              (1)
///
/// k serves as torque constant and as that of the voltage that turning induces, so that k i w is
/// what passes from coil to shaft. Without inductance the current follows at once, R i = V - k n w.
class DcMotor final : public EffortLaw, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::measure("on", "the measure that it drives, such as \"elbow.angle\"").required(),
        parameter::signal("voltage", "V", "V at its terminals").required(),
        parameter::number("resistance", "ohm", "R of the coil").positive().required().sensitive(),
        parameter::number("inductance", "V s/A", "L of the coil [H]")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::number("constant", "N m/A", "k, torque per current, or voltage per rate")
            .positive()
            .required()
            .sensitive(),
        parameter::number("ratio", "", "n, turns of the motor per turn of the measure")
            .otherwise("1.0")
            .sensitive(),
        parameter::number("start_current", "A", "i at the start, with inductance")
            .otherwise("0.0")
            .sensitive(),
    };
    explicit DcMotor(const Arguments& arguments);

    double effort(const MeasureReading& on, double t, const OwnValues& own) const override;

    void facets(ForceFacets& out) const override {
        EffortLaw::facets(out);
        out.signals = this;
    }
    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return !(L_ > 0.0); }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_continuous() const override { return L_ > 0.0 ? 1 : 0; }
    void start_values(std::span<double> x, std::span<double> z) const override;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;

private:
    static constexpr std::array<const char*, 1> kInputs{"voltage"};
    static constexpr std::array<Output, 3> kOutputs{
        {{"current", "A", "i"},
         {"shaft_power", "W", "k n w i, given to the measure"},
         {"heat", "W", "R i^2, lost in the coil"}}};
    double current(const OwnValues& own, double rate) const;

    double R_, L_, k_, n_, start_;
};

}  // namespace ancora::control
