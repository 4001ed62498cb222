// SPDX-License-Identifier: BSD-3-Clause
// The network of a truss: nodes at the start, elements between them, built from parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::truss {

/// Two nodes that an element joins.
struct Element {
    std::int32_t a = 0;
    std::int32_t b = 0;
};

/// Nodes and elements that go by a name.
struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;     ///< ascending
    std::vector<std::int32_t> elements;  ///< ascending; their nodes are among `nodes`
};

/// Nodes and elements, geometry only.
struct Network {
    std::vector<double> x;  ///< positions at the start [m], 3 per node, inertial axes
    std::vector<Element> elements;
    std::vector<double> distance;          ///< of each element's nodes at the start [m]
    std::vector<double> distance_at_rest;  ///< in the shape at rest [m], > 0
    std::vector<Group> groups;             ///< of a mesh file, a grid or a rope
    bool is_rope = false;  ///< from one point to another: its rest length is the whole's
    nodes::StartMotion motion = {};

    Eigen::Map<const Vec3> node(std::int32_t i) const {
        return Eigen::Map<const Vec3>(x.data() + 3 * static_cast<std::ptrdiff_t>(i));
    }
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size() / 3); }
    std::int32_t num_elements() const { return static_cast<std::int32_t>(elements.size()); }
};

/// [assembly] Builds the network that `from` + `to` (one element, or `elements` equal ones in a
/// row, with its ends as groups "from" and "to"), `nodes` + `elements`, `grid`, `mesh` or `fold`
/// describes, at rest as `rest` or `fold` says, else as it starts.
///
/// Node (i, j) of a grid of nx x ny has the number j nx + i. Its elements are, in this order,
///   along the first direction    (i, j) to (i+1, j),   number j (nx-1) + i
///   along the second             (i, j) to (i, j+1),   j nx + i, after those
///   diagonals, if asked for      (i, j) to (i+1, j+1), j (nx-1) + i, after those, and then
///                                (i+1, j) to (i, j+1), j (nx-1) + i, after those
///
/// Refused through Arguments::fail: none or several of the ways, nodes that do not exist, elements
/// given twice or of length zero at rest, and a rest shape of other nodes or elements.
Network build_network(const Arguments& arguments);

}  // namespace ancora::truss
