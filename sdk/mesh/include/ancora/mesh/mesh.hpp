// SPDX-License-Identifier: BSD-3-Clause
// Nets of lines and faces from mesh files of Gmsh, VTK and STL.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ancora/sdk/arguments.hpp"

namespace ancora::mesh {

/// Two nodes that a line joins.
struct Line {
    std::int32_t a = 0;
    std::int32_t b = 0;
};

/// Nodes, lines and faces that go by a name.
struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
    std::vector<std::int32_t> lines;  ///< ascending; their nodes are among `nodes`
    std::vector<std::int32_t> faces;  ///< ascending; their nodes are among `nodes`
};

/// What is taken of a file besides its line elements.
struct MeshParts {
    bool edges = false;  ///< of triangles, quadrilaterals and polygons, as lines, each once
    bool faces = false;  ///< these themselves; a file then needs no lines
};

/// What a file holds: nodes, lines between them, faces if they are taken, and named groups.
struct Net {
    std::vector<double> x;  ///< positions of the nodes [m], three each, in the file's order
    std::vector<Line> lines;
    std::vector<std::int32_t> corners;  ///< of all faces, one after the other, each around its face
    std::vector<std::int32_t> ends;     ///< a face's corners end before this entry of `corners`
    std::vector<Group> groups;          ///< by name

    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size() / 3); }
    std::int32_t num_faces() const { return static_cast<std::int32_t>(ends.size()); }
    /// Nodes at the corners of face i.
    std::span<const std::int32_t> face(std::int32_t i) const {
        const auto k = static_cast<std::size_t>(i);
        const auto begin = static_cast<std::size_t>(k == 0 ? 0 : ends[k - 1]);
        return std::span(corners).subspan(begin, static_cast<std::size_t>(ends[k]) - begin);
    }
};

/// [assembly] The net in the mesh file that parameter `key` names, of shape file; the format is
/// told by the first bytes. A file that is wrong is refused through Arguments::fail_in_file, at
/// line and column: no lines, lines of length zero or given twice, and whatever a format does not
/// allow.
///
/// @param advice_on_faces  put behind the message about a file with faces and no lines: how the
///                         user asks for their edges
Net read_net(const Arguments& arguments,
             std::string_view key,
             const MeshParts& parts = {},
             std::string_view advice_on_faces = "");

/// What is wrong with a mesh, and where: a byte of its file.
struct MeshError : std::runtime_error {
    MeshError(std::size_t byte, const std::string& message)
        : std::runtime_error(message), offset(byte) {}
    std::size_t offset;
};

/// Line and column of a byte of a file, counted from 1.
std::pair<int, int> line_and_column(std::size_t offset, std::string_view file);

/// Lines, faces, their nodes and named groups of them, as a file lists them.
///
/// Readers check what their format says. Whether the lines make a net is checked afterwards and
/// alike for all, hence the places in the file that stand beside them.
class Mesh {
public:
    struct Group {
        std::vector<std::int32_t> nodes;  ///< of its points
        std::vector<std::int32_t> lines;  ///< and faces: of face i stands ~i, which is negative
    };

    explicit Mesh(const MeshParts& parts, std::string_view advice_on_faces = "")
        : parts_(parts), advice_on_faces_(advice_on_faces) {}
    /// Whether faces matter, by their edges or themselves.
    bool takes_faces() const { return parts_.edges || parts_.faces; }

    void add_node(const double* x) { x_.insert(x_.end(), x, x + 3); }
    /// What the file calls its nodes, one number each; without this they count from 0.
    void set_tags(std::vector<std::int64_t> tags) { tags_ = std::move(tags); }
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x_.size() / 3); }

    /// Number of the new line.
    std::int32_t add_line(std::int32_t a, std::int32_t b, std::size_t offset);
    /// A face with these corners, and its edges as lines, each only once, as far as they are
    /// taken; `members` receives what a group of it has, see Group::lines.
    /// @throws MeshError on a corner given twice, if faces are taken
    void add_face(const std::vector<std::int32_t>& corners,
                  std::size_t offset,
                  std::vector<std::int32_t>& members);
    Group& group(const std::string& name) { return groups_[name]; }
    /// To be asked before so many members are added to groups.
    /// @throws MeshError if all groups together then have more than any mesh needs: a small file
    ///         may put each of many lines into each of many groups
    void expect_members(std::size_t count);

    /// Groups NAME_VALUE from one whole number per item: `members[i]` are what item i stands for.
    /// An array of more than 256 different values numbers things and groups nothing.
    void group_by_value(const std::string& name,
                        const std::vector<std::int64_t>& values,
                        const std::vector<std::vector<std::int32_t>>& members,
                        bool are_lines);

    /// Lines, faces and the nodes that they use, in the file's order.
    /// @throws MeshError on no lines, and on lines of length zero or given twice
    Net net() const;

private:
    struct PlacedLine {
        std::int32_t a, b;
        std::size_t offset;  ///< where the file names it
    };
    std::string node_name(std::int32_t i) const;
    void refuse_no_lines() const;
    void refuse_short_lines() const;
    void refuse_lines_given_twice() const;

    MeshParts parts_;
    std::string advice_on_faces_;
    std::size_t num_faces_ = 0;
    std::size_t num_members_ = 0;  ///< of all groups
    std::vector<double> x_;
    std::vector<std::int64_t> tags_;
    std::vector<PlacedLine> lines_;
    std::vector<std::int32_t> corners_, ends_;                             ///< of faces, as in Net
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> edges_;  ///< only if taken
    std::map<std::string, Group> groups_;
};

/// More nodes than three coordinates of each can be counted in 32 bits are refused.
constexpr std::int64_t kMostNodes = 2147483647 / 3;

/// Members of all groups together.
constexpr std::size_t kMostMembers = 100'000'000;

/// Gmsh, formats 4.1 and 2.2, as text or as bytes. Nodes keep the file's order and may have any
/// tags; groups are the physical groups of points, curves and (with edges) surfaces. @throws
/// MeshError
void read_gmsh(std::string_view file, Mesh& mesh);

/// VTK's legacy format, ASCII: POLYDATA or UNSTRUCTURED_GRID. Cells that are lines or polylines;
/// arrays of one whole number per cell or point make groups. @throws MeshError
void read_vtk(std::string_view file, Mesh& mesh);

/// VTK's XML format, .vtu or .vtp: the same content, as text, as base64 or appended, not
/// compressed. @throws MeshError
void read_vtk_xml(std::string_view file, Mesh& mesh);

/// STL, as text or as bytes: triangles, whose equal corners are one node. @throws MeshError
void read_stl(std::string_view file, Mesh& mesh);
/// Whether a file is one: its size is that of its triangles, or it begins with "solid".
bool is_stl(std::string_view file);

/// By the format that the first bytes, or the size of STL, tell. @throws MeshError
void read_mesh(std::string_view file, Mesh& mesh);

}  // namespace ancora::mesh
