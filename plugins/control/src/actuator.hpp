// SPDX-License-Identifier: BSD-3-Clause
// The force type `actuator`: an effort that any signal commands.
#pragma once

#include <array>
#include <span>

#include "ancora/sdk/helpers/effort_law.hpp"

namespace ancora::control {

/// effort = command within the limits; with a time constant it follows, T e' = command - e.
class Actuator final : public EffortLaw, public Signals {
public:
    static constexpr Parameter kParameters[] = {
        parameter::measure("on", "the measure that it drives, such as \"elbow.angle\"").required(),
        parameter::signal("command", "N or N m", "the effort that is wanted").required(),
        parameter::number("limit", "N or N m", "largest effort, either way").positive(),
        parameter::number("time_constant", "s", "T; 0: the effort follows at once")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
    };
    explicit Actuator(const Arguments& arguments);

    double effort(const MeasureReading& on, double t, const OwnValues& own) const override;

    void facets(ForceFacets& out) const override {
        EffortLaw::facets(out);
        out.signals = this;
    }
    std::span<const char* const> inputs() const override { return kInputs; }
    int num_continuous() const override { return T_ > 0.0 ? 1 : 0; }
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;

private:
    static constexpr std::array<const char*, 1> kInputs{"command"};
    double within(double command) const;

    double limit_, T_;
};

}  // namespace ancora::control
