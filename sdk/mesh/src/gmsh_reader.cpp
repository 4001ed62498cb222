// SPDX-License-Identifier: BSD-3-Clause
// Reads meshes of Gmsh, format 4.1 as text.
//
// Source: "MSH file format", section of the Gmsh Reference Manual, https://gmsh.info/doc/texinfo.
#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "ancora/mesh/mesh.hpp"
#include "cursor.hpp"

namespace ancora::mesh {
namespace {

using DimTag = std::pair<int, std::int64_t>;  ///< dimension and number of an entity or group

constexpr int kLine = 1, kTriangle = 2, kQuadrilateral = 3, kPoint = 15;
// Lines, triangles and quadrilaterals with nodes on their edges, of any order.
constexpr std::array kCurvedLines = {8, 26, 27, 28, 62, 63, 64, 65, 66};
constexpr std::array kCurvedFaces = {9, 10, 16, 20, 21, 22, 23, 24, 25, 36, 37, 38, 39};

class GmshReader {
public:
    GmshReader(std::string_view file, Mesh& mesh) : in_(file), mesh_(mesh) {}

    void read() {
        read_format();
        bool has_nodes = false, has_elements = false;
        while (!in_.at_end()) {
            const std::string section(in_.word("a section"));
            if (section.front() != '$')
                in_.fail("expected a section such as \"$Nodes\", found " + Cursor::shown(section));
            const std::string name = section.substr(1);
            const auto once = [&](bool& is_there) {
                if (is_there) in_.fail("there is a second " + section);
                is_there = true;
            };
            if (name == "PhysicalNames") {
                read_physical_names();
            } else if (name == "Entities") {
                read_entities();
            } else if (name == "Nodes") {
                once(has_nodes);
                read_nodes();
            } else if (name == "Elements") {
                if (!has_nodes) in_.fail("$Elements stands before $Nodes");
                once(has_elements);
                read_elements();
            } else if (name == "PartitionedEntities") {
                in_.fail("the mesh is partitioned; save it as a whole");
            } else {
                if (!in_.skip_past("$End" + name)) in_.fail(section + " has no $End" + name);
                continue;
            }
            if (in_.word("$End" + name) != "$End" + name)
                in_.fail("expected \"$End" + name + "\"; a count above is too small");
        }
        if (!has_nodes || !has_elements)
            throw MeshError(0,
                            std::string("the file has no ") + (has_nodes ? "$Elements" : "$Nodes") +
                                "; it is cut short");
        keep_points();
    }

private:
    void read_format() {
        if (in_.word("$MeshFormat") != "$MeshFormat")
            in_.fail("a Gmsh mesh begins with \"$MeshFormat\"");
        const std::string version(in_.word("the version"));
        if (version != "4.1")
            in_.fail("this is version " + Cursor::shown(version) +
                     " of the format, but 4.1 is needed: save the mesh with "
                     "Mesh.MshFileVersion = 4.1");
        if (in_.whole("the file type", 0, 1) == 1)
            in_.fail(
                "this is a binary file, but text is needed: save the mesh with Mesh.Binary = 0");
        in_.whole("the size of numbers", 1);
        if (in_.word("$EndMeshFormat") != "$EndMeshFormat") in_.fail("expected $EndMeshFormat");
    }

    // dimension, number, "name"
    void read_physical_names() {
        const std::size_t n = in_.count("the number of names");
        for (std::size_t k = 0; k < n; ++k) {
            const int dim = static_cast<int>(in_.whole("a group's dimension", 0, 3));
            const std::int64_t tag = in_.whole_on_line("a group's number", 0);
            std::string_view name = in_.line();
            const std::size_t first = name.find('"'), last = name.rfind('"');
            if (first == last) in_.fail("expected a group's name in quotes");
            names_[{dim, tag}] = name.substr(first + 1, last - first - 1);
        }
    }

    void read_entities() {
        const std::array<std::size_t, 4> counts = {in_.count("the number of points"),
                                                   in_.count("the number of curves"),
                                                   in_.count("the number of surfaces"),
                                                   in_.count("the number of volumes")};
        for (int dim = 0; dim < 4; ++dim)
            for (std::size_t k = 0; k < counts[static_cast<std::size_t>(dim)]; ++k) {
                const std::int64_t tag = in_.whole("an entity's number", 0);
                // A point's position, or the corners of a box
                for (int i = 0; i < (dim == 0 ? 3 : 6); ++i) in_.number("an entity's extent");
                std::vector<std::string>& groups = groups_of_[{dim, tag}];
                const std::size_t num_groups = in_.count("the number of an entity's groups");
                for (std::size_t g = 0; g < num_groups; ++g)
                    groups.push_back(group_name(dim, in_.whole("a group's number", -kMostNodes)));
                if (dim == 0) continue;
                const std::size_t num_bounds = in_.count("the number of an entity's bounds");
                for (std::size_t b = 0; b < num_bounds; ++b)
                    in_.whole("an entity's bound", std::numeric_limits<std::int64_t>::min());
            }
    }

    // A minus tells the orientation.
    std::string group_name(int dim, std::int64_t tag) const {
        const auto named = names_.find({dim, std::abs(tag)});
        if (named != names_.end()) return named->second;
        constexpr std::array kinds = {"point_", "curve_", "surface_", "volume_"};
        return kinds[static_cast<std::size_t>(dim)] + std::to_string(std::abs(tag));
    }

    // Header of $Nodes and $Elements: blocks and what they hold together.
    std::pair<std::size_t, std::size_t> read_header(const std::string& what) {
        const std::size_t blocks = in_.count("the number of blocks");
        const std::size_t total = in_.count("the number of " + what);
        total_place_ = in_.offset();
        in_.whole("the smallest number", 0);
        in_.whole("the largest number", 0);
        return {blocks, total};
    }

    void check_total(const std::string& what, std::size_t found, std::size_t total) const {
        if (found != total)
            throw MeshError(total_place_,
                            "the section announces " + std::to_string(total) + " " + what +
                                ", but its blocks hold " + std::to_string(found));
    }

    void read_nodes() {
        const auto [num_blocks, total] = read_header("nodes");
        std::vector<std::int64_t> tags;
        for (std::size_t b = 0; b < num_blocks; ++b) {
            const auto dim = in_.whole("a block's dimension", 0, 3);
            in_.whole_on_line("a block's entity", 0);
            const bool is_parametric = in_.whole_on_line("0 or 1", 0, 1) == 1;
            const std::size_t n = in_.count("the number of nodes in a block");
            in_.end_line("the head of a block of nodes");
            for (std::size_t k = 0; k < n; ++k) {
                tags.push_back(in_.whole("a node's number", 1));
                places_.push_back({tags.back(), in_.offset()});
                in_.end_line("a node's number");
            }
            for (std::size_t k = 0; k < n; ++k) {
                double x[3];
                x[0] = in_.number("a node's x");
                x[1] = in_.number_on_line("a node's y");
                x[2] = in_.number_on_line("a node's z");
                for (int u = 0; is_parametric && u < dim; ++u)
                    in_.number_on_line("a node's parameter");
                in_.end_line("a node's position");
                mesh_.add_node(x);
            }
        }
        check_total("nodes", tags.size(), total);
        sort_nodes(tags);
        mesh_.set_tags(std::move(tags));
    }

    void sort_nodes(const std::vector<std::int64_t>& tags) {
        std::ranges::sort(places_);
        const auto twice = std::ranges::adjacent_find(places_, {}, &Place::first);
        if (twice != places_.end())
            throw MeshError(twice[1].second,
                            "node " + std::to_string(twice->first) + " stands there twice");
        for (std::size_t i = 0; i < tags.size(); ++i)
            numbers_.push_back({tags[i], static_cast<std::int32_t>(i)});
        std::ranges::sort(numbers_);
    }

    std::int32_t node() {
        const std::int64_t tag = in_.whole_on_line("a node's number", 0);
        const auto at = std::ranges::lower_bound(numbers_, tag, {}, &Number::first);
        if (at == numbers_.end() || at->first != tag)
            in_.fail("there is no node " + std::to_string(tag) + " in $Nodes");
        return at->second;
    }

    void read_elements() {
        const auto [num_blocks, total] = read_header("elements");
        std::size_t found = 0;
        for (std::size_t b = 0; b < num_blocks; ++b) {
            const int dim = static_cast<int>(in_.whole("a block's dimension", 0, 3));
            const std::int64_t tag = in_.whole_on_line("a block's entity", 0);
            const int type = static_cast<int>(in_.whole_on_line("an element type", 1, 1000));
            refuse_curved(type);
            const std::size_t n = in_.count("the number of elements in a block");
            in_.end_line("the head of a block of elements");
            const auto groups = groups_of_.find({dim, tag});
            members_.clear();
            for (std::size_t k = 0; k < n; ++k) read_element(type);
            if (groups != groups_of_.end()) add_members(groups->second, type == kPoint);
            found += n;
        }
        check_total("elements", found, total);
    }

    void refuse_curved(int type) const {
        const auto is_one_of = [type](const auto& types) {
            return std::ranges::find(types, type) != types.end();
        };
        if (is_one_of(kCurvedLines) || (mesh_.with_edges() && is_one_of(kCurvedFaces)))
            in_.fail("elements of type " + std::to_string(type) +
                     " have nodes between their corners; mesh with Mesh.ElementOrder = 1");
    }

    // Adds what the element stands for to members_: points or lines.
    void read_element(int type) {
        in_.whole("an element's number", 0);
        const std::size_t offset = in_.offset();
        if (type == kPoint) {
            members_.push_back(node());
        } else if (type == kLine) {
            const std::int32_t a = node();
            members_.push_back(mesh_.add_line(a, node(), offset));
        } else if (type == kTriangle || type == kQuadrilateral) {
            std::vector<std::int32_t> corners;
            for (int k = 0; k < (type == kTriangle ? 3 : 4); ++k) corners.push_back(node());
            mesh_.add_face(corners, offset, members_);
        } else {
            in_.line();
            return;
        }
        in_.end_line("an element's nodes");
    }

    void add_members(const std::vector<std::string>& names, bool are_points) {
        mesh_.expect_members(names.size() * members_.size());
        for (const std::string& name : names) {
            Mesh::Group& group = mesh_.group(name);
            std::vector<std::int32_t>& to = are_points ? group.nodes : group.lines;
            to.insert(to.end(), members_.begin(), members_.end());
        }
    }

    // Every named group exists, also one without lines.
    void keep_points() {
        for (const auto& [of, name] : names_)
            if (of.first < 2 || mesh_.with_edges()) mesh_.group(name);
    }

    using Place = std::pair<std::int64_t, std::size_t>;    ///< a node's tag, where it stands
    using Number = std::pair<std::int64_t, std::int32_t>;  ///< a node's tag and number from 0

    Cursor in_;
    Mesh& mesh_;
    std::map<DimTag, std::string> names_;                   ///< of physical groups
    std::map<DimTag, std::vector<std::string>> groups_of_;  ///< of entities
    std::vector<Place> places_;                             ///< by tag
    std::vector<Number> numbers_;                           ///< by tag
    std::size_t total_place_ = 0;                           ///< of the header's number
    std::vector<std::int32_t> members_;                     ///< of the block that is read
};

}  // namespace

void read_gmsh(std::string_view file, Mesh& mesh) {
    GmshReader(file, mesh).read();
}

}  // namespace ancora::mesh
