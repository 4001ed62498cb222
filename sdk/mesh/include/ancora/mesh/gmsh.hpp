// SPDX-License-Identifier: BSD-3-Clause
// What a mesh file of Gmsh holds: nodes, elements of any type, named groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ancora::mesh {

/// Elements of one type that are in the same groups, in the file's order.
struct GmshBlock {
    int dimension = 0, type = 0;
    std::vector<std::string> groups;   ///< physical ones; "surface_7" where they have no name
    std::size_t nodes_each = 0;        ///< of an element
    std::vector<std::int32_t> nodes;   ///< of all elements, places among the nodes of the file
    std::vector<std::size_t> offsets;  ///< of each element's nodes in the file, in bytes
};

struct GmshFile {
    std::vector<double> x;           ///< three of each node, in the file's order
    std::vector<std::int64_t> tags;  ///< what the file calls the nodes
    std::vector<GmshBlock> blocks;
    /// Names of groups by dimension and number.
    std::map<std::pair<int, std::int64_t>, std::string> names;
};

/// Whether elements of a type are of use; those that are not are left out. What it puts into
/// `refusal` refuses the file.
using TakesGmshElements = std::function<bool(int dimension, int type, std::string& refusal)>;

/// Formats 4.1 and 2.2, as text and as bytes. Format 2.2 lists an element again for each further
/// group that it is in: here it is one.
/// @throws MeshError
GmshFile read_gmsh_file(std::string_view file, const TakesGmshElements& takes);

}  // namespace ancora::mesh
