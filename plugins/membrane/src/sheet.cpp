// SPDX-License-Identifier: BSD-3-Clause
// Reads a membrane's nodes and triangles from its parameters and refuses what is no sheet.
#include "sheet.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <Eigen/Geometry>

#include "ancora/mesh/mesh.hpp"
#include "ancora/sdk/helpers/folds.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/rest_shape.hpp"

namespace ancora::membrane {
namespace {

using nodes::quoted;
using nodes::text;

// A triangle that is thinner than this, its height over its longest edge, has no strains to speak
// of.
constexpr double kThinnest = 1e-6;

/// Corners of a face; of a triangle the last is -1.
using Face = folds::Cell;

/// A sheet before its quadrilaterals are cut.
struct Faces {
    std::vector<double> x;
    std::vector<Face> faces;
    std::vector<Group> groups;

    std::size_t num_nodes() const { return x.size() / 3; }
};

Faces from_lists(const Arguments& arguments) {
    Faces sheet;
    const std::span<const double> x = arguments.numbers("nodes");
    if (static_cast<double>(x.size() / 3) > nodes::kMostNodes)
        arguments.fail("nodes", "too many nodes");
    sheet.x.assign(x.begin(), x.end());
    const std::span<const double> corners = arguments.numbers("triangles");
    if (corners.empty())
        arguments.fail("triangles", "a membrane needs at least one triangle: [[0, 1, 2]]");
    const auto num_nodes = static_cast<std::int32_t>(sheet.num_nodes());
    for (std::size_t k = 0; k < corners.size(); k += 3) {
        Face triangle = {0, 0, 0, -1};
        for (std::size_t i = 0; i < 3; ++i)
            triangle[i] = nodes::node_number(arguments,
                                             "triangles",
                                             corners[k + i],
                                             "triangle " + std::to_string(k / 3),
                                             num_nodes);
        sheet.faces.push_back(triangle);
    }
    return sheet;
}

Faces from_grid(const Arguments& table) {
    nodes::Grid grid = nodes::read_grid(
        table, 4.0, 2.0, "a membrane needs at least two nodes along each direction: [2, 2]");
    Faces sheet;
    sheet.x = std::move(grid.x);
    for (std::int32_t j = 0; j + 1 < grid.ny; ++j)
        for (std::int32_t i = 0; i + 1 < grid.nx; ++i) {
            const std::int32_t a = j * grid.nx + i, b = a + 1, c = b + grid.nx, d = a + grid.nx;
            if ((i + j) % 2 == 0)
                sheet.faces.insert(sheet.faces.end(), {{a, b, c, -1}, {a, c, d, -1}});
            else
                sheet.faces.insert(sheet.faces.end(), {{a, b, d, -1}, {b, c, d, -1}});
        }
    const std::vector<std::int32_t> corners = nodes::corners(grid.nx, grid.ny);
    for (std::size_t k = 0; k < corners.size(); ++k)
        sheet.groups.push_back({"corner_" + std::to_string(k), {corners[k]}});
    std::array<Group, 5> sides = {
        {{"rim", {}}, {"first_0", {}}, {"first_1", {}}, {"second_0", {}}, {"second_1", {}}}};
    for (std::int32_t j = 0; j < grid.ny; ++j)
        for (std::int32_t i = 0; i < grid.nx; ++i) {
            const std::array<bool, 4> is_at = {i == 0, i + 1 == grid.nx, j == 0, j + 1 == grid.ny};
            if (std::ranges::find(is_at, true) == is_at.end()) continue;
            const std::int32_t node = j * grid.nx + i;
            sides[0].nodes.push_back(node);
            for (std::size_t k = 0; k < 4; ++k)
                if (is_at[k]) sides[k + 1].nodes.push_back(node);
        }
    std::ranges::move(sides, std::back_inserter(sheet.groups));
    return sheet;
}

Faces from_mesh(const Arguments& arguments, std::string_view key) {
    mesh::Net net = mesh::read_net(arguments, key, {.edges = false, .faces = true});
    Faces sheet;
    if (net.num_faces() == 0)
        arguments.fail(key, "the file has no triangles or quadrilaterals, only lines");
    for (std::int32_t f = 0; f < net.num_faces(); ++f) {
        const std::span<const std::int32_t> c = net.face(f);
        if (c.size() != 3 && c.size() != 4)
            arguments.fail(key,
                           "face " + std::to_string(f) + " has " + std::to_string(c.size()) +
                               " corners; a membrane takes triangles and quadrilaterals");
        sheet.faces.push_back({c[0], c[1], c[2], c.size() == 4 ? c[3] : -1});
    }
    // Nodes of lines alone belong to something else in the file
    std::vector<std::int32_t> number(static_cast<std::size_t>(net.num_nodes()), -1);
    for (const Face& face : sheet.faces)
        for (const std::int32_t node : face)
            if (node >= 0) number[node] = 0;
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < net.num_nodes(); ++i) {
        std::int32_t& own = number[i];
        if (own < 0) continue;
        own = count++;
        const auto at = net.x.begin() + 3 * static_cast<std::ptrdiff_t>(i);
        sheet.x.insert(sheet.x.end(), at, at + 3);
    }
    for (Face& face : sheet.faces)
        for (std::int32_t& node : face)
            if (node >= 0) node = number[node];
    for (mesh::Group& group : net.groups) {
        Group own{std::move(group.name), {}};
        for (const std::int32_t node : group.nodes)
            if (number[node] >= 0) own.nodes.push_back(number[node]);
        sheet.groups.push_back(std::move(own));
    }
    return sheet;
}

/// @param flat  gets the positions at rest
Faces from_fold(const Arguments& table, std::vector<double>& flat) {
    folds::Sheet folded = folds::read_fold(table);
    flat = std::move(folded.flat);
    Faces sheet{std::move(folded.folded), std::move(folded.cells), {}};
    for (folds::Group& group : folded.groups)
        sheet.groups.push_back({std::move(group.name), std::move(group.nodes)});
    return sheet;
}

/// Positions at rest that `rest` gives.
std::vector<double> read_rest(const Arguments& arguments, const Faces& start) {
    Faces rest = nodes::read_rest(arguments, from_grid, from_mesh);
    nodes::require_same(
        arguments,
        rest,
        start,
        &Faces::faces,
        [](const Face& face) {
            return std::vector<std::int32_t>(face.begin(), face.end() - (face[3] < 0 ? 1 : 0));
        },
        "face",
        "sheet");
    return std::move(rest.x);
}

/// Triangles, and quadrilaterals cut along the diagonal that is shorter at rest.
void cut(const std::vector<Face>& faces, Sheet& to) {
    for (const Face& c : faces) {
        if (c[3] < 0) {
            to.triangles.push_back({c[0], c[1], c[2]});
            continue;
        }
        const bool across = (to.node_at_rest(c[2]) - to.node_at_rest(c[0])).norm() <=
                            (to.node_at_rest(c[3]) - to.node_at_rest(c[1])).norm();
        if (across)
            to.triangles.insert(to.triangles.end(), {{c[0], c[1], c[2]}, {c[0], c[2], c[3]}});
        else
            to.triangles.insert(to.triangles.end(), {{c[0], c[1], c[3]}, {c[1], c[2], c[3]}});
    }
}

std::string name_of(const Triangle& triangle) {
    return std::to_string(triangle[0]) + ", " + std::to_string(triangle[1]) + ", " +
           std::to_string(triangle[2]);
}

void refuse_flat(const Arguments& arguments, std::string_view key, const Sheet& sheet) {
    for (std::int32_t k = 0; k < sheet.num_triangles(); ++k) {
        const Triangle& t = sheet.triangles[k];
        const Vec3 a = sheet.node_at_rest(t[1]) - sheet.node_at_rest(t[0]);
        const Vec3 b = sheet.node_at_rest(t[2]) - sheet.node_at_rest(t[0]);
        const double longest =
            std::max({a.squaredNorm(), b.squaredNorm(), Vec3(b - a).squaredNorm()});
        if (!(a.cross(b).norm() > kThinnest * longest))
            arguments.fail(key,
                           "triangle " + std::to_string(k) + " of nodes " + name_of(t) +
                               " has no area" + (arguments.given("rest") ? " at rest" : ""));
    }
}

void refuse_unjoined(const Arguments& arguments, std::string_view key, const Sheet& sheet) {
    std::vector<Triangle> sorted = sheet.triangles;
    for (Triangle& t : sorted) std::ranges::sort(t);
    std::ranges::sort(sorted);
    if (const auto twice = std::ranges::adjacent_find(sorted); twice != sorted.end())
        arguments.fail(key, "a triangle of nodes " + name_of(*twice) + " is given twice");

    std::vector<bool> is_joined(static_cast<std::size_t>(sheet.num_nodes()), false);
    for (const Triangle& t : sheet.triangles)
        for (const std::int32_t node : t) is_joined[node] = true;
    const auto loose = std::ranges::find(is_joined, false);
    if (loose != is_joined.end())
        arguments.fail("nodes",
                       "node " + std::to_string(loose - is_joined.begin()) +
                           " is of no triangle; join it or leave it out");
}

// The one way in which the sheet is given.
std::string_view way_of(const Arguments& arguments) {
    std::string_view found;
    for (const char* key : {"nodes", "grid", "mesh", "fold"}) {
        if (!arguments.given(key)) continue;
        if (!found.empty())
            arguments.fail(key,
                           quoted(key) + " and " + quoted(found) +
                               " both describe the membrane; keep one of them");
        found = key;
    }
    if (found.empty())
        arguments.fail("nodes",
                       "a membrane needs \"nodes\" and \"triangles\", or \"grid\", or \"mesh\", or "
                       "\"fold\"");
    if (arguments.given("triangles") != (found == "nodes"))
        arguments.fail(found == "nodes" ? "nodes" : "triangles",
                       "\"nodes\" and \"triangles\" need each other");
    return found;
}

}  // namespace

Sheet build_sheet(const Arguments& arguments) {
    const std::string_view way = way_of(arguments);
    Sheet sheet;
    Faces faces = way == "nodes"  ? from_lists(arguments)
                  : way == "mesh" ? from_mesh(arguments, "mesh")
                  : way == "fold" ? from_fold(arguments.table("fold"), sheet.rest)
                                  : from_grid(arguments.table("grid"));
    if (arguments.given("rest")) {
        if (way == "fold")
            arguments.fail("rest", "\"fold\" says what the sheet is at rest; leave \"rest\" out");
        sheet.rest = read_rest(arguments, faces);
    } else if (way != "fold") {
        sheet.rest = faces.x;
    }
    sheet.x = std::move(faces.x);
    sheet.groups = std::move(faces.groups);
    cut(faces.faces, sheet);
    const std::string_view key = arguments.given("rest") ? "rest"
                                 : way == "nodes"        ? "triangles"
                                                         : way;
    refuse_flat(arguments, key, sheet);
    refuse_unjoined(arguments, way == "nodes" ? "triangles" : way, sheet);
    return sheet;
}

Edges edges_of(const Sheet& sheet) {
    struct Side {
        std::int32_t low, high;
        std::size_t place;
    };
    std::vector<Side> sides;
    for (std::size_t k = 0; k < sheet.triangles.size(); ++k)
        for (std::size_t i = 0; i < 3; ++i) {
            const Triangle& t = sheet.triangles[k];
            const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
            sides.push_back({low, high, 3 * k + i});
        }
    std::ranges::sort(sides, {}, [](const Side& s) {
        return std::tuple(s.low, s.high, s.place);
    });
    Edges out;
    out.of_triangles.resize(sides.size());
    const Side* last = nullptr;
    for (const Side& side : sides) {
        if (last == nullptr || last->low != side.low || last->high != side.high)
            out.ends.insert(out.ends.end(), {side.low, side.high});
        out.of_triangles[side.place] = static_cast<std::int32_t>(out.ends.size() / 2) - 1;
        last = &side;
    }
    return out;
}

}  // namespace ancora::membrane
