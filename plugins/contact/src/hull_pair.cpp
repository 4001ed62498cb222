// SPDX-License-Identifier: BSD-3-Clause
// Gaps of convex polyhedra: corners on faces, edges across edges.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "ancora/pairs/across.hpp"
#include "ancora/pairs/distances.hpp"
#include "ancora/pairs/features.hpp"
#include "ancora/pairs/hull.hpp"
#include "pairs.hpp"

namespace ancora::contact {
namespace {

/// A corner of a on a face of b or the other way round, or an edge of each.
struct HullPairFeature {
    enum class Kind { none, corner_of_a, corner_of_b, edges };
    Kind kind = Kind::none;
    int first = 0;   // the corner, or the edge of a
    int second = 0;  // the face, or the edge of b
    int order = 0;   // 1: e_i x f_j leads from a to b
};

// Edges that may separate hulls, see kSupports.
constexpr double kNearlySupports = 1e-4;

/// Two convex polyhedra a and b,
///
///   g = n_f . x - d_f                                a corner over a face                   (1)
///   g = +-(b - a) . (e_i x f_j) / |e_i x f_j|        edges                                  (2)
///
/// Of a capsule the core is an edge, and the gaps are less by its rounding R; corners have then
/// their distance from the other core, which has one slope everywhere.
///
/// The last row is the gap of the pair: of a capsule the least distance of all features, else the
/// largest of all separations by normals of faces, and across edges that are the farthest of their
/// hulls in that direction (separating axes; D. Gregorius, Game Developers Conference 2013). It
/// says where a step has to end whatever rows features have.
class HullPair {
public:
    static constexpr bool kIsLinear = false, kTurns = true, kHasFeatures = true;

    HullPair(const ContactShape& a, const ContactShape& b)
        : a_(core_of(a)),
          b_(core_of(b)),
          rounding_b_(rounding_of(b)),
          rounding_(rounding_of(a) + rounding_b_),
          size_(a.reach() + b.reach()) {
        // Corners of the largest faces on each other, and some that have just left them.
        constexpr std::size_t kMore = 4;
        std::size_t rows = kMore;
        for (const Hull* const of : {&a_, &b_}) {
            std::size_t most = 0;
            for (const Hull::Face& face : of->faces) most = std::max(most, face.corners.size());
            rows += most;
        }
        num_features_ = static_cast<int>(rows);
    }

    int num_rows() const { return num_features_ + 1; }
    double size() const { return size_; }
    bool is_quadratic(Feature code) const {
        return !is_round() && decode(code).kind != HullPairFeature::Kind::edges;
    }

    template <class S>
    S gap(int row, Feature code, const Relative<S>& z) const {
        const HullPairFeature f = decode(code);
        if (row == num_features_ || f.kind == HullPairFeature::Kind::none) return S(size_);
        if (f.kind == HullPairFeature::Kind::edges) {
            const Vector3<S> n = normal_to(f, z);
            return (f.order == 0 ? -1.0 : 1.0) * dot(between(f, z), n) / norm(n) - rounding_;
        }
        const bool is_of_a = f.kind == HullPairFeature::Kind::corner_of_a;
        if (is_round()) return distance<S>(is_of_a ? b_ : a_, corner(f, z), nullptr) - rounding_;
        const Hull::Face& face = (is_of_a ? b_ : a_).faces[index(f.second)];
        return dot(Vector3<S>(face.n), corner(f, z)) - face.d;
    }

    /// Of edges, see mean_across().
    bool has_mean(Feature code) const { return decode(code).kind == HullPairFeature::Kind::edges; }
    static bool bends_sharply(Feature) { return false; }
    template <class S>
    S mean_gap(Feature code,
               const Relative<double>& z0,
               const Relative<double>& z1,
               const Relative<S>& z) const {
        const HullPairFeature f = decode(code);
        return (f.order == 0 ? -1.0 : 1.0) * mean_across(
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
        const HullPairFeature f = decode(code);
        Touch<S> out;
        out.has_axes = true;
        if (f.kind == HullPairFeature::Kind::none) {
            out.x = z.y;
            out.n = Vector3<S>(Vec3(Vec3::UnitZ()));
            out.t = {Vector3<S>(Vec3(Vec3::UnitX())), Vector3<S>(Vec3(Vec3::UnitY()))};
            return out;
        }
        if (f.kind == HullPairFeature::Kind::edges) {
            const Vector3<S> e = z.turned(edge_a(f).along), along_b(edge_b(f).along);
            const Vector3<S> d = between(f, z);
            S u, v;
            along(e, along_b, d, u, v);
            const Vector3<S> n = normalized(cross(e, along_b));
            out.n = (f.order == 0 ? 1.0 : -1.0) * n;
            const Vector3<S> on_b = Vector3<S>(b_.corners[index(edge_b(f).from)]) + v * along_b;
            const Vector3<S> on_a = on_b - d - v * along_b + u * e;
            // In the middle of what is left of the gap; of rounded edges on the surface of b.
            const double part = is_round() ? rounding_b_ / rounding_ : 0.5;
            out.x = part * on_a + (1.0 - part) * on_b;
            out.t = {e, cross(n, e)};
            return out;
        }
        if (is_round()) return round_touch(f, z);
        if (f.kind == HullPairFeature::Kind::corner_of_a) {
            const Vec3& n = b_.faces[index(f.second)].n;
            const std::array<Vec3, 2> t = across(n);
            out.x = corner(f, z);
            out.n = Vector3<S>(n);
            out.t = {Vector3<S>(t[0]), Vector3<S>(t[1])};
            return out;
        }
        const Vec3& n = a_.faces[index(f.second)].n;
        const std::array<Vec3, 2> t = across(n);
        out.x = Vector3<S>(b_.corners[index(f.first)]);
        out.n = -z.turned(n);
        out.t = {z.turned(t[0]), z.turned(t[1])};
        return out;
    }

    double value(int row, Feature code, const Relative<double>& z) const {
        if (row == num_features_) return separation(z);
        return std::max(gap(row, code, z), beyond(decode(code), z));
    }

    void choose(const Relative<double>& z0,
                const Relative<double>& z,
                std::span<double> features) const;

private:
    using Kind = HullPairFeature::Kind;
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    static int count(const auto& list) { return static_cast<int>(list.size()); }

    // 0 is none; else a digit for the kind, then the numbers.
    HullPairFeature decode(Feature code) const {
        HullPairFeature f;
        if (code == 0) return f;
        int of = code - 1;
        f.kind = static_cast<Kind>(1 + of % 3);
        of /= 3;
        const int base = f.kind == Kind::corner_of_a   ? count(a_.corners)
                         : f.kind == Kind::corner_of_b ? count(b_.corners)
                                                       : count(a_.edges);
        if (f.kind == Kind::edges) {
            f.order = of % 2;
            of /= 2;
        }
        f.first = of % base;
        f.second = of / base;
        return f;
    }
    Feature encode(const HullPairFeature& f) const {
        const int base = f.kind == Kind::corner_of_a   ? count(a_.corners)
                         : f.kind == Kind::corner_of_b ? count(b_.corners)
                                                       : count(a_.edges);
        int of = f.first + base * f.second;
        if (f.kind == Kind::edges) of = f.order + 2 * of;
        return 1 + (static_cast<int>(f.kind) - 1) + 3 * of;
    }
    const Hull::Edge& edge_a(const HullPairFeature& f) const { return a_.edges[index(f.first)]; }
    const Hull::Edge& edge_b(const HullPairFeature& f) const { return b_.edges[index(f.second)]; }
    /// The corner as seen from the hull of the face.
    template <class S>
    Vector3<S> corner(const HullPairFeature& f, const Relative<S>& z) const {
        if (f.kind == Kind::corner_of_a) return z.point(a_.corners[index(f.first)]);
        return z.turned_back(Vector3<S>(b_.corners[index(f.first)]) - z.y);
    }
    /// Across both edges.
    template <class S>
    Vector3<S> normal_to(const HullPairFeature& f, const Relative<S>& z) const {
        return cross(z.turned(edge_a(f).along), Vector3<S>(edge_b(f).along));
    }
    /// From the edge of a to that of b, between their first ends.
    template <class S>
    Vector3<S> between(const HullPairFeature& f, const Relative<S>& z) const {
        return Vector3<S>(b_.corners[index(edge_b(f).from)]) -
               z.point(a_.corners[index(edge_a(f).from)]);
    }
    /// Where on both edges they are nearest to each other.
    template <class S>
    static void along(const Vector3<S>& e, const Vector3<S>& f, const Vector3<S>& d, S& u, S& v) {
        const S c = dot(e, f), of_f = dot(d, f);
        u = (dot(d, e) - c * of_f) / (1.0 - c * c);
        v = c * u - of_f;
    }
    bool is_round() const { return rounding_ > 0.0; }
    static double rounding_of(const ContactShape& shape) {
        return shape.is_polyhedron() ? 0.0 : shape.radius;
    }
    /// What a shape is but for its rounding: a polyhedron, or the axis of a capsule, an edge.
    static Hull core_of(const ContactShape& shape) {
        if (shape.is_polyhedron()) return shape.polyhedron();
        Hull axis;
        axis.corners = {Vec3(0.0, 0.0, -shape.half_length), Vec3(0.0, 0.0, shape.half_length)};
        axis.edges = {{0, 1, {}, Vec3::UnitZ(), {Vec3::Zero(), Vec3::Zero()}}};
        return axis;
    }
    /// Of a point from a core.
    template <class S>
    static S distance(const Hull& core, const Vector3<S>& p, Touch<S>* touch) {
        if (!core.faces.empty()) return distance_to_hull(p, core, touch);
        ContactShape axis;
        axis.half_length = core.corners[1].z();
        return distance_to_capsule(p, axis, touch);
    }
    template <class S>
    Touch<S> round_touch(const HullPairFeature& f, const Relative<S>& z) const {
        Touch<S> out;
        if (f.kind == Kind::corner_of_a) {
            distance(b_, corner(f, z), &out);
            out.x = out.x + rounding_b_ * out.n;
            return out;
        }
        distance(a_, corner(f, z), &out);
        const Vector3<S> n = out.n.x * z.Y[0] + out.n.y * z.Y[1] + out.n.z * z.Y[2];
        return {Vector3<S>(b_.corners[index(f.first)]) - rounding_b_ * n, -n};
    }
    double beyond(const HullPairFeature& f, const Relative<double>& z) const;
    double face_apart(bool is_of_a, int face, const Relative<double>& z) const;
    double separation(const Relative<double>& z) const;
    template <class Visit>
    void for_supporting_edges(const Relative<double>& z, double within, const Visit& visit) const;
    /// Where a step ends, and where it began: what has not separated the pair there is not what it
    /// has met with.
    struct Ends {
        const Relative<double>& z0;
        const Relative<double>& z;
        Overlap overlap;
    };
    void add(const HullPairFeature& f, const Ends& at, Candidates& to) const;
    void add_corners(bool is_of_a,
                     const Ends& at,
                     std::span<const double> present,
                     Candidates& to) const;
    void add_deepest(const Ends& at, Candidates& to) const;
    bool is_apart(const Relative<double>& z) const;

    Hull a_, b_;
    double rounding_b_, rounding_;
    double size_;
    int num_features_ = 0;
};

/// How far z is behind the borders of a feature; below zero within.
double HullPair::beyond(const HullPairFeature& f, const Relative<double>& z) const {
    if (f.kind == Kind::none) return -size_;
    if (f.kind == Kind::edges) {
        const Hull::Edge& a = edge_a(f);
        const Hull::Edge& b = edge_b(f);
        double u, v;
        along(z.turned(a.along), Vector3<double>(b.along), between(f, z), u, v);
        const double length_a = (a_.corners[index(a.to)] - a_.corners[index(a.from)]).norm();
        const double length_b = (b_.corners[index(b.to)] - b_.corners[index(b.from)]).norm();
        return std::max({-u, u - length_a, -v, v - length_b});
    }
    if (is_round()) return -size_;
    const Hull& on = f.kind == Kind::corner_of_a ? b_ : a_;
    const Hull::Face& face = on.faces[index(f.second)];
    const Vec3 p = corner(f, z);
    double out = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < face.corners.size(); ++k) {
        const Vec3& from = on.corners[index(face.corners[k])];
        const Vec3& to = on.corners[index(face.corners[(k + 1) % face.corners.size()])];
        const Vec3 inwards = face.n.cross(to - from).normalized();
        out = std::max(out, -inwards.dot(p - from));
    }
    return out;
}

/// How far the other hull is over a face of a, or of b.
double HullPair::face_apart(bool is_of_a, int face, const Relative<double>& z) const {
    double least = std::numeric_limits<double>::infinity();
    const Vec3 y = z.y;
    if (is_of_a) {
        const Hull::Face& of = a_.faces[index(face)];
        const Vec3 n = z.turned(of.n);
        for (const Vec3& corner : b_.corners) least = std::min(least, n.dot(corner - y));
        return least - of.d;
    }
    const Hull::Face& of = b_.faces[index(face)];
    const Vec3 n = z.turned_back(Vector3<double>(of.n));
    for (const Vec3& corner : a_.corners) least = std::min(least, n.dot(corner));
    return least + of.n.dot(y) - of.d;
}

/// visit(feature, unit vector from a to b) for pairs of edges that are the farthest of their hulls
/// towards each other.
template <class Visit>
void HullPair::for_supporting_edges(const Relative<double>& z,
                                    double within,
                                    const Visit& visit) const {
    HullPairFeature f;
    f.kind = Kind::edges;
    for (f.first = 0; f.first < count(a_.edges); ++f.first) {
        const Hull::Edge& a = edge_a(f);
        const Vec3 e = z.turned(a.along);
        const Vec3 of_a[] = {z.turned(a.inwards[0]), z.turned(a.inwards[1])};
        for (f.second = 0; f.second < count(b_.edges); ++f.second) {
            const Hull::Edge& b = edge_b(f);
            Vec3 n = e.cross(b.along);
            const double length = n.norm();
            if (!(length > kParallel)) continue;
            n /= length;
            for (f.order = 0; f.order < 2; ++f.order) {
                const Vec3 to_b = f.order == 0 ? Vec3(-n) : n;
                if (to_b.dot(of_a[0]) > within || to_b.dot(of_a[1]) > within ||
                    -to_b.dot(b.inwards[0]) > within || -to_b.dot(b.inwards[1]) > within)
                    continue;
                visit(f, to_b);
            }
        }
    }
}

double HullPair::separation(const Relative<double>& z) const {
    const Vec3 y = z.y;
    if (y.norm() > 2.0 * size_) return y.norm() - size_;
    double most = -size_;
    for (int k = 0; k < count(a_.faces); ++k) most = std::max(most, face_apart(true, k, z));
    for (int k = 0; k < count(b_.faces); ++k) most = std::max(most, face_apart(false, k, z));
    // Nearly parallel edges know the way across them to few digits: what is apart along it is asked
    // of all corners.
    for_supporting_edges(z, kNearlySupports, [&](const HullPairFeature& f, const Vec3& to_b) {
        const Vec3 along_a = z.turned_back(Vector3<double>(to_b));
        if (to_b.dot(Vec3(between(f, z))) <= most) return;
        double low = std::numeric_limits<double>::infinity(), high = -low;
        for (const Vec3& corner : b_.corners) low = std::min(low, to_b.dot(corner));
        for (const Vec3& corner : a_.corners) high = std::max(high, along_a.dot(corner));
        most = std::max(most, low - high - to_b.dot(y));
    });
    if (!is_round()) return most;
    // An axis in a hull, where features may be far from each other.
    if (!(most > 0.0)) return most - rounding_;
    double least = y.norm();
    HullPairFeature f;
    for (f.kind = Kind::corner_of_a; f.first < count(a_.corners); ++f.first)
        least = std::min(least, gap(0, encode(f), z));
    f.first = 0;
    for (f.kind = Kind::corner_of_b; f.first < count(b_.corners); ++f.first)
        least = std::min(least, gap(0, encode(f), z));
    for_supporting_edges(z, kSupports, [&](const HullPairFeature& edges, const Vec3& to_b) {
        if (to_b.dot(Vec3(between(edges, z))) >= 0.0)
            least = std::min(least, value(0, encode(edges), z));
    });
    return least;
}

void HullPair::add(const HullPairFeature& f, const Ends& at, Candidates& to) const {
    const Feature code = encode(f);
    double apart = gap(0, code, at.z);
    const bool is_bare = at.overlap.any() && apart < 0.0;
    if (!is_bare) apart = value(0, code, at.z);
    if (apart > kNear * size_) return;
    if (is_bare && (beyond(f, at.z) > kTouches * size_ || gap(0, code, at.z0) < -kTouches * size_))
        return;
    const Touch<double> met = touch(0, code, at.z);
    to.push_back({apart, is_bare ? -code : code, met.x, met.n});
}

/// The feature without borders of the face that separates the pair best, of those that did so where
/// the step began; where none did, of edges.
void HullPair::add_deepest(const Ends& at, Candidates& to) const {
    double most = -size_;
    HullPairFeature best;
    const auto lowest = [](const Hull& of, const Vec3& n) {
        int corner = 0;
        for (int k = 1; k < count(of.corners); ++k)
            if (n.dot(of.corners[index(k)]) < n.dot(of.corners[index(corner)])) corner = k;
        return corner;
    };
    for (const bool is_of_a : {true, false}) {
        const Hull& on = is_of_a ? a_ : b_;
        for (int k = 0; k < count(on.faces); ++k) {
            const double apart = face_apart(is_of_a, k, at.z);
            if (!(apart > most) || face_apart(is_of_a, k, at.z0) < -kTouches * size_) continue;
            most = apart;
            const Vec3& n = on.faces[index(k)].n;
            best.kind = is_of_a ? Kind::corner_of_b : Kind::corner_of_a;
            best.second = k;
            best.first = is_of_a ? lowest(b_, at.z.turned(n))
                                 : lowest(a_, at.z.turned_back(Vector3<double>(n)));
        }
    }
    for_supporting_edges(at.z, kSupports, [&](const HullPairFeature& f, const Vec3& to_b) {
        const double apart = to_b.dot(Vec3(between(f, at.z)));
        if (!(apart > most) || gap(0, encode(f), at.z0) < -kTouches * size_) return;
        most = apart;
        best = f;
    });
    if (best.kind == Kind::none) return;
    const Feature code = encode(best);
    const Touch<double> met = touch(0, code, at.z);
    to.push_back({gap(0, code, at.z), -code, met.x, met.n});
}

/// Whether a face shows it: that costs least.
bool HullPair::is_apart(const Relative<double>& z) const {
    for (int k = 0; k < count(b_.faces); ++k)
        if (face_apart(false, k, z) >= -kWithin * size_) return true;
    for (int k = 0; k < count(a_.faces); ++k)
        if (face_apart(true, k, z) >= -kWithin * size_) return true;
    return false;
}

void HullPair::add_corners(bool is_of_a,
                           const Ends& at,
                           std::span<const double> present,
                           Candidates& to) const {
    const Relative<double>& z = at.z;
    const Hull& of = is_of_a ? a_ : b_;
    const Hull& on = is_of_a ? b_ : a_;
    HullPairFeature f;
    f.kind = is_of_a ? Kind::corner_of_a : Kind::corner_of_b;
    for (f.first = 0; f.first < count(of.corners); ++f.first) {
        if (is_round()) {
            add(f, at, to);
            continue;
        }
        // The face that it is farthest over; across one that does not separate nothing meets.
        const Vec3 p = corner(f, z);
        double most = -std::numeric_limits<double>::infinity();
        f.second = -1;
        for (int k = 0; k < count(on.faces); ++k) {
            const Hull::Face& face = on.faces[index(k)];
            const double over = face.n.dot(p) - face.d;
            if (over <= most || over > kNear * size_ || over < at.overlap.least_apart()) continue;
            if (face_apart(!is_of_a, k, z) < at.overlap.least_apart()) continue;
            most = over;
            f.second = k;
        }
        // One that touches stays on its face.
        for (const double code : present) {
            const auto number = static_cast<Feature>(std::abs(code));
            const HullPairFeature known = decode(number);
            if (known.kind == f.kind && known.first == f.first &&
                std::abs(value(0, number, z)) <= kTouches * size_)
                f.second = known.second;
        }
        if (f.second >= 0) add(f, at, to);
    }
}

void HullPair::choose(const Relative<double>& z0,
                      const Relative<double>& z,
                      std::span<double> features) const {
    if (Vec3(z.y).norm() > (1.0 + kNear) * size_) {
        std::ranges::fill(features, 0.0);
        return;
    }
    Candidates all;
    const Ends at{z0, z, {is_apart(z) ? 0.0 : separation(z), size_}};
    add_corners(false, at, features, all);
    add_corners(true, at, features, all);
    for_supporting_edges(z, kSupports, [&](const HullPairFeature& f, const Vec3& to_b) {
        // Across axes that separate nothing edges do not meet.
        if (to_b.dot(Vec3(between(f, z))) >= (is_round() ? 0.0 : at.overlap.least_apart()))
            add(f, at, all);
    });
    if (at.overlap.any() && !all.any_bare()) add_deepest(at, all);
    choose_features(all, size_, features, at.overlap);
}

}  // namespace

std::unique_ptr<PairGeometry> hull_pair(const ContactShape& a, const ContactShape& b) {
    return make_geometry(HullPair(a, b));
}

}  // namespace ancora::contact
