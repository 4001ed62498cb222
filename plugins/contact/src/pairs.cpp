// SPDX-License-Identifier: BSD-3-Clause
// Gaps of pairs of shapes as functions of where they are.
#include "pairs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace ancora::contact {
namespace {

using autodiff::value_of;

template <class S>
Vector3<S> vertical(double z) {
    return {S(0.0), S(0.0), S(z)};
}

class PointsOnPlane {
public:
    static constexpr bool kIsLinear = true, kTurns = true;
    PointsOnPlane(std::vector<Vec3> points, double radius, double size)
        : points_(std::move(points)), radius_(radius), size_(size) {}

    int num_rows() const { return static_cast<int>(points_.size()); }
    double size() const { return size_; }
    RelativeValues gradient(int row) const {
        const Vec3& x = points_[static_cast<std::size_t>(row)];
        return {0.0, 0.0, 1.0, 0.0, 0.0, x[0], 0.0, 0.0, x[1], 0.0, 0.0, x[2]};
    }
    template <class S>
    S gap(int row, const Relative<S>& z) const {
        return z.point(points_[static_cast<std::size_t>(row)]).z - radius_;
    }
    template <class S>
    Touch<S> touch(int row, const Relative<S>& z) const {
        const Vector3<S> up = vertical<S>(1.0);
        return {z.point(points_[static_cast<std::size_t>(row)]) - radius_ * up, up};
    }

private:
    std::vector<Vec3> points_;
    double radius_, size_;
};

class CylinderOnPlane {
public:
    static constexpr bool kIsLinear = false, kTurns = true;
    explicit CylinderOnPlane(const ContactShape& a) : radius_(a.radius), half_(a.half_length) {}

    int num_rows() const { return 2; }
    double size() const { return radius_ + half_; }
    template <class S>
    S gap(int row, const Relative<S>& z) const {
        const S square = z.Y[0].z * z.Y[0].z + z.Y[1].z * z.Y[1].z;
        const S end = z.y.z + (row == 0 ? -half_ : half_) * z.Y[2].z;
        if (!(value_of(square) > 0.0)) return end;
        return end - radius_ * sqrt(square);
    }
    template <class S>
    Touch<S> touch(int row, const Relative<S>& z) const {
        const S square = z.Y[0].z * z.Y[0].z + z.Y[1].z * z.Y[1].z;
        Vector3<S> x = z.y + (row == 0 ? -half_ : half_) * z.Y[2];
        if (value_of(square) > 0.0) {
            const S part = radius_ / sqrt(square);
            x = x - part * (z.Y[0].z * z.Y[0] + z.Y[1].z * z.Y[1]);
        }
        return {x, vertical<S>(1.0)};
    }

private:
    double radius_, half_;
};

// --- distances of a point from solids

/// Beyond the faces of a box, along each axis.
template <class S>
S distance_to_box(const Vector3<S>& p, const Vec3& half, Touch<S>* touch) {
    const S x[] = {p.x, p.y, p.z};
    S beyond[3], nearest[3];
    int num_beyond = 0, most = 0;
    for (int i = 0; i < 3; ++i) {
        const double sign = value_of(x[i]) < 0.0 ? -1.0 : 1.0;
        beyond[i] = sign * x[i] - half[i];
        const bool is_beyond = value_of(beyond[i]) > 0.0;
        nearest[i] = is_beyond ? S(sign * half[i]) : x[i];
        num_beyond += is_beyond ? 1 : 0;
        if (value_of(beyond[i]) > value_of(beyond[most])) most = i;
    }
    const double sign = value_of(x[most]) < 0.0 ? -1.0 : 1.0;
    if (num_beyond <= 1) {
        if (touch != nullptr) {
            nearest[most] = S(sign * half[most]);
            S n[] = {S(0.0), S(0.0), S(0.0)};
            n[most] = S(sign);
            *touch = {{nearest[0], nearest[1], nearest[2]}, {n[0], n[1], n[2]}};
        }
        return beyond[most];
    }
    const Vector3<S> foot(nearest[0], nearest[1], nearest[2]);
    const Vector3<S> r = p - foot;
    const S distance = norm(r);
    if (touch != nullptr) *touch = {foot, r / distance};
    return distance;
}

template <class S>
S distance_to_capsule(const Vector3<S>& p, const ContactShape& b, Touch<S>* touch) {
    const double z = value_of(p.z);
    const S along = z > b.half_length    ? S(b.half_length)
                    : z < -b.half_length ? S(-b.half_length)
                                         : p.z;
    const Vector3<S> middle(S(0.0), S(0.0), along);
    const Vector3<S> r = p - middle;
    const S square = dot(r, r);
    // On the axis no direction leads out before the others.
    const bool is_inside = !(value_of(square) > 0.0);
    const S distance = is_inside ? r.x : sqrt(square);
    if (touch != nullptr) {
        const Vector3<S> n = is_inside ? Vector3<S>(S(1.0), S(0.0), S(0.0)) : r / distance;
        *touch = {middle + b.radius * n, n};
    }
    return distance - b.radius;
}

template <class S>
S distance_to_cylinder(const Vector3<S>& p, const ContactShape& b, Touch<S>* touch) {
    const double sign = value_of(p.z) < 0.0 ? -1.0 : 1.0;
    const S over = sign * p.z - b.half_length;
    const S square = p.x * p.x + p.y * p.y;
    const bool is_on_axis = !(value_of(square) > 0.0);
    const S rho = is_on_axis ? p.x : sqrt(square);
    const S out = rho - b.radius;
    const Vector3<S> axis = vertical<S>(sign);
    const Vector3<S> radial =
        is_on_axis ? Vector3<S>(S(1.0), S(0.0), S(0.0)) : Vector3<S>(p.x / rho, p.y / rho, S(0.0));
    if (value_of(over) > 0.0 && value_of(out) > 0.0) {
        const S distance = sqrt(over * over + out * out);
        if (touch != nullptr)
            *touch = {b.radius * radial + b.half_length * axis,
                      (out / distance) * radial + (over / distance) * axis};
        return distance;
    }
    if (value_of(over) > value_of(out)) {
        if (touch != nullptr) *touch = {p - over * axis, axis};
        return over;
    }
    if (touch != nullptr) *touch = {p - out * radial, radial};
    return out;
}

class BallOnSolid {
public:
    static constexpr bool kIsLinear = false, kTurns = false;
    BallOnSolid(double radius, const ContactShape& b) : radius_(radius), b_(b) {}

    int num_rows() const { return 1; }
    double size() const { return radius_ + b_.reach(); }
    template <class S>
    S gap(int, const Relative<S>& z) const {
        return distance<S>(z, nullptr) - radius_;
    }
    template <class S>
    Touch<S> touch(int, const Relative<S>& z) const {
        Touch<S> out;
        distance<S>(z, &out);
        return out;
    }

private:
    template <class S>
    S distance(const Relative<S>& z, Touch<S>* touch) const {
        switch (b_.kind) {
            case ContactShape::Kind::box:
                return distance_to_box(z.y, b_.half, touch);
            case ContactShape::Kind::cylinder:
                return distance_to_cylinder(z.y, b_, touch);
            case ContactShape::Kind::sphere:
            case ContactShape::Kind::capsule:
                break;
        }
        return distance_to_capsule(z.y, b_, touch);
    }

    double radius_;
    ContactShape b_;
};

class BallInCylinder {
public:
    static constexpr bool kIsLinear = false, kTurns = false;
    BallInCylinder(double radius, const ContactShape& b) : radius_(radius), tube_(b.radius) {}

    int num_rows() const { return 1; }
    double size() const { return tube_; }
    template <class S>
    S gap(int, const Relative<S>& z) const {
        return (tube_ - radius_) - rho(z);
    }
    template <class S>
    Touch<S> touch(int, const Relative<S>& z) const {
        const S r = rho(z);
        const Vector3<S> out = value_of(r) > 0.0 ? Vector3<S>(z.y.x / r, z.y.y / r, S(0.0))
                                                 : Vector3<S>(S(1.0), S(0.0), S(0.0));
        return {tube_ * out + z.y.z * vertical<S>(1.0), -out};
    }

private:
    template <class S>
    static S rho(const Relative<S>& z) {
        const S square = z.y.x * z.y.x + z.y.y * z.y.y;
        return value_of(square) > 0.0 ? sqrt(square) : z.y.x;
    }
    double radius_, tube_;
};

template <class Shapes>
std::unique_ptr<PairGeometry> make(const Shapes& shapes) {
    return std::make_unique<GeometryOf<Shapes>>(shapes);
}

}  // namespace

std::unique_ptr<PairGeometry> on_plane(const ContactShape& a) {
    using Kind = ContactShape::Kind;
    if (a.kind == Kind::cylinder) return make(CylinderOnPlane(a));
    std::vector<Vec3> points;
    if (a.kind == Kind::box)
        for (int k = 0; k < 8; ++k)
            points.push_back(a.half.cwiseProduct(
                Vec3(k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0)));
    else if (a.kind == Kind::capsule)
        points = {Vec3(0.0, 0.0, -a.half_length), Vec3(0.0, 0.0, a.half_length)};
    else
        points = {Vec3::Zero()};
    return make(PointsOnPlane(std::move(points), a.radius, a.reach()));
}

std::unique_ptr<PairGeometry> ball_on_solid(double radius, const ContactShape& b) {
    return make(BallOnSolid(radius, b));
}

std::unique_ptr<PairGeometry> ball_in_cylinder(double radius, const ContactShape& b) {
    return make(BallInCylinder(radius, b));
}

}  // namespace ancora::contact
