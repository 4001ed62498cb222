// SPDX-License-Identifier: BSD-3-Clause
// Reads a truss's nodes and elements from its parameters and refuses what is no network.
#include "network.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "ancora/mesh/mesh.hpp"
#include "ancora/sdk/helpers/folds.hpp"
#include "ancora/sdk/helpers/rest_shape.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "groups.hpp"
#include "text.hpp"

namespace ancora::truss {
namespace {

Network from_two_points(const Arguments& arguments) {
    Network net;
    net.is_rope = true;
    const lines::Ends ends{lines::read_end(arguments, "from"), lines::read_end(arguments, "to")};
    if (ends.way().norm() > 0.0) net.motion = nodes::read_line_motion(arguments, ends);
    const std::int64_t count = arguments.given("elements") ? arguments.integer("elements") : 1;
    if (count < 1 || static_cast<double>(count) >= nodes::kMostNodes)
        arguments.fail(
            "elements",
            "a row of " + std::to_string(count) + " elements is none; expected 1 or more");
    const auto num = static_cast<std::int32_t>(count);
    const Vec3 from = ends.from.x, to = ends.to.x;
    for (std::int32_t i = 0; i <= num; ++i) {
        const double part = static_cast<double>(i) / num;
        const Vec3 x = i == num ? to : Vec3(from + part * (to - from));
        net.x.insert(net.x.end(), x.data(), x.data() + 3);
        if (i > 0) net.elements.push_back({i - 1, i});
    }
    net.groups = {{"from", {0}, {}}, {"to", {num}, {}}};
    return net;
}

Network from_lists(const Arguments& arguments) {
    Network net;
    const std::span<const double> x = arguments.numbers("nodes");
    if (static_cast<double>(x.size() / 3) > nodes::kMostNodes)
        arguments.fail("nodes", "too many nodes");
    net.x.assign(x.begin(), x.end());

    const std::span<const double> ends = arguments.numbers("elements");
    const int num_elements = static_cast<int>(ends.size() / 2);
    if (num_elements == 0)
        arguments.fail("elements", "a truss needs at least one element: [[0, 1]]");
    net.elements.reserve(ends.size() / 2);
    for (int e = 0; e < num_elements; ++e) {
        const double* end = ends.data() + 2 * static_cast<std::size_t>(e);
        const auto node = [&](double number) {
            return nodes::node_number(
                arguments, "elements", number, "element " + std::to_string(e), net.num_nodes());
        };
        const Element element = {node(end[0]), node(end[1])};
        if (element.a == element.b)
            arguments.fail("elements",
                           "element " + std::to_string(e) + " joins node " +
                               std::to_string(element.a) + " to itself");
        net.elements.push_back(element);
    }
    return net;
}

Network from_grid(const Arguments& table) {
    nodes::Grid grid = nodes::read_grid(table, 2.0, 1.0, "a grid needs at least two nodes: [2, 1]");
    const std::int32_t nx = grid.nx, ny = grid.ny;
    Network net;
    net.x = std::move(grid.x);

    // All elements of one direction: every node (i, j) with i, j from 0 to below their ends,
    // joined to the node `step` numbers on
    const auto join = [&](std::int32_t i_end, std::int32_t j_end, std::int32_t first, int step) {
        for (std::int32_t j = 0; j < j_end; ++j)
            for (std::int32_t i = 0; i < i_end; ++i) {
                const std::int32_t a = j * nx + i + first;
                net.elements.push_back({a, a + step});
            }
    };
    const bool has_diagonals = table.boolean("diagonals");
    net.elements.reserve((has_diagonals ? 4 : 2) * net.x.size() / 3);
    join(nx - 1, ny, 0, 1);
    join(nx, ny - 1, 0, nx);
    if (has_diagonals) {
        join(nx - 1, ny - 1, 0, nx + 1);
        join(nx - 1, ny - 1, 1, nx - 1);
    }
    add_grid_groups(net, nx, ny);
    return net;
}

double distance_of(const Element& element, const std::vector<double>& x) {
    const auto at = [&](std::int32_t node) {
        return vec3(std::span(x), 3 * static_cast<std::size_t>(node));
    };
    return (at(element.b) - at(element.a)).norm();
}

/// @param x  positions at rest
void measure_elements(const Arguments& arguments,
                      std::string_view key,
                      const std::vector<double>& x,
                      Network& net) {
    for (const Element& element : net.elements) {
        net.distance.push_back(distance_of(element, net.x));
        const double distance = distance_of(element, x);
        if (!(distance > 0.0)) {
            const Vec3 a = vec3(std::span(x), 3 * static_cast<std::size_t>(element.a));
            arguments.fail(key,
                           "element " + std::to_string(net.distance_at_rest.size()) +
                               " has length zero: nodes " + std::to_string(element.a) + " and " +
                               std::to_string(element.b) + " are both at [" + text(a.x()) + ", " +
                               text(a.y()) + ", " + text(a.z()) + "]");
        }
        net.distance_at_rest.push_back(distance);
    }
}

void refuse_duplicates(const Arguments& arguments, const Network& net) {
    struct Named {
        std::int32_t low, high, element;
        auto operator<=>(const Named&) const = default;
    };
    std::vector<Named> sorted;
    sorted.reserve(net.elements.size());
    for (std::int32_t e = 0; e < net.num_elements(); ++e) {
        const Element element = net.elements[e];
        sorted.push_back({std::min(element.a, element.b), std::max(element.a, element.b), e});
    }
    std::ranges::sort(sorted);
    const auto twice = std::ranges::adjacent_find(sorted, [](const Named& x, const Named& y) {
        return x.low == y.low && x.high == y.high;
    });
    if (twice != sorted.end())
        arguments.fail("elements",
                       "elements " + std::to_string(twice[0].element) + " and " +
                           std::to_string(twice[1].element) + " both join nodes " +
                           std::to_string(twice->low) + " and " + std::to_string(twice->high) +
                           "; give the second one's area to the first");
}

/// @param key  a file, or a table that says what is taken of it
Network from_mesh(const Arguments& arguments, std::string_view key) {
    const auto read = [](const Arguments& table, std::string_view file, bool with_edges) {
        return mesh::read_net(table,
                              file,
                              {.edges = with_edges, .faces = false},
                              "; to take their edges: mesh = { file = \"...\", edges = true }");
    };
    const bool is_file = arguments.shape(key) == Shape::file;
    mesh::Net from =
        is_file ? read(arguments, key, false)
                : read(arguments.table(key), "file", arguments.table(key).boolean("edges"));
    Network net;
    net.x = std::move(from.x);
    net.elements.reserve(from.lines.size());
    for (const auto [a, b] : from.lines) net.elements.push_back({a, b});
    for (mesh::Group& group : from.groups)
        net.groups.push_back(
            {std::move(group.name), std::move(group.nodes), std::move(group.lines)});
    return net;
}

/// The edges of a folded sheet's cells, each once.
/// @param flat  gets the positions at rest
Network from_fold(const Arguments& table, std::vector<double>& flat) {
    folds::Sheet folded = folds::read_fold(table);
    flat = std::move(folded.flat);
    Network net;
    net.x = std::move(folded.folded);
    std::vector<std::pair<std::int32_t, std::int32_t>> edges;
    for (const folds::Cell& cell : folded.cells) {
        const std::size_t corners = cell[3] < 0 ? 3 : 4;
        for (std::size_t k = 0; k < corners; ++k)
            edges.push_back(std::minmax({cell[k], cell[(k + 1) % corners]}));
    }
    std::ranges::sort(edges);
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (const auto& [a, b] : edges) net.elements.push_back({a, b});
    for (folds::Group& group : folded.groups)
        net.groups.push_back({std::move(group.name), std::move(group.nodes), {}});
    return net;
}

/// Positions at rest that `rest` gives.
std::vector<double> read_rest(const Arguments& arguments, const Network& start) {
    Network rest = nodes::read_rest(arguments, from_grid, from_mesh);
    nodes::require_same(
        arguments,
        rest,
        start,
        &Network::elements,
        [](const Element& e) {
            return std::vector<std::int32_t>{e.a, e.b};
        },
        "element",
        "network");
    return std::move(rest.x);
}

// The one way in which the network is given: its first key.
std::string_view way_of(const Arguments& arguments) {
    struct Way {
        const char *key, *partner;
    };
    constexpr Way ways[] = {{"from", "to"},
                            {"nodes", "elements"},
                            {"grid", nullptr},
                            {"mesh", nullptr},
                            {"fold", nullptr}};
    std::string_view found;
    const bool is_count =
        arguments.given("elements") && arguments.shape("elements") == Shape::integer;
    if (is_count && !arguments.given("from"))
        arguments.fail("elements",
                       "is a number of elements in a row, which need \"from\" and \"to\"");
    for (const auto& [key, partner] : ways) {
        if (is_count && key == std::string_view("nodes") && !arguments.given("nodes")) continue;
        const bool has_partner = partner != nullptr && arguments.given(partner);
        if (!arguments.given(key) && !has_partner) continue;
        const char* present = arguments.given(key) ? key : partner;
        const char* missing = arguments.given(key) ? partner : key;
        if (missing != nullptr && !(arguments.given(key) && has_partner))
            arguments.fail(present, quoted(present) + " needs " + quoted(missing) + " beside it");
        if (!found.empty())
            arguments.fail(present,
                           quoted(present) + " and " + quoted(found) +
                               " both describe the network; keep one of them");
        found = key;
    }
    if (found.empty())
        arguments.fail("nodes",
                       "a truss needs \"from\" and \"to\", or \"nodes\" and \"elements\", "
                       "or \"grid\", or \"mesh\", or \"fold\"");
    return found;
}

}  // namespace

Network build_network(const Arguments& arguments) {
    const std::string_view way = way_of(arguments);
    std::vector<double> at_rest;
    Network net = way == "from"    ? from_two_points(arguments)
                  : way == "nodes" ? from_lists(arguments)
                  : way == "mesh"  ? from_mesh(arguments, "mesh")
                  : way == "fold"  ? from_fold(arguments.table("fold"), at_rest)
                                   : from_grid(arguments.table("grid"));
    if (way != "from") net.motion = nodes::read_start_motion(arguments);
    if (arguments.given("rest")) {
        if (way == "fold")
            arguments.fail("rest", "\"fold\" says what the network is at rest; leave \"rest\" out");
        if (arguments.given("rest_length"))
            arguments.fail("rest_length",
                           "\"rest_length\" and \"rest\" both give rest lengths; keep one of them");
        at_rest = read_rest(arguments, net);
    }
    const std::string_view key = arguments.given("rest") ? "rest"
                                 : way == "nodes"        ? "elements"
                                                         : way;
    measure_elements(arguments, key, at_rest.empty() ? net.x : at_rest, net);
    if (way == "nodes") refuse_duplicates(arguments, net);
    return net;
}

}  // namespace ancora::truss
