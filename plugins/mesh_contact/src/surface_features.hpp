// SPDX-License-Identifier: BSD-3-Clause
// Features of bodies over meshes, and their gaps.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "ancora/pairs/across.hpp"
#include "ancora/pairs/distances.hpp"
#include "ancora/pairs/features.hpp"
#include "surface.hpp"
#include "surface_pair.hpp"

namespace ancora::contact {

// Rows of a pair: of a ball no more than the sides of a pit that it fits in, of a capsule those of
// both ends, of others a box lying on a face and across an edge.
inline constexpr int kBallRows = 6, kCapsuleRows = 12, kSolidRows = 16;

inline std::size_t seat(int i) {
    return static_cast<std::size_t>(i);
}

template <class S>
Touch<S>* no_touch() {
    return nullptr;
}

struct Lines {
    double u, v;  // where on both they are nearest
    Vec3 n;       // unit vector across, from a to b
    double apart;
};

/// A body a over a mesh b,
///
///   g = n . x - d - R, |x - foot| - R    a corner of a over the triangle of b, or the edges and
///                                        corners around it that do not lie higher              (1)
///   g = n . y - d                        a corner of b over a triangle of a; of a capsule its
///                                        distance from the axis, less R                        (2)
///   g = +-(b - a) . (e x f) / |e x f| - R        edges (3)
///
/// For R > 0 (1) has one slope wherever b is convex or flat, so that a ball rolls over edges
/// without an event; in a valley each side has a row of its own. The last row is the gap of the
/// pair: the least distance of corners and edges, below zero where an edge of one goes through a
/// triangle of the other or a corner is behind its surface, whose side the nearest place tells (J.
/// A. Baerentzen, H. Aanaes, IEEE Trans. Vis. Comput. Graph. 11, 2005).
template <bool Turns>
class SurfacePair {
public:
    static constexpr bool kIsLinear = false, kTurns = Turns, kHasFeatures = true;

    SurfacePair(const Body& a, std::shared_ptr<const Surface> b)
        : a_(a.surface),
          b_(std::move(b)),
          scratch_(std::make_shared<Scratch>(*a_, *b_)),
          radius_(a.radius),
          reach_(a.reach),
          size_(2.0 * size_of(a, *b_)) {}

    int num_rows() const {
        return 1 + (!Turns ? kBallRows : is_capsule() ? kCapsuleRows : kSolidRows);
    }
    double size() const { return size_; }
    bool is_quadratic(Feature code) const {
        return !is_round() && decode(code).kind != Kind::edges;
    }

    template <class S>
    S gap(int row, Feature code, const Relative<S>& z) const {
        const Place f = decode(code);
        if (row == num_rows() - 1 || f.kind == Kind::none) return S(size_);
        if (f.kind == Kind::edges) {
            const Vector3<S> n = normal_to(f, z);
            return (f.order == 0 ? -1.0 : 1.0) * dot(between(f, z), n) / norm(n) - radius_;
        }
        if (f.kind == Kind::corner_of_b) {
            if (is_round()) return distance_to_capsule(corner(f, z), axis(), no_touch<S>());
            const Surface::Triangle& on = a_->triangles[seat(f.second)];
            return dot(Vector3<S>(on.n), corner(f, z)) - on.d;
        }
        const Vector3<S> p = corner(f, z);
        if (!is_round()) {
            const Surface::Triangle& on = b_->triangles[seat(f.second)];
            return dot(Vector3<S>(on.n), p) - on.d;
        }
        return over_foot(p, foot_from(*b_, f.second, values(p)), no_touch<S>()) - radius_;
    }

    bool has_mean(Feature code) const { return decode(code).kind == Kind::edges; }
    template <class S>
    S mean_gap(Feature code,
               const Relative<double>& z0,
               const Relative<double>& z1,
               const Relative<S>& z) const {
        const Place f = decode(code);
        const auto way = [&](const auto& at) {
            return between(f, at);
        };
        const auto across_both = [&](const auto& at) {
            return normal_to(f, at);
        };
        return (f.order == 0 ? -1.0 : 1.0) * mean_across(way, across_both, z0, z1, z);
    }

    template <class S>
    Touch<S> touch(int, Feature code, const Relative<S>& z) const {
        const Place f = decode(code);
        Touch<S> out;
        out.has_axes = !is_round();
        if (f.kind == Kind::none) {
            out.x = z.y;
            out.n = Vector3<S>(Vec3(Vec3::UnitZ()));
            out.t = {Vector3<S>(Vec3(Vec3::UnitX())), Vector3<S>(Vec3(Vec3::UnitY()))};
            return out;
        }
        if (f.kind == Kind::edges) {
            const Surface::Edge &of_a = edge_a(f), &of_b = edge_b(f);
            const Vector3<S> e = z.turned(of_a.along), along(of_b.along), d = between(f, z);
            const S c = dot(e, along), of_f = dot(d, along);
            const S u = (dot(d, e) - c * of_f) / (1.0 - c * c);
            const S v = c * u - of_f;
            const Vector3<S> n = normalized(cross(e, along));
            out.n = (f.order == 0 ? 1.0 : -1.0) * n;
            const Vector3<S> on_b = Vector3<S>(b_->corners[seat(of_b.from)]) + v * along;
            const Vector3<S> on_a = z.point(a_->corners[seat(of_a.from)]) + u * e;
            // In the middle of what is left of the gap; of a rounded edge on b.
            const double part = is_round() ? 0.0 : 0.5;
            out.x = part * on_a + (1.0 - part) * on_b;
            out.has_axes = true;
            out.t = {e, cross(n, e)};
            return out;
        }
        const Vector3<S> p = corner(f, z);
        if (f.kind == Kind::corner_of_a) {
            if (is_round()) {
                over_foot(p, foot_from(*b_, f.second, values(p)), &out);
                return out;
            }
            put_plane(b_->triangles[seat(f.second)].n, p, out);
            return out;
        }
        out.x = Vector3<S>(b_->corners[seat(f.first)]);
        if (is_round()) {
            Touch<S> met;
            distance_to_capsule(p, axis(), &met);
            out.n = -(met.n.x * z.Y[0] + met.n.y * z.Y[1] + met.n.z * z.Y[2]);
            return out;
        }
        const Vec3& n = a_->triangles[seat(f.second)].n;
        const std::array<Vec3, 2> t = across(n);
        out.n = -z.turned(n);
        out.t = {z.turned(t[0]), z.turned(t[1])};
        return out;
    }

    double value(int row, Feature code, const Relative<double>& z) const {
        if (row == num_rows() - 1) return separation(z);
        return std::max(gap(row, code, z), outside(decode(code), z));
    }

    void choose(const Relative<double>& z0,
                const Relative<double>& z,
                std::span<double> features) const;

private:
    enum class Kind { none, corner_of_a, corner_of_b, edges };
    struct Place {
        Kind kind = Kind::none;
        int first = 0;   // the corner, or the edge of a
        int second = 0;  // the triangle, or the edge of b
        int order = 0;   // 1: e x f leads from a to b
    };
    /// Of a point that of the mesh: it has none.
    static double size_of(const Body& a, const Surface& b) {
        if (a.radius > 0.0) return a.reach;
        return a.is_ball() ? b.reach() : std::min(a.reach, b.reach());
    }
    bool is_capsule() const { return a_->corners.size() == 2; }
    bool is_round() const { return radius_ > 0.0; }
    ContactShape axis() const {
        ContactShape out;
        out.kind = ContactShape::Kind::capsule;
        out.radius = radius_;
        out.half_length = a_->corners.back().z();
        return out;
    }
    static Place decode(Feature code) {
        Place f;
        if (code == 0) return f;
        f.kind = static_cast<Kind>(code % 4);
        f.order = static_cast<int>(code / 4 % 2);
        f.first = static_cast<int>(code / 8 % kMost);
        f.second = static_cast<int>(code / 8 / kMost);
        return f;
    }
    static Feature encode(const Place& f) {
        return static_cast<Feature>(f.kind) + 4 * f.order + 8 * (f.first + kMost * f.second);
    }
    // Both numbers and the kind are below 2^53 together.
    static constexpr Feature kMost = Feature{1} << 25;

    const Surface::Edge& edge_a(const Place& f) const { return a_->edges[seat(f.first)]; }
    const Surface::Edge& edge_b(const Place& f) const { return b_->edges[seat(f.second)]; }
    template <class S>
    static Vec3 values(const Vector3<S>& p) {
        return {value_of(p.x), value_of(p.y), value_of(p.z)};
    }
    /// A corner of a as seen from b, one of b as seen from a.
    template <class S>
    Vector3<S> corner(const Place& f, const Relative<S>& z) const {
        if (f.kind == Kind::corner_of_b)
            return z.turned_back(Vector3<S>(b_->corners[seat(f.first)]) - z.y);
        return point_of_a(f.first, z);
    }
    template <class S>
    Vector3<S> point_of_a(int k, const Relative<S>& z) const {
        if constexpr (Turns)
            return z.point(a_->corners[seat(k)]);
        else
            return z.y;
    }
    template <class S>
    Vector3<S> normal_to(const Place& f, const Relative<S>& z) const {
        return cross(z.turned(edge_a(f).along), Vector3<S>(edge_b(f).along));
    }
    template <class S>
    Vector3<S> between(const Place& f, const Relative<S>& z) const {
        return Vector3<S>(b_->corners[seat(edge_b(f).from)]) -
               z.point(a_->corners[seat(edge_a(f).from)]);
    }
    template <class S>
    static void put_plane(const Vec3& n, const Vector3<S>& x, Touch<S>& out) {
        const std::array<Vec3, 2> t = across(n);
        out.x = x;
        out.n = Vector3<S>(n);
        out.t = {Vector3<S>(t[0]), Vector3<S>(t[1])};
    }
    /// The distance of p from where its foot is.
    template <class S>
    S over_foot(const Vector3<S>& p, const Foot& foot, Touch<S>* touch) const {
        const Surface::Triangle& on = b_->triangles[seat(foot.triangle)];
        Vector3<S> x;
        if (foot.kind == Foot::Kind::corner) {
            x = Vector3<S>(b_->corners[seat(foot.index)]);
        } else if (foot.kind == Foot::Kind::edge) {
            const Surface::Edge& edge = b_->edges[seat(foot.index)];
            const Vector3<S> from(b_->corners[seat(edge.from)]), along(edge.along);
            x = from + dot(p - from, along) * along;
        }
        if (foot.kind != Foot::Kind::face) {
            const Vector3<S> r = p - x;
            const S square = dot(r, r);
            if (value_of(square) > 0.0) {
                const S distance = sqrt(square);
                if (touch != nullptr) {
                    touch->x = x;
                    touch->n = r / distance;
                }
                return distance;
            }
        }
        const Vector3<S> n(on.n);
        const S distance = dot(n, p) - on.d;
        if (touch != nullptr) {
            touch->x = p - distance * n;
            touch->n = n;
        }
        return distance;
    }
    Lines lines(const Place& f, const Relative<double>& z) const;
    bool leads_out(const Surface::Edge& edge, const Vec3& way, double within) const;
    bool leads_out_of_corner(int corner, const Vec3& way) const;
    double outside(const Place& f, const Relative<double>& z) const;
    double separation(const Relative<double>& z) const;
    double depth_within(double first, const Relative<double>& z) const;
    struct Near {
        std::vector<int> triangles, corners, edges;  // of b
    };
    /// Has room for all that there may be, so that nothing is allocated in steps.
    struct Scratch {
        Scratch(const Surface& a, const Surface& b);
        Near near;
        std::vector<int> triangles;  // of either
    };
    const Near& near_a(const Relative<double>& z) const;
    template <class Visit>
    void for_edges(const Near& near, const Relative<double>& z, const Visit& visit) const;
    double deepest_way_through(const Near& near, const Relative<double>& z) const;
    double near() const { return kNear * size_; }
    void add(const Place& f,
             const Relative<double>& z0,
             const Relative<double>& z,
             const Overlap& overlap,
             Candidates& to) const;

    std::shared_ptr<const Surface> a_, b_;
    std::shared_ptr<Scratch> scratch_;
    double radius_, reach_, size_;
};

}  // namespace ancora::contact
