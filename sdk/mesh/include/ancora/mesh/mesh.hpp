// SPDX-License-Identifier: BSD-3-Clause
// Nets of lines from mesh files of Gmsh and VTK.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
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

/// Nodes and lines that go by a name.
struct Group {
    std::string name;
    std::vector<std::int32_t> nodes;  ///< ascending
    std::vector<std::int32_t> lines;  ///< ascending; their nodes are among `nodes`
};

/// What a file holds of lines: nodes, lines between them, and named groups of both.
struct Net {
    std::vector<double> x;  ///< positions of the nodes [m], three each, in the file's order
    std::vector<Line> lines;
    std::vector<Group> groups;  ///< by name

    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x.size() / 3); }
};

/// [assembly] The net in the mesh file that parameter `key` names, of shape file; the format is
/// told by the first bytes. A file that is wrong is refused through Arguments::fail_in_file, at
/// line and column: no lines, lines of length zero or given twice, and whatever a format does not
/// allow.
///
/// @param with_edges       take the edges of triangles and quadrilaterals as lines, each once
/// @param advice_on_faces  put behind the message about a file with faces and no lines: how the
/// user
///                         asks for their edges
Net read_net(const Arguments& arguments,
             std::string_view key,
             bool with_edges = false,
             std::string_view advice_on_faces = "");

/// What is wrong with a mesh, and where: a byte of its file.
struct MeshError : std::runtime_error {
    MeshError(std::size_t byte, const std::string& message)
        : std::runtime_error(message), offset(byte) {}
    std::size_t offset;
};

/// Line elements, their nodes and named groups of both, as a file lists them.
///
/// Readers check what their format says. Whether the lines make a net is checked afterwards and
/// alike for all, hence the places in the file that stand beside them.
class Mesh {
public:
    struct Group {
        std::vector<std::int32_t> nodes;  ///< of its points
        std::vector<std::int32_t> lines;
    };

    /// True if edges of triangles and quadrilaterals are wanted as lines.
    explicit Mesh(bool with_edges, std::string_view advice_on_faces = "")
        : with_edges_(with_edges), advice_on_faces_(advice_on_faces) {}
    bool with_edges() const { return with_edges_; }

    void add_node(const double* x) { x_.insert(x_.end(), x, x + 3); }
    /// What the file calls its nodes, one number each; without this they count from 0.
    void set_tags(std::vector<std::int64_t> tags) { tags_ = std::move(tags); }
    std::int32_t num_nodes() const { return static_cast<std::int32_t>(x_.size() / 3); }

    /// Number of the new line.
    std::int32_t add_line(std::int32_t a, std::int32_t b, std::size_t offset);
    /// The edges of a face with these corners as lines, each only once, if they are wanted;
    /// `lines` receives their numbers.
    void add_face(const std::vector<std::int32_t>& corners,
                  std::size_t offset,
                  std::vector<std::int32_t>& lines);
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

    /// The lines and the nodes that they use, in the file's order.
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

    bool with_edges_;
    std::string advice_on_faces_;
    std::size_t num_faces_ = 0;
    std::size_t num_members_ = 0;  ///< of all groups
    std::vector<double> x_;
    std::vector<std::int64_t> tags_;
    std::vector<PlacedLine> lines_;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> edges_;  ///< only with_edges
    std::map<std::string, Group> groups_;
};

/// More nodes than three coordinates of each can be counted in 32 bits are refused.
constexpr std::int64_t kMostNodes = 2147483647 / 3;

/// Members of all groups together.
constexpr std::size_t kMostMembers = 100'000'000;

/// Gmsh, format 4.1, ASCII. Nodes keep the file's order and may have any tags; groups are the
/// physical groups of points, curves and (with edges) surfaces. @throws MeshError
void read_gmsh(std::string_view file, Mesh& mesh);

/// VTK's legacy format, ASCII: POLYDATA or UNSTRUCTURED_GRID. Cells that are lines or polylines;
/// arrays of one whole number per cell or point make groups. @throws MeshError
void read_vtk(std::string_view file, Mesh& mesh);

/// VTK's XML format, .vtu or .vtp: the same content, as text, as base64 or appended, not
/// compressed. @throws MeshError
void read_vtk_xml(std::string_view file, Mesh& mesh);

/// By the format that the first bytes tell. @throws MeshError
void read_mesh(std::string_view file, Mesh& mesh);

}  // namespace ancora::mesh
