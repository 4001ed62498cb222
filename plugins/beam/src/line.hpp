// SPDX-License-Identifier: BSD-3-Clause
// Where the nodes of a beam lie at rest, how their sections are turned, and what joins them.
#pragma once

#include <cstdint>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "stations.hpp"

namespace ancora::beam {

/// An element between two nodes. Its sections at both ends are fixed in the nodes: their axes are
/// the columns of N A and N B, N the node's axes.
struct Element {
    std::int32_t a = 0, b = 0;
    Mat3 A = Mat3::Identity(), B = Mat3::Identity();
    double length = 0.0;  ///< along the beam [m]
    /// Parts of the way from the first node at which it begins and ends, 0 to 1
    double begin = 0.0, end = 1.0;
};

struct Line {
    std::vector<double> x;     ///< positions of the nodes [m], three each
    std::vector<Mat3> frames;  ///< axes of the nodes, columns; 3 along the beam where it is smooth
    std::vector<Element> elements;
    bool is_one_line = true;  ///< nodes follow each other from the first to the last
    nodes::StartMotion motion = {};

    std::int32_t num_nodes() const { return static_cast<std::int32_t>(frames.size()); }
    Vec3 node(std::int32_t i) const { return vec3(x, 3 * static_cast<std::size_t>(i)); }
};

/// [assembly] Reads `from` + `to`, `arc`, or `nodes`, with `elements`, `up`, `twist` and `corners`.
/// Refuses through Arguments::fail what is no beam.
/// @param twist  along the beam, in place of `twist`; or null
Line read_line(const Arguments& arguments, const AlongBeam* twist);

}  // namespace ancora::beam
