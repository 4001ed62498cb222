// SPDX-License-Identifier: BSD-3-Clause
// The shape at rest of a body of nodes that starts in another one.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/arguments.hpp"

namespace ancora::nodes {

/// [assembly] Reads `rest`: a mesh file, or a table with one of `nodes`, `grid` and `mesh`.
/// @param from_grid  from_grid(table) is the shape of a grid: something with positions x
/// @param from_mesh  from_mesh(arguments, key) is that of a file
/// @returns a shape of positions alone where these are listed
template <class FromGrid, class FromMesh>
auto read_rest(const Arguments& arguments, const FromGrid& from_grid, const FromMesh& from_mesh) {
    if (arguments.shape("rest") == Shape::file) return from_mesh(arguments, "rest");
    const Arguments& table = arguments.table("rest");
    constexpr std::array<const char*, 3> kWays = {"nodes", "grid", "mesh"};
    const auto given = [&](const char* key) {
        return table.given(key);
    };
    if (std::ranges::count_if(kWays, given) != 1)
        arguments.fail("rest", "a rest shape has one of the keys \"nodes\", \"grid\" and \"mesh\"");
    if (table.given("grid")) return from_grid(table.table("grid"));
    if (table.given("mesh")) return from_mesh(table, "mesh");
    decltype(from_mesh(table, "mesh")) out;
    const std::span<const double> x = table.numbers("nodes");
    out.x.assign(x.begin(), x.end());
    return out;
}

/// [assembly] Refuses a rest shape that is none of the same body: other numbers of nodes, or other
/// cells (elements, triangles, quadrilaterals), if it has cells at all.
/// @param nodes_of  the nodes of a cell
/// @param cell, body  how messages call them: "element", "network"
template <class Shape, class Cell, class NodesOf>
void require_same(const Arguments& arguments,
                  const Shape& rest,
                  const Shape& start,
                  std::vector<Cell> Shape::*cells,
                  const NodesOf& nodes_of,
                  const std::string& cell,
                  const std::string& body) {
    const std::string one = "; both are to be one " + body + ", with the same numbers";
    const auto require_alike =
        [&](std::size_t at_rest, std::size_t at_start, const std::string& what) {
            if (at_rest != at_start)
                arguments.fail("rest",
                               "the rest shape has " + std::to_string(at_rest) + " " + what +
                                   ", the start has " + std::to_string(at_start) + one);
        };
    const std::vector<Cell>&of_rest = rest.*cells, &of_start = start.*cells;
    require_alike(rest.x.size() / 3, start.x.size() / 3, "nodes");
    if (of_rest.empty()) return;
    require_alike(of_rest.size(), of_start.size(), cell + "s");
    const auto listed = [](const std::vector<std::int32_t>& nodes) {
        std::string out;
        for (const std::int32_t node : nodes)
            out += (out.empty() ? "" : ", ") + std::to_string(node);
        return out;
    };
    for (std::size_t k = 0; k < of_rest.size(); ++k) {
        const std::vector<std::int32_t> at_rest = nodes_of(of_rest[k]),
                                        at_start = nodes_of(of_start[k]);
        if (std::ranges::is_permutation(at_rest, at_start)) continue;
        arguments.fail("rest",
                       cell + " " + std::to_string(k) + " joins nodes " + listed(at_rest) +
                           " at rest, and " + listed(at_start) + " at the start" + one);
    }
}

}  // namespace ancora::nodes
