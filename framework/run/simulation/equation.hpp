// SPDX-License-Identifier: BSD-3-Clause
// M, A and b of a model, and Jacobians of its points, for programs that go on with them.
#pragma once

#include <vector>

#include "ancora/framework/equation.hpp"
#include "attachment.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// The matrices at the present state.
/// @throws FailedCall if an object returns a value that is not finite
Equation equation_of(KernelSystem& system);

/// dr/dq of an attachment at the present state: three rows of n, one after the other.
std::vector<double> jacobian_of(KernelSystem& system, const Attachment& at);

}  // namespace ancora
