// SPDX-License-Identifier: BSD-3-Clause
// Commands within limits.
#include "actuator.hpp"

#include <algorithm>
#include <limits>

namespace ancora::control {

Actuator::Actuator(const Arguments& arguments)
    : EffortLaw(arguments),
      limit_(arguments.has("limit") ? arguments.number("limit")
                                    : std::numeric_limits<double>::infinity()),
      T_(arguments.number("time_constant")) {}

double Actuator::within(double command) const {
    return std::clamp(command, -limit_, limit_);
}

double Actuator::effort(const MeasureReading&, double, const OwnValues& own) const {
    return T_ > 0.0 ? own.x[0] : within(own.inputs[0]);
}

void Actuator::differentiate(const SignalPoint& at, std::span<double> dx) const {
    dx[0] = (within(at.own.inputs[0]) - at.own.x[0]) / T_;
}

}  // namespace ancora::control
