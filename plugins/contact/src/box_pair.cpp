// SPDX-License-Identifier: BSD-3-Clause
// Gaps of boxes and capsules: vertices on faces, edges across edges.
#include <algorithm>
#include <array>
#include <cmath>

#include "ancora/pairs/distances.hpp"
#include "ancora/pairs/features.hpp"
#include "box_features.hpp"
#include "pairs.hpp"

namespace ancora::contact {
namespace {

// Four corners of a face on another one at most, or eight where both overlap crosswise, and those
// that have just left it.
constexpr int kMostRows = 12;

template <class S>
S component(const Vector3<S>& x, int axis) {
    return axis == 0 ? x.x : axis == 1 ? x.y : x.z;
}
template <class S>
Vector3<S> unit(int axis, double size = 1.0) {
    return {S(axis == 0 ? size : 0.0), S(axis == 1 ? size : 0.0), S(axis == 2 ? size : 0.0)};
}

/// Two boxes, D = 0, or cores with rounding D. Where D = 0 a vertex is over a face, g = +-x_k -
/// h_k; else it is round, and g = its distance from the other core, less D, has one slope
/// everywhere. Edges have
///
///   g = +-(b - a) . (e_i x f_j) / |e_i x f_j| - D                                        (1)
///
/// The last row is the gap of the pair: of boxes the largest of all separations by the 15 axes that
/// may separate them (S. Gottschalk, M. Lin, D. Manocha, SIGGRAPH 1996), else the least distance of
/// all features. It says where a step has to end whatever rows features have.
class BoxPair {
public:
    static constexpr bool kIsLinear = false, kTurns = true, kHasFeatures = true;

    BoxPair(const ContactShape& a, const ContactShape& b)
        : a_(a), b_(b), rounding_(rounding_of(a) + rounding_of(b)), size_(a.reach() + b.reach()) {
        is_round_ = rounding_ > 0.0;
    }

    int num_rows() const { return (is_round_ ? kMostRows / 2 : kMostRows) + 1; }
    double size() const { return size_; }
    bool is_quadratic(Feature code) const {
        return !is_round_ && PairFeature::from(code).kind != PairFeature::Kind::edges;
    }

    template <class S>
    S gap(int row, Feature code, const Relative<S>& z) const {
        if (row == num_rows() - 1) return S(size_);
        const PairFeature f = PairFeature::from(code);
        switch (f.kind) {
            case PairFeature::Kind::none:
                return S(size_);
            case PairFeature::Kind::corner_of_a:
                return over(b_, f, z.point(corner(a_, f)));
            case PairFeature::Kind::corner_of_b:
                return over(a_, f, z.turned_back(Vector3<S>(corner(b_, f)) - z.y));
            case PairFeature::Kind::edges:
                break;
        }
        const Vector3<S> n = normal_to(f, z);
        return sign_of(f.order) * dot(between(f, z), n) / norm(n) - rounding_;
    }

    /// Of edges, see mean_across().
    bool has_mean(Feature code) const {
        return PairFeature::from(code).kind == PairFeature::Kind::edges;
    }
    static bool bends_sharply(Feature) { return false; }
    template <class S>
    S mean_gap(Feature code,
               const Relative<double>& z0,
               const Relative<double>& z1,
               const Relative<S>& z) const {
        const PairFeature f = PairFeature::from(code);
        return sign_of(f.order) * mean_across(
                                      [&](const auto& at) {
                                          return between(f, at);
                                      },
                                      [&](const auto& at) {
                                          return normal_to(f, at);
                                      },
                                      z0,
                                      z1,
                                      z);
    }

    template <class S>
    Touch<S> touch(int, Feature code, const Relative<S>& z) const {
        const PairFeature f = PairFeature::from(code);
        Touch<S> out;
        out.has_axes = true;
        switch (f.kind) {
            case PairFeature::Kind::none:
                out.x = z.y;
                out.n = unit<S>(2);
                out.t = {unit<S>(0), unit<S>(1)};
                return out;
            case PairFeature::Kind::corner_of_a:
                if (is_round_) return round_touch(z.point(corner(a_, f)));
                out.x = z.point(corner(a_, f));
                out.n = unit<S>(f.axis, sign_of(f.out));
                out.t = {unit<S>((f.axis + 1) % 3), unit<S>((f.axis + 2) % 3)};
                return out;
            case PairFeature::Kind::corner_of_b:
                out.x = Vector3<S>(corner(b_, f));
                if (is_round_) return round_touch_of_a(f, z);
                out.n = -sign_of(f.out) * z.Y[index(f.axis)];
                out.t = {z.Y[index((f.axis + 1) % 3)], z.Y[index((f.axis + 2) % 3)]};
                return out;
            case PairFeature::Kind::edges:
                break;
        }
        const Vector3<S> e = z.Y[index(f.i)], d = between(f, z);
        S u, v;
        along(f, e, d, u, v);
        const Vector3<S> n = normalized(normal_to(f, z));
        out.n = -sign_of(f.order) * n;
        // In the middle of what is left of the gap.
        const Vector3<S> on_b = Vector3<S>(edge(b_, f.j, f.side_b)) + v * unit<S>(f.j);
        const Vector3<S> on_a = on_b - d - v * unit<S>(f.j) + u * e;
        out.x = 0.5 * (on_a + on_b);
        out.t = {e, cross(n, e)};
        return out;
    }

    double value(int row, Feature code, const Relative<double>& z) const {
        if (row == num_rows() - 1) return separation(z);
        // On its border it is within: of boxes that are aligned corners are on edges, and what
        // enters there is to be seen.
        return std::max(gap(row, code, z), beyond(PairFeature::from(code), z) - kTouches * size_);
    }

    void choose(const Relative<double>& z0,
                const Relative<double>& z,
                std::span<double> features) const;

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    static double rounding_of(const ContactShape& shape) {
        return shape.kind == ContactShape::Kind::box ? 0.0 : shape.radius;
    }
    static const Vec3& corner(const Core& of, const PairFeature& f) {
        return of.corners[index(f.corner)];
    }
    static Vec3 edge(const Core& of, int axis, int side) {
        return PairFeature::middle(of.half, axis, side);
    }
    template <class S>
    S over(const Core& on, const PairFeature& f, const Vector3<S>& p) const {
        if (is_round_) return distance_to_box<S>(p, on.half, nullptr) - rounding_;
        return sign_of(f.out) * component(p, f.axis) - on.half[f.axis];
    }
    /// From the middle of the edge of a to that of b.
    template <class S>
    Vector3<S> between(const PairFeature& f, const Relative<S>& z) const {
        return Vector3<S>(edge(b_, f.j, f.side_b)) - z.point(edge(a_, f.i, f.side_a));
    }
    /// Across both edges.
    template <class S>
    static Vector3<S> normal_to(const PairFeature& f, const Relative<S>& z) {
        return cross(z.Y[index(f.i)], unit<S>(f.j));
    }
    /// Where on both edges they are nearest to each other.
    template <class S>
    static void along(const PairFeature& f, const Vector3<S>& e, const Vector3<S>& d, S& u, S& v) {
        const S c = component(e, f.j), of_f = component(d, f.j);
        u = (dot(d, e) - c * of_f) / (1.0 - c * c);
        v = c * u - of_f;
    }
    template <class S>
    Touch<S> round_touch(const Vector3<S>& p) const {
        Touch<S> out;
        distance_to_box(p, b_.half, &out);
        out.x = out.x + rounding_of_b() * out.n;
        return out;
    }
    template <class S>
    Touch<S> round_touch_of_a(const PairFeature& f, const Relative<S>& z) const {
        Touch<S> out;
        const Vector3<S> at(corner(b_, f));
        distance_to_box(z.turned_back(at - z.y), a_.half, &out);
        const Vector3<S> n = out.n.x * z.Y[0] + out.n.y * z.Y[1] + out.n.z * z.Y[2];
        return {at - rounding_of_b() * n, -n};
    }
    double rounding_of_b() const { return rounding_b_; }
    double beyond(const PairFeature& f, const Relative<double>& z) const;
    double apart_along(const Vec3& n, const Relative<double>& z) const;
    double separation(const Relative<double>& z) const;
    /// Where a step ends, and where it began: what has not separated the pair there is not what it
    /// has met with.
    struct Ends {
        const Relative<double>& z0;
        const Relative<double>& z;
        Overlap overlap;
    };
    void add_corners(const Ends& at, std::span<const double> present, Candidates& to) const;
    void add_edges(const Ends& at, Candidates& to) const;
    void add(const PairFeature& f, const Ends& at, Candidates& to) const;
    void keep_touching(const Relative<double>& z,
                       std::span<const double> present,
                       Candidates& to) const;
    PairFeature deepest(const Ends& at) const;

public:
    double rounding_b_ = 0.0;

private:
    Core a_, b_;
    double rounding_, size_;
    bool is_round_ = false;
};

/// How far z is behind the borders of a feature; below zero within.
double BoxPair::beyond(const PairFeature& f, const Relative<double>& z) const {
    using Kind = PairFeature::Kind;
    if (f.kind == Kind::none || (is_round_ && f.kind != Kind::edges)) return -size_;
    if (f.kind == Kind::edges) {
        const Vector3<double> e = z.Y[index(f.i)];
        double u, v;
        along(f, e, between(f, z), u, v);
        return std::max(std::abs(u) - a_.half[f.i], std::abs(v) - b_.half[f.j]);
    }
    const bool is_of_a = f.kind == Kind::corner_of_a;
    const Vec3 p = is_of_a ? Vec3(z.point(corner(a_, f)))
                           : Vec3(z.turned_back(Vector3<double>(corner(b_, f)) - z.y));
    const Vec3 over = p.cwiseAbs() - (is_of_a ? b_.half : a_.half);
    return std::max(over[(f.axis + 1) % 3], over[(f.axis + 2) % 3]);
}

/// How far the cores are apart along a unit vector; below zero where they overlap there.
double BoxPair::apart_along(const Vec3& n, const Relative<double>& z) const {
    double sum = std::abs(n.dot(Vec3(z.y))) - b_.half.dot(n.cwiseAbs());
    for (int k = 0; k < 3; ++k) sum -= a_.half[k] * std::abs(n.dot(Vec3(z.Y[index(k)])));
    return sum;
}

double BoxPair::separation(const Relative<double>& z) const {
    const Vec3 y = z.y;
    if (y.norm() > 2.0 * size_) return y.norm() - size_;
    double most = -size_;
    for (int k = 0; k < 3; ++k) {
        most = std::max(most, apart_along(Vec3::Unit(k), z));
        most = std::max(most, apart_along(Vec3(z.Y[index(k)]), z));
        for (int j = 0; j < 3; ++j) {
            const Vec3 n = Vec3(z.Y[index(k)]).cross(Vec3::Unit(j));
            if (n.norm() > kParallel) most = std::max(most, apart_along(n.normalized(), z));
        }
    }
    if (!is_round_) return most;
    // A core in a box, where features may be far from each other. Two axes have no inside.
    const bool has_box = a_.half.minCoeff() > 0.0 || b_.half.minCoeff() > 0.0;
    if (has_box && !(most > 0.0)) return most - rounding_;
    Candidates all;
    const Ends here{z, z, {0.0, size_}};
    add_corners(here, {}, all);
    add_edges(here, all);
    double least = y.norm();
    for (const Candidate& candidate : all) least = std::min(least, candidate.gap);
    return least;
}

void BoxPair::add(const PairFeature& f, const Ends& at, Candidates& to) const {
    const Feature code = f.code();
    const Touch<double> met = touch(0, code, at.z);
    const double apart = gap(0, code, at.z);
    if (!at.overlap.any() || !(apart < 0.0)) {
        to.push_back({value(0, code, at.z), code, met.x, met.n});
        return;
    }
    if (beyond(f, at.z) > kTouches * size_ || gap(0, code, at.z0) < -kTouches * size_) return;
    to.push_back({apart, -code, met.x, met.n});
}

/// The feature without borders of the way that separates the pair best, of those that did so where
/// the step began.
PairFeature BoxPair::deepest(const Ends& at) const {
    using Kind = PairFeature::Kind;
    const Relative<double>& z = at.z;
    const Vec3 y = z.y;
    double most = -size_;
    PairFeature best;
    const auto is_better = [&](const Vec3& n, const Vec3& n0) {
        const double apart = apart_along(n, z);
        if (!(apart > most) || apart_along(n0, at.z0) < -kTouches * size_) return false;
        most = apart;
        return true;
    };
    // Of a core the corner, or the edge along an axis, that is the farthest along n in its axes.
    const auto corner_along = [](const Core& of, const Vec3& n) {
        int best_corner = 0;
        for (int k = 1; k < static_cast<int>(of.corners.size()); ++k)
            if (n.dot(of.corners[index(k)]) > n.dot(of.corners[index(best_corner)]))
                best_corner = k;
        return best_corner;
    };
    const auto side_along = [](int axis, const Vec3& n) {
        return (n[(axis + 1) % 3] > 0.0 ? 1 : 0) + (n[(axis + 2) % 3] > 0.0 ? 2 : 0);
    };
    const auto in_a = [&](const Vec3& n) {
        return Vec3(z.turned_back(Vector3<double>(n)));
    };
    for (int k = 0; k < 3; ++k) {
        if (is_better(Vec3::Unit(k), Vec3::Unit(k))) {
            best = {.kind = Kind::corner_of_a, .axis = k, .out = y[k] < 0.0 ? 0 : 1};
            best.corner = corner_along(a_, in_a(-sign_of(best.out) * Vec3::Unit(k)));
        }
        const Vec3 e = z.Y[index(k)];
        if (is_better(e, Vec3(at.z0.Y[index(k)]))) {
            best = {.kind = Kind::corner_of_b, .axis = k, .out = e.dot(y) > 0.0 ? 0 : 1};
            best.corner = corner_along(b_, -sign_of(best.out) * e);
        }
        for (int j = 0; j < 3; ++j) {
            const Vec3 n = e.cross(Vec3::Unit(j));
            const Vec3 n0 = Vec3(at.z0.Y[index(k)]).cross(Vec3::Unit(j));
            if (!(n.norm() > kParallel) || !(n0.norm() > kParallel) ||
                !is_better(n.normalized(), n0.normalized()))
                continue;
            best = {.kind = Kind::edges, .i = k, .j = j, .order = n.dot(y) > 0.0 ? 0 : 1};
            const Vec3 to_b = sign_of(best.order) * n;
            best.side_a = side_along(k, in_a(to_b));
            best.side_b = side_along(j, -to_b);
        }
    }
    return best;
}

void BoxPair::add_corners(const Ends& at, std::span<const double> present, Candidates& to) const {
    using Kind = PairFeature::Kind;
    const Relative<double>& z = at.z;
    for (const Kind kind : {Kind::corner_of_b, Kind::corner_of_a}) {
        const bool is_of_a = kind == Kind::corner_of_a;
        const Core& of = is_of_a ? a_ : b_;
        const Vec3& half = is_of_a ? b_.half : a_.half;
        Vec3 apart;
        for (int axis = 0; axis < 3; ++axis)
            apart[axis] = apart_along(is_of_a ? Vec3(Vec3::Unit(axis)) : Vec3(z.Y[index(axis)]), z);
        for (int k = 0; k < static_cast<int>(of.corners.size()); ++k) {
            PairFeature f;
            f.kind = kind;
            f.corner = k;
            const Vec3 p = is_of_a ? Vec3(z.point(corner(a_, f)))
                                   : Vec3(z.turned_back(Vector3<double>(corner(b_, f)) - z.y));
            if (!is_round_) {
                // Across a face that does not separate the pair nothing meets.
                const Vec3 over = p.cwiseAbs() - half;
                f.axis = -1;
                for (int axis = 0; axis < 3; ++axis)
                    if (apart[axis] >= at.overlap.least_apart() &&
                        (f.axis < 0 || over[axis] > over[f.axis]))
                        f.axis = axis;
                if (f.axis < 0) continue;
                f.out = p[f.axis] < 0.0 ? 0 : 1;
                // One that touches stays on its face.
                for (const double code : present) {
                    const PairFeature known =
                        PairFeature::from(static_cast<Feature>(std::abs(code)));
                    if (known.kind == kind && known.corner == k &&
                        std::abs(value(0, known.code(), z)) <= kTouches * size_)
                        f = known;
                }
            }
            add(f, at, to);
        }
    }
}

void BoxPair::add_edges(const Ends& at, Candidates& to) const {
    const Relative<double>& z = at.z;
    const Vec3 y = z.y;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (!(a_.half[i] > 0.0) || !(b_.half[j] > 0.0)) continue;
            Vec3 n = Vec3(z.Y[index(i)]).cross(Vec3::Unit(j));
            if (!(n.norm() > kParallel)) continue;
            n.normalize();
            PairFeature f;
            f.kind = PairFeature::Kind::edges;
            f.i = i;
            f.j = j;
            const auto support = [](double along, double half, int bit) {
                return !(half > 0.0) ? bit == 1 : sign_of(bit) * along >= -kSupports;
            };
            // Of boxes the edges that lead farthest along n, of a, and against it, of b.
            for (f.order = 0; f.order < 2; ++f.order) {
                const Vec3 to_b = sign_of(f.order) * n;
                if (!is_round_ && to_b.dot(y) > 0.0) continue;
                for (int side = 0; side < 16; ++side) {
                    f.side_a = side % 4;
                    f.side_b = side / 4;
                    bool supports = true;
                    for (int k = 1; k < 3; ++k) {
                        const int of_a = (i + k) % 3, of_b = (j + k) % 3;
                        const int bit_a = k == 1 ? f.side_a % 2 : f.side_a / 2;
                        const int bit_b = k == 1 ? f.side_b % 2 : f.side_b / 2;
                        supports =
                            supports &&
                            support(to_b.dot(Vec3(z.Y[index(of_a)])), a_.half[of_a], bit_a) &&
                            support(-to_b[of_b], b_.half[of_b], bit_b);
                    }
                    if (!supports) continue;
                    // Across axes that separate nothing edges do not meet.
                    if (gap(0, f.code(), z) < (is_round_ ? -rounding_ : at.overlap.least_apart()))
                        continue;
                    add(f, at, to);
                }
            }
        }
}

/// Where shapes overlap, what has just been held apart touches and may separate them no more: an
/// edge across a face that is pushed out of one side of it enters the other, and has to be held at
/// both.
void BoxPair::keep_touching(const Relative<double>& z,
                            std::span<const double> present,
                            Candidates& to) const {
    for (const double code : present) {
        const auto known = static_cast<Feature>(std::abs(code));
        const PairFeature f = PairFeature::from(known);
        if (f.kind == PairFeature::Kind::none || to.has(known)) continue;
        const double apart = gap(0, known, z);
        if (std::abs(apart) > kTouches * size_ || beyond(f, z) > kTouches * size_) continue;
        const Touch<double> met = touch(0, known, z);
        to.push_back({apart, -known, met.x, met.n});
    }
}

void BoxPair::choose(const Relative<double>& z0,
                     const Relative<double>& z,
                     std::span<double> features) const {
    const double near = kNear * size_;
    if (Vec3(z.y).norm() > size_ + near) {
        std::ranges::fill(features, 0.0);
        return;
    }
    Candidates all;
    const Ends at{z0, z, {separation(z), size_}};
    add_corners(at, features, all);
    add_edges(at, all);
    if (at.overlap.any()) keep_touching(z, features, all);
    if (at.overlap.any() && !all.any_bare())
        if (const PairFeature f = deepest(at); f.kind != PairFeature::Kind::none) {
            const Touch<double> met = touch(0, f.code(), z);
            all.push_back({gap(0, f.code(), z), -f.code(), met.x, met.n});
        }
    choose_features(all, size_, features, at.overlap);
}

}  // namespace

std::unique_ptr<PairGeometry> box_pair(const ContactShape& a, const ContactShape& b) {
    BoxPair pair(a, b);
    pair.rounding_b_ = b.kind == ContactShape::Kind::box ? 0.0 : b.radius;
    return make_geometry(pair);
}

}  // namespace ancora::contact
