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
#include "ancora/sdk/helpers/nodes.hpp"

namespace ancora::membrane {
namespace {

using nodes::quoted;
using nodes::text;

// A triangle that is thinner than this, its height over its longest edge, has no strains to speak
// of.
constexpr double kThinnest = 1e-6;

Sheet from_lists(const Arguments& arguments) {
    Sheet sheet;
    const std::span<const double> x = arguments.numbers("nodes");
    if (static_cast<double>(x.size() / 3) > nodes::kMostNodes)
        arguments.fail("nodes", "too many nodes");
    sheet.x.assign(x.begin(), x.end());
    const std::span<const double> corners = arguments.numbers("triangles");
    if (corners.empty())
        arguments.fail("triangles", "a membrane needs at least one triangle: [[0, 1, 2]]");
    for (std::size_t k = 0; k < corners.size(); k += 3) {
        Triangle triangle{};
        for (std::size_t i = 0; i < 3; ++i)
            triangle[i] = nodes::node_number(arguments,
                                             "triangles",
                                             corners[k + i],
                                             "triangle " + std::to_string(k / 3),
                                             sheet.num_nodes());
        sheet.triangles.push_back(triangle);
    }
    return sheet;
}

Sheet from_grid(const Arguments& table) {
    nodes::Grid grid = nodes::read_grid(
        table, 4.0, 2.0, "a membrane needs at least two nodes along each direction: [2, 2]");
    Sheet sheet;
    sheet.x = std::move(grid.x);
    for (std::int32_t j = 0; j + 1 < grid.ny; ++j)
        for (std::int32_t i = 0; i + 1 < grid.nx; ++i) {
            const std::int32_t a = j * grid.nx + i, b = a + 1, c = b + grid.nx, d = a + grid.nx;
            if ((i + j) % 2 == 0)
                sheet.triangles.insert(sheet.triangles.end(), {{a, b, c}, {a, c, d}});
            else
                sheet.triangles.insert(sheet.triangles.end(), {{a, b, d}, {b, c, d}});
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

Sheet from_mesh(const Arguments& arguments) {
    mesh::Net net = mesh::read_net(arguments, "mesh", {.edges = false, .faces = true});
    Sheet sheet;
    sheet.x = std::move(net.x);
    if (net.num_faces() == 0)
        arguments.fail("mesh", "the file has no triangles or quadrilaterals, only lines");
    for (std::int32_t f = 0; f < net.num_faces(); ++f) {
        const std::span<const std::int32_t> c = net.face(f);
        if (c.size() == 3) {
            sheet.triangles.push_back({c[0], c[1], c[2]});
            continue;
        }
        if (c.size() != 4)
            arguments.fail("mesh",
                           "face " + std::to_string(f) + " has " + std::to_string(c.size()) +
                               " corners; a membrane takes triangles and quadrilaterals");
        const bool across = (sheet.node(c[2]) - sheet.node(c[0])).norm() <=
                            (sheet.node(c[3]) - sheet.node(c[1])).norm();
        if (across)
            sheet.triangles.insert(sheet.triangles.end(), {{c[0], c[1], c[2]}, {c[0], c[2], c[3]}});
        else
            sheet.triangles.insert(sheet.triangles.end(), {{c[0], c[1], c[3]}, {c[1], c[2], c[3]}});
    }
    // Nodes of lines alone belong to something else in the file
    std::vector<std::int32_t> number(static_cast<std::size_t>(sheet.num_nodes()), -1);
    for (const Triangle& triangle : sheet.triangles)
        for (const std::int32_t node : triangle) number[node] = 0;
    std::vector<double> x;
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < sheet.num_nodes(); ++i) {
        std::int32_t& own = number[i];
        if (own < 0) continue;
        own = count++;
        const auto at = sheet.node(i);
        x.insert(x.end(), at.data(), at.data() + 3);
    }
    sheet.x = std::move(x);
    for (Triangle& triangle : sheet.triangles)
        for (std::int32_t& node : triangle) node = number[node];
    for (mesh::Group& group : net.groups) {
        Group own{std::move(group.name), {}};
        for (const std::int32_t node : group.nodes)
            if (number[node] >= 0) own.nodes.push_back(number[node]);
        sheet.groups.push_back(std::move(own));
    }
    return sheet;
}

std::string name_of(const Triangle& triangle) {
    return std::to_string(triangle[0]) + ", " + std::to_string(triangle[1]) + ", " +
           std::to_string(triangle[2]);
}

void refuse_flat(const Arguments& arguments, std::string_view key, const Sheet& sheet) {
    for (std::int32_t k = 0; k < sheet.num_triangles(); ++k) {
        const Triangle& t = sheet.triangles[k];
        const Vec3 a = sheet.node(t[1]) - sheet.node(t[0]);
        const Vec3 b = sheet.node(t[2]) - sheet.node(t[0]);
        const double longest =
            std::max({a.squaredNorm(), b.squaredNorm(), Vec3(b - a).squaredNorm()});
        if (!(a.cross(b).norm() > kThinnest * longest))
            arguments.fail(
                key, "triangle " + std::to_string(k) + " of nodes " + name_of(t) + " has no area");
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
    for (const char* key : {"nodes", "grid", "mesh"}) {
        if (!arguments.given(key)) continue;
        if (!found.empty())
            arguments.fail(key,
                           quoted(key) + " and " + quoted(found) +
                               " both describe the membrane; keep one of them");
        found = key;
    }
    if (found.empty())
        arguments.fail("nodes",
                       "a membrane needs \"nodes\" and \"triangles\", or \"grid\", or \"mesh\"");
    if (arguments.given("triangles") != (found == "nodes"))
        arguments.fail(found == "nodes" ? "nodes" : "triangles",
                       "\"nodes\" and \"triangles\" need each other");
    return found;
}

}  // namespace

Sheet build_sheet(const Arguments& arguments) {
    const std::string_view way = way_of(arguments);
    Sheet sheet = way == "nodes"  ? from_lists(arguments)
                  : way == "mesh" ? from_mesh(arguments)
                                  : from_grid(arguments.table("grid"));
    const std::string_view key = way == "nodes" ? "triangles" : way;
    refuse_flat(arguments, key, sheet);
    refuse_unjoined(arguments, key, sheet);
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
