// SPDX-License-Identifier: BSD-3-Clause
// The force type `sensor`: a value with a bandwidth.
#pragma once

#include <array>
#include <span>

#include "block.hpp"

namespace ancora::control {

/// y follows the input r as a low pass of first or second order does, with T = 1 / (2 pi f):
///
///   T y' = r - y          or          T^2 y'' + 2 zeta T y' = r - y                       (1)
///
/// Without bandwidth y = r.
class Sensor final : public Block {
public:
    static constexpr Parameter kParameters[] = {
        parameter::signal("input", "", "what it measures").required(),
        parameter::number("bandwidth", "Hz", "f, where a first order has lost 3 dB; left out: none")
            .positive()
            .sensitive(),
        parameter::integer("order", "of the low pass").at_least(1).at_most(2).otherwise("1"),
        parameter::number("damping_ratio", "", "zeta, of order 2")
            .positive()
            .otherwise("0.7071")
            .sensitive(),
        parameter::number("start", "", "value at the start; left out: zero")
            .otherwise("0.0")
            .sensitive(),
    };
    explicit Sensor(const Arguments& arguments);

    std::span<const char* const> inputs() const override { return kInputs; }
    std::span<const Output> outputs() const override { return kOutputs; }
    bool outputs_read_inputs() const override { return order_ == 0; }
    void evaluate_outputs(const SignalPoint& at, std::span<double> y) const override;
    int num_continuous() const override { return order_; }
    void start_values(std::span<double> x, std::span<double> z) const override;
    void differentiate(const SignalPoint& at, std::span<double> dx) const override;

private:
    static constexpr std::array<const char*, 1> kInputs{"input"};
    static constexpr std::array<Output, 1> kOutputs{{{"value", "", "what it shows"}}};

    int order_;
    double T_ = 0.0, zeta_, start_;
};

}  // namespace ancora::control
