// SPDX-License-Identifier: BSD-3-Clause
// Reads a shell's nodes and elements from its parameters and refuses what is no surface.
#include "surface.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include <Eigen/Geometry>

#include "ancora/mesh/mesh.hpp"
#include "ancora/sdk/helpers/nodes.hpp"
#include "ancora/sdk/helpers/rest_shape.hpp"

namespace ancora::shell {
namespace {

using nodes::quoted;
using nodes::text;

// Area of a corner's two edges over their longest squared, below which an element has none.
constexpr double kThinnest = 1e-6;
// Cosine of the angle between normals of elements at a node, from which on they meet in a fold.
constexpr double kFold = 0.8;
constexpr const char* kTriangles =
    " has three corners; a shell takes quadrilaterals: mesh again with them (Gmsh: "
    "Mesh.RecombineAll = 1, Mesh.SubdivisionAlgorithm = 1)";

std::size_t place(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

Surface from_lists(const Arguments& arguments) {
    Surface out;
    const std::span<const double> x = arguments.numbers("nodes");
    if (static_cast<double>(x.size()) > nodes::kMostNodes)
        arguments.fail("nodes", "too many nodes");
    out.x.assign(x.begin(), x.end());
    const std::span<const double> corners = arguments.numbers("quads");
    if (corners.empty())
        arguments.fail("quads", "a shell needs at least one element: [[0, 1, 2, 3]]");
    for (std::size_t k = 0; k < corners.size(); k += 4) {
        Quad quad{};
        for (std::size_t i = 0; i < 4; ++i)
            quad[i] = nodes::node_number(arguments,
                                         "quads",
                                         corners[k + i],
                                         "element " + std::to_string(k / 4),
                                         out.num_nodes());
        out.quads.push_back(quad);
    }
    return out;
}

Surface from_grid(const Arguments& table) {
    nodes::Grid grid = nodes::read_grid(
        table, 4.0, 2.0, "a shell needs at least two nodes along each direction: [2, 2]");
    Surface out;
    out.x = std::move(grid.x);
    for (std::int32_t j = 0; j + 1 < grid.ny; ++j)
        for (std::int32_t i = 0; i + 1 < grid.nx; ++i) {
            const std::int32_t a = j * grid.nx + i;
            out.quads.push_back({a, a + 1, a + 1 + grid.nx, a + grid.nx});
        }
    const std::vector<std::int32_t> corners = nodes::corners(grid.nx, grid.ny);
    for (std::size_t k = 0; k < corners.size(); ++k)
        out.groups.push_back({"corner_" + std::to_string(k), {corners[k]}});
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
    std::ranges::move(sides, std::back_inserter(out.groups));
    return out;
}

Surface from_mesh(const Arguments& arguments, const char* key) {
    mesh::Net net = mesh::read_net(arguments, key, {.edges = false, .faces = true});
    if (net.num_faces() == 0) arguments.fail(key, "the file has no quadrilaterals, only lines");
    Surface out;
    // Nodes of lines alone belong to something else in the file
    std::vector<std::int32_t> number(place(net.num_nodes()), -1);
    for (std::int32_t f = 0; f < net.num_faces(); ++f) {
        const std::span<const std::int32_t> c = net.face(f);
        if (c.size() == 3) arguments.fail(key, "face " + std::to_string(f) + kTriangles);
        if (c.size() != 4)
            arguments.fail(key,
                           "face " + std::to_string(f) + " has " + std::to_string(c.size()) +
                               " corners; a shell takes quadrilaterals");
        out.quads.push_back({c[0], c[1], c[2], c[3]});
        for (const std::int32_t node : c) number[place(node)] = 0;
    }
    std::int32_t count = 0;
    for (std::int32_t i = 0; i < net.num_nodes(); ++i) {
        if (number[place(i)] < 0) continue;
        number[place(i)] = count++;
        const double* const x = net.x.data() + 3 * place(i);
        out.x.insert(out.x.end(), x, x + 3);
    }
    for (Quad& quad : out.quads)
        for (std::int32_t& node : quad) node = number[place(node)];
    for (mesh::Group& group : net.groups) {
        Group own{std::move(group.name), {}};
        for (const std::int32_t node : group.nodes)
            if (number[place(node)] >= 0) own.nodes.push_back(number[place(node)]);
        out.groups.push_back(std::move(own));
    }
    return out;
}

std::string name_of(std::size_t k, const Quad& quad) {
    std::string out = "element " + std::to_string(k) + " of nodes ";
    for (std::size_t i = 0; i < 4; ++i) out += (i == 0 ? "" : ", ") + std::to_string(quad[i]);
    return out;
}

/// Twice the area, across the element.
Vec3 normal_of(const Surface& surface, const Quad& q) {
    return (surface.node(q[2]) - surface.node(q[0]))
        .cross(Vec3(surface.node(q[3]) - surface.node(q[1])));
}

void refuse_flat(const Arguments& arguments, std::string_view key, const Surface& surface) {
    for (std::size_t k = 0; k < surface.quads.size(); ++k) {
        const Quad& q = surface.quads[k];
        double longest = 0.0;
        for (std::size_t i = 0; i < 4; ++i)
            longest = std::max(longest,
                               (surface.node(q[(i + 1) % 4]) - surface.node(q[i])).squaredNorm());
        const Vec3 normal = normal_of(surface, q);
        if (!(normal.norm() > kThinnest * longest))
            arguments.fail(key, name_of(k, q) + " has no area");
        for (std::size_t i = 0; i < 4; ++i) {
            const Vec3 ahead = surface.node(q[(i + 1) % 4]) - surface.node(q[i]);
            const Vec3 back = surface.node(q[(i + 3) % 4]) - surface.node(q[i]);
            if (!(ahead.cross(back).dot(normal.normalized()) > kThinnest * longest))
                arguments.fail(key,
                               name_of(k, q) + " is not convex at node " + std::to_string(q[i]) +
                                   "; corners are listed around an element");
        }
    }
}

/// Turns elements over so that neighbours go around alike.
void orient(const Arguments& arguments, std::string_view key, Surface& surface) {
    struct HalfEdge {
        std::size_t quad;
        bool is_forward;  ///< from the lower to the higher node
    };
    std::map<std::pair<std::int32_t, std::int32_t>, std::vector<HalfEdge>> sides;
    for (std::size_t k = 0; k < surface.quads.size(); ++k)
        for (std::size_t i = 0; i < 4; ++i) {
            const std::int32_t a = surface.quads[k][i], b = surface.quads[k][(i + 1) % 4];
            std::vector<HalfEdge>& of = sides[{std::min(a, b), std::max(a, b)}];
            of.push_back({k, a < b});
            if (of.size() > 2)
                arguments.fail(key,
                               "three elements meet at the edge between nodes " +
                                   std::to_string(std::min(a, b)) + " and " +
                                   std::to_string(std::max(a, b)) +
                                   "; join two shells there instead");
        }
    struct Neighbour {
        std::size_t quad;
        bool is_alike;
    };
    std::vector<std::vector<Neighbour>> neighbours(surface.quads.size());
    for (const auto& [ends, of] : sides) {
        if (of.size() != 2) continue;
        const bool is_alike = of[0].is_forward != of[1].is_forward;
        if (of[0].quad == of[1].quad) continue;
        neighbours[of[0].quad].push_back({of[1].quad, is_alike});
        neighbours[of[1].quad].push_back({of[0].quad, is_alike});
    }
    enum class Turn : char { unknown, kept, over };
    std::vector<Turn> turns(surface.quads.size(), Turn::unknown);
    std::vector<std::size_t> open;
    for (std::size_t first = 0; first < turns.size(); ++first) {
        if (turns[first] != Turn::unknown) continue;
        turns[first] = Turn::kept;
        open = {first};
        while (!open.empty()) {
            const std::size_t k = open.back();
            open.pop_back();
            for (const auto& [other, is_alike] : neighbours[k]) {
                const Turn wanted = is_alike                 ? turns[k]
                                    : turns[k] == Turn::kept ? Turn::over
                                                             : Turn::kept;
                if (turns[other] == Turn::unknown) {
                    turns[other] = wanted;
                    open.push_back(other);
                } else if (turns[other] != wanted) {
                    arguments.fail(key,
                                   "the surface has one side, as a Moebius strip: " +
                                       name_of(other, surface.quads[other]) +
                                       " lies both ways round; cut it and join the edges");
                }
            }
        }
    }
    for (std::size_t k = 0; k < turns.size(); ++k)
        if (turns[k] == Turn::over) std::swap(surface.quads[k][1], surface.quads[k][3]);
}

/// Edges that end at a node of the rim, where elements lie on one side alone: the mean of their
/// normals is that of a place within them. On an arc normals at both ends of a chord c lean alike,
///
///   n_i.c = -n_j.c,  n_j the normal at the other end, where the surface goes on,
///
/// by which n_i is turned towards c. Exact on cylinders and spheres.
void lean_at_rims(Surface& surface) {
    struct Edge {
        std::int32_t other;
        std::array<std::int32_t, 2> quads{-1, -1};
    };
    std::vector<std::vector<Edge>> edges(surface.normals.size());
    for (std::size_t k = 0; k < surface.quads.size(); ++k)
        for (std::size_t i = 0; i < 4; ++i) {
            const std::int32_t a = surface.quads[k][i], b = surface.quads[k][(i + 1) % 4];
            for (const auto& [from, to] : {std::pair{a, b}, std::pair{b, a}}) {
                std::vector<Edge>& of = edges[place(from)];
                auto found = std::ranges::find(of, to, &Edge::other);
                if (found == of.end()) found = of.insert(of.end(), {.other = to});
                found->quads[found->quads[0] < 0 ? 0 : 1] = static_cast<std::int32_t>(k);
            }
        }
    const auto is_on_rim = [&](std::int32_t node) {
        return std::ranges::any_of(edges[place(node)], [](const Edge& e) {
            return e.quads[1] < 0;
        });
    };
    const auto share = [](const Edge& a, const Edge& b) {
        return std::ranges::any_of(a.quads, [&](std::int32_t k) {
            return k >= 0 && (k == b.quads[0] || k == b.quads[1]);
        });
    };
    const auto goes_on = [&](std::int32_t node, const Edge& edge) {
        return !is_on_rim(node) || std::ranges::any_of(edges[place(node)], [&](const Edge& e) {
            return !share(e, edge);
        });
    };
    std::vector<Vec3> normals = surface.normals;
    for (std::int32_t i = 0; i < surface.num_nodes(); ++i) {
        const Vec3& n = surface.normals[place(i)];
        Eigen::Matrix<double, 3, 2> chords;
        Eigen::Vector2d lean;
        int count = 0;
        for (const Edge& edge : edges[place(i)]) {
            if (count == 2 || goes_on(i, edge)) continue;
            const std::int32_t j = edge.other;
            const auto& back = *std::ranges::find(edges[place(j)], i, &Edge::other);
            if (!goes_on(j, back)) continue;
            const Vec3 c = (surface.node(j) - surface.node(i)).normalized();
            chords.col(count) = c;
            lean(count++) = -surface.normals[place(j)].dot(c);
        }
        if (count == 0) continue;
        // n = C w + what is across the chords, of length 1
        const auto C = chords.leftCols(count);
        const Eigen::MatrixXd inverse = (C.transpose() * C).inverse();
        const Vec3 along = C * inverse * lean.head(count);
        const Vec3 across = n - C * inverse * C.transpose() * n;
        normals[place(i)] = along + std::sqrt(1.0 - along.squaredNorm()) * across.normalized();
    }
    surface.normals = std::move(normals);
}

void set_normals(const Arguments& arguments, std::string_view key, Surface& surface) {
    surface.normals.assign(place(surface.num_nodes()), Vec3::Zero());
    for (const Quad& q : surface.quads) {
        const Vec3 n = normal_of(surface, q).normalized();
        for (const std::int32_t node : q) surface.normals[place(node)] += n;
    }
    for (std::int32_t i = 0; i < surface.num_nodes(); ++i)
        if (surface.normals[place(i)] == Vec3::Zero())
            arguments.fail(
                "nodes",
                "node " + std::to_string(i) + " is of no element; join it or leave it out");
    for (std::size_t k = 0; k < surface.quads.size(); ++k)
        for (const std::int32_t node : surface.quads[k]) {
            Vec3& n = surface.normals[place(node)];
            if (!(n.normalized().dot(normal_of(surface, surface.quads[k]).normalized()) > kFold))
                arguments.fail(key,
                               name_of(k, surface.quads[k]) + " meets others in a fold at node " +
                                   std::to_string(node) +
                                   "; a shell is smooth: refine it there, or join two shells");
        }
    for (Vec3& n : surface.normals) n.normalize();
    lean_at_rims(surface);
}

// The one way in which the surface is given.
std::string_view way_of(const Arguments& arguments) {
    std::string_view found;
    for (const char* key : {"nodes", "grid", "mesh"}) {
        if (!arguments.given(key)) continue;
        if (!found.empty())
            arguments.fail(key,
                           quoted(key) + " and " + quoted(found) +
                               " both describe the shell; keep one of them");
        found = key;
    }
    if (found.empty())
        arguments.fail("nodes", "a shell needs \"nodes\" and \"quads\", or \"grid\", or \"mesh\"");
    if (arguments.given("quads") != (found == "nodes"))
        arguments.fail(found == "nodes" ? "nodes" : "quads",
                       "\"nodes\" and \"quads\" need each other");
    return found;
}

}  // namespace

Surface build_surface(const Arguments& arguments) {
    const std::string_view way = way_of(arguments);
    Surface surface = way == "nodes"  ? from_lists(arguments)
                      : way == "mesh" ? from_mesh(arguments, "mesh")
                                      : from_grid(arguments.table("grid"));
    const std::string_view key = way == "nodes" ? "quads" : way;
    refuse_flat(arguments, key, surface);
    orient(arguments, key, surface);
    set_normals(arguments, key, surface);
    return surface;
}

Surface build_rest(const Arguments& arguments, const Surface& start) {
    if (!arguments.given("rest")) return start;
    Surface given = nodes::read_rest(arguments, from_grid, from_mesh);
    nodes::require_same(
        arguments,
        given,
        start,
        &Surface::quads,
        [](const Quad& quad) {
            return std::vector<std::int32_t>(quad.begin(), quad.end());
        },
        "element",
        "shell");
    Surface rest = start;
    rest.x = std::move(given.x);
    refuse_flat(arguments, "rest", rest);
    set_normals(arguments, "rest", rest);
    return rest;
}

Edges edges_of(const std::vector<Quad>& quads) {
    Edges out;
    std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> known;
    for (const Quad& quad : quads)
        for (std::size_t i = 0; i < 4; ++i) {
            const auto [low, high] = std::minmax({quad[i], quad[(i + 1) % 4]});
            const auto [found, is_new] =
                known.try_emplace({low, high}, static_cast<std::int32_t>(known.size()));
            if (is_new) out.ends.insert(out.ends.end(), {low, high});
            out.of_quads.push_back(found->second);
        }
    return out;
}

}  // namespace ancora::shell
