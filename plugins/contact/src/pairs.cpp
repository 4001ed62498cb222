// SPDX-License-Identifier: BSD-3-Clause
// Gaps of pairs of shapes as functions of where they are.
#include "pairs.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ancora/pairs/distances.hpp"

namespace ancora::contact {
namespace {

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
    S gap(int row, Feature, const Relative<S>& z) const {
        return z.point(points_[static_cast<std::size_t>(row)]).z - radius_;
    }
    template <class S>
    Touch<S> touch(int row, Feature, const Relative<S>& z) const {
        const Vector3<S> up = vertical<S>(1.0);
        return {z.point(points_[static_cast<std::size_t>(row)]) - radius_ * up, up};
    }

private:
    std::vector<Vec3> points_;
    double radius_, size_;
};

class BallOnSolid {
public:
    static constexpr bool kIsLinear = false, kTurns = false;
    BallOnSolid(double radius, const ContactShape& b) : radius_(radius), b_(b) {}

    int num_rows() const { return 1; }
    double size() const { return radius_ + b_.reach(); }
    template <class S>
    S gap(int, Feature, const Relative<S>& z) const {
        return distance<S>(z, nullptr) - radius_;
    }
    template <class S>
    Touch<S> touch(int, Feature, const Relative<S>& z) const {
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
            case ContactShape::Kind::hull:
                return distance_to_hull(z.y, *b_.hull, touch);
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
    S gap(int, Feature, const Relative<S>& z) const {
        return (tube_ - radius_) - rho(z);
    }
    template <class S>
    Touch<S> touch(int, Feature, const Relative<S>& z) const {
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

}  // namespace

std::unique_ptr<PairGeometry> on_plane(const ContactShape& a) {
    using Kind = ContactShape::Kind;
    if (a.kind == Kind::cylinder) return cylinder_on_plane(a);
    std::vector<Vec3> points;
    if (a.kind == Kind::box)
        for (int k = 0; k < 8; ++k)
            points.push_back(a.half.cwiseProduct(
                Vec3(k % 2 == 0 ? -1.0 : 1.0, k / 2 % 2 == 0 ? -1.0 : 1.0, k < 4 ? -1.0 : 1.0)));
    else if (a.kind == Kind::hull)
        points = a.hull->corners;
    else if (a.kind == Kind::capsule)
        points = {Vec3(0.0, 0.0, -a.half_length), Vec3(0.0, 0.0, a.half_length)};
    else
        points = {Vec3::Zero()};
    return make_geometry(PointsOnPlane(std::move(points), a.radius, a.reach()));
}

std::unique_ptr<PairGeometry> ball_on_solid(double radius, const ContactShape& b) {
    return make_geometry(BallOnSolid(radius, b));
}

std::unique_ptr<PairGeometry> ball_in_cylinder(double radius, const ContactShape& b) {
    return make_geometry(BallInCylinder(radius, b));
}

namespace {

std::unique_ptr<PairGeometry> geometry_of(const PairSide& a,
                                          const PairSide& b,
                                          bool is_inside,
                                          const RefusePair& refuse) {
    using Kind = ContactShape::Kind;
    const auto one_is = [&](Kind kind) {
        return a.shape.kind == kind || b.shape.kind == kind;
    };
    if (is_inside && !(a.shape.is_sphere() && b.shape.kind == Kind::cylinder && !b.is_plane))
        refuse("inside", "is known of spheres in spheres and in cylinders");
    if (b.is_plane) return on_plane(a.shape);
    if (is_inside) {
        if (!(b.shape.radius > a.shape.radius))
            refuse("inside", "finds no room: the sphere is not smaller than the cylinder");
        return ball_in_cylinder(a.shape.radius, b.shape);
    }
    if (a.shape.is_sphere()) return ball_on_solid(a.shape.radius, b.shape);
    if (one_is(Kind::cylinder)) return cylinder_pair(a.shape, b.shape);
    return one_is(Kind::hull) ? hull_pair(a.shape, b.shape) : box_pair(a.shape, b.shape);
}

}  // namespace

std::unique_ptr<ShapeContact> shape_contact(const PairSide& a,
                                            const PairSide& b,
                                            bool is_inside,
                                            const RowLaw& law,
                                            const RefusePair& refuse) {
    // A ball is what is seen from the other, and so is what meets a plane.
    const bool is_swapped = b.shape.is_sphere() && !b.is_plane;
    return std::make_unique<ShapeContact>(
        a, b, is_swapped, law, [&](const PairSide& seen, const PairSide& from) {
            return geometry_of(seen, from, is_inside, refuse);
        });
}

}  // namespace ancora::contact
