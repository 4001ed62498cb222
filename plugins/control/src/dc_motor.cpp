// SPDX-License-Identifier: BSD-3-Clause
// Current and torque of a motor.
#include "dc_motor.hpp"

namespace ancora::control {

DcMotor::DcMotor(const Arguments& arguments)
    : EffortLaw(arguments),
      R_(arguments.number("resistance")),
      L_(arguments.number("inductance")),
      k_(arguments.number("constant")),
      n_(arguments.number("ratio")),
      start_(arguments.number("start_current")) {
    if (n_ == 0.0) arguments.fail("ratio", "is zero, so that the motor drives nothing");
    if (L_ == 0.0 && arguments.given("start_current"))
        arguments.fail("start_current", "needs an inductance; without, the current has no start");
}

double DcMotor::current(const OwnValues& own, double rate) const {
    return L_ > 0.0 ? own.x[0] : (own.inputs[0] - k_ * n_ * rate) / R_;
}

double DcMotor::effort(const MeasureReading& on, double, const OwnValues& own) const {
    return k_ * n_ * current(own, on.rate);
}

void DcMotor::start_values(std::span<double> x, std::span<double>) const {
    if (L_ > 0.0) x[0] = start_;
}

void DcMotor::differentiate(const SignalPoint& at, std::span<double> dx) const {
    dx[0] = (at.own.inputs[0] - R_ * at.own.x[0] - k_ * n_ * rate_of(at)) / L_;
}

void DcMotor::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    const double rate = rate_of(at);
    const double i = current(at.own, rate);
    y[0] = i;
    y[1] = k_ * n_ * rate * i;
    y[2] = R_ * i * i;
}

}  // namespace ancora::control
