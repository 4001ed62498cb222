// SPDX-License-Identifier: BSD-3-Clause
// Controllers at their samples and switches.
#include "controllers.hpp"

#include <algorithm>
#include <limits>

namespace ancora::control {

// --- sampled PID

SampledPid::SampledPid(const Arguments& arguments)
    : times_{arguments.number("period"), arguments.begin_time() + arguments.number("offset")},
      kp_(arguments.number("kp")),
      ki_(arguments.number("ki")),
      kd_(arguments.number("kd")),
      filter_(arguments.number("filter")),
      of_measured_(arguments.text("derivative_of") == "measured"),
      low_(-std::numeric_limits<double>::infinity()),
      high_(std::numeric_limits<double>::infinity()) {
    if (kp_ == 0.0 && ki_ == 0.0 && kd_ == 0.0)
        arguments.fail("kp", "is zero as are ki and kd, so that the controller does nothing");
    if (!arguments.has("limits")) return;
    low_ = arguments.numbers("limits")[0];
    high_ = arguments.numbers("limits")[1];
    if (!(low_ < high_)) arguments.fail("limits", "must be the lower one, then the higher one");
}

void SampledPid::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    y[0] = at.own.z[kCommand];
    y[1] = at.own.z[kError];
    y[2] = at.own.z[kIntegral];
}

void SampledPid::act(const SignalPoint& at, int, std::span<double>, std::span<double> z) const {
    const double T = times_.period;
    const double error = at.own.inputs[0] - at.own.inputs[1];
    const double d = of_measured_ ? -at.own.inputs[1] : error;
    const double change = z[kHasLast] != 0.0 ? d - z[kLast] : 0.0;
    z[kDerivative] = (filter_ * z[kDerivative] + change) / (filter_ + T);
    z[kLast] = d;
    z[kHasLast] = 1.0;
    z[kError] = error;
    const double wanted = kp_ * error + z[kIntegral] + kd_ * z[kDerivative];
    z[kCommand] = std::clamp(wanted, low_, high_);
    const double growth = ki_ * T * error;
    const bool winds_up = (wanted > high_ && growth > 0.0) || (wanted < low_ && growth < 0.0);
    if (!winds_up) z[kIntegral] += growth;
}

// --- relay

Relay::Relay(const Arguments& arguments)
    : on_at_(arguments.number("on_at")),
      off_at_(arguments.number("off_at")),
      on_(arguments.number("on")),
      off_(arguments.number("off")),
      starts_on_(arguments.boolean("starts_on")) {
    if (!(on_at_ > off_at_))
        arguments.fail("on_at",
                       "must lie above off_at, else it would switch without end between them");
}

void Relay::start_values(std::span<double>, std::span<double> z) const {
    z[0] = starts_on_ ? 1.0 : 0.0;
    z[1] = 0.0;
}

void Relay::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    y[0] = at.own.z[0] != 0.0 ? on_ : off_;
    y[1] = at.own.z[1];
}

void Relay::evaluate_crossings(const SignalPoint& at, std::span<double> g) const {
    const double input = at.own.inputs[0];
    g[0] = at.own.z[0] != 0.0 ? input - off_at_ : on_at_ - input;
}

void Relay::act(const SignalPoint& at, int crossing, std::span<double>, std::span<double> z) const {
    const bool is_on = z[0] != 0.0;
    const double input = at.own.inputs[0];
    const bool is_due = crossing != kTimeEvent || (is_on ? input <= off_at_ : input >= on_at_);
    if (!is_due) return;
    z[0] = is_on ? 0.0 : 1.0;
    z[1] += 1.0;
}

}  // namespace ancora::control
