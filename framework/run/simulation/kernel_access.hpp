// SPDX-License-Identifier: BSD-3-Clause
// The inside of a simulation, for rooms of the framework.
#pragma once

#include "ancora/framework/simulation.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// What a simulation steps, and how.
class KernelAccess {
public:
    static KernelSystem& of(const Simulation& simulation) { return simulation.kernel(); }
    static Stepping& course(const Simulation& simulation) { return simulation.course(); }
    static auto& inside(const Simulation& simulation) { return *simulation.impl_; }
};

}  // namespace ancora
