// SPDX-License-Identifier: BSD-3-Clause
// The quadrilaterals of a shell and the normals at its nodes, built from parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::shell {

/// Nodes that go by a name.
struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
};

/// Corners around an element, with (xi, eta) = (-1, -1), (1, -1), (1, 1), (-1, 1).
using Quad = std::array<std::int32_t, 4>;

struct Surface {
    std::vector<double> x;  ///< positions [m], 3 per node
    std::vector<Quad> quads;
    std::vector<Vec3> normals;  ///< of the nodes, unit vectors
    std::vector<Group> groups;

    Eigen::Map<const Vec3> node(std::int32_t i) const {
        return Eigen::Map<const Vec3>(x.data() + 3 * static_cast<std::ptrdiff_t>(i));
    }
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size() / 3); }
};

/// [assembly] Builds the surface that `nodes` + `quads`, `grid` or `mesh` describes.
///
/// Node (i, j) of a grid of nx x ny has the number j nx + i. Elements are turned over where
/// neighbours go around the other way; the first one says which side the normals point to.
///
/// Refused through Arguments::fail: none or several of the ways, triangles, nodes that do not exist
/// or that no element has, elements without area or that are not convex, edges of three elements
/// and more, folds, surfaces with one side.
Surface build_surface(const Arguments& arguments);

/// [assembly] The same elements where they are without stress, as `rest` gives them; the start if
/// it is not given. Refused are other numbers of nodes and other elements, and what
/// build_surface() refuses.
Surface build_rest(const Arguments& arguments, const Surface& start);

/// Edges of all elements, each once, two nodes each; and the four edges of each element.
struct Edges {
    std::vector<std::int32_t> ends;
    std::vector<std::int32_t> of_quads;
};
Edges edges_of(const std::vector<Quad>& quads);

}  // namespace ancora::shell
