// SPDX-License-Identifier: BSD-3-Clause
// Rest lengths with which a network keeps its shape while it spins.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "network.hpp"

namespace ancora::truss {

struct Material;

using nodes::Spin;

/// No set of element forces holds the shape; the reason.
struct NoSteadyShape : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// [assembly] Rest lengths L of elastic elements such that the start is a steady rotation:
///
///   sum_e N_e d_e / l_e = sum_j M_ij a_j   at every node i,   a_j = omega x (omega x r_j)  (1)
///   N = E A eps l / L,   eps = (l^2 - L^2) / (2 L^2)                                       (2)
///
/// Terms:
///   N     tension of an element at the start [N]; d_e points from node i to the other node
///   r_j   position relative to the spin's center [m]
/// (1) is linear in N. Where it leaves N open (more elements than a shape needs) the solution of
/// least sum N^2 is taken: N = lim C^T (C C^T + delta)^-1 M a, found by repeating the solve with a
/// small delta on what is left. (2) with y = l / L - 1 is y (y + 1) (y + 2) = 2 N / (E A). M holds
/// rho A L, so both are repeated until L stands still.
///
/// @throws NoSteadyShape if (1) has no solution, or (2) none (a compression beyond its maximum)
std::vector<double> rest_lengths_in_steady_spin(const Network& net,
                                                const Material& material,
                                                std::span<const double> node_mass,
                                                const Spin& spin);

}  // namespace ancora::truss
