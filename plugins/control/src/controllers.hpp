// SPDX-License-Identifier: BSD-3-Clause
// The force types `sampled_pid` and `relay`: controllers with discrete states.
#pragma once

#include <array>
#include <limits>
#include <span>

#include "block.hpp"

namespace ancora::control {

/// Every T, with e = reference - measured and d = e, or - measured, as chosen by `derivative_of`,
///
///   u_k = kp e_k + I_k + kd D_k,   I_{k+1} = I_k + ki T e_k                                (1)
///   D_k = (d_k - d_{k-1}) / T, passed through a low pass of time constant Tf:
///         D_k = (Tf D_{k-1} + d_k - d_{k-1}) / (Tf + T)                                    (2)
///
/// command = u within the limits; the integral stands still while that cuts u and the error would
/// drive it farther (conditional integration). Between samples the command is held.
///
/// Source: K. J. Astrom, B. Wittenmark, Computer-Controlled Systems, 3rd ed., 1997, section 8.5.
class SampledPid final : public Block {
public:
    static constexpr Parameter kParameters[] = {
        parameter::signal("reference", "", "what is wanted").required(),
        parameter::signal("measured", "", "what is").required(),
        parameter::number("period", "s", "T, from sample to sample").positive().required(),
        parameter::number("offset", "s", "time of the first sample, from the begin of the run on")
            .nonnegative()
            .otherwise("0.0"),
        parameter::number("kp", "", "command per error").otherwise("0.0").sensitive(),
        parameter::number("ki", "", "command per integral of the error")
            .otherwise("0.0")
            .sensitive(),
        parameter::number("kd", "", "command per rate").otherwise("0.0").sensitive(),
        parameter::number("filter", "s", "Tf, time constant of the derivative's low pass")
            .nonnegative()
            .otherwise("0.0")
            .sensitive(),
        parameter::text("derivative_of", "what kd takes the rate of", "error|measured")
            .otherwise("\"error\""),
        parameter::vector("limits", 2, "", "lowest and highest command; left out: none"),
    };
    explicit SampledPid(const Arguments& arguments);

    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_discrete() const override { return kNumStates; }
    double next_time(double after, std::span<const double>) const override {
        return times_.next(after);
    }
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    enum State : int { kCommand, kIntegral, kDerivative, kLast, kHasLast, kError, kNumStates };
    static constexpr std::array<const char*, 2> kInputs{"reference", "measured"};
    static constexpr std::array<Output, 3> kOutputs{
        {{"command", "", "what it commands, held between samples"},
         {"error", "", "reference - measured at the last sample"},
         {"integral", "", "share of the integral in the command"}}};

    SampleTimes times_;
    double kp_, ki_, kd_, filter_;
    bool of_measured_;
    double low_, high_;
};

/// On where the input comes up to `on_at`, off where it comes down to `off_at`: with on_at above
/// off_at a thermostat's hysteresis. The changes are found inside a step.
class Relay final : public Block {
public:
    static constexpr Parameter kParameters[] = {
        parameter::signal("input", "", "what it looks at").required(),
        parameter::number("on_at", "", "switches on where the input comes up to this").required(),
        parameter::number("off_at", "", "switches off where the input comes down to this")
            .required(),
        parameter::number("on", "", "value while it is on").otherwise("1.0"),
        parameter::number("off", "", "value while it is off").otherwise("0.0"),
        parameter::boolean("starts_on", "whether it is on at the start").otherwise("false"),
    };
    explicit Relay(const Arguments& arguments);

    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return false; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_discrete() const override { return 2; }
    void start_values(std::span<double> x, std::span<double> z) const override;
    /// The start is the only time at which it acts by itself: an input may begin beyond a bound.
    double next_time(double after, std::span<const double>) const override {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        return after == -kInfinity ? std::numeric_limits<double>::lowest() : kInfinity;
    }
    int num_crossings() const override { return 1; }
    void evaluate_crossings(const SignalPoint& at, std::span<double> g) const override;
    void act(const SignalPoint& at,
             int crossing,
             std::span<double> x,
             std::span<double> z) const override;

private:
    static constexpr std::array<const char*, 1> kInputs{"input"};
    static constexpr std::array<Output, 2> kOutputs{
        {{"value", "", "that of its position"}, {"switched", "", "how often it has switched"}}};

    double on_at_, off_at_, on_, off_;
    bool starts_on_;
};

}  // namespace ancora::control
