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

/// Constants of Eigen's in every function and operator that takes vectors.
class Mixed final : public HolonomicConstraint<Mixed> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one point").required(),
        parameter::point("b", "another").required(),
    };
    explicit Mixed(const Arguments&) {}

    template <class S>
    S phi(const Vector3<S>& a, const Vector3<S>& b) const {
        const Vector3<S> c = (a - o_) + (k_ - b) + (o_ + a) + (b + 2.0 * k_);
        return dot(c, k_) + dot(k_, cross(a, k_)) + 0.1 * triple(a, b, k_) + distance(a, o_) +
               squared_norm(cross(k_, b)) + dot(k_ * a.x + b.y * o_, b) + norm(o_) * dot(k_, o_);
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    Vec3 k_ = Vec3(0.3, -0.5, 0.8), o_ = Vec3(2.0, 1.0, -1.0);
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

/// A skate: psi = (z x d) . p'
class Skate final : public NonholonomicConstraint<Skate> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("p", "point of the edge").required(),
        parameter::direction("d", "along the edge").required(),
    };
    explicit Skate(const Arguments&) {}

    template <class S>
    S psi(const Vector3<S>&,
          const Vector3<S>& d,
          const Vector3<S>& p_rate,
          const Vector3<S>&) const {
        return d.x * p_rate.y - d.y * p_rate.x;
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }
};

/// A speed that is kept, or grows: psi = (p'.p' - (c + a t)^2) / (2 c). Nonlinear in p'.
class Speed final : public NonholonomicConstraint<Speed> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("p", "the point").required(),
        parameter::number("speed", "m/s", "its speed at the start").positive().required(),
        parameter::number("acceleration", "m/s^2", "what it gains").otherwise("0.0"),
    };
    explicit Speed(const Arguments& arguments)
        : c_(arguments.number("speed")), a_(arguments.number("acceleration")) {}

    template <class S>
    S psi(const Vector3<S>&, const Vector3<S>& p_rate, const S& t) const {
        const S c = c_ + a_ * t;
        return (squared_norm(p_rate) - c * c) / (2.0 * c_);
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    double c_, a_;
};

/// The same without growth, from a function of double.
class PlainSpeed final : public NonholonomicConstraint<PlainSpeed> {
public:
    static constexpr Parameter kParameters[] = {Speed::kParameters[0], Speed::kParameters[1]};
    explicit PlainSpeed(const Arguments& arguments) : c_(arguments.number("speed")) {}

    double psi(const Vec3&, const Vec3& p_rate) const {
        return (p_rate.squaredNorm() - c_ * c_) / (2.0 * c_);
    }
    void facets(ConstraintFacets& out) const override { out.tied_to_inertial_frame = true; }

private:
    double c_;
};

/// A medium at rest: f = -c v.
class Drag final : public ForceLaw<Drag> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("at", "where it acts").required(),
        parameter::number("c", "N s/m", "coefficient").nonnegative().required(),
    };
    explicit Drag(const Arguments& arguments) : c_(arguments.number("c")) {}

    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }
    Vec3 force(const Vec3&, const Vec3& velocity) const { return -c_ * velocity; }

private:
    double c_;
};

/// A motor that pulls two points together along their line, with a strength that swings.
class Winch final : public ForceLaw<Winch> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::point("a", "one end").required(),
        parameter::point("b", "the other end").required(),
        parameter::number("strength", "N", "amplitude").required(),
    };
    explicit Winch(const Arguments& arguments) : F_(arguments.number("strength")) {}

    WorkKind work() const override { return WorkKind::nonideal; }
    Vector3<double> force(const Vector3<double>& a, const Vector3<double>& b, double t) const {
        return F_ * sin(3.0 * t) * normalized(b - a);
    }

private:
    double F_;
};

/// A motor with feedback in the joint of two bodies, on a direction of each across the axis:
/// T = -k (theta - target) - c theta', on a along the axis, on b against it.
template <class Author>
class Motor : public ForceLaw<Author> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::direction("a", "across the axis, of the body that is turned").required(),
        parameter::direction("b", "across the axis, of the one that holds it").required(),
        parameter::vector("axis", 3, "", "of the joint").required(),
        parameter::number("stiffness", "N m/rad", "k").required(),
        parameter::number("damping", "N m s/rad", "c").required(),
        parameter::number("target", "rad", "of the angle from b to a").required(),
    };
    explicit Motor(const Arguments& arguments)
        : n_(arguments.numbers("axis").data()),
          k_(arguments.number("stiffness")),
          c_(arguments.number("damping")),
          target_(arguments.number("target")) {}

    WorkKind work() const override { return WorkKind::nonideal; }
    void facets(ForceFacets& out) const override {
        Motor::ForceLaw::facets(out);
        out.tied_to_inertial_frame = true;
    }

    template <class S>
    std::array<Vector3<S>, 2> forces(const Vector3<S>& a,
                                     const Vector3<S>& b,
                                     const Vector3<S>& a_rate,
                                     const Vector3<S>& b_rate) const {
        const Vector3<double> n(n_);
        const S angle = atan2(dot(n, cross(b, a)), dot(a, b));
        const S rate = dot(n, cross(a, a_rate)) - dot(n, cross(b, b_rate));
        const S torque = -k_ * (angle - target_) - c_ * rate;
        return {torque * cross(n, a), -torque * cross(n, b)};
    }

private:
    Vec3 n_;
    double k_, c_, target_;
};
class TemplateMotor final : public Motor<TemplateMotor> {
public:
    using Motor::Motor;
    template <class S>
    std::array<Vector3<S>, 2> force(const Vector3<S>& a,
                                    const Vector3<S>& b,
                                    const Vector3<S>& a_rate,
                                    const Vector3<S>& b_rate) const {
        return forces(a, b, a_rate, b_rate);
    }
};
/// @tparam kTells or it keeps to itself how it answers
template <bool kTells>
class PlainMotor final : public Motor<PlainMotor<kTells>> {
public:
    using Motor<PlainMotor<kTells>>::Motor;
    void facets(ForceFacets& out) const override {
        PlainMotor::Motor::facets(out);
        if (!kTells) out.tangent = nullptr;
    }
    std::array<Vector3<double>, 2> force(const Vec3& a,
                                         const Vec3& b,
                                         const Vec3& a_rate,
                                         const Vec3& b_rate) const {
        using V = Vector3<double>;
        return this->forces(V(a), V(b), V(a_rate), V(b_rate));
    }
};

/// Coulomb's law with viscous drag, as one function of N and the speed.
class Rubbing final : public FrictionLaw<Rubbing> {
public:
    static constexpr Parameter kParameters[] = {
        parameter::object("on", "the constraint that it slides on").required(),
        parameter::number("mu", "", "coefficient of friction").nonnegative().required(),
        parameter::number("viscous", "N s/m", "drag besides").nonnegative().otherwise("0.0"),
    };
    explicit Rubbing(const Arguments& arguments)
        : mu_(arguments.number("mu")), c_(arguments.number("viscous")) {}

    template <class S>
    S friction(const S& N, const S& speed) const {
        return mu_ * N + c_ * speed;
    }

private:
    double mu_, c_;
};

/// pi = |a - b| - L [m]
struct Stretch {
    double length;
    template <class S>
    S operator()(const Vector3<S>& a, const Vector3<S>& b) const {
        return distance(a, b) - length;
    }
};
/// pi = the angle at b between a and c, less that without load [rad]
struct BondAngle {
    double angle;
    template <class S>
    S operator()(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) const {
        const Vector3<S> u = a - b;
        const Vector3<S> w = c - b;
        return atan2(norm(cross(u, w)), dot(u, w)) - angle;
    }
};
/// pi = a - 2 b + c [m], three rows: what bends a beam of three nodes
struct Curvature {
    template <class S>
    Vector3<S> operator()(const Vector3<S>& a, const Vector3<S>& b, const Vector3<S>& c) const {
        return a - 2.0 * b + c;
    }
};

/// Three masses in a row, tied by springs: a molecule with a bond angle, or a beam.
class Molecule final : public VectorBody {
public:
    static constexpr Parameter kParameters[] = {
        parameter::matrix("nodes", 3, 3, "m", "positions of the masses").required(),
        parameter::matrix("velocities", 3, 3, "m/s", "their velocities").required(),
        parameter::number("mass", "kg", "of each").positive().required(),
        parameter::number("length", "m", "of each spring, free").positive().required(),
        parameter::number("stiffness", "N/m", "of each spring").positive().or_infinite().required(),
        parameter::number("angle", "rad", "between the springs, free").otherwise("1.8"),
        parameter::number("angle_stiffness", "N m/rad", "0: none").nonnegative().otherwise("0.0"),
        parameter::number("bending", "N/m", "stiffness of the beam; 0: none")
            .nonnegative()
            .otherwise("0.0"),
    };

    explicit Molecule(const Arguments& arguments) {
        const std::span<const double> r = arguments.numbers("nodes");
        const std::span<const double> v = arguments.numbers("velocities");
        int node[3];
        for (std::size_t i = 0; i < 3; ++i) {
            node[i] = add_point(vec3(r, 3 * i), vec3(v, 3 * i));
            add_mass(node[i], node[i], arguments.number("mass"));
        }
        const Stretch stretch{arguments.number("length")};
        for (int i = 0; i < 2; ++i)
            add_strain(
                "stretch", {node[i], node[i + 1]}, stretch, stiff(arguments.number("stiffness")));
        if (const double k = arguments.number("angle_stiffness"); k > 0.0)
            add_strain("bond angle",
                       {node[0], node[1], node[2]},
                       BondAngle{arguments.number("angle")},
                       stiff(k));
        if (const double k = arguments.number("bending"); k > 0.0)
            add_strain("curvature", {node[0], node[1], node[2]}, Curvature{}, stiff(k));
        name_point("middle", {{node[0], 0.5}, {node[2], 0.5}});
        name_direction("span", {{node[0], -1.0}, {node[2], 1.0}});
        set_reference({{node[0], 1.0 / 3}, {node[1], 1.0 / 3}, {node[2], 1.0 / 3}});
    }
};

}  // namespace ancora::zoo
