// SPDX-License-Identifier: BSD-3-Clause
// Convex hulls of points.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora::contact {

/// A convex polyhedron: its corners, its faces n . x <= d, and edges between two of them.
struct Hull {
    struct Face {
        Vec3 n;
        double d;
        std::vector<int> corners;  ///< counter-clockwise from outside
    };
    struct Edge {
        int from, to;     ///< corners
        int faces[2];     ///< on whose border it is
        Vec3 along;       ///< unit vector
        Vec3 inwards[2];  ///< of either face, across the edge
    };
    std::vector<Vec3> corners;
    std::vector<Face> faces;
    std::vector<Edge> edges;

    bool empty() const { return corners.empty(); }
    /// Of the ball about the origin that it fills.
    double reach() const;
    Vec3 middle() const;
};

/// Points that a hull is made of at most.
inline constexpr int kMostHullPoints = 512;

/// The convex hull of points; those within a billionth of its size from a face are on it.
/// @param why  what is wrong, where the hull is empty
Hull convex_hull(std::span<const Vec3> points, std::string& why);

/// Where a hull is nearest to a point: on a face, an edge or a corner.
struct HullFeature {
    enum class Kind { face, edge, corner };
    Kind kind = Kind::face;
    int index = 0;
};

/// Of a point within, the face that it is nearest to.
HullFeature nearest_feature(const Hull& hull, const Vec3& p);

}  // namespace ancora::contact
