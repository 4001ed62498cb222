// SPDX-License-Identifier: BSD-3-Clause
// Rows of convention: what stands in for inertia where nothing has any.
#pragma once

#include "assembly.hpp"

namespace ancora {

/// Refuses a load where a convention stands in for inertia, beyond what rounding leaves of the
/// stresses and forces beside it.
/// @throws Error (numerical)
void check_gauge_rows(const Assembly& parts,
                      const double* s,
                      const double* F,
                      const double* Ma,
                      double energy_scale,
                      double t);

}  // namespace ancora
