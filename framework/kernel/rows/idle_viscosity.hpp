// SPDX-License-Identifier: BSD-3-Clause
// The viscosity of rows without force.
#pragma once

namespace ancora {

/// Of a dashpot without viscosity, and of a gauge row that is not needed [N s/m, N m s]: rows and
/// patterns stay, and the stress eta d(pi)/dt is below the rounding of any force.
inline constexpr double kIdleViscosity = 1e-200;

}  // namespace ancora
