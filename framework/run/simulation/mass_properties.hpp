// SPDX-License-Identifier: BSD-3-Clause
// Mass, centre and inertia of a whole model.
#pragma once

#include <array>
#include <span>

#include "mass_matrix.hpp"
#include "space.hpp"

namespace ancora {

struct MassProperties {
    double mass = 0.0;                ///< [kg]
    std::array<double, 3> center{};   ///< [m]
    std::array<double, 9> inertia{};  ///< about the centre, inertial axes [kg m^2]
};

/// From the kinetic energy of translations and rotations of space.
MassProperties mass_properties(const Space& space,
                               const MassMatrix& mass,
                               std::span<const double> q);

}  // namespace ancora
