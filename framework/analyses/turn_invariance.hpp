// SPDX-License-Identifier: BSD-3-Clause
// Whether the equations are the same in each position that a spin goes through.
#pragma once

#include <string>

#include "linear_equations.hpp"
#include "steady_spin.hpp"

namespace ancora {

/// Small motions about a spin have constant coefficients if the equations are invariant under its
/// rotation (corotate with it): with G the flow of the spin over some time, at G q and its
/// velocities
///
///   F -> G^-T F,   G^T M G, G^T D G and G^T K G are what M, D and K were,   P G spans P,  (1)
///
/// on the motions that conditions leave. A spring between the body that spins and space, with
/// another stiffness across, is not invariant, nor is gravity across the axis, nor a body about an
/// axis about which it is not axisymmetric. Two times are looked at, for a part that turns slowest
/// by about a radian each, and motions at random.
/// @param at of the present state
/// @returns the object that is not invariant, such as 'constraint "bearing"', with a reason, or
///          nothing if all are
std::string what_does_not_turn(KernelSystem& system,
                               const SteadySpin& spin,
                               const LinearEquations& at);

}  // namespace ancora
