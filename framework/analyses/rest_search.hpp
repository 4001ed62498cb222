// SPDX-License-Identifier: BSD-3-Clause
// Positions of equilibrium: damped descent, then Newton's method.
#pragma once

#include "ancora/framework/equilibrium.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// Theory (64). Solves F(q, 0, t) + A^T lambda = 0, phi(q, t) = 0 from the present state,
///
///   (c M + K + G) dq - A^T lambda = F,   A dq = -phi                                     (1)
///
/// an implicit step of M q' = c^-1 F, the motion in honey, which goes downhill. c falls with the
/// residual, and at zero (1) is Newton's step. Where a step would go uphill, or too far, c rises. A
/// position of rest that is unstable is left along the way down, unless the nearest is asked for.
///
/// Source: C. T. Kelley, D. E. Keyes, Convergence analysis of pseudo-transient continuation, SIAM
/// J. Numer. Anal. 35 (1998) 508.
///
/// The system then stands there, at rest; the state stays where nothing is found.
/// @throws Error (numerical, manifest)
Equilibrium find_rest(KernelSystem& system, const EquilibriumOptions& options);

}  // namespace ancora
