// SPDX-License-Identifier: BSD-3-Clause
// Low passes.
#include "sensor.hpp"

#include <numbers>

namespace ancora::control {

Sensor::Sensor(const Arguments& arguments)
    : order_(arguments.has("bandwidth") ? static_cast<int>(arguments.integer("order")) : 0),
      zeta_(arguments.number("damping_ratio")),
      start_(arguments.number("start")) {
    if (order_ > 0) {
        T_ = 1.0 / (2.0 * std::numbers::pi * arguments.number("bandwidth"));
        return;
    }
    for (const char* key : {"order", "damping_ratio", "start"})
        if (arguments.given(key))
            arguments.fail(key, "has a meaning with a bandwidth only, which is not given");
}

void Sensor::start_values(std::span<double> x, std::span<double>) const {
    for (double& value : x) value = 0.0;
    if (order_ > 0) x[0] = start_;
}

void Sensor::evaluate_outputs(const SignalPoint& at, std::span<double> y) const {
    y[0] = order_ == 0 ? at.own.inputs[0] : at.own.x[0];
}

void Sensor::differentiate(const SignalPoint& at, std::span<double> dx) const {
    const double off = at.own.inputs[0] - at.own.x[0];
    if (order_ == 1) {
        dx[0] = off / T_;
        return;
    }
    dx[0] = at.own.x[1];
    dx[1] = (off / T_ - 2.0 * zeta_ * at.own.x[1]) / T_;
}

}  // namespace ancora::control
