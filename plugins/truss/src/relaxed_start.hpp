// SPDX-License-Identifier: BSD-3-Clause
// The key `start` of a truss: where its nodes are at the start.
#pragma once

#include <span>
#include <vector>

#include <Eigen/SparseCore>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/rows.hpp"
#include "network.hpp"
#include "steady_spin.hpp"

namespace ancora::truss {

/// [assembly] Positions of the nodes at the start [m], 3 per node: as given, or with
/// `start = "relaxed"` the steady shape under `spin` and the model's gravity (steady_shape.hpp).
///
/// @param rest_length  L of each element [m]
/// @param laws         of the strains, one for all or one per element
/// @param mass         nodes by nodes [kg]
/// @param spin         angular velocity at the start
/// Refused through Arguments::fail: nodes in `held` that do not exist, `rest_length = "spin"`
/// beside it, whatever has no steady shape, and without "breaking_strain" a shape in which an
/// element is stretched to more than 1.5 times its rest length.
std::vector<double> start_positions(const Arguments& arguments,
                                    const Network& net,
                                    std::span<const double> rest_length,
                                    std::span<const RowLaw> laws,
                                    const Eigen::SparseMatrix<double>& mass,
                                    const Spin& spin);

}  // namespace ancora::truss
