// SPDX-License-Identifier: BSD-3-Clause
// Modes over the rates of a spin, and which of them go on from each other.
#pragma once

#include "ancora/framework/linear_model.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// Modes at each rate, with the velocities of the present state in proportion. All rates in the
/// same axes, those at rest where that is possible. The state is then what it was.
/// @throws Error (usage, numerical)
SpinRange find_modes_over_spins(KernelSystem& system, const SpinRangeOptions& options);

}  // namespace ancora
