// SPDX-License-Identifier: BSD-3-Clause
// Gaps of cylinders: rims, side lines and flat ends against planes, solids and each other.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "ancora/pairs/distances.hpp"
#include "ancora/pairs/features.hpp"
#include "ancora/pairs/hull.hpp"
#include "circles.hpp"
#include "pairs.hpp"

namespace ancora::contact {
namespace {

/// A plane, convex polyhedron, capsule or cylinder as what may touch: corners and edges with a
/// rounding, faces, rims. The side of a cylinder is its axis, rounded by its radius.
struct Side {
    enum class Kind { plane, hull, capsule, cylinder };
    Kind kind = Kind::plane;
    ContactShape shape;
    Hull parts;
    double rounding = 0.0;

    explicit Side(const ContactShape* of) {
        if (of == nullptr) {
            parts.faces = {{Vec3::UnitZ(), 0.0, {}}};
            return;
        }
        shape = *of;
        kind = shape.is_polyhedron()                       ? Kind::hull
               : shape.kind == ContactShape::Kind::capsule ? Kind::capsule
                                                           : Kind::cylinder;
        if (kind == Kind::hull) {
            parts = shape.polyhedron();
            return;
        }
        rounding = shape.radius;
        const Vec3 end(0.0, 0.0, shape.half_length);
        parts.corners = {-end, end};
        parts.edges = {{0, 1, {}, Vec3::UnitZ(), {Vec3::Zero(), Vec3::Zero()}}};
        if (kind == Kind::cylinder)
            parts.faces = {{-Vec3::UnitZ(), end.z(), {}}, {Vec3::UnitZ(), end.z(), {}}};
    }
    bool has_rims() const { return kind == Kind::cylinder; }
    /// Corners with a rounding that touch by themselves; those of a cylinder are its rims.
    int num_corners() const { return has_rims() ? 0 : static_cast<int>(parts.corners.size()); }
    double reach() const { return kind == Kind::plane ? 0.0 : shape.reach(); }
    /// Farthest along a unit vector.
    double support(const Vec3& n) const {
        if (kind == Kind::plane)
            return n.z() >= 1.0 - kSameNormal ? 0.0 : std::numeric_limits<double>::infinity();
        if (has_rims())
            return shape.radius * n.head<2>().norm() + shape.half_length * std::abs(n.z());
        double most = -std::numeric_limits<double>::infinity();
        for (const Vec3& corner : parts.corners) most = std::max(most, n.dot(corner));
        return most + rounding;
    }
    template <class S>
    S distance(const Vector3<S>& p, Touch<S>* touch) const {
        switch (kind) {
            case Kind::hull:
                return distance_to_hull(p, parts, touch);
            case Kind::capsule:
                return distance_to_capsule(p, shape, touch);
            case Kind::cylinder:
                return distance_to_cylinder(p, shape, touch);
            case Kind::plane:
                break;
        }
        if (touch != nullptr) *touch = {Vector3<S>(p.x, p.y, S(0.0)), vertical<S>(1.0)};
        return p.z;
    }
};

struct RoundFeature {
    enum class Kind { none, corner, point, held, lowest, edges, edge_rim, rims };
    Kind kind = Kind::none;
    int side = 0;    // whose corner, point, rim of `lowest` or edge of `edge_rim` it is; 0: a
    int rim = 0;     // 0: at -e_3
    int other = 0;   // of `rims`: the rim of b
    int turn = 0;    // where on the rim, in parts of it
    int number = 0;  // of the corner, face or edge; of a point, finer parts; of one that is
                     // held, its height

    static constexpr int kNumKinds = 8, kTurns = 1024, kFine = 1 << 30;
    Feature code() const {
        const Feature numbers = turn + kTurns * static_cast<Feature>(number);
        return static_cast<int>(kind) + kNumKinds * (side + 2 * (rim + 2 * (other + 2 * numbers)));
    }
    static RoundFeature from(Feature code) {
        RoundFeature f;
        const auto take = [&code](int count) {
            const auto digit = static_cast<int>(code % count);
            code /= count;
            return digit;
        };
        f.kind = static_cast<Kind>(take(kNumKinds));
        f.side = take(2);
        f.rim = take(2);
        f.other = take(2);
        f.turn = take(kTurns);
        f.number = static_cast<int>(code);
        return f;
    }
    double angle() const {
        const double fine = kind == Kind::point ? static_cast<double>(number) / kFine : 0.0;
        return 2.0 * std::numbers::pi / kTurns * (turn + fine);
    }
    void set_fine_angle(double phi) {
        const double part = phi / (2.0 * std::numbers::pi),
                     turns = (part - std::floor(part)) * kTurns;
        turn = static_cast<int>(turns) % kTurns;
        number = static_cast<int>((turns - std::floor(turns)) * kFine);
    }
    void set_angle(double phi, int parts) {
        const int step = kTurns / parts;
        const double part = phi / (2.0 * std::numbers::pi) * parts;
        turn = step * (static_cast<int>(std::lround(part)) % parts + parts) % kTurns;
    }
    /// The same one: of which the place on the rim is known to a part of it, or a point that has
    /// been, or becomes, the lowest of its rim.
    static bool is_same(Feature x, Feature y) {
        RoundFeature f = from(x);
        const RoundFeature g = from(y);
        const int apart = std::abs(f.turn - g.turn);
        const bool is_near = std::min(apart, kTurns - apart) <= kTurns / 8;
        const auto is_of_rim = [](Kind kind) {
            return kind == Kind::lowest || kind == Kind::point;
        };
        if (f.kind != g.kind)
            return is_near && is_of_rim(f.kind) && is_of_rim(g.kind) && f.side == g.side &&
                   f.rim == g.rim;
        if (f.kind == Kind::lowest || (f.kind != Kind::point && is_near)) f.turn = g.turn;
        return f.code() == g.code();
    }
};

constexpr int kRows = 12;           // that a pair has at once
constexpr int kOnRim = 8;           // points of a rim that lies flat
constexpr double kFar = 1e6;        // of the size: a row that has no feature
constexpr int kSectors = 32;        // of a rim, by which curves are found again
constexpr double kLiesFlat = 1e-6;  // a rim on a face: the sine between them

/// Two shapes of which one is a cylinder. Its side is an edge, its axis, with the rounding R; D is
/// the sum of roundings. Gaps, with n from b to a,
///
///   corner, or point of a rim    the distance from the other solid, less D               (1)
///   rim over a face              n . (c - o) - R |n - (n . k) k| - d                     (2)
///   edge across edge             |(p - q) . (e x f)| / |e x f| - D                       (3)
///   edge, or rim, and rim        n . (p - x) - D,  n along e x t, or t_1 x t_2           (4)
///
/// k is the axis of a rim, t its tangent at the point x that is nearest to the other curve: where
/// that is follows from Newton's iteration in the numbers that carry derivatives, too. (1) and (2)
/// reach to where faces end in (3) and (4).
///
/// The last row is the gap of the pair, the largest separation along the normals of (1) to (4)
/// wherever these are: below zero exactly where the shapes overlap, else their distance.
class CylinderPair {
public:
    static constexpr bool kIsLinear = false, kTurns = true, kHasFeatures = true;

    CylinderPair(const ContactShape& a, const ContactShape* b)
        : sides_{Side(&a), Side(b)}, size_(sides_[0].reach() + sides_[1].reach()) {}

    int num_rows() const { return kRows + 1; }
    double size() const { return size_; }
    bool is_quadratic(Feature code) const { return code == 0; }

    template <class S>
    S gap(int row, Feature code, const Relative<S>& z) const {
        if (row == kRows || code == 0) return S(size_);
        return meet(RoundFeature::from(code), z).gap;
    }

    /// Linear over a step from z0 to z1 but for products of two, and with the same increment as the
    /// gap: of (2), |m| with m = (u, v)^T n has the mean slope (m0 + m1) / (|m0| + |m1|), which
    /// knows where a step goes that brings the rim down flat.
    bool has_mean(Feature code) const { return RoundFeature::from(code).kind == Kind::lowest; }
    bool bends_sharply(Feature code) const { return has_mean(code); }
    template <class S>
    S mean_gap(Feature code,
               const Relative<double>& z0,
               const Relative<double>& z1,
               const Relative<S>& z) const {
        const RoundFeature f = RoundFeature::from(code);
        const int w = f.side, on = 1 - w;
        const Hull::Face& face = side(on).parts.faces[index(f.number)];
        const auto tilt = [&](const auto& at, auto& x, auto& y) {
            const auto n = turned(on, face.n, at);
            const auto of = rim(w, f.rim, at);
            x = dot(n, of.u);
            y = dot(n, of.v);
            return dot(n, of.c - place(on, Vec3::Zero(), at)) - face.d;
        };
        double x0, y0, x1, y1;
        tilt(z0, x0, y0);
        tilt(z1, x1, y1);
        S x, y;
        const S height = tilt(z, x, y);
        const double sum = std::hypot(x0, y0) + std::hypot(x1, y1);
        if (!(sum > 0.0)) return height;
        const double R = side(w).shape.radius;
        return height - R / sum * ((x0 + x1) * x + (y0 + y1) * y);
    }

    template <class S>
    Touch<S> touch(int, Feature code, const Relative<S>& z) const {
        Touch<S> out;
        out.has_axes = true;
        if (code == 0) {
            out.x = z.y;
            out.n = vertical<S>(1.0);
        } else {
            const Meeting<S> met = meet(RoundFeature::from(code), z);
            out.x = 0.5 * (met.x_a + met.x_b);
            out.n = met.n;
        }
        // Of the axes of b that which is the farthest from the normal.
        const double n[] = {
            std::abs(value_of(out.n.x)), std::abs(value_of(out.n.y)), std::abs(value_of(out.n.z))};
        const auto least = static_cast<Eigen::Index>(std::ranges::min_element(n) - n);
        out.t[0] = normalized(cross(out.n, Vector3<S>(Vec3(Vec3::Unit(least)))));
        out.t[1] = cross(out.n, out.t[0]);
        return out;
    }

    double value(int row, Feature code, const Relative<double>& z) const {
        if (row == kRows) return separation(z);
        if (code == 0) return kFar * size_;
        const RoundFeature f = RoundFeature::from(code);
        const Meeting<double> met = meet(f, z);
        return std::max(met.gap, beyond(f, met, z) - kTouches * size_);
    }

    void choose(const Relative<double>& z0,
                const Relative<double>& z,
                std::span<double> features) const;

private:
    using Kind = RoundFeature::Kind;
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    const Side& side(int w) const { return sides_[index(w)]; }

    /// Points on a and b where they are nearest to each other, and the normal from b to a.
    template <class S>
    struct Meeting {
        S gap;
        Vector3<S> n, x_a, x_b;
    };
    /// x is on the side w, y on the other one, n leads from w to that.
    template <class S>
    static Meeting<S> meeting(
        int w, const S& gap, const Vector3<S>& n, const Vector3<S>& x, const Vector3<S>& y) {
        if (w == 0) return {gap, -n, x, y};
        return {gap, n, y, x};
    }
    // What a side has, in the axes of b, and back.
    template <class S>
    static Vector3<S> turned(int w, const Vec3& x, const Relative<S>& z) {
        return w == 0 ? z.turned(x) : Vector3<S>(x);
    }
    template <class S>
    static Vector3<S> place(int w, const Vec3& x, const Relative<S>& z) {
        return w == 0 ? z.point(x) : Vector3<S>(x);
    }
    template <class S>
    static Vector3<S> turned_back(int w, const Vector3<S>& x, const Relative<S>& z) {
        return w == 0 ? z.turned_back(x) : x;
    }
    template <class S>
    static Vector3<S> seen(int w, const Vector3<S>& x, const Relative<S>& z) {
        return w == 0 ? z.turned_back(x - z.y) : x;
    }
    template <class S>
    Circle<S> rim(int w, int rim, const Relative<S>& z) const {
        const ContactShape& of = side(w).shape;
        const double sign = rim == 0 ? -1.0 : 1.0;
        return {place(w, sign * of.half_length * Vec3::UnitZ(), z),
                turned(w, sign * Vec3::UnitZ(), z),
                turned(w, Vec3::UnitX(), z),
                turned(w, Vec3::UnitY(), z),
                of.radius};
    }
    template <class S>
    Line<S> line(int w, int edge, const Relative<S>& z) const {
        const Hull& of = side(w).parts;
        return {place(w, of.corners[index(of.edges[index(edge)].from)], z),
                turned(w, of.edges[index(edge)].along, z)};
    }
    double length(int w, int edge) const {
        const Hull& of = side(w).parts;
        const Hull::Edge& e = of.edges[index(edge)];
        return (of.corners[index(e.to)] - of.corners[index(e.from)]).norm();
    }

    template <class S>
    Meeting<S> meet(const RoundFeature& f, const Relative<S>& z) const;
    /// Of a point of the side w, with its rounding, and the other solid.
    template <class S>
    Meeting<S> meet_solid(int w, const Vector3<S>& p, double rounding, const Relative<S>& z) const;
    double beyond(const RoundFeature& f,
                  const Meeting<double>& met,
                  const Relative<double>& z) const;
    double beyond_face(int w, int face, const Vec3& x) const;
    double beyond_edge(int w, int edge, const Vec3& x, const Relative<double>& z) const;

    /// How far the sides are apart along a unit vector from b to a.
    double apart(const Vec3& n, const Relative<double>& z) const {
        return n.dot(Vec3(z.y)) - side(0).support(Vec3(z.turned_back(Vector3<double>(-n)))) -
               side(1).support(n);
    }
    /// Heights up to those of a rim that lies flat.
    double height_of(int number) const {
        return 4.0 * kLiesFlat * size_ * number / RoundFeature::kFine;
    }
    double separation(const Relative<double>& z) const;
    /// visit(feature) for all of (3) and (4).
    template <class Visit>
    void for_curves(const Relative<double>& z, const Visit& visit) const;
    /// Where a step ends, and where it began: what has not separated the pair there is not what it
    /// has met with.
    struct Ends {
        const Relative<double>& z0;
        const Relative<double>& z;
        Overlap overlap;
    };
    void add(const RoundFeature& f, const Ends& at, Candidates& to) const;
    void add_rims(int w, const Ends& at, std::span<const double> present, Candidates& to) const;
    void hold(RoundFeature& point,
              const Relative<double>& z,
              std::span<const double> present) const;

    std::array<Side, 2> sides_;
    double size_;
};

template <class S>
CylinderPair::Meeting<S> CylinderPair::meet_solid(int w,
                                                  const Vector3<S>& p,
                                                  double rounding,
                                                  const Relative<S>& z) const {
    const int on = 1 - w;
    Touch<S> foot;
    const S distance = side(on).distance(seen(on, p, z), &foot);
    const Vector3<S> n =
        on == 0 ? foot.n.x * z.Y[0] + foot.n.y * z.Y[1] + foot.n.z * z.Y[2] : foot.n;
    return meeting<S>(w, distance - rounding, -n, p - rounding * n, p - distance * n);
}

template <class S>
CylinderPair::Meeting<S> CylinderPair::meet(const RoundFeature& f, const Relative<S>& z) const {
    const int w = f.side, on = 1 - w;
    switch (f.kind) {
        case Kind::none:
        case Kind::corner:
            break;
        case Kind::point:
        case Kind::held: {
            const Vec3 x(std::cos(f.angle()) * side(w).shape.radius,
                         std::sin(f.angle()) * side(w).shape.radius,
                         (f.rim == 0 ? -1.0 : 1.0) * side(w).shape.half_length);
            Meeting<S> met = meet_solid(w, place(w, x, z), 0.0, z);
            if (f.kind == Kind::held) met.gap = met.gap - height_of(f.number);
            return met;
        }
        case Kind::lowest: {
            const Hull::Face& face = side(on).parts.faces[index(f.number)];
            const Vector3<S> n = turned(on, face.n, z);
            const Circle<S> of = rim(w, f.rim, z);
            const Vector3<S> x = of.farthest(-n);
            const S gap = dot(n, x - place(on, Vec3::Zero(), z)) - face.d;
            return meeting<S>(w, gap, -n, x, x - gap * n);
        }
        case Kind::edges: {
            const Line<S> of = line(w, f.number, z), other = line(on, 0, z);
            Vector3<S> x, y;
            const Vector3<S> n = nearest_points(of, other, x, y);
            const double rounding = side(w).rounding, rounding_on = side(on).rounding;
            const S gap = dot(n, y - x) - (rounding + rounding_on);
            return meeting<S>(w, gap, n, x + rounding * n, y - rounding_on * n);
        }
        case Kind::edge_rim: {
            const Line<S> of = line(w, f.number, z);
            const Circle<S> circle = rim(on, f.rim, z);
            Vector3<S> x, y;
            const Vector3<S> n = nearest_points(circle, of, f.angle(), x, y);
            const double rounding = side(w).rounding;
            const S gap = dot(n, y - x) - rounding;
            return meeting<S>(on, gap, n, x, y - rounding * n);
        }
        case Kind::rims: {
            Vector3<S> x, y;
            const Vector3<S> n =
                nearest_points(rim(0, f.rim, z), rim(1, f.other, z), f.angle(), x, y);
            return meeting<S>(0, dot(n, y - x), n, x, y);
        }
    }
    return meet_solid(w, place(w, side(w).parts.corners[index(f.number)], z), side(w).rounding, z);
}

/// How far a point is outside of a face, in the axes of its side.
double CylinderPair::beyond_face(int w, int face, const Vec3& x) const {
    const Side& of = side(w);
    if (of.kind == Side::Kind::plane) return -size_;
    if (of.has_rims()) return x.head<2>().norm() - of.shape.radius;
    const Hull::Face& on = of.parts.faces[index(face)];
    double out = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < on.corners.size(); ++k) {
        const Vec3& from = of.parts.corners[index(on.corners[k])];
        const Vec3& to = of.parts.corners[index(on.corners[(k + 1) % on.corners.size()])];
        out = std::max(out, -on.n.cross(to - from).normalized().dot(x - from));
    }
    return out;
}

/// And beyond the ends of an edge.
double CylinderPair::beyond_edge(int w, int edge, const Vec3& x, const Relative<double>& z) const {
    const Line<double> of = line(w, edge, z);
    const double along = Vec3(of.e).dot(x - Vec3(of.p));
    return std::max(-along, along - length(w, edge));
}

/// How far z is behind the borders of a feature; below zero within.
double CylinderPair::beyond(const RoundFeature& f,
                            const Meeting<double>& met,
                            const Relative<double>& z) const {
    const int w = f.side, on = 1 - w;
    // Of a rim those normals that lead out of both its end and its side.
    const auto beyond_rim = [&](int of, int number, const Vec3& x, const Vec3& out) {
        const Circle<double> circle = rim(of, number, z);
        const Vec3 r = x - Vec3(circle.c);
        return std::max(-out.dot(r), -circle.R * out.dot(Vec3(circle.k)));
    };
    switch (f.kind) {
        case Kind::none:
        case Kind::corner:
        case Kind::point:
        case Kind::held:
            break;
        case Kind::lowest: {
            const Vec3 x = seen(on, w == 0 ? met.x_a : met.x_b, z);
            return beyond_face(on, f.number, x);
        }
        case Kind::edges:
            return std::max(beyond_edge(w, f.number, w == 0 ? Vec3(met.x_a) : Vec3(met.x_b), z),
                            beyond_edge(on, 0, w == 0 ? Vec3(met.x_b) : Vec3(met.x_a), z));
        case Kind::edge_rim: {
            const Vec3 x = w == 0 ? met.x_b : met.x_a, y = w == 0 ? met.x_a : met.x_b;
            const Vec3 out = w == 0 ? Vec3(met.n) : Vec3(-Vec3(met.n));
            return std::max(beyond_edge(w, f.number, y, z), beyond_rim(on, f.rim, x, out));
        }
        case Kind::rims:
            return std::max(beyond_rim(0, f.rim, met.x_a, -Vec3(met.n)),
                            beyond_rim(1, f.other, met.x_b, met.n));
    }
    return -size_;
}

template <class Visit>
void CylinderPair::for_curves(const Relative<double>& z, const Visit& visit) const {
    std::array<double, kMostNearest> at;
    RoundFeature f;
    // Edges of the side w and the axis of the other one, a cylinder.
    for (f.side = 0; f.side < 2; ++f.side) {
        const int on = 1 - f.side;
        if (!side(on).has_rims() || (f.side == 1 && side(f.side).has_rims())) continue;
        f.kind = Kind::edges;
        for (f.number = 0; f.number < static_cast<int>(side(f.side).parts.edges.size()); ++f.number)
            if (norm(cross(line(f.side, f.number, z).e, line(on, 0, z).e)) > kParallel) visit(f);
    }
    for (f.side = 0; f.side < 2; ++f.side) {
        const int on = 1 - f.side;
        if (!side(on).has_rims()) continue;
        f.kind = Kind::edge_rim;
        for (f.number = 0; f.number < static_cast<int>(side(f.side).parts.edges.size()); ++f.number)
            for (f.rim = 0; f.rim < 2; ++f.rim) {
                const int count = find_nearest(rim(on, f.rim, z), line(f.side, f.number, z), at);
                for (int k = 0; k < count; ++k) {
                    f.set_angle(at[index(k)], kSectors);
                    visit(f);
                }
            }
    }
    if (!side(0).has_rims() || !side(1).has_rims()) return;
    f = {};
    f.kind = Kind::rims;
    for (f.rim = 0; f.rim < 2; ++f.rim)
        for (f.other = 0; f.other < 2; ++f.other) {
            const int count = find_nearest(rim(0, f.rim, z), rim(1, f.other, z), at);
            for (int k = 0; k < count; ++k) {
                f.set_angle(at[index(k)], kSectors);
                visit(f);
            }
        }
}

double CylinderPair::separation(const Relative<double>& z) const {
    const Vec3 y = z.y;
    const bool is_plane = side(1).kind == Side::Kind::plane;
    if (is_plane) return apart(Vec3::UnitZ(), z);
    if (y.norm() > 2.0 * size_) return y.norm() - size_;
    double most = -size_;
    const auto along = [&](const Vec3& n) {
        const double length = n.norm();
        if (length > 0.0 && std::isfinite(length)) most = std::max(most, apart(n / length, z));
    };
    for (int w = 0; w < 2; ++w) {
        for (const Hull::Face& face : side(w).parts.faces)
            along((w == 0 ? -1.0 : 1.0) * Vec3(turned(w, face.n, z)));
        RoundFeature f;
        f.kind = Kind::corner;
        f.side = w;
        for (f.number = 0; f.number < side(w).num_corners(); ++f.number) along(meet(f, z).n);
    }
    // Of axes that are parallel the way across them.
    if (side(0).kind != Side::Kind::hull && side(1).kind != Side::Kind::hull) {
        const Line<double> a = line(0, 0, z), b = line(1, 0, z);
        const Vec3 d = a.p - b.p;
        along(d - d.dot(Vec3(b.e)) * Vec3(b.e));
    }
    for_curves(z, [&](const RoundFeature& f) {
        along(meet(f, z).n);
    });
    return most;
}

void CylinderPair::add(const RoundFeature& f, const Ends& at, Candidates& to) const {
    const Relative<double>& z = at.z;
    const Meeting<double> met = meet(f, z);
    // Within its borders its gap is a distance.
    const double found = met.gap;
    if (!(found <= kNear * size_) || !(beyond(f, met, z) <= kTouches * size_)) return;
    if (f.kind > Kind::held) {
        // Across what separates nothing nothing meets; curves are the farthest of their shapes.
        const double sum = apart(met.n, z);
        if (sum < at.overlap.least_apart()) return;
        if (f.kind != Kind::lowest && met.gap - sum > kSupports * size_) return;
    }
    const bool is_bare = at.overlap.any() && found < 0.0;
    if (is_bare && meet(f, at.z0).gap < -kTouches * size_) return;
    to.push_back(
        {found, is_bare ? -f.code() : f.code(), 0.5 * (Vec3(met.x_a) + Vec3(met.x_b)), met.n});
}

/// Of both rims of a cylinder their lowest points over faces, and of one that lies flat, points
/// around it.
void CylinderPair::add_rims(int w,
                            const Ends& at,
                            std::span<const double> present,
                            Candidates& to) const {
    const Relative<double>& z = at.z;
    const int on = 1 - w;
    if (!side(w).has_rims()) return;
    RoundFeature f;
    f.side = w;
    for (f.rim = 0; f.rim < 2; ++f.rim) {
        const Circle<double> of = rim(w, f.rim, z);
        for (f.number = 0; f.number < static_cast<int>(side(on).parts.faces.size()); ++f.number) {
            const Vec3 n = turned(on, side(on).parts.faces[index(f.number)].n, z);
            const double x = -n.dot(Vec3(of.u)), y = -n.dot(Vec3(of.v)), tilt = std::hypot(x, y);
            if (tilt > kLiesFlat) {
                f.kind = Kind::lowest;
                add(f, at, to);
                continue;
            }
            if (n.dot(Vec3(of.k)) > 0.0) continue;
            RoundFeature point = f;
            point.kind = Kind::point;
            // One that begins to tip does so over the point that is the lowest.
            if (of.R * tilt > kWithin * size_) {
                point.set_fine_angle(std::atan2(y, x));
                add(point, at, to);
            }
            for (const double code : present) {
                const RoundFeature known = RoundFeature::from(static_cast<Feature>(std::abs(code)));
                if (known.kind == Kind::point && known.side == w && known.rim == f.rim)
                    add(known, at, to);
            }
            for (int k = 0; k < kOnRim; ++k) {
                point.turn = k * (RoundFeature::kTurns / kOnRim);
                point.number = 0;
                point.kind = Kind::point;
                hold(point, z, present);
                add(point, at, to);
            }
        }
    }
}

/// Of a rim that lies flat a point is held where it is: all of them meet at once, and carry.
void CylinderPair::hold(RoundFeature& point,
                        const Relative<double>& z,
                        std::span<const double> present) const {
    const double gap = meet(point, z).gap;
    if (!(gap >= 0.0 && gap < height_of(RoundFeature::kFine - 1))) return;
    point.kind = Kind::held;
    point.number = static_cast<int>(gap / height_of(1));
    for (const double code : present) {
        const RoundFeature known = RoundFeature::from(static_cast<Feature>(std::abs(code)));
        if (known.kind == Kind::held && known.side == point.side && known.rim == point.rim &&
            known.turn == point.turn)
            point.number = known.number;
    }
}

void CylinderPair::choose(const Relative<double>& z0,
                          const Relative<double>& z,
                          std::span<double> features) const {
    const bool is_plane = side(1).kind == Side::Kind::plane;
    if (!is_plane && Vec3(z.y).norm() > (1.0 + kNear) * size_) {
        std::ranges::fill(features, 0.0);
        return;
    }
    Candidates all;
    const Ends at{z0, z, {separation(z), size_}};
    add_rims(1, at, features, all);
    add_rims(0, at, features, all);
    RoundFeature f;
    f.kind = Kind::corner;
    for (f.side = 0; f.side < 2; ++f.side)
        for (f.number = 0; f.number < side(f.side).num_corners(); ++f.number) add(f, at, all);
    if (!is_plane)
        for_curves(z, [&](const RoundFeature& curves) {
            add(curves, at, all);
        });
    choose_features(all, size_, features, at.overlap, &RoundFeature::is_same);
}

}  // namespace

std::unique_ptr<PairGeometry> cylinder_pair(const ContactShape& a, const ContactShape& b) {
    return make_geometry(CylinderPair(a, &b));
}

std::unique_ptr<PairGeometry> cylinder_on_plane(const ContactShape& a) {
    return make_geometry(CylinderPair(a, nullptr));
}

}  // namespace ancora::contact
