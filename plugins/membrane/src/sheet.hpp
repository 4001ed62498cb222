// SPDX-License-Identifier: BSD-3-Clause
// The triangles of a membrane: nodes at the start, built from parameters.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::membrane {

/// Nodes that go by a name.
struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
};

using Triangle = std::array<std::int32_t, 3>;

struct Sheet {
    std::vector<double> x;     ///< positions at the start [m], 3 per node, inertial axes
    std::vector<double> rest;  ///< at rest, in any axes
    std::vector<Triangle> triangles;
    std::vector<Group> groups;

    Eigen::Map<const Vec3> node_at_rest(std::int32_t i) const {
        return Eigen::Map<const Vec3>(rest.data() + 3 * static_cast<std::ptrdiff_t>(i));
    }
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size() / 3); }
    std::int32_t num_triangles() const { return static_cast<std::int32_t>(triangles.size()); }
};

/// [assembly] Builds the sheet that `nodes` + `triangles`, `grid`, `mesh` or `fold` describes, at
/// rest as `rest` or `fold` says, else as it starts.
///
/// Node (i, j) of a grid of nx x ny has the number j nx + i. Each cell is two triangles, cut from
/// (i, j) to (i+1, j+1) where i + j is even and along the other diagonal where it is odd. Of a mesh
/// file triangles are taken, and quadrilaterals are cut along the diagonal that is shorter at rest.
///
/// Refused through Arguments::fail: none or several of the ways, nodes that do not exist or that
/// no triangle has, triangles given twice or without area at rest, and a rest shape of other nodes
/// or triangles.
Sheet build_sheet(const Arguments& arguments);

/// The edges of all triangles, each once.
struct Edges {
    std::vector<std::int32_t> ends;          ///< two nodes each
    std::vector<std::int32_t> of_triangles;  ///< three edges each
};
Edges edges_of(const Sheet& sheet);

}  // namespace ancora::membrane
