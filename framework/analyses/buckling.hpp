// SPDX-License-Identifier: BSD-3-Clause
// Linearised buckling of a state of rest.
#pragma once

#include "ancora/framework/linear_model.hpp"
#include "kernel_system.hpp"
#include "linear_equations.hpp"

namespace ancora {

/// Load factors f and shapes x of the present state of rest,
///
///   (K_m + f K_s) x = A^T y,   A x = 0                                                    (1)
///
/// with the stiffness of the laws at this state, K_m, and what stresses and multipliers add to it,
/// K_s = sum_k s_k d2(pi_k)/dq2. At f = 1 it is the tangent of the state: there (1) is exact, and
/// nearer to it the less the state moves on the way. In the norm of K_m, or where that alone holds
/// not everything, as of a net that its tension holds, of K_m + K_s.
///
/// Source: K.-J. Bathe, Finite Element Procedures, 2nd ed., 2014, section 6.8.2.
/// @param most_dense coordinates up to which all factors are computed
/// @throws Error (numerical), see Simulation::buckling
Buckling find_buckling(KernelSystem& system,
                       const BucklingOptions& options,
                       int most_dense = kMostDense);

}  // namespace ancora
