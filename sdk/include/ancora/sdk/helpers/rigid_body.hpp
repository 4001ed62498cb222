// SPDX-License-Identifier: BSD-3-Clause
// What all rigid bodies share, whatever their coordinates: parameters, mass properties, start.
#pragma once

#include <cmath>
#include <cstdio>
#include <initializer_list>
#include <limits>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <Eigen/Jacobi>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/attachment.hpp"
#include "ancora/sdk/helpers/line_ends.hpp"
#include "ancora/sdk/helpers/orientation.hpp"
#include "ancora/sdk/numbers/math.hpp"
#include "ancora/sdk/parameter.hpp"
#include "ancora/sdk/sketch.hpp"

namespace ancora::rigid {

// --- schema

/// The parameters that read_mass_properties() reads.
inline constexpr Parameter kMassParameters[] = {
    parameter::vector("size", 3, "m", "edges of a box along the body axes; with density or mass")
        .positive()
        .sensitive(),
    parameter::number("density", "kg/m^3", "mass per volume of the box").positive().sensitive(),
    lines::end_parameter(
        "from",
        "with to, instead of position and orientation: where a rod begins at the "
        "start, inertial axes, or a frame or point of another body, where joints have put it; its "
        "x axis leads to the other end, its reference point lies in the middle, its ends are the "
        "points NAME@from and NAME@to"),
    lines::end_parameter("to", "where the rod ends, likewise"),
    parameter::number(
        "radius", "m", "of a rod between from and to, with mass or density; left out: none")
        .positive()
        .sensitive(),
    parameter::number("mass", "kg", "mass: of a box by size, of a rod, or with inertia")
        .positive()
        .sensitive(),
    parameter::vector(
        "inertia",
        3,
        "kg m^2",
        "moments of inertia about the centre of mass along the body axes, or the full "
        "tensor [[xx, xy, xz], ...]; flat bodies are allowed")
        .or_matrix(3, 3)
        .sensitive(),
    orientation_parameter("axes of inertia, where they are not the body axes: their rotation from "
                          "these, in the forms of orientation",
                          "inertia_orientation"),
    parameter::vector(
        "center_of_mass", 3, "m", "centre of mass from the reference point, body axes")
        .otherwise("[0.0, 0.0, 0.0]")
        .sensitive(),
};

/// The parameters that read_start() reads.
inline constexpr Parameter kStartParameters[] = {
    parameter::vector("position", 3, "m", "reference point, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    orientation_parameter(
        "rotation from body to inertial axes: unit quaternion [w, x, y, z], axis and angle, a "
        "sequence of angles, or two directions"),
    parameter::vector("velocity", 3, "m/s", "velocity of the reference point, inertial axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("angular_velocity", 3, "rad/s", "angular velocity, body axes")
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::body("velocity_from",
                    "instead of both velocities: start as if carried rigidly by this body"),
};

/// A schema made of several, as an array that ancora::type() takes.
template <int N>
struct Schema {
    Parameter entries[N];
};

/// Puts schemas one after the other: join(kMassParameters, kMine, kStartParameters).entries.
template <int... N>
constexpr Schema<(N + ...)> join(const Parameter (&... parts)[N]) {
    Schema<(N + ...)> out;
    int n = 0;
    const auto append = [&](std::span<const Parameter> part) {
        for (const Parameter& parameter : part) out.entries[n++] = parameter;
    };
    (append(parts), ...);
    return out;
}

// --- mass

/// How mass lies in a body. In principal axes from the centre of mass the second moments are
///
///   m_i = integral of rho xi_i^2 dV,   J_i = m_j + m_k,   m_i = (J_j + J_k - J_i) / 2      (1)
///
/// Body axes and reference point are those in which the user gives points, inertia and attitude;
/// xi = R_p^T (p - c) is the material point p in principal axes.
struct MassProperties {
    double mass = 0.0;              ///< M [kg]
    Vec3 center = Vec3::Zero();     ///< c, centre of mass from the reference point, body axes [m]
    Mat3 axes = Mat3::Identity();   ///< R_p, principal axes as columns, body axes
    Vec3 moments = Vec3::Zero();    ///< m_i [kg m^2]; exactly zero for a body flat across axis i
    Vec3 half_size = Vec3::Zero();  ///< of the box with this mass and these m_i [m]
    double volume = 0.0;            ///< of that box [m^3]; zero for a flat body or a rod
    bool is_box = false;            ///< that box was given, and is no mere equivalent
    double length = 0.0;            ///< of a rod with ends, along x [m]; zero: it is none
    double radius = 0.0;            ///< of that rod [m]

    /// The principal axis that all mass lies on (0, 1, 2), or -1 if the body is no rod.
    int rod_axis() const {
        int axis = -1;
        if ((moments.array() > 0.0).count() == 1) moments.maxCoeff(&axis);
        return axis;
    }
    /// J_i, principal moments of inertia about the centre of mass [kg m^2].
    Vec3 inertia() const { return Vec3::Constant(moments.sum()) - moments; }
};

/// [assembly] Draws the box of MassProperties::half_size if it was given. Mass and inertia do not
/// say what a body looks like.
inline void draw(const MassProperties& body, Sketch& out) {
    const double half = 0.5 * body.length;
    if (body.radius > 0.0) out.cylinder(body.radius, {-half, 0.0, 0.0}, {half, 0.0, 0.0});
    if (!body.is_box) return;
    const Vec3 size = 2.0 * body.half_size;
    const Eigen::Quaterniond turn(body.axes);
    out.box({size(0), size(1), size(2)},
            {body.center(0), body.center(1), body.center(2)},
            {turn.w(), turn.x(), turn.y(), turn.z()});
}

/// [assembly] Eigenvectors of a symmetric matrix by Jacobi's rotations, as a right-handed frame;
/// `J` becomes diagonal. A diagonal matrix gives exactly I, a nearly diagonal one keeps its order.
inline Mat3 diagonalise(Mat3& J) {
    // Each rotation turns by at most 45 degrees and annuls one entry; convergence is quadratic
    Mat3 R = Mat3::Identity();
    const double limit = std::numeric_limits<double>::epsilon() * J.cwiseAbs().maxCoeff();
    for (int sweep = 0; sweep < 50; ++sweep) {
        bool is_diagonal = true;
        for (int p = 0; p < 3; ++p) {
            const int q = (p + 1) % 3;
            if (std::abs(J(p, q)) <= 0.01 * limit) continue;
            is_diagonal = false;
            Eigen::JacobiRotation<double> rotation;
            rotation.makeJacobi(J, p, q);
            J.applyOnTheLeft(p, q, rotation.adjoint());
            J.applyOnTheRight(p, q, rotation);
            R.applyOnTheRight(p, q, rotation);
        }
        if (is_diagonal) break;
    }
    return R;
}

namespace detail {

// Relative to the largest moment: round-off of a moment that should be zero.
inline constexpr double kMasslessMoment = 1e-12;
// Relative, generous to input with ten digits: asymmetry, and a moment below zero.
inline constexpr double kInputRounding = 1e-9;

inline std::string text(double number) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.9g", number);
    return buffer;
}

inline bool has_ends(const Arguments& arguments) {
    return arguments.given("from") || arguments.given("to");
}

inline lines::Ends read_ends(const Arguments& arguments) {
    for (const char* key : {"from", "to"})
        if (!arguments.given(key))
            arguments.fail(key, "is missing: a rod is given by both its ends, from and to");
    for (const char* key : {"position", "orientation"})
        if (arguments.given(key))
            arguments.fail(key, "is what the ends of the rod say; leave it out, or from and to");
    const lines::Ends ends{lines::read_end(arguments, "from"), lines::read_end(arguments, "to")};
    if (!(ends.way().norm() > 0.0)) arguments.fail("to", "both ends of the rod are one point");
    return ends;
}

/// A rod between ends whose mass and radius alone are given, or density and radius.
inline bool is_rod(const Arguments& arguments) {
    const bool is_given = arguments.given("inertia") || arguments.given("size");
    if (!has_ends(arguments) || is_given) {
        if (arguments.given("radius"))
            arguments.fail("radius",
                           is_given ? "is that of a rod, of which size or inertia say enough"
                                    : "is that of a rod between from and to, which are missing");
        return false;
    }
    if (arguments.given("density") && arguments.given("mass"))
        arguments.fail("mass", "the mass is described twice; give mass or density");
    if (arguments.given("density") && !arguments.given("radius"))
        arguments.fail("radius", "is missing: a rod of a density needs it");
    if (!arguments.given("density") && !arguments.given("mass"))
        arguments.fail("mass",
                       "is missing: give it, or density and radius; a rod without mass is no body "
                       "but a constraint \"distance\" between the points that it ties");
    return true;
}

// J = m r^2 / 2 about the axis, m (3 r^2 + l^2) / 12 across
inline void read_rod(const Arguments& arguments, MassProperties& body) {
    const double r = body.radius, l = body.length;
    body.mass = arguments.given("mass")
                    ? arguments.number("mass")
                    : arguments.number("density") * std::numbers::pi * r * r * l;
    body.moments = body.mass * Vec3(l * l / 12.0, r * r / 4.0, r * r / 4.0);
    body.half_size = (3.0 / body.mass * body.moments).cwiseSqrt();
    body.volume = 8.0 * body.half_size.prod();
}

// "size" with "density" or "mass", or "mass" with "inertia"; never half of both.
inline bool is_box(const Arguments& arguments) {
    const bool has_box = arguments.given("size") || arguments.given("density");
    const bool has_mass = arguments.given("mass"), has_inertia = arguments.given("inertia");
    const std::string choice =
        "give either \"size\" with \"density\" or \"mass\" (a box), or \"mass\" and "
        "\"inertia\", or the ends \"from\" and \"to\" of a rod with its \"mass\", or a \"shape\" "
        "with "
        "\"density\"";
    const bool is_twice = has_inertia || (arguments.given("density") && has_mass);
    if (has_box && is_twice)
        arguments.fail(has_mass ? "mass" : "inertia", "the mass is described twice; " + choice);
    if (!has_box && !has_mass && !has_inertia)
        arguments.fail("size", "the body has no mass; " + choice);
    const bool needs_density = has_box && !has_mass;
    for (const char* key : {has_box ? "size" : "mass",
                            needs_density ? "density"
                            : has_box     ? "size"
                                          : "inertia"})
        if (!arguments.given(key))
            arguments.fail(key, '"' + std::string(key) + "\" is missing; " + choice);
    return has_box;
}

inline void read_box(const Arguments& arguments, MassProperties& body) {
    const Vec3 a = vec3(arguments.numbers("size"));
    body.volume = a.prod();
    body.mass = arguments.given("mass") ? arguments.number("mass")
                                        : arguments.number("density") * body.volume;
    body.moments = body.mass / 12.0 * a.cwiseAbs2();
    body.half_size = 0.5 * a;
    body.is_box = true;
}

// The tensor about the centre of mass in the axes that it is given in.
inline Mat3 read_given_tensor(const Arguments& arguments) {
    if (arguments.shape("inertia") != Shape::matrix)
        return Vec3(vec3(arguments.numbers("inertia"))).asDiagonal();
    const Mat3 J = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
        arguments.numbers("inertia").data());
    const double limit = kInputRounding * J.cwiseAbs().maxCoeff();
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < i; ++j)
            if (std::abs(J(i, j) - J(j, i)) > limit)
                arguments.fail("inertia",
                               "the tensor is not symmetric: entry (" + std::to_string(j + 1) +
                                   ", " + std::to_string(i + 1) + ") is " + text(J(j, i)) +
                                   " and (" + std::to_string(i + 1) + ", " + std::to_string(j + 1) +
                                   ") is " + text(J(i, j)));
    return 0.5 * (J + J.transpose());
}

// The same in body axes.
inline Mat3 read_tensor(const Arguments& arguments) {
    const Mat3 J = read_given_tensor(arguments);
    if (!arguments.given("inertia_orientation")) return J;
    const Mat3 R = read_orientation(arguments, "inertia_orientation");
    const Mat3 turned = R * J * R.transpose();
    return 0.5 * (turned + turned.transpose());
}

// m_i = (J_j + J_k - J_i) / 2, none of them negative
inline Vec3 second_moments(const Arguments& arguments, const Vec3& J) {
    const double largest = J.cwiseAbs().maxCoeff();
    if (!(largest > 0.0))
        arguments.fail("inertia",
                       "the inertia is zero, so the body is a point and cannot turn; use a body of "
                       "type \"particle\"");
    const std::string refused = "no body has the principal moments of inertia " + text(J(0)) +
                                ", " + text(J(1)) + ", " + text(J(2)) + ": ";
    if (J.minCoeff() < -kInputRounding * largest)
        arguments.fail("inertia", refused + text(J.minCoeff()) + " is negative");
    Vec3 m;
    for (int i = 0; i < 3; ++i) {
        const double sum = J((i + 1) % 3) + J((i + 2) % 3);
        m(i) = 0.5 * (sum - J(i));
        if (m(i) < -kInputRounding * largest)
            arguments.fail("inertia",
                           refused + text(J(i)) + " is larger than the sum of the other two, " +
                               text(sum) + " (equal for a flat body)");
        if (m(i) < kMasslessMoment * largest) m(i) = 0.0;
    }
    return m;
}

inline void read_tensor_body(const Arguments& arguments, MassProperties& body) {
    body.mass = arguments.number("mass");
    Mat3 J = read_tensor(arguments);
    body.axes = diagonalise(J);
    body.moments = second_moments(arguments, J.diagonal());
    body.half_size = (3.0 / body.mass * body.moments).cwiseSqrt();
    body.volume = 8.0 * body.half_size.prod();
}

}  // namespace detail

/// [assembly] Reads `size` with `density` or `mass`, or `mass` and `inertia`, or of a rod its ends
/// with `mass` or `density`; `center_of_mass`. Refuses through Arguments::fail what is no rigid
/// body.
inline MassProperties read_mass_properties(const Arguments& arguments) {
    MassProperties body;
    if (arguments.given("inertia_orientation") && !arguments.given("inertia"))
        arguments.fail("inertia_orientation",
                       "says how \"inertia\" lies in the body, and there is none");
    if (detail::has_ends(arguments)) {
        const lines::Ends ends = detail::read_ends(arguments);
        body.length = ends.way().norm();
        if (arguments.given("radius")) body.radius = arguments.number("radius");
    }
    if (detail::is_rod(arguments))
        detail::read_rod(arguments, body);
    else if (detail::is_box(arguments))
        detail::read_box(arguments, body);
    else
        detail::read_tensor_body(arguments, body);
    body.center = vec3(arguments.numbers("center_of_mass"));
    return body;
}

// --- start

/// Motion at the start.
struct Start {
    Mat3 R;  ///< body to inertial axes
    Vec3 x;  ///< centre of mass, inertial axes [m]
    Vec3 v;  ///< its velocity, inertial axes [m/s]
    Vec3 w;  ///< angular velocity, body axes [rad/s]
};

/// [assembly] Velocity of a point at r that the body named by `velocity_from` carries along,
/// inertial axes. Refuses through Arguments::fail what else gives a velocity, by these keys.
inline Vec3 carried_velocity(const Arguments& arguments,
                             const Vec3& r,
                             std::initializer_list<const char*> others) {
    for (const char* key : others)
        if (arguments.given(key))
            arguments.fail(key,
                           '"' + std::string(key) +
                               "\" and \"velocity_from\" both give the velocities at the start; "
                               "keep one of them");
    const RigidMotion& carrier = arguments.motion_of("velocity_from");
    return vec3(carrier.velocity) +
           vec3(carrier.angular_velocity).cross(r - vec3(carrier.position));
}

/// [assembly] Reads `position`, `orientation` or the ends of a rod, and `velocity` and
/// `angular_velocity` or `velocity_from`. A rod between points of other bodies moves with them, and
/// turns about itself as the one at `from` does, if no velocity is given.
inline Start read_start(const Arguments& arguments, const MassProperties& body) {
    Start start;
    Vec3 reference = vec3(arguments.numbers("position"));
    if (body.length > 0.0) {
        const lines::Ends ends = detail::read_ends(arguments);
        const Vec3 way = ends.way();
        reference = 0.5 * (ends.from.x + ends.to.x);
        start.R = Eigen::Quaterniond::FromTwoVectors(Vec3::UnitX(), way).toRotationMatrix();
        const bool is_given = arguments.given("velocity") || arguments.given("angular_velocity") ||
                              arguments.given("velocity_from");
        if (ends.are_carried() && !is_given) {
            Vec3 w = ends.turning();
            if (body.rod_axis() < 0) w += way.dot(ends.from.w) / way.squaredNorm() * way;
            start.x = reference + start.R * body.center;
            start.v = 0.5 * (ends.from.v + ends.to.v) + w.cross(start.R * body.center);
            start.w = start.R.transpose() * w;
            return start;
        }
    } else {
        start.R = read_orientation(arguments);
    }
    start.x = reference + start.R * body.center;
    if (arguments.given("velocity_from")) {
        start.v = carried_velocity(arguments, start.x, {"velocity", "angular_velocity"});
        start.w = start.R.transpose() * vec3(arguments.motion_of("velocity_from").angular_velocity);
        return start;
    }
    start.w = vec3(arguments.numbers("angular_velocity"));

    // x = r + R c, x' = v + R (w x c)
    start.v = vec3(arguments.numbers("velocity")) + start.R * start.w.cross(body.center);
    return start;
}

// --- attachments

/// [assembly] The point or direction that a locator asks a rigid body for, in body axes, points
/// from the reference point.
/// @throws std::invalid_argument if it asks for a number or name, or for the direction zero
inline Vec3 read_locator(const Locator& where, const MassProperties& body = {}) {
    if (where.kind == Locator::Kind::name && body.length > 0.0 && !where.is_direction) {
        if (where.name == "from") return {-0.5 * body.length, 0.0, 0.0};
        if (where.name == "to") return {0.5 * body.length, 0.0, 0.0};
        throw std::invalid_argument("a rod has the points \"from\", \"to\" and [x, y, z]");
    }
    if (where.kind != Locator::Kind::coordinates)
        throw std::invalid_argument(
            "a rigid body has no numbered or named points; write a point or a direction as "
            "[x, y, z] in body axes, points from the reference point");
    if (where.is_direction && !(vec3(where.xyz).norm() > 0.0))
        throw std::invalid_argument("the direction [0, 0, 0] points nowhere");
    return vec3(where.xyz);
}

}  // namespace ancora::rigid
