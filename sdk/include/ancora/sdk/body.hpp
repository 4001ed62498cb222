// SPDX-License-Identifier: BSD-3-Clause
// The Body interface: coordinates, their mass, their strains, and points to attach to.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string_view>

#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/rows.hpp"
#include "ancora/sdk/sketch.hpp"

namespace ancora {

/// What one generalized coordinate is. From this the kernel knows how the body moves under a
/// translation and a rotation of space, and so its weight, momentum and angular momentum:
/// with p = M v, P = sum of p over translating coordinates, L = sum of z x p over all vectors z,
/// and Xi^T p for scalars, see ScalarRotation.
struct Coordinate {
    std::int32_t vector = -1;  ///< number of the vector (within the body) it is a component of;
                               ///< -1: a scalar
    std::int32_t axis = 0;     ///< 0, 1, 2: its inertial axis
    bool translates = false;   ///< true for components of a position, false of a direction
    double reach = 1.0;        ///< largest displacement of matter per unit of the coordinate [m]
};

/// Receives the entries of a symmetric mass matrix.
class MassSink {
public:
    /// Adds `value` to M(i, j); give each pair i >= j once, the mirror entry is implied.
    virtual void add(int i, int j, double value) = 0;

protected:
    ~MassSink() = default;
};

/// On what the mass matrix of a body depends.
enum class MassKind : std::int32_t {
    constant,
    /// On the state: M(q). Such a body has no discrete formulation.
    of_state,
    /// On time alone, as of a tank that empties. Matter leaves, or comes, with the velocity that
    /// the body has where it was, and takes its momentum and energy along, which the accounts
    /// record; of itself it exerts no force, M(t) a = Q. Thrust is a force besides, by the velocity
    /// relative to the body at which matter leaves it. Where M has mass it must keep some.
    of_time,
};

/// Where a mass matrix is wanted.
struct MassState {
    double t = 0.0;
    std::span<const double> q{};  ///< empty for MassKind::of_time
    std::span<const double> v{};  ///< empty for MassKind::of_time
};

/// A mass matrix that is not constant, with what goes along. Matrices are n x n, row by row,
/// symmetric; M is positive semidefinite.
struct MassValues {
    std::span<double> M{};
    std::span<double> force{};  ///< MassKind::of_state: dT/dq - (dM/dt) v, n: what the inertia adds
                                ///< to Q; else empty
    std::span<double> rate{};   ///< MassKind::of_time: dM/dt; else empty
};

/// What a body can say about where it is.
enum class PoseKind : std::int32_t {
    none,      ///< a network of many nodes
    position,  ///< a reference point
    attitude,  ///< a reference point and a frame
};

/// Reference point and frame of a body, inertial axes.
struct Pose {
    std::array<double, 3> position{};              ///< [m]
    std::array<double, 3> velocity{};              ///< [m/s]
    std::array<double, 4> quaternion{1, 0, 0, 0};  ///< w, x, y, z; maps body to inertial axes
    std::array<double, 3> angular_velocity{};      ///< body axes [rad/s]
};

/// How the coordinates of a body that are scalars go with a rotation of space. A body without this
/// facet has none, or a rotation leaves them alone.
class ScalarRotation {
public:
    /// [step] dq/dtheta under a rotation of space by theta about the inertial axes, n x 3, row by
    /// row; rows of vector components are not read.
    virtual void rotation(std::span<const double> q, std::span<double> Xi) const = 0;
    /// [assembly] Turns the scalars, and their velocities, by a rotation of space, x' = R x (row by
    /// row), about the origin: for a joint that places the body. Components of vectors are the
    /// kernel's, and not touched.
    virtual void turn(const std::array<double, 9>& R,
                      std::span<double> q,
                      std::span<double> v) const {
        static_cast<void>(R);
        static_cast<void>(q);
        static_cast<void>(v);
        throw std::logic_error("the body does not say how its scalar coordinates turn");
    }

protected:
    ~ScalarRotation() = default;
};

/// Names that a body has for groups of its points and for its coordinates.
class BodyNames {
public:
    /// [assembly] The points of a named group as indices, as a Locator has them; "*" names all. The
    /// span lives as long as the body.
    /// @throws std::invalid_argument if the body has no such group, with the reason
    virtual std::span<const std::int32_t> group(std::string_view name) const {
        static_cast<void>(name);
        throw std::invalid_argument("has no groups of points");
    }
    /// [assembly] Index of the coordinate that the body calls `name` ("qw"), -1 if there is none.
    /// "x", "y" and "z" mean the reference point and are looked up through Body::attach().
    virtual int find_coordinate(std::string_view name) const {
        static_cast<void>(name);
        return -1;
    }

protected:
    ~BodyNames() = default;
};

/// What a body looks like. Without it: a dot at the reference point, if any.
class Drawing {
public:
    /// [assembly]
    virtual void draw(Sketch& out) const = 0;
    /// [output] Values of the channels in the order in which draw() announced them: of each as many
    /// as the body has lines, nodes or triangles. Only called for bodies with channels.
    virtual void draw_values(const SketchState& at, std::span<double> values) const {
        static_cast<void>(at);
        for (double& x : values) x = 0.0;
    }

protected:
    ~Drawing() = default;
};

/// What a body has to say of itself that no parameter does: what it was made into, what was left
/// out.
class BodyNotes {
public:
    /// [assembly] Text for `ancora check`, one note in a line. Lives as long as the body.
    virtual std::string_view notes() const = 0;

protected:
    ~BodyNotes() = default;
};

/// What a body offers beyond its mechanics; null where it does not. All of it lives as long as the
/// body. Fields are appended, never moved.
struct BodyFacets {
    const ScalarRotation* scalar_rotation = nullptr;
    const BodyNames* names = nullptr;
    const Drawing* drawing = nullptr;
    const Signals* signals = nullptr;  ///< outputs, inputs, states of its own
    const BodyNotes* notes = nullptr;
};

/// A part of the model that owns coordinates q_b with a mass matrix, constant unless it says
/// otherwise:
///
///   T = 1/2 v_b . M v_b,   U = sum over elastic rows of pi^2 / (2 c)                   (1)
///
/// A body is a row source on u = q_b: its strains are rows. Coordinates are absolute, so points of
/// the body are mostly linear in them. All functions are const: an object is configuration, its
/// state belongs to the kernel.
class Body : public RowSource {
public:
    /// [assembly] One entry per coordinate; constant over the life of the object.
    virtual std::span<const Coordinate> coordinates() const = 0;

    /// [assembly] Coordinates and velocities at the start; n entries each.
    virtual void start(std::span<double> q, std::span<double> v) const = 0;

    /// [assembly] The mass matrix, n x n, symmetric, positive semidefinite. If it is not constant:
    /// its pattern, with the values at the start.
    virtual void mass(MassSink& M) const = 0;

    /// [assembly] Describes the attachment that `where` asks for.
    /// @throws std::invalid_argument if the body has no such point or direction, with the reason
    virtual void attach(const Locator& where, AttachmentSink& out) const = 0;

    // --- a body may have besides

    /// [assembly]
    virtual MassKind mass_kind() const { return MassKind::constant; }
    /// [step] The mass matrix; only called where it is not constant.
    virtual void evaluate_mass(const MassState& at, const MassValues& out) const {
        static_cast<void>(at);
        static_cast<void>(out);
        throw std::logic_error("the body's mass is not constant but it does not compute it");
    }

    /// [step] Value and derivatives of a nonlinear attachment; only called for bodies that
    /// announced one. `q` and `v` are all of the body's.
    virtual void evaluate_attachment(int id,
                                     std::span<const double> q,
                                     std::span<const double> v,
                                     const AttachmentValues& out) const {
        static_cast<void>(id);
        static_cast<void>(q);
        static_cast<void>(v);
        static_cast<void>(out);
        throw std::logic_error("the body announced a nonlinear attachment but does not compute it");
    }

    /// [assembly]
    virtual PoseKind pose_kind() const { return PoseKind::none; }
    /// [step] Where the body is; writes what pose_kind() promises.
    virtual void pose(std::span<const double> q, std::span<const double> v, Pose& out) const {
        static_cast<void>(q);
        static_cast<void>(v);
        static_cast<void>(out);
    }

    /// [assembly] Names what the body offers: `out.drawing = this`. One that derives from a class
    /// with facets asks that first.
    virtual void facets(BodyFacets& out) const { static_cast<void>(out); }
};

inline BodyFacets facets_of(const Body& body) {
    BodyFacets out;
    body.facets(out);
    return out;
}

}  // namespace ancora
