// SPDX-License-Identifier: BSD-3-Clause
// The joints: which rows each has between its two frames, and what it leaves free.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "ancora/sdk/helpers/orientation.hpp"
#include "ancora/sdk/joint.hpp"
#include "joint_rows.hpp"
#include "law_keys.hpp"
#include "slide.hpp"

namespace ancora::joints {

enum class Kind {
    fixed,
    revolute,
    prismatic,
    cylindrical,
    spherical,
    universal,
    constant_velocity,
    planar,
    screw,
    in_line,
    in_plane,
    parallel,
    perpendicular,
    orientation,
    revolute_spherical,
    measure,
    bushing,
};

// --- schemas

inline constexpr Parameter kA =
    parameter::frame("a", "a body, or a frame or point of it").required();
inline constexpr Parameter kB =
    parameter::frame("b", "the other one; reactions are those on b").required();
inline constexpr Parameter kPoint =
    parameter::vector("point",
                      3,
                      "m",
                      "the joint point in space as the bodies are laid out, before start turns "
                      "them; left out: that of a frame");
inline constexpr Parameter kAxis = parameter::vector(
    "axis",
    3,
    "",
    "the joint axis at the start, inertial axes, of any length; left out: the z axis of a frame");

inline constexpr Parameter kAngle =
    parameter::number("angle", "rad", "turned from how the bodies lie, or from equal frames");
inline constexpr Parameter kAngleRate = parameter::number("angle_rate", "rad/s", "its rate");
inline constexpr Parameter kWay =
    parameter::number("displacement", "m", "moved from how the bodies lie, or from equal frames");
inline constexpr Parameter kWayRate = parameter::number("displacement_rate", "m/s", "its rate");

inline constexpr Parameter kTurnStart[] = {kAngle, kAngleRate};
inline constexpr Parameter kSlideStart[] = {kWay, kWayRate};
inline constexpr Parameter kTurnAndSlideStart[] = {kAngle, kAngleRate, kWay, kWayRate};
inline constexpr Parameter kUniversalStart[] = {
    parameter::number("angle_a", "rad", "about the axis of a"),
    parameter::number("angle_a_rate", "rad/s", "its rate"),
    parameter::number("angle_b", "rad", "about the axis of b"),
    parameter::number("angle_b_rate", "rad/s", "its rate"),
};
inline constexpr Parameter kTurn =
    parameter::number("start",
                      "rad",
                      "angle at the start, or a table of angle and angle_rate: b lies there, with "
                      "all that hangs on it")
        .or_table(kTurnStart);
inline constexpr Parameter kSlide =
    parameter::number("start",
                      "m",
                      "displacement at the start, or a table of displacement and "
                      "displacement_rate: b lies there, with all that hangs on it")
        .or_table(kSlideStart);

inline constexpr Parameter kPlain[] = {kA, kB, kPoint, kAxis};
inline constexpr Parameter kPointAlone[] = {kA, kB, kPoint};
inline constexpr Parameter kBall[] = {kA, kB, kPoint, kFrictionLaw};
inline constexpr Parameter kAxisAlone[] = {kA, kB, kAxis};
inline constexpr Parameter kNoAxis[] = {kA, kB};
inline constexpr Parameter kMeasured[] = {
    kA,
    kB,
    parameter::vector("axis",
                      3,
                      "",
                      "z axis of both frames at the start, inertial axes, of any length; left out: "
                      "axes of the frames, or of the bodies"),
};
inline constexpr Parameter kBushing[] = {
    kA,
    kB,
    kPoint,
    kAxis,
    parameter::vector("stiffness", 3, "N/m", "along x, y, z of a").nonnegative().required(),
    parameter::vector(
        "torsion",
        3,
        "N m",
        "stiffness K against turning about x, y, z: energy (1 - cos angle) n.K n about n, so that "
        "an angle about an axis meets K sin angle, and [K, K, 0] no turn about z")
        .nonnegative()
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("damping", 3, "N s/m", "against the rate along x, y, z of a")
        .nonnegative()
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("torsional_damping",
                      3,
                      "N m s",
                      "against the angular velocity of b as seen from a, along x, y, z of b")
        .nonnegative()
        .otherwise("[0.0, 0.0, 0.0]"),
    parameter::vector("preload", 3, "N", "force on b where the frames lie on each other")
        .otherwise("[0.0, 0.0, 0.0]"),
};
inline constexpr Parameter kLink[] = {kA, kB, kAxis};
inline constexpr Parameter kTurning[] = {kA, kB, kPoint, kAxis, kTurn, ANCORA_JOINT_LAWS};
inline constexpr Parameter kOnLine[] = {kA, kB, kPoint, kAxis, ANCORA_JOINT_LAWS};
inline constexpr Parameter kSliding[] = {kA, kB, kPoint, kAxis, kSlide, ANCORA_JOINT_LAWS};
inline constexpr Parameter kBoth[] = {
    kA,
    kB,
    kPoint,
    kAxis,
    parameter::table("start", kTurnAndSlideStart, "angle and displacement at the start"),
    ANCORA_JOINT_LAWS};
inline constexpr Parameter kScrewing[] = {
    kA,
    kB,
    kPoint,
    kAxis,
    parameter::number("pitch", "m", "way along the axis per turn").required().sensitive(),
    kTurn,
    ANCORA_JOINT_LAWS};
inline constexpr Parameter kCross[] = {
    kA,
    kB,
    kPoint,
    parameter::vector("axis_a", 3, "", "axis of the cross in a at the start, inertial axes"),
    parameter::vector(
        "axis_b", 3, "", "axis of the cross in b at the start, inertial axes; perpendicular to it"),
    parameter::table("start", kUniversalStart, "the two angles at the start"),
    ANCORA_JOINT_LAWS};

/// A joint between frames of two bodies, a and b, with axes a_i and b_i and points r_a, r_b,
/// r = r_b - r_a; the joint axis is the third:
///
///   fixed              r = 0; a1.b2 = a2.b3 = a3.b1 = 0
///   revolute           r = 0; a3.b1 = a3.b2 = 0
///   prismatic          r.a1 = r.a2 = 0; a1.b2 = a2.b3 = a3.b1 = 0
///   cylindrical        r.a1 = r.a2 = 0; a3.b1 = a3.b2 = 0
///   spherical          r = 0
///   universal          r = 0; a3.b3 = 0
///   constant_velocity  r = 0; a1.b2 - a2.b1 = 0
///   planar             r.a3 = 0; a3.b1 = a3.b2 = 0
///   screw              as cylindrical; d(r.a3) - pitch / (2 pi) d(angle) = 0
///   in_line, in_plane, parallel, perpendicular, orientation: rows of these
///   revolute_spherical r.r = L^2; r.a3 = 0: a massless link
///   measure            none: where b lies as seen from a
///   bushing            r.a_i, elastic and viscous; b_i - a_i, a_m.b_i, elastic; a_m.b_i, viscous
///
/// (theory, section on joints). Rows of axes are also met after half a turn, where the axes point
/// against each other: such a start is refused.
class JointType : public JointRows {
public:
    void facets(ConstraintFacets& out) const override {
        out.reaction =
            point_b_ >= 0 && kind_ != Kind::measure ? ReactionKind::force : ReactionKind::lambda;
        out.joint = &joint_;
        out.tangents = slide_.has_rows() ? &slide_ : nullptr;
    }

protected:
    JointType(Kind kind, const Arguments& arguments);

private:
    /// One of the two bodies.
    struct Side {
        std::string body;
        std::string point_text;
        const char* key;
        bool has_axes = true;      ///< the body has an attitude
        bool names_point = false;  ///< the manifest names a point of it
        bool names_axes = false;   ///< and axes: a frame
        Mat3 carrier_R;            ///< body to inertial axes at the start
        Vec3 carrier_x;
        Vec3 x;  ///< joint point, inertial axes [m]
        Mat3 R;  ///< joint frame, inertial axes
    };

    void read_sides(const Arguments& arguments);
    std::optional<Vec3> link_direction(const Arguments& arguments) const;
    void read_axes(const Arguments& arguments,
                   const FrameStart& frame_a,
                   const FrameStart& frame_b);
    void read_start(const Arguments& arguments);
    void make_rows(const Arguments& arguments);
    void make_slide();
    void make_bushing(const Arguments& arguments);
    void bear_turning_about(int i, double stiffness);
    void describe();

    int axis(Side& side, int k, double sign = 1.0);
    int find_axis(const Side& side, int k) const;
    void measure(const char* name, MeasureKind kind, int i, int j, int k, double start);
    RigidMotion placement(double angle_a,
                          double rate_a,
                          double angle_b,
                          double rate_b,
                          double way,
                          double way_rate) const;

    Kind kind_;
    Side a_, b_;
    int point_a_ = -1, point_b_ = -1;
    std::array<int, 3> axes_a_{-1, -1, -1}, axes_b_{-1, -1, -1};
    int minus_y_ = -1;  ///< - b2, for the second angle of a universal joint
    double angle_ = 0.0, angle_b_ = 0.0, way_ = 0.0, way_y_ = 0.0;  ///< at the start
    std::vector<Measure> measures_;
    std::vector<std::int32_t> on_b_;
    Slide slide_;
    Joint joint_;
};

template <Kind kKind>
class JointOf final : public JointType {
public:
    explicit JointOf(const Arguments& arguments) : JointType(kKind, arguments) {}
};

}  // namespace ancora::joints
