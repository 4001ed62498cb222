// SPDX-License-Identifier: BSD-3-Clause
// A finite-element model of a free body: nodes with three displacements, stiffness and mass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "element.hpp"
#include "matrix_file.hpp"

namespace ancora::elastic {

/// Nodes by which the body is joined to others. They move as one rigid body, or freely: then the
/// interface moves as they do in the mean, and spreads forces over them.
struct Interface {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending, counted from 0
    Vec3 origin = Vec3::Zero();       ///< their mean, by `weights` if there are any
    bool is_mean = false;
    std::vector<double> weights = {};  ///< of nodes that move rigidly and are a surface, sum 1
};
/// A node with a name.
struct NamedNode {
    std::string name;
    std::int32_t node = 0;
};

/// U = 1/2 u.K u, T = 1/2 sum_ij m_ij u_i'.u_j': the mass is the same along all axes, as that of
/// every element with displacements alone.
struct FiniteElements {
    std::vector<Vec3> x;                 ///< positions of the nodes [m]
    std::vector<MatrixEntry> stiffness;  ///< K, lower triangle; 3 node + axis [N/m]
    std::vector<MatrixEntry> mass;       ///< m_ij, lower triangle [kg]
    std::vector<Interface> interfaces;
    std::vector<NamedNode> points;
    std::vector<Tetrahedron> volumes;  ///< empty if all that is known are the matrices
    Lame material;                     ///< of the volumes

    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size()); }
};

/// [assembly] Reads `nodes`, `stiffness`, `mass`, `order`, `units`, `interfaces` and `points`.
/// Refuses through Arguments what is no free body: sizes that do not fit, a mass that is not the
/// same along all axes, a stiffness that resists rigid motions.
FiniteElements read_finite_elements(const Arguments& arguments);

}  // namespace ancora::elastic
