// SPDX-License-Identifier: BSD-3-Clause
// Smooth random motions of an object's local scalars, with exact rates.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "object.hpp"
#include "random.hpp"

namespace ancora::verify {

/// u(t) with u' and u'', for a body's coordinates or for attachments to moving rigid bodies:
///
///   q = q_0 + v_0 t + a_0 t^2 / 2                                                        (1)
///   r = x(t) + R(t) xi + d(t),   R' = w^ R,   w constant                                 (2)
///
/// d is a small quadratic function of time, so that nothing depends on points of one body staying
/// at their distances. Attachments to the ground do not move.
class Motion {
public:
    int num_scalars() const { return static_cast<int>(free_.size()); }
    /// Any of the outputs may be empty.
    void evaluate(double t, std::span<double> u, std::span<double> du, std::span<double> ddu) const;

private:
    friend class Stage;
    struct Rigid {
        Vec3 x, v, a, w;
        Mat3 R;
    };
    struct Attached {
        int first = 0;  // scalar
        int body = -1;  // of rigid_; -1: none
        Vec3 local;     // in body axes
        bool is_direction = false;
    };
    struct Quadratic {
        double c0 = 0.0, c1 = 0.0, c2 = 0.0;
    };
    std::vector<Rigid> rigid_;
    std::vector<Attached> attached_;
    std::vector<Quadratic> free_;
};

/// Where bodies are that an object is fastened to.
enum class Placement {
    usual,     ///< anywhere in a space of about a metre
    aligned,   ///< along inertial axes, with components that are zero
    far,       ///< ten times farther out, and faster
    turned,    ///< a direction of one body passes the opposite of another's: angles pass pi
    together,  ///< the first points of the two at one place
};

/// What an object's local scalars are, and motions of them.
class Stage {
public:
    Stage(const TypeDescriptor& type, const BoundArguments& arguments, const Object& object);

    int num_scalars() const { return num_scalars_; }
    /// `perturbation`: size of d [m] and of what directions lose of their length and angles.
    Motion motion(Random& random, double perturbation = 0.05) const;
    /// Of all motions from now on.
    void place(Placement placement) { placement_ = placement; }
    /// Moves u by r -> R r + c: points by both, directions by R. False if a scalar stands alone, so
    /// that it cannot be moved.
    bool move(const Mat3& R, const Vec3& c, std::span<double> u) const;
    /// du of the rotation of space by the small angle w; false as above.
    bool spin(const Vec3& w, std::span<const double> u, std::span<double> du) const;
    /// Whether a scalar stands alone: a coordinate, or any of a body's own.
    bool has_lone_scalars() const;
    bool is_on_ground() const;

    /// What an attachment's text says, of constraints and forces.
    struct Place {
        bool is_direction = false;
        bool is_coordinate = false;
        int body = -1;          ///< 0: a, 1: b, -1: ground
        Vec3 local;             ///< in axes of the body
        bool is_given = false;  ///< the text has coordinates
    };
    Place place_of(int attachment) const;

private:
    struct Attachment {
        enum class Kind { point, direction, coordinate } kind = Kind::point;
        int body = -1;  // 0: a, 1: b, -1: ground
        Vec3 local = Vec3::Zero();
        int axis = -1;          // of a coordinate of the reference point
        bool is_given = false;  // the locator was given by coordinates
    };
    void add(const std::string& text, Attachment::Kind kind);
    void add_measure(const std::string& text);

    Motion body_motion(Random& random, double perturbation) const;
    void align(Motion& motion, Random& random) const;
    void turn(Motion& motion, Random& random) const;

    Placement placement_ = Placement::usual;
    int num_scalars_ = 0;
    std::vector<bool> is_lone_;  // coordinates of a body that are components of no vector
    std::vector<Attachment> attachments_;
    std::vector<double> q_;  // start of a body
    std::vector<double> v_;
};

}  // namespace ancora::verify
