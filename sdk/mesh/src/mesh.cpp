// SPDX-License-Identifier: BSD-3-Clause
// From the lines of a mesh file to a net: what is used, what is refused, where it stands.
#include "ancora/mesh/mesh.hpp"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>

namespace ancora::mesh {
namespace {

constexpr std::size_t kMostGroupsOfArray = 256;

std::string read_file(const Arguments& arguments, std::string_view key) {
    std::ifstream in(std::string(arguments.path(key)), std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    if (in.bad()) arguments.fail(key, "the file cannot be read to its end");
    return text;
}

std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

void sort_and_unite(std::vector<std::int32_t>& numbers) {
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

std::pair<int, int> line_and_column(std::size_t offset, std::string_view file) {
    const std::string_view before = file.substr(0, std::min(offset, file.size()));
    const auto lines = std::ranges::count(before, '\n');
    const std::size_t line_begin = before.rfind('\n') + 1;  // 0 if there is no line before
    return {static_cast<int>(lines) + 1, static_cast<int>(before.size() - line_begin) + 1};
}

std::int32_t Mesh::add_line(std::int32_t a, std::int32_t b, std::size_t offset) {
    const auto number = static_cast<std::int32_t>(lines_.size());
    lines_.push_back({a, b, offset});
    if (parts_.edges) edges_.insert({std::minmax(a, b), number});
    return number;
}

void Mesh::add_face(const std::vector<std::int32_t>& corners,
                    std::size_t offset,
                    std::vector<std::int32_t>& members) {
    ++num_faces_;
    if (parts_.faces) {
        std::vector<std::int32_t> sorted = corners;
        std::ranges::sort(sorted);
        if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
            throw MeshError(offset, "a face has node " + node_name(*twice) + " at two corners");
        members.push_back(~static_cast<std::int32_t>(ends_.size()));
        corners_.insert(corners_.end(), corners.begin(), corners.end());
        ends_.push_back(static_cast<std::int32_t>(corners_.size()));
    }
    if (!parts_.edges) return;
    for (std::size_t k = 0; k < corners.size(); ++k) {
        const std::int32_t a = corners[k], b = corners[(k + 1) % corners.size()];
        const auto known = edges_.find(std::minmax(a, b));
        members.push_back(known != edges_.end() ? known->second : add_line(a, b, offset));
    }
}

void Mesh::group_by_value(const std::string& name,
                          const std::vector<std::int64_t>& values,
                          const std::vector<std::vector<std::int32_t>>& members,
                          bool are_lines) {
    std::set<std::int64_t> different;
    for (const std::int64_t value : values) {
        different.insert(value);
        if (different.size() > kMostGroupsOfArray) return;
    }
    std::size_t count = 0;
    for (const std::vector<std::int32_t>& of_item : members) count += of_item.size();
    expect_members(count);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (members[i].empty()) continue;
        Group& of = group(name + '_' + std::to_string(values[i]));
        std::vector<std::int32_t>& to = are_lines ? of.lines : of.nodes;
        to.insert(to.end(), members[i].begin(), members[i].end());
    }
}

void Mesh::expect_members(std::size_t count) {
    num_members_ += count;
    if (num_members_ > kMostMembers)
        throw MeshError(0,
                        "its groups have " + std::to_string(num_members_) +
                            " members together, expected at most " + std::to_string(kMostMembers));
}

std::string Mesh::node_name(std::int32_t i) const {
    return std::to_string(tags_.empty() ? i : tags_[static_cast<std::size_t>(i)]);
}

void Mesh::refuse_no_lines() const {
    if (!lines_.empty() || !ends_.empty()) return;
    if (parts_.faces) throw MeshError(0, "there are no line elements and no faces");
    if (num_faces_ == 0) throw MeshError(0, "there are no line elements");
    throw MeshError(0,
                    "there are no line elements, only faces (" + std::to_string(num_faces_) + ")" +
                        advice_on_faces_);
}

void Mesh::refuse_short_lines() const {
    for (const auto& [a, b, offset] : lines_) {
        if (a == b) throw MeshError(offset, "a line joins node " + node_name(a) + " to itself");
        const double* x = x_.data() + 3 * static_cast<std::ptrdiff_t>(a);
        if (std::equal(x, x + 3, x_.data() + 3 * static_cast<std::ptrdiff_t>(b)))
            throw MeshError(offset,
                            "a line has length zero: nodes " + node_name(a) + " and " +
                                node_name(b) + " are both at [" + text(x[0]) + ", " + text(x[1]) +
                                ", " + text(x[2]) + "]");
    }
}

void Mesh::refuse_lines_given_twice() const {
    std::vector<std::pair<std::pair<std::int32_t, std::int32_t>, std::size_t>> sorted;
    sorted.reserve(lines_.size());
    for (const auto& [a, b, offset] : lines_) sorted.push_back({std::minmax(a, b), offset});
    std::ranges::stable_sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted, {}, [](const auto& line) {
        return line.first;
    });
    if (twice == sorted.end()) return;
    throw MeshError(twice[1].second,
                    "nodes " + node_name(twice->first.first) + " and " +
                        node_name(twice->first.second) +
                        " are joined by two lines; keep one of them");
}

Net Mesh::net() const {
    refuse_no_lines();
    refuse_short_lines();
    refuse_lines_given_twice();

    // Nodes that a line or a face uses, in the file's order
    std::vector<std::int32_t> number(x_.size() / 3, -1);
    for (const PlacedLine& line : lines_)
        number[static_cast<std::size_t>(line.a)] = number[static_cast<std::size_t>(line.b)] = 0;
    for (const std::int32_t i : corners_) number[static_cast<std::size_t>(i)] = 0;
    Net net;
    for (std::size_t i = 0; i < number.size(); ++i) {
        if (number[i] < 0) continue;
        number[i] = net.num_nodes();
        net.x.insert(net.x.end(),
                     x_.begin() + 3 * static_cast<std::ptrdiff_t>(i),
                     x_.begin() + 3 * static_cast<std::ptrdiff_t>(i) + 3);
    }
    net.lines.reserve(lines_.size());
    for (const PlacedLine& line : lines_)
        net.lines.push_back(
            {number[static_cast<std::size_t>(line.a)], number[static_cast<std::size_t>(line.b)]});

    net.corners.reserve(corners_.size());
    for (const std::int32_t i : corners_)
        net.corners.push_back(number[static_cast<std::size_t>(i)]);
    net.ends = ends_;

    // A group of lines or faces is also one of their nodes
    for (const auto& [name, from] : groups_) {
        mesh::Group group{name, {}, {}, {}};
        for (const std::int32_t member : from.lines)
            (member < 0 ? group.faces : group.lines).push_back(member < 0 ? ~member : member);
        for (const std::int32_t i : from.nodes)
            if (number[static_cast<std::size_t>(i)] >= 0)
                group.nodes.push_back(number[static_cast<std::size_t>(i)]);
        for (const std::int32_t f : group.faces) {
            const std::span<const std::int32_t> corners = net.face(f);
            group.nodes.insert(group.nodes.end(), corners.begin(), corners.end());
        }
        for (const std::int32_t e : group.lines) {
            const mesh::Line line = net.lines[static_cast<std::size_t>(e)];
            group.nodes.insert(group.nodes.end(), {line.a, line.b});
        }
        sort_and_unite(group.nodes);
        sort_and_unite(group.lines);
        sort_and_unite(group.faces);
        net.groups.push_back(std::move(group));
    }
    return net;
}

void read_mesh(std::string_view file, Mesh& mesh) {
    const std::string_view start = file.substr(0, 400);
    if (start.starts_with("$MeshFormat"))
        read_gmsh(file, mesh);
    else if (start.starts_with("# vtk"))
        read_vtk(file, mesh);
    else if (start.find("<VTKFile") != std::string_view::npos || start.starts_with("<?xml"))
        read_vtk_xml(file, mesh);
    else if (is_stl(file))
        read_stl(file, mesh);
    else
        throw MeshError(0,
                        "is neither a mesh of Gmsh (.msh, begins with \"$MeshFormat\") nor of VTK "
                        "(.vtk, .vtu, .vtp), nor whole STL");
}

Net read_net(const Arguments& arguments,
             std::string_view key,
             const MeshParts& parts,
             std::string_view advice_on_faces) {
    const std::string file = read_file(arguments, key);
    Net net;
    try {
        Mesh mesh(parts, advice_on_faces);
        read_mesh(file, mesh);
        net = mesh.net();
    } catch (const MeshError& error) {
        const auto [line, column] = line_and_column(error.offset, file);
        arguments.fail_in_file(key, line, column, error.what());
    }
    return net;
}

}  // namespace ancora::mesh
