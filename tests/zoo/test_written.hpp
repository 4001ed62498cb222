// SPDX-License-Identifier: BSD-3-Clause
// Constraints written as one function each, of every sort that the SDK distinguishes.
#pragma once

#include <array>
#include <cmath>

#include "ancora/sdk/authoring.hpp"

namespace ancora::zoo {

/// phi = |a - b| - L; `stiffness` makes a spring of it, `speed` lets L grow.
class Distance final : public HolonomicConstraint<Distance> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "distance of the ends").positive().required(),
        parameter::number("stiffness", "N/m", "inf: a rod")
            .positive()
            .or_infinite()
            .otherwise("inf"),
    };

    explicit Distance(const Arguments& arguments) : L_(arguments.number("length")) {
        if (const double k = arguments.number("stiffness"); std::isfinite(k))
            set_law({.kind = RowKind::elastic, .compliance = 1.0 / k});
    }

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - L_;
    }

private:
    double L_;
};

/// The same length, as phi = (d.d - L^2) / (2 L).
class Square final : public HolonomicConstraint<Square> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "distance of the ends").positive().required(),
    };
    explicit Square(const Arguments& arguments) : L_(arguments.number("length")) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return (squared_norm(a - b) - L_ * L_) / (2.0 * L_);
    }

private:
    double L_;
};

/// A length that is driven: phi = |a - b| - L - c sin(w t).
class Drive final : public HolonomicConstraint<Drive> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("length", "m", "mean distance of the ends").positive().required(),
        parameter::number("stroke", "m", "amplitude c").required(),
        parameter::number("rate", "rad/s", "circular frequency w").required(),
    };
    explicit Drive(const Arguments& arguments)
        : L_(arguments.number("length")),
          c_(arguments.number("stroke")),
          w_(arguments.number("rate")) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b, const S& t) const {
        return distance(a, b) - (L_ + c_ * sin(w_ * t));
    }

private:
    double L_, c_, w_;
};

/// Two distances geared to each other: phi = |a - b| + ratio |c - d| - L. A rope over a pulley.
class Gear final : public HolonomicConstraint<Gear> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end of the first").required(),
        parameter::point("b", "its other end").required(),
        parameter::point("c", "one end of the second").required(),
        parameter::point("d", "its other end").required(),
        parameter::number("ratio", "", "of the second to the first").required(),
        parameter::number("length", "m", "weighted sum of both").required(),
    };
    explicit Gear(const Arguments& arguments)
        : ratio_(arguments.number("ratio")), L_(arguments.number("length")) {}

    template <class S>
    S phi(const Vector3<S>& a,
          const Vector3<S>& b,
          const Vector3<S>& c,
          const Vector3<S>& d) const {
        return distance(a, b) + ratio_ * distance(c, d) - L_;
    }

private:
    double ratio_, L_;
};

/// The angle at b between a and c stays: phi = atan2(|u x w|, u.w) - angle.
class Angle final : public HolonomicConstraint<Angle> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "end of one leg").required(),
        parameter::point("b", "the corner").required(),
        parameter::point("c", "end of the other leg").required(),
        parameter::number("angle", "rad", "between the legs").required(),
    };
    explicit Angle(const Arguments& arguments) : angle_(arguments.number("angle")) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) const {
        const Vector3<S> u = a - b;
        const Vector3<S> w = c - b;
        return atan2(norm(cross(u, w)), dot(u, w)) - angle_;
    }

private:
    double angle_;
};

/// Three rows at once, linear: two points coincide.
class Together final : public HolonomicConstraint<Together> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "the other point").required(),
    };
    explicit Together(const Arguments&) {}

    template <class S>
    Vector3<S> phi(const Vector3<S>& a, const Vector3<S>& b) const {
        return a - b;
    }
};

/// Two rows of different kinds on points and a direction: p is on the plane through o with normal n
/// (quadratic), and at a distance from o (not).
class Circle final : public HolonomicConstraint<Circle> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("p", "the point").required(),
        parameter::direction("n", "normal of the circle's plane").required(),
        parameter::point("o", "its centre").required(),
        parameter::number("radius", "m", "radius").positive().required(),
    };
    explicit Circle(const Arguments& arguments) : radius_(arguments.number("radius")) {}

    template <class S>
    std::array<S, 2> phi(const Vector3<S>& p, const Vector3<S>& n, const Vector3<S>& o) const {
        return {dot(n, p - o), distance(p, o) - radius_};
    }

private:
    double radius_;
};

/// A coordinate that follows a point: phi = x - 1/2 c |p|^2 cos(t).
class Follow final : public HolonomicConstraint<Follow> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::coordinate("x", "the coordinate that follows").required(),
        parameter::point("p", "the point that it follows").required(),
        parameter::number("c", "1/m", "coefficient").required(),
    };
    explicit Follow(const Arguments& arguments)
        : HolonomicConstraint(arguments), c_(arguments.number("c")) {}

    template <class S>
    S phi(const S& x, const Vector3<S>& p, const S& t) const {
        return x - 0.5 * c_ * squared_norm(p) * cos(t);
    }

private:
    double c_;
};

/// |a - b| - L from the rung below templates: a function of double.
class PlainDistance final : public HolonomicConstraint<PlainDistance> {
public:
    static constexpr auto& kParameters = Square::kParameters;
    explicit PlainDistance(const Arguments& arguments) : L_(arguments.number("length")) {}

    double phi(const Vec3& a, const Vec3& b) const { return (a - b).norm() - L_; }

private:
    double L_;
};

/// |a - b| - L with everything by hand; B = (d0 + d1) / (|d0| + |d1|).
class HandDistance final : public HolonomicConstraint<HandDistance> {
public:
    static constexpr auto& kParameters = Square::kParameters;
    explicit HandDistance(const Arguments& arguments) : L_(arguments.number("length")) {}

    double phi(const Vec3& a, const Vec3& b) const { return (a - b).norm() - L_; }
    std::array<Vec3, 2> jacobian(const Vec3& a, const Vec3& b) const {
        const Vec3 n = (a - b).normalized();
        return {n, -n};
    }
    double bias(const Vec3& a, const Vec3& b, const Vec3& a_rate, const Vec3& b_rate) const {
        const Vec3 d = a - b;
        const Vec3 w = a_rate - b_rate;
        const double radial = d.dot(w) / d.norm();
        return -(w.squaredNorm() - radial * radial) / d.norm();
    }
    std::array<Vec3, 2> discrete_jacobian(const Vec3& a0,
                                          const Vec3& b0,
                                          const Vec3& a1,
                                          const Vec3& b1) const {
        const Vec3 d0 = a0 - b0;
        const Vec3 d1 = a1 - b1;
        const Vec3 n = (d0 + d1) / (d0.norm() + d1.norm());
        return {n, -n};
    }

private:
    double L_;
};

}  // namespace ancora::zoo
