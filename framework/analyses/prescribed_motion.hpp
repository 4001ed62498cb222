// SPDX-License-Identifier: BSD-3-Clause
// Motion that constraints prescribe altogether, and what it takes.
#pragma once

#include "kernel_system.hpp"

namespace ancora {

/// @throws Error (numerical) if the constraints leave a freedom, (manifest) where objects have
///         states of their own
void require_no_freedom(KernelSystem& system);

/// Goes to t: positions and velocities are those that the constraints allow, reactions follow from
/// the accelerations, of least norm where more drives than needed share them.
void follow_prescribed(KernelSystem& system, double t);

}  // namespace ancora
