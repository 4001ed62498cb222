// SPDX-License-Identifier: BSD-3-Clause
// Positions of equilibrium: pseudo-transient continuation, then Newton's method.
#pragma once

#include "ancora/framework/equilibrium.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// Theory (64). Solves F(q, 0, t) + A^T lambda = 0, phi(q, t) = 0 from the present state,
///
///   (c M + K + G) dq - A^T lambda = F,   A dq = -phi                                     (1)
///
/// an implicit step of the overdamped motion M q' = c^-1 F, a descent of the potential energy
/// (pseudo-transient continuation). c falls with the residual, and at zero (1) is Newton's step.
/// Where a step would raise the energy, or is too long, c rises. An unstable equilibrium is left by
/// the descent, unless the nearest is asked for.
///
/// Source: C. T. Kelley, D. E. Keyes, Convergence analysis of pseudo-transient continuation, SIAM
/// J. Numer. Anal. 35 (1998) 508.
///
/// The system is then at rest at the position found; its state is unchanged if there is none.
/// @throws Error (numerical, manifest)
Equilibrium find_rest(KernelSystem& system, const EquilibriumOptions& options);

}  // namespace ancora
