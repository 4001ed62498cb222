// SPDX-License-Identifier: BSD-3-Clause
// Convex hulls by their supporting planes.
#include "ancora/pairs/hull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace ancora::contact {
namespace {

constexpr double kFlat = 1e-9;  // of the size: points on one face, or in one place

std::size_t place_in(int i) {
    return static_cast<std::size_t>(i);
}

/// Of the points on a face those at its corners, counter-clockwise about n.
std::vector<int> polygon(const std::vector<Vec3>& points,
                         const std::vector<int>& on,
                         const Vec3& n,
                         double flat) {
    // Gift wrapping: from the farthest point along an axis on, each next one leaves none outside.
    const Vec3 axis = points[place_in(on[1])] - points[place_in(on[0])];
    int first = on[0];
    for (const int k : on)
        if (axis.dot(points[place_in(k)]) < axis.dot(points[place_in(first)])) first = k;
    for (const int k : on) {
        const Vec3 way = points[place_in(k)] - points[place_in(first)];
        if (std::abs(axis.dot(way)) <= flat * axis.norm() && n.cross(axis).dot(way) < 0.0)
            first = k;
    }
    std::vector<int> out{first};
    while (out.size() <= on.size()) {
        const Vec3& from = points[place_in(out.back())];
        int next = -1;
        for (const int k : on) {
            if (k == out.back()) continue;
            if (next < 0) {
                next = k;
                continue;
            }
            const Vec3 best = points[place_in(next)] - from, way = points[place_in(k)] - from;
            const double side = n.dot(best.cross(way));
            const double size = flat * std::max(best.norm(), way.norm());
            if (side < -size || (std::abs(side) <= size && way.norm() > best.norm())) next = k;
        }
        if (next == first) break;
        out.push_back(next);
    }
    return out;
}

}  // namespace

double Hull::reach() const {
    double out = 0.0;
    for (const Vec3& corner : corners) out = std::max(out, corner.norm());
    return out;
}

Vec3 Hull::middle() const {
    Vec3 low = corners.front(), high = low;
    for (const Vec3& corner : corners) {
        low = low.cwiseMin(corner);
        high = high.cwiseMax(corner);
    }
    return 0.5 * (low + high);
}

Hull convex_hull(std::span<const Vec3> given, std::string& why) {
    Hull hull;
    double size = 0.0;
    for (const Vec3& p : given) size = std::max(size, (p - given.front()).norm());
    const double flat = kFlat * size;
    std::vector<Vec3> points;
    for (const Vec3& p : given)
        if (std::ranges::none_of(points, [&](const Vec3& q) {
                return (p - q).norm() <= flat;
            }))
            points.push_back(p);
    const int count = static_cast<int>(points.size());
    if (count > kMostHullPoints) {
        why = "has " + std::to_string(count) + " points, more than the " +
              std::to_string(kMostHullPoints) + " of a hull: make it coarser";
        return {};
    }
    if (count < 4) {
        why = "has no volume: give four points or more that are not in one plane";
        return {};
    }
    std::vector<char> is_used(points.size(), 0);
    for (int i = 0; i < count; ++i)
        for (int j = i + 1; j < count; ++j)
            for (int k = j + 1; k < count; ++k) {
                const Vec3& p = points[place_in(i)];
                Vec3 n = (points[place_in(j)] - p).cross(points[place_in(k)] - p);
                if (!(n.norm() > flat * size)) continue;
                n.normalize();
                // All points on one side: the other is outside.
                double low = 0.0, high = 0.0;
                for (const Vec3& q : points) {
                    const double side = n.dot(q - p);
                    low = std::min(low, side);
                    high = std::max(high, side);
                    if (low < -flat && high > flat) break;
                }
                if (low < -flat && high > flat) continue;
                if (low >= -flat && high <= flat) {
                    why = "has no volume: all its points are in one plane";
                    return {};
                }
                if (high > flat) n = -n;
                const double d = n.dot(p);
                const bool is_known = std::ranges::any_of(hull.faces, [&](const Hull::Face& face) {
                    return std::abs(face.n.dot(p) - face.d) <= flat &&
                           std::abs(face.n.dot(points[place_in(j)]) - face.d) <= flat &&
                           std::abs(face.n.dot(points[place_in(k)]) - face.d) <= flat;
                });
                if (is_known) continue;
                std::vector<int> on;
                for (int q = 0; q < count; ++q)
                    if (std::abs(n.dot(points[place_in(q)]) - d) <= flat) on.push_back(q);
                hull.faces.push_back({n, d, polygon(points, on, n, flat)});
                for (const int q : hull.faces.back().corners) is_used[place_in(q)] = 1;
            }
    // Numbers of corners alone.
    std::vector<int> number(points.size(), -1);
    for (int q = 0; q < count; ++q)
        if (is_used[place_in(q)] != 0) {
            number[place_in(q)] = static_cast<int>(hull.corners.size());
            hull.corners.push_back(points[place_in(q)]);
        }
    std::map<std::pair<int, int>, int> known;
    for (int f = 0; f < static_cast<int>(hull.faces.size()); ++f) {
        Hull::Face& face = hull.faces[place_in(f)];
        for (int& q : face.corners) q = number[place_in(q)];
        // Outermost, so that no corner is outside.
        for (const int q : face.corners)
            face.d = std::max(face.d, face.n.dot(hull.corners[place_in(q)]));
        for (std::size_t k = 0; k < face.corners.size(); ++k) {
            const int from = face.corners[k], to = face.corners[(k + 1) % face.corners.size()];
            const Vec3 along =
                (hull.corners[place_in(to)] - hull.corners[place_in(from)]).normalized();
            const Vec3 inwards = face.n.cross(along);
            if (const auto other = known.find({to, from}); other != known.end()) {
                Hull::Edge& edge = hull.edges[place_in(other->second)];
                edge.faces[1] = f;
                edge.inwards[1] = inwards;
                continue;
            }
            known[{from, to}] = static_cast<int>(hull.edges.size());
            hull.edges.push_back({from, to, {f, f}, along, {inwards, inwards}});
        }
    }
    return hull;
}

HullFeature nearest_feature(const Hull& hull, const Vec3& p) {
    HullFeature found;
    double most = -std::numeric_limits<double>::infinity();
    for (int f = 0; f < static_cast<int>(hull.faces.size()); ++f) {
        const Hull::Face& face = hull.faces[place_in(f)];
        const double side = face.n.dot(p) - face.d;
        if (side <= most) continue;
        most = side;
        found = {HullFeature::Kind::face, f};
    }
    if (!(most > 0.0)) return found;
    // Outside: over a face, else at an edge or a corner.
    for (int f = 0; f < static_cast<int>(hull.faces.size()); ++f) {
        const Hull::Face& face = hull.faces[place_in(f)];
        if (!(face.n.dot(p) > face.d)) continue;
        bool is_over = true;
        for (std::size_t k = 0; k < face.corners.size() && is_over; ++k) {
            const Vec3& from = hull.corners[place_in(face.corners[k])];
            const Vec3& to = hull.corners[place_in(face.corners[(k + 1) % face.corners.size()])];
            is_over = face.n.cross(to - from).dot(p - from) >= 0.0;
        }
        if (is_over) return {HullFeature::Kind::face, f};
    }
    double least = std::numeric_limits<double>::infinity();
    for (int e = 0; e < static_cast<int>(hull.edges.size()); ++e) {
        const Hull::Edge& edge = hull.edges[place_in(e)];
        const Vec3& from = hull.corners[place_in(edge.from)];
        const double length = (hull.corners[place_in(edge.to)] - from).norm();
        const double along = edge.along.dot(p - from);
        const int corner = along <= 0.0 ? edge.from : along >= length ? edge.to : -1;
        const double distance = corner >= 0 ? (p - hull.corners[place_in(corner)]).norm()
                                            : (p - from - along * edge.along).norm();
        if (distance >= least) continue;
        least = distance;
        found = corner >= 0 ? HullFeature{HullFeature::Kind::corner, corner}
                            : HullFeature{HullFeature::Kind::edge, e};
    }
    return found;
}

}  // namespace ancora::contact
