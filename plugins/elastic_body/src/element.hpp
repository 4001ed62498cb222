// SPDX-License-Identifier: BSD-3-Clause
// The tetrahedron with ten nodes: its functions, their slopes, stress in it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::elastic {

/// Corners, then the middles of edges in Gmsh's order: 01, 12, 02, 03, 23, 13.
using Tetrahedron = std::array<std::int32_t, 10>;

/// Corners of the edges that the last six nodes are in the middle of.
inline constexpr std::array<std::array<std::size_t, 2>, 6> kEdges = {
    {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {2, 3}, {1, 3}}};

/// Lame's constants [Pa].
struct Lame {
    double lambda = 0.0, mu = 0.0;
};

/// Ten functions and their slopes by the last three of the four coordinates of volume.
struct ElementShape {
    std::array<double, 10> N{};
    std::array<std::array<double, 3>, 10> dN{};
    double weight = 0.0;
};
ElementShape shape_at(const std::array<double, 4>& L, double weight = 0.0);

/// The functions' gradients, and the sixfold volume per unit of weight.
struct Gradients {
    std::array<Vec3, 10> of;
    double det = 0.0;
};
Gradients gradients(const ElementShape& shape,
                    const std::vector<Vec3>& x,
                    const Tetrahedron& nodes);

/// Stress (xx, yy, zz, xy, yz, zx) [Pa] of displacements, 3 for each node in each column, at chosen
/// nodes: six rows for each. Slopes jump from element to element; the mean over those at a node is
/// taken.
Eigen::MatrixXd stress_at_nodes(const std::vector<Vec3>& x,
                                const std::vector<Tetrahedron>& volumes,
                                const Lame& material,
                                const Eigen::MatrixXd& displacements,
                                const std::vector<std::int32_t>& nodes);

/// Of stress as above.
double von_mises(const Eigen::Matrix<double, 6, 1>& stress);

}  // namespace ancora::elastic
