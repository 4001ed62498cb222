// SPDX-License-Identifier: BSD-3-Clause
// Whether a step's residuals change as their derivatives say.
#pragma once

#include <string>

#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// Whether the residual changes as the derivatives say, in a random direction, and on nothing else
/// that plugins keep.
/// @param of  has taken the step
/// @param system  that `of` is of
/// @returns what is at fault; empty: nothing
std::string check_derivative(StepDerivative& of,
                             KernelSystem& system,
                             const AcceptedStep& step,
                             unsigned seed);

}  // namespace ancora
