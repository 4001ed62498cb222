// SPDX-License-Identifier: BSD-3-Clause
// Makes a net of a mesh of Gmsh: points, lines, triangles and quadrilaterals with their groups.
#include <algorithm>
#include <array>
#include <utility>

#include "ancora/mesh/gmsh.hpp"
#include "ancora/mesh/mesh.hpp"

namespace ancora::mesh {
namespace {

constexpr int kLine = 1, kTriangle = 2, kQuadrilateral = 3, kPoint = 15;
// Lines, triangles and quadrilaterals with nodes on their edges, of any order.
constexpr std::array kCurvedLines = {8, 26, 27, 28, 62, 63, 64, 65, 66};
constexpr std::array kCurvedFaces = {9, 10, 16, 20, 21, 22, 23, 24, 25, 36, 37, 38, 39};

bool is_one_of(const auto& types, int type) {
    return std::ranges::find(types, type) != types.end();
}

}  // namespace

void read_gmsh(std::string_view file, Mesh& mesh) {
    GmshFile found = read_gmsh_file(file, [&mesh](int, int type, std::string& refusal) {
        if (is_one_of(kCurvedLines, type) || (mesh.takes_faces() && is_one_of(kCurvedFaces, type)))
            refusal = "elements of type " + std::to_string(type) +
                      " have nodes between their corners; mesh with Mesh.ElementOrder = 1";
        return type == kPoint || type == kLine || type == kTriangle || type == kQuadrilateral;
    });
    for (std::size_t i = 0; i < found.x.size(); i += 3) mesh.add_node(found.x.data() + i);
    mesh.set_tags(std::move(found.tags));
    std::vector<std::int32_t> members;  // of a block: points, or lines and faces
    for (const GmshBlock& block : found.blocks) {
        members.clear();
        for (std::size_t k = 0; k < block.offsets.size(); ++k) {
            const auto begin =
                block.nodes.begin() + static_cast<std::ptrdiff_t>(k * block.nodes_each);
            if (block.type == kPoint)
                members.push_back(*begin);
            else if (block.type == kLine)
                members.push_back(mesh.add_line(begin[0], begin[1], block.offsets[k]));
            else
                mesh.add_face({begin, begin + static_cast<std::ptrdiff_t>(block.nodes_each)},
                              block.offsets[k],
                              members);
        }
        mesh.expect_members(block.groups.size() * members.size());
        for (const std::string& name : block.groups) {
            Mesh::Group& group = mesh.group(name);
            std::vector<std::int32_t>& to = block.type == kPoint ? group.nodes : group.lines;
            to.insert(to.end(), members.begin(), members.end());
        }
    }
    // Every named group exists, also one without lines.
    for (const auto& [of, name] : found.names)
        if (of.first < 2 || mesh.takes_faces()) mesh.group(name);
}

}  // namespace ancora::mesh
