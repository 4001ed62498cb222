// SPDX-License-Identifier: BSD-3-Clause
// Networks from mesh files: what the readers of the formats have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ancora/sdk/arguments.hpp"
#include "network.hpp"

namespace ancora::truss {

/// What is wrong with a mesh, and where: a byte of its file.
struct MeshError : std::runtime_error {
    MeshError(std::size_t byte, const std::string& message)
        : std::runtime_error(message), offset(byte) {}
    std::size_t offset;
};

/// Line elements, their nodes and named groups of both, as a file lists them.
///
/// Readers check what their format says. Whether the lines make a network is checked afterwards and
/// alike for all, hence the places in the file that stand beside them.
class Mesh {
public:
    struct Line {
        std::int32_t a, b;
        std::size_t offset;  ///< where the file names it
    };
    struct Group {
        std::vector<std::int32_t> nodes;  ///< of its points
        std::vector<std::int32_t> lines;
    };

    /// True if edges of triangles and quadrilaterals are wanted as lines.
    explicit Mesh(bool with_edges) : with_edges_(with_edges) {}
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
    /// may
    ///         put each of many lines into each of many groups
    void expect_members(std::size_t count);

    /// Groups NAME_VALUE from one whole number per item: `members[i]` are what item i stands for.
    /// An array of more than 256 different values numbers things and groups nothing.
    void group_by_value(const std::string& name,
                        const std::vector<std::int64_t>& values,
                        const std::vector<std::vector<std::int32_t>>& members,
                        bool are_lines);

    /// The network of the lines and of the nodes that they use, in the file's order.
    /// @throws MeshError on no lines, and on lines of length zero or given twice
    Network network() const;

private:
    std::string node_name(std::int32_t i) const;
    void refuse_no_lines() const;
    void refuse_short_lines() const;
    void refuse_lines_given_twice() const;

    bool with_edges_;
    std::size_t num_faces_ = 0;
    std::size_t num_members_ = 0;  ///< of all groups
    std::vector<double> x_;
    std::vector<std::int64_t> tags_;
    std::vector<Line> lines_;
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

/// [assembly] The network of the mesh file that `key` names; the format is told by the first bytes.
/// Refused through Arguments::fail_in_file, at line and column.
Network network_from_mesh(const Arguments& arguments, std::string_view key, bool with_edges);

}  // namespace ancora::truss
