// SPDX-License-Identifier: BSD-3-Clause
// The shape in which a cable hangs at rest.
#pragma once

#include <stdexcept>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::beam {

/// A cable of cubic elements under its weight.
struct HangingCable {
    std::vector<double> lengths;  ///< of elements without strain [m]
    double EA = 0.0;              ///< [N]
    double EI = 0.0;              ///< [N m^2]
    double mass = 0.0;            ///< per length [kg/m]
    bool is_tension_only = false;
    std::vector<double> node_mass;  ///< [kg]
    std::vector<bool> is_held;      ///< nodes whose positions stay; slopes are free everywhere
    Vec3 gravity = Vec3::Zero();    ///< [m/s^2]
};

/// Why a cable has no shape of rest.
struct NoRest : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// [assembly] Positions and slopes of all nodes, six numbers each, at the minimum of
///
///   Pi = 1/2 sum over points w (EA eps^2 + EI r''.r'') - g . integral of m r - sum of m_i g.r_i
///   (1)
///
/// by Newton's method with the step that keeps Pi falling (Levenberg's), from catenaries of
/// inextensible cables between neighbouring held nodes, and plumb lines below the last ones.
///
/// @param q  positions and slopes as given; positions of held nodes are kept
/// @throws NoRest if nothing holds the cable, or nothing stretches a slack one
std::vector<double> hanging_shape(const HangingCable& cable, const std::vector<double>& q);

}  // namespace ancora::beam
