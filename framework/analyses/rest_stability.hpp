// SPDX-License-Identifier: BSD-3-Clause
// The stability of a rest.
#pragma once

#include <Eigen/Core>

#include "ancora/framework/equilibrium.hpp"
#include "kernel_system.hpp"
#include "rest_frame.hpp"

namespace ancora {

/// The signature of K + G on the motions that conditions allow, in the norm of M, at the present
/// state of the system, in which it rests. Writes stability, counts of motions and what
/// accelerates to `out`.
/// @param has_differences whether some of K is by finite differences
/// @returns the motion that energy falls in most; any if it falls in none
Eigen::VectorXd judge_stability(KernelSystem& system,
                                const RestFrame& frame,
                                bool has_differences,
                                Equilibrium& out);

}  // namespace ancora
