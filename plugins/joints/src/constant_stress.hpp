// SPDX-License-Identifier: BSD-3-Clause
// The law of rows that carry their potential.
#pragma once

#include "ancora/sdk/stress_law.hpp"

namespace ancora::joints {

/// W = s pi.
class ConstantStress final : public StressLaw {
public:
    explicit ConstantStress(double stress) : stress_(stress) {}
    double energy(const RowLaw&, double pi) const override { return stress_ * pi; }
    double stress(const RowLaw&, double, double) const override { return stress_; }
    StressMean mean(const RowLaw&, double, double, double) const override {
        return {stress_, stress_, 0.0};
    }

private:
    double stress_;
};

}  // namespace ancora::joints
