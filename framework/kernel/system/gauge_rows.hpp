// SPDX-License-Identifier: BSD-3-Clause
// Gauge rows: regularisation of coordinates without inertia.
#pragma once

#include "assembly.hpp"

namespace ancora {

/// Refuses a load on a gauge row, beyond the rounding-error bound of the stresses and forces beside
/// it.
/// @throws Error (numerical)
void check_gauge_rows(const Assembly& parts,
                      const double* s,
                      const double* F,
                      const double* Ma,
                      double energy_scale,
                      double t);

}  // namespace ancora
