// SPDX-License-Identifier: BSD-3-Clause
// Which features of a body and a mesh meet.
#include "surface_pair.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "surface_features.hpp"

namespace ancora::contact {

/// Of edges, where they are nearest.
template <bool Turns>
Lines SurfacePair<Turns>::lines(const Place& f, const Relative<double>& z) const {
    const Vec3 e = z.turned(edge_a(f).along), d = between(f, z);
    const Vec3& along = edge_b(f).along;
    const double c = e.dot(along), of_f = d.dot(along);
    Lines out;
    out.u = (d.dot(e) - c * of_f) / (1.0 - c * c);
    out.v = c * out.u - of_f;
    out.n = (f.order == 0 ? -1.0 : 1.0) * e.cross(along).normalized();
    out.apart = out.n.dot(d);
    return out;
}

/// Whether no side of an edge rises that way.
template <bool Turns>
bool SurfacePair<Turns>::leads_out(const Surface::Edge& edge,
                                   const Vec3& way,
                                   double within) const {
    return edge.inwards[0].dot(way) <= within && edge.inwards[1].dot(way) <= within;
}

template <bool Turns>
bool SurfacePair<Turns>::leads_out_of_corner(int corner, const Vec3& way) const {
    return std::ranges::all_of(b_->around[seat(corner)], [&](int t) {
        return std::ranges::all_of(b_->triangles[seat(t)].corners, [&](int other) {
            const Vec3 edge = b_->corners[seat(other)] - b_->corners[seat(corner)];
            return edge.dot(way) <= kSupports * edge.norm();
        });
    });
}

/// How far z is behind the borders of a feature; below zero within.
template <bool Turns>
double SurfacePair<Turns>::outside(const Place& f, const Relative<double>& z) const {
    switch (f.kind) {
        case Kind::none:
            return -size_;
        case Kind::edges: {
            const Lines met = lines(f, z);
            return std::max({-met.u, met.u - edge_a(f).length, -met.v, met.v - edge_b(f).length});
        }
        case Kind::corner_of_b:
            return is_round() ? -size_ : beyond(*a_, f.second, Vec3(corner(f, z)));
        case Kind::corner_of_a:
            break;
    }
    const Vec3 p = corner(f, z);
    return is_round() ? foot_from(*b_, f.second, p).behind : beyond(*b_, f.second, p);
}

template <bool Turns>
SurfacePair<Turns>::Scratch::Scratch(const Surface& a, const Surface& b) {
    near.triangles.reserve(b.triangles.size());
    near.corners.reserve(3 * b.triangles.size());
    near.edges.reserve(3 * b.triangles.size());
    triangles.reserve(std::max(a.triangles.size(), b.triangles.size()));
}

/// What of b is near, in a box about a.
template <bool Turns>
const typename SurfacePair<Turns>::Near& SurfacePair<Turns>::near_a(
    const Relative<double>& z) const {
    Vec3 low = point_of_a(0, z), high = low;
    for (int k = 1; k < static_cast<int>(a_->corners.size()); ++k) {
        const Vec3 p = point_of_a(k, z);
        low = low.cwiseMin(p);
        high = high.cwiseMax(p);
    }
    const Vec3 more = Vec3::Constant(radius_ + near());
    Near& out = scratch_->near;
    out.corners.clear();
    out.edges.clear();
    b_->tree->near(low - more, high + more, out.triangles);
    for (const int t : out.triangles) {
        const Surface::Triangle& triangle = b_->triangles[seat(t)];
        out.corners.insert(out.corners.end(), triangle.corners.begin(), triangle.corners.end());
        out.edges.insert(out.edges.end(), triangle.edges.begin(), triangle.edges.end());
    }
    for (std::vector<int>* const list : {&out.corners, &out.edges}) {
        std::ranges::sort(*list);
        list->erase(std::ranges::unique(*list).begin(), list->end());
    }
    std::erase_if(out.corners, [&](int k) {
        const Vec3& p = b_->corners[seat(k)];
        return b_->stands_out[seat(k)] == 0 || (p.array() < (low - more).array()).any() ||
               (p.array() > (high + more).array()).any();
    });
    return out;
}

/// visit(feature, lines) of edges that stand out, with the way from a to b out of both.
template <bool Turns>
template <class Visit>
void SurfacePair<Turns>::for_edges(const Near& near,
                                   const Relative<double>& z,
                                   const Visit& visit) const {
    if constexpr (Turns) {
        Place f;
        f.kind = Kind::edges;
        for (f.first = 0; f.first < static_cast<int>(a_->edges.size()); ++f.first) {
            const Surface::Edge& a = edge_a(f);
            if (!a.stands_out()) continue;
            const Vec3 e = z.turned(a.along);
            const Vec3 of_a[] = {z.turned(a.inwards[0]), z.turned(a.inwards[1])};
            for (const int k : near.edges) {
                f.second = k;
                const Surface::Edge& b = edge_b(f);
                if (!b.stands_out() || !(e.cross(b.along).norm() > kParallel)) continue;
                for (f.order = 0; f.order < 2; ++f.order) {
                    const Lines met = lines(f, z);
                    if (met.n.dot(of_a[0]) > kSupports || met.n.dot(of_a[1]) > kSupports ||
                        !leads_out(b, -met.n, kSupports))
                        continue;
                    visit(f, met);
                }
            }
        }
    }
}

/// How far an edge of one is through a triangle of the other, at least: the least way back along
/// its normal, or out of it; zero where none is.
template <bool Turns>
double SurfacePair<Turns>::deepest_way_through(const Near& near, const Relative<double>& z) const {
    double deepest = 0.0;
    const auto go = [&deepest](const Surface& of,
                               const Surface::Triangle& triangle,
                               const Vec3& from,
                               const Vec3& to) {
        const double s = triangle.n.dot(from) - triangle.d, r = triangle.n.dot(to) - triangle.d;
        if ((s > 0.0) == (r > 0.0)) return;
        double depth = std::min(std::abs(s), std::abs(r));
        if (!(depth > deepest)) return;
        const Vec3 x = from + s / (s - r) * (to - from);
        for (std::size_t k = 0; k < 3; ++k) {
            const Surface::Edge& edge = of.edges[seat(triangle.edges[k])];
            const bool is_first = &of.triangles[seat(edge.triangles[0])] == &triangle;
            depth = std::min(depth,
                             edge.inwards[is_first ? 0 : 1].dot(x - of.corners[seat(edge.from)]));
        }
        deepest = std::max(deepest, depth);
    };
    for (const Surface::Edge& edge : a_->edges) {
        if (edge.bend == Surface::Bend::flat) continue;
        const Vec3 from = point_of_a(edge.from, z), to = point_of_a(edge.to, z);
        for (const int t : near.triangles) go(*b_, b_->triangles[seat(t)], from, to);
    }
    if (a_->triangles.empty()) return deepest;
    for (const int k : near.edges) {
        const Surface::Edge& edge = b_->edges[seat(k)];
        if (edge.bend == Surface::Bend::flat) continue;
        const auto seen = [&](int at) {
            return Vec3(z.turned_back(Vector3<double>(b_->corners[seat(at)]) - z.y));
        };
        const Vec3 from = seen(edge.from), to = seen(edge.to);
        for (const Surface::Triangle& triangle : a_->triangles) go(*a_, triangle, from, to);
    }
    return deepest;
}

/// How deep a piece of one that meets no triangle of the other is within it; zero: none is.
template <bool Turns>
double SurfacePair<Turns>::depth_within(double first, const Relative<double>& z) const {
    double deepest = std::max(0.0, radius_ - first);
    for (std::size_t k = 1; k < a_->pieces.size(); ++k)
        deepest = std::max(deepest, radius_ - b_->distance(point_of_a(a_->pieces[k], z)));
    if (!a_->is_solid) return deepest;
    for (const int k : b_->pieces) {
        const Vec3 p = z.turned_back(Vector3<double>(b_->corners[seat(k)]) - z.y);
        if (p.norm() <= reach_) deepest = std::max(deepest, -a_->distance(p));
    }
    return deepest;
}

template <bool Turns>
double SurfacePair<Turns>::separation(const Relative<double>& z) const {
    const double first = b_->distance(point_of_a(0, z));
    if constexpr (!Turns) {
        return first - radius_;
    } else {
        // Nothing of a is farther from its first corner than it is large.
        const double least_of_all = first - radius_ - 2.0 * reach_;
        if (least_of_all > near()) return least_of_all;
        if (first < -2.0 * reach_ - near()) return first - radius_;
        const Near& around = near_a(z);
        double least = near();
        for (int k = 0; k < static_cast<int>(a_->corners.size()); ++k)
            if (a_->stands_out[seat(k)] != 0)
                least = std::min(least, b_->distance(point_of_a(k, z), radius_ + near()) - radius_);
        Place f;
        f.kind = Kind::corner_of_b;
        for (const int k : around.corners) {
            f.first = k;
            const Vec3 p = corner(f, z);
            least = std::min(
                least,
                is_round() ? distance_to_capsule(Vector3<double>(p), axis(), no_touch<double>())
                           : a_->distance(p, near()));
        }
        for_edges(around, z, [&](const Place& edges, const Lines& met) {
            if (met.apart < -kWithin * size_) return;
            if (outside(edges, z) <= 0.0) least = std::min(least, met.apart - radius_);
        });
        const double through = deepest_way_through(around, z);
        if (through > 0.0) return std::min(least, -through - radius_);
        return least < 0.0 ? least : std::min(least, -depth_within(first, z));
    }
}

template <bool Turns>
void SurfacePair<Turns>::add(const Place& f,
                             const Relative<double>& z0,
                             const Relative<double>& z,
                             const Overlap& overlap,
                             Candidates& to) const {
    const Feature code = encode(f);
    double apart = gap(0, code, z);
    if (apart < overlap.least_apart()) return;
    const bool is_bare = overlap.any() && apart < 0.0;
    if (!is_bare) apart = value(0, code, z);
    if (apart > near()) return;
    if (is_bare && (outside(f, z) > overlap.touches() || gap(0, code, z0) < -overlap.touches()))
        return;
    const Touch<double> met = touch(0, code, z);
    to.push_nearest({apart, is_bare ? -code : code, met.x, met.n});
}

template <bool Turns>
void SurfacePair<Turns>::choose(const Relative<double>& z0,
                                const Relative<double>& z,
                                std::span<double> features) const {
    const double apart = separation(z);
    if (apart > near()) {
        std::ranges::fill(features, 0.0);
        return;
    }
    const Overlap overlap(apart, size_);
    const Near& around = near_a(z);
    Candidates all;
    const auto put = [&](const Place& f) {
        add(f, z0, z, overlap, all);
    };
    Place f;
    f.kind = Kind::corner_of_a;
    std::vector<int>& triangles = scratch_->triangles;
    const Vec3 more = Vec3::Constant(radius_ + near());
    for (f.first = 0; f.first < static_cast<int>(a_->corners.size()); ++f.first) {
        if (a_->stands_out[seat(f.first)] == 0) continue;
        const Vec3 p = corner(f, z);
        b_->tree->near(p - more, p + more, triangles);
        for (const int t : triangles) {
            f.second = t;
            if (is_round()) {
                const Foot foot = foot_from(*b_, t, p);
                if (foot.triangle != t || foot.behind > 0.0) continue;
            } else if (beyond(*b_, t, p) > kWithin * size_) {
                continue;
            }
            put(f);
        }
    }
    if constexpr (Turns) {
        f.kind = Kind::corner_of_b;
        for (const int k : around.corners) {
            f.first = k;
            f.second = 0;
            const Vec3 p = corner(f, z);
            if (is_round()) {
                const Touch<double> met = touch(0, encode(f), z);
                if (leads_out_of_corner(k, met.n)) put(f);
                continue;
            }
            a_->tree->near(p - more, p + more, triangles);
            for (const int t : triangles) {
                f.second = t;
                if (beyond(*a_, t, p) <= kWithin * size_) put(f);
            }
        }
        for_edges(around, z, [&](const Place& edges, const Lines&) {
            put(edges);
        });
    }
    choose_features(all, size_, features, overlap, [&](Feature now, Feature before) {
        if (now == before) return true;
        const Place is = decode(now), was = decode(before);
        if (is.kind != was.kind || is.first != was.first || is.kind == Kind::edges) return false;
        const Vec3 p = corner(is, z);
        if (is.kind == Kind::corner_of_b) return goes_on_flat(*a_, was.second, is.second, p);
        return is_round() ? foot_from(*b_, was.second, p).triangle == is.second
                          : goes_on_flat(*b_, was.second, is.second, p);
    });
}

namespace {

Surface corners_alone(std::vector<Vec3> corners) {
    Surface out;
    out.corners = std::move(corners);
    out.stands_out.assign(out.corners.size(), 1);
    out.pieces = {0};
    return out;
}

}  // namespace

Body ball(double radius) {
    return {std::make_shared<const Surface>(corners_alone({Vec3::Zero()})), radius, radius};
}

Body capsule(double radius, double half_length) {
    Surface axis = corners_alone({Vec3(0.0, 0.0, -half_length), Vec3(0.0, 0.0, half_length)});
    axis.edges.push_back({0,
                          1,
                          {-1, -1},
                          Vec3::UnitZ(),
                          2.0 * half_length,
                          {Vec3::Zero(), Vec3::Zero()},
                          Surface::Bend::convex});
    return {std::make_shared<const Surface>(std::move(axis)), radius, radius + half_length};
}

Body solid(std::shared_ptr<const Surface> surface) {
    const double reach = surface->reach();
    return {std::move(surface), 0.0, reach};
}

std::unique_ptr<PairGeometry> over_mesh(const Body& a, std::shared_ptr<const Surface> b) {
    if (a.is_ball()) return make_geometry(SurfacePair<false>(a, std::move(b)));
    return make_geometry(SurfacePair<true>(a, std::move(b)));
}

}  // namespace ancora::contact
