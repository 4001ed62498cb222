// SPDX-License-Identifier: BSD-3-Clause
// Surfaces of volumes, their sharp edges, fewer nodes.
#include "skin.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace ancora::elastic {
namespace {

using Corners = std::array<std::int32_t, 3>;

// Nodes that are shown: of a surface, and of matrices, where every pair is looked at.
constexpr std::size_t kMostOfSurface = 2000;
constexpr std::size_t kMostOfMatrices = 600;
// Two triangles that meet at a larger angle have an edge between them.
constexpr double kSharp = 0.8660254037844386;  // cos(30 deg)

std::size_t slot(std::int32_t i) {
    return static_cast<std::size_t>(i);
}

/// A side of a tetrahedron that no other has, seen from outside.
struct Face {
    Corners corners, middles;  ///< middle k lies between corners k and k + 1
};

std::vector<Face> outer_faces(const std::vector<Tetrahedron>& volumes) {
    constexpr std::array<std::array<std::size_t, 6>, 4> kFaces = {
        {{0, 2, 1, 6, 5, 4}, {0, 1, 3, 4, 9, 7}, {1, 2, 3, 5, 8, 9}, {2, 0, 3, 6, 7, 8}}};
    struct Side {
        Corners sorted;
        Face face;
    };
    std::vector<Side> sides;
    sides.reserve(4 * volumes.size());
    for (const Tetrahedron& v : volumes)
        for (const auto& [a, b, c, ab, bc, ca] : kFaces) {
            Side side{{v[a], v[b], v[c]}, {{v[a], v[b], v[c]}, {v[ab], v[bc], v[ca]}}};
            std::ranges::sort(side.sorted);
            sides.push_back(side);
        }
    std::ranges::sort(sides, {}, &Side::sorted);
    std::vector<Face> out;
    for (std::size_t k = 0; k < sides.size();) {
        std::size_t end = k + 1;
        while (end < sides.size() && sides[end].sorted == sides[k].sorted) ++end;
        if (end == k + 1) out.push_back(sides[k].face);
        k = end;
    }
    return out;
}

/// Ends of the edges between triangles that are not in one plane, or of those of one triangle.
std::vector<std::array<std::int32_t, 2>> sharp_edges(const std::vector<Vec3>& x,
                                                     const std::vector<Corners>& triangles) {
    struct Edge {
        std::array<std::int32_t, 2> ends;
        std::size_t triangle;
    };
    std::vector<Edge> edges;
    std::vector<Vec3> normals;
    for (const Corners& t : triangles) {
        for (std::size_t i = 0; i < 3; ++i) {
            const auto [low, high] = std::minmax(t[i], t[(i + 1) % 3]);
            edges.push_back({{low, high}, normals.size()});
        }
        normals.push_back(
            (x[slot(t[1])] - x[slot(t[0])]).cross(x[slot(t[2])] - x[slot(t[0])]).normalized());
    }
    std::ranges::sort(edges, {}, [](const Edge& e) {
        return std::pair(e.ends, e.triangle);
    });
    std::vector<std::array<std::int32_t, 2>> out;
    for (std::size_t k = 0; k < edges.size();) {
        std::size_t end = k + 1;
        bool is_sharp = true;
        for (; end < edges.size() && edges[end].ends == edges[k].ends; ++end)
            is_sharp = normals[edges[k].triangle].dot(normals[edges[end].triangle]) < kSharp;
        if (is_sharp) out.push_back(edges[k].ends);
        k = end;
    }
    return out;
}

/// Of the nodes of triangles one for each cell of a grid, of the largest grid with few enough: the
/// node at most sharp edges, then the one nearest to the mean. Triangles follow.
std::vector<Corners> with_fewer_nodes(const std::vector<Vec3>& x,
                                      const std::vector<Corners>& triangles) {
    std::vector<std::int32_t> nodes;
    double area = 0.0;
    for (const Corners& t : triangles) {
        nodes.insert(nodes.end(), t.begin(), t.end());
        area += 0.5 * (x[slot(t[1])] - x[slot(t[0])]).cross(x[slot(t[2])] - x[slot(t[0])]).norm();
    }
    std::ranges::sort(nodes);
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    std::vector<int> sharpness(x.size(), 0);
    for (const auto& [a, b] : sharp_edges(x, triangles)) {
        ++sharpness[slot(a)];
        ++sharpness[slot(b)];
    }
    using Cell = std::array<std::int64_t, 3>;
    std::map<Cell, std::vector<std::int32_t>> cells;
    constexpr double kCoarser = 1.15;
    for (double size = std::sqrt(area / static_cast<double>(kMostOfSurface));; size *= kCoarser) {
        cells.clear();
        for (const std::int32_t node : nodes) {
            Cell cell;
            for (int c = 0; c < 3; ++c)
                cell[static_cast<std::size_t>(c)] =
                    static_cast<std::int64_t>(std::floor(x[slot(node)](c) / size));
            cells[cell].push_back(node);
        }
        if (cells.size() <= kMostOfSurface) break;
    }
    std::vector<std::int32_t> stands_for(x.size(), -1);
    for (const auto& [cell, members] : cells) {
        Vec3 mean = Vec3::Zero();
        for (const std::int32_t node : members)
            mean += x[slot(node)] / static_cast<double>(members.size());
        const std::int32_t best = *std::ranges::min_element(members, {}, [&](std::int32_t node) {
            return std::pair(-sharpness[slot(node)], (x[slot(node)] - mean).squaredNorm());
        });
        for (const std::int32_t node : members) stands_for[slot(node)] = best;
    }
    std::vector<Corners> out;
    for (const Corners& t : triangles) {
        Corners c = {stands_for[slot(t[0])], stands_for[slot(t[1])], stands_for[slot(t[2])]};
        if (c[0] == c[1] || c[1] == c[2] || c[2] == c[0]) continue;
        std::ranges::rotate(c, std::ranges::min_element(c));
        out.push_back(c);
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Skin surface_of(const FiniteElements& model) {
    const std::vector<Face> faces = outer_faces(model.volumes);
    std::vector<Corners> coarse, fine;
    for (const auto& [c, m] : faces) {
        coarse.push_back(c);
        fine.insert(fine.end(), {{c[0], m[0], m[2]}, {m[0], c[1], m[1]}, {m[2], m[1], c[2]}, m});
    }
    // A closed surface has half as many nodes as triangles
    std::vector<Corners> triangles = fine.size() <= 2 * kMostOfSurface ? std::move(fine)
                                     : coarse.size() <= 2 * kMostOfSurface
                                         ? std::move(coarse)
                                         : with_fewer_nodes(model.x, coarse);
    Skin out;
    out.lines = sharp_edges(model.x, triangles);
    std::vector<std::int32_t> number(model.x.size(), -1);
    const auto number_of = [&](std::int32_t node) {
        if (number[slot(node)] < 0) {
            number[slot(node)] = static_cast<std::int32_t>(out.nodes.size());
            out.nodes.push_back(node);
        }
        return number[slot(node)];
    };
    for (Corners& t : triangles)
        for (std::int32_t& node : t) node = number_of(node);
    for (auto& line : out.lines)
        for (std::int32_t& node : line) node = number_of(node);
    out.triangles = std::move(triangles);
    return out;
}

/// Lines between nodes that K joins, but for those across a cell: no other node is as near to their
/// middles as their ends.
Skin lattice_of(const FiniteElements& model) {
    Skin out;
    out.nodes.resize(model.x.size());
    std::iota(out.nodes.begin(), out.nodes.end(), 0);
    std::vector<std::array<std::int32_t, 2>> pairs;
    for (const MatrixEntry& e : model.stiffness)
        if (e.i / 3 != e.j / 3 && e.value != 0.0) pairs.push_back({e.j / 3, e.i / 3});
    std::ranges::sort(pairs);
    pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
    constexpr double kRound = 1.0 + 1e-6;
    for (const auto& [a, b] : pairs) {
        const Vec3 middle = 0.5 * (model.x[slot(a)] + model.x[slot(b)]);
        const double radius = kRound * 0.25 * (model.x[slot(b)] - model.x[slot(a)]).squaredNorm();
        bool is_across = false;
        for (std::int32_t k = 0; k < model.num_nodes() && !is_across; ++k)
            is_across = k != a && k != b && (model.x[slot(k)] - middle).squaredNorm() <= radius;
        if (!is_across) out.lines.push_back({a, b});
    }
    return out;
}

}  // namespace

// The quadratic functions of a face with straight sides have a third of its area each in the
// middles of sides and none at corners
FiniteElements with_interfaces_by_area(FiniteElements model) {
    if (model.volumes.empty() || model.interfaces.empty()) return model;
    std::vector<std::int32_t> owner(model.x.size(), -1);
    for (std::size_t k = 0; k < model.interfaces.size(); ++k)
        for (const std::int32_t node : model.interfaces[k].nodes)
            owner[slot(node)] = static_cast<std::int32_t>(k);
    std::vector<double> weight(model.x.size(), 0.0), area(model.interfaces.size(), 0.0);
    std::vector<char> is_on_face(model.x.size(), 0);
    for (const auto& [c, m] : outer_faces(model.volumes)) {
        const std::int32_t of = owner[slot(c[0])];
        const auto is_of = [&](std::int32_t node) {
            return owner[slot(node)] == of;
        };
        if (of < 0 || !std::ranges::all_of(c, is_of) || !std::ranges::all_of(m, is_of)) continue;
        const double A = 0.5 * (model.x[slot(c[1])] - model.x[slot(c[0])])
                                   .cross(model.x[slot(c[2])] - model.x[slot(c[0])])
                                   .norm();
        for (const std::int32_t node : c) is_on_face[slot(node)] = 1;
        for (const std::int32_t node : m) {
            is_on_face[slot(node)] = 1;
            weight[slot(node)] += A / 3.0;
        }
        area[slot(of)] += A;
    }
    for (std::size_t k = 0; k < model.interfaces.size(); ++k) {
        Interface& interface = model.interfaces[k];
        // Nodes beside its faces count as well: it has none but the mean of all.
        if (interface.is_mean || !(area[k] > 0.0) ||
            !std::ranges::all_of(interface.nodes, [&](std::int32_t node) {
                return is_on_face[slot(node)] != 0;
            }))
            continue;
        interface.origin = Vec3::Zero();
        for (const std::int32_t node : interface.nodes) {
            interface.weights.push_back(weight[slot(node)] / area[k]);
            interface.origin += interface.weights.back() * model.x[slot(node)];
        }
    }
    return model;
}

Skin skin_of(const FiniteElements& model) {
    if (!model.volumes.empty()) return surface_of(model);
    return model.x.size() <= kMostOfMatrices ? lattice_of(model) : Skin{};
}

}  // namespace ancora::elastic
