// SPDX-License-Identifier: BSD-3-Clause
// The adjoint of explicit steps of fixed length.
#pragma once

#include <string>

#include "adjoint_sweep.hpp"

namespace ancora {

/// Why the adjoint of a run by accelerations is not to be had, as far as the model tells; empty: it
/// may be.
std::string obstacle_of_stages(KernelSystem& system);

/// Back over a run whose steps are of the form StageForm, each followed by projections of position
/// and velocity where the integrator asks for them. With L the derivatives by the end of a step,
/// and J_i those of the acceleration of stage i by (q_i, v_i),
///
///   L_ai = h^2 A_ei^T L_q + h B_ei^T L_v + sum_(j > i) h^2 A_ji m_j + h B_ji n_j           (1)
///   (m_i, n_i) = J_i^T L_ai
///   L_q <- L_q + sum_i m_i,   L_v <- L_v + h c_e L_q + sum_i h c_i m_i + n_i
///
/// the last stage first, e the end: the discrete adjoint of the method (W. W. Hager, Numer. Math.
/// 87 (2000) 247).
AdjointGradient differentiate_stages(const AdjointSweep::Subject& of);

}  // namespace ancora
