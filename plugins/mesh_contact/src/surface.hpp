// SPDX-License-Identifier: BSD-3-Clause
// Surfaces of triangles.
#pragma once

#include <array>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ancora/pairs/hull.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "triangle_tree.hpp"

namespace ancora::contact {

/// Triangles that share edges, two at most each. Their corners run counter-clockwise seen from
/// outside; what is closed is a solid, what is open has a front and a border, beyond which it ends.
struct Surface {
    enum class Bend { flat, convex, concave, border };
    struct Triangle {
        std::array<int, 3> corners;
        std::array<int, 3> edges;  ///< the first between the corners 0 and 1
        Vec3 n;
        double d;  ///< n . x of its plane
    };
    struct Edge {
        int from, to;
        std::array<int, 2> triangles;  ///< of a border twice the one
        Vec3 along;                    ///< unit vector
        double length;
        std::array<Vec3, 2> inwards;  ///< of either triangle, across the edge
        Bend bend;
        /// Others meet it, not what is beside it.
        bool stands_out() const { return bend == Bend::convex || bend == Bend::border; }
    };
    std::vector<Vec3> corners;
    std::vector<Triangle> triangles;
    std::vector<Edge> edges;
    std::vector<std::vector<int>> around;  ///< triangles at each corner
    std::vector<Vec3> outwards;            ///< of corners: sum of normals by angles
    std::vector<char> is_on_border;        ///< corners
    std::vector<char> stands_out;          ///< corners at edges that do
    std::vector<int> pieces;               ///< a corner of each part that hangs together
    bool is_solid = false;                 ///< closed
    std::shared_ptr<const TriangleTree> tree;

    bool is_closed() const { return is_solid; }
    /// Of the ball about the origin that it fills.
    double reach() const;
    /// Of p, below zero behind the surface; not beyond `within`, where nothing is nearer.
    /// @param triangle  gets the nearest one, where there is one
    double distance(const Vec3& p,
                    double within = std::numeric_limits<double>::infinity(),
                    int* triangle = nullptr) const;
    const Edge& edge(int triangle, int k) const {
        return edges[static_cast<std::size_t>(
            triangles[static_cast<std::size_t>(triangle)].edges[static_cast<std::size_t>(k)])];
    }
    /// Of its edge k, towards its inner side.
    const Vec3& inwards(int triangle, int k) const {
        const Edge& of = edge(triangle, k);
        return of.inwards[of.triangles[0] == triangle ? 0 : 1];
    }
};

/// Above a flat edge by the sine of its bend a, where what is seen of one triangle's plane from a
/// length R over the other differs by R a^2 / 2, less than rounding, it is flat.
inline constexpr double kFlatBend = 1e-8;

/// @param why  what is wrong, where there is no surface; triangles and corners count from 0
Surface make_surface(std::span<const Vec3> corners,
                     std::span<const std::array<int, 3>> triangles,
                     std::string& why);
Surface surface_of(const Hull& hull, std::string& why);

/// Where a point of a triangle is the nearest one.
struct Foot {
    enum class Kind { face, edge, corner };
    Kind kind = Kind::face;
    int index = 0;  ///< the triangle, the edge, the corner
    int triangle = 0;
    double behind = -std::numeric_limits<double>::infinity();  ///< how far beyond a concave edge
};
Foot nearest_on(const Surface& surface, int triangle, const Vec3& p);
/// From a triangle on to where the distance of p has its least value without a way over a concave
/// edge; beyond such an edge the plane goes on.
Foot foot_from(const Surface& surface, int triangle, const Vec3& p);
/// How far p, seen along the normal, is beyond the triangle and those that go on flat from it.
double beyond(const Surface& surface, int triangle, const Vec3& p);
/// Whether triangles go on flat from one to the other, which is at p.
bool goes_on_flat(const Surface& surface, int from, int to, const Vec3& p);

}  // namespace ancora::contact
