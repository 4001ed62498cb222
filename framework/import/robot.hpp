// SPDX-License-Identifier: BSD-3-Clause
// What all formats describe: links, joints between them, and what acts on joints.
#pragma once

#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ancora/framework/error.hpp"
#include "ancora/framework/shape.hpp"
#include "ancora/sdk/numbers/math.hpp"

namespace ancora::robot {

inline constexpr int kGround = -1;

/// Where a frame lies in another: r = x + R p.
struct Pose {
    Mat3 R = Mat3::Identity();
    Vec3 x = Vec3::Zero();

    Pose operator*(const Pose& in) const { return {R * in.R, x + R * in.x}; }
    Pose inverse() const { return {R.transpose(), -(R.transpose() * x)}; }
};

struct Inertial {
    double mass = 0.0;            ///< [kg]
    Vec3 center = Vec3::Zero();   ///< from the link's origin, its axes [m]
    Mat3 inertia = Mat3::Zero();  ///< about the centre, axes of the link [kg m^2]
    Place place;
};

struct Shape {
    enum class Kind { box, sphere, cylinder, capsule, mesh };
    Kind kind = Kind::box;
    Vec3 size = Vec3::Zero();    ///< edges; radius; radius and length along z [m]
    std::filesystem::path file;  ///< of a mesh
    int own = -1;                ///< of Robot::meshes, instead of a file
    Vec3 scale = Vec3::Ones();
    Pose pose;
    std::optional<Vec3> color;
    double opacity = 1.0;
};

/// A frame that a link carries: a site, a link that was fixed to it.
struct Frame {
    std::string name;
    Pose pose;
    std::string remark;
};

struct Link {
    std::string name;
    Place place;
    std::optional<Inertial> inertial;
    std::vector<Shape> shapes;
    std::vector<Frame> frames;
    Pose start;                    ///< of one that no joint carries, in space
    Vec3 velocity = Vec3::Zero();  ///< at the start, of the origin, axes of space
    Vec3 spin = Vec3::Zero();      ///< at the start, axes of the link
    std::string remark;            ///< what a reader of the manifest should know
    bool is_connector = false;     ///< it stands between joints and is to have next to no mass
};

/// Values of a measure beyond which it may not go; a missing one is infinite.
struct Limits {
    double lower = -std::numeric_limits<double>::infinity();
    double upper = std::numeric_limits<double>::infinity();
    double effort = std::numeric_limits<double>::infinity();
    double rate = std::numeric_limits<double>::infinity();
    bool is_remark = false;  ///< lower and upper are for the reader alone
};

struct Spring {
    double stiffness = 0.0;
    double free = 0.0;  ///< value of the measure without effort
};

enum class JointKind {
    fixed,
    revolute,
    prismatic,
    cylindrical,
    spherical,
    universal,
    planar,
    screw,
    free,  ///< ties nothing: it says where the child begins
};

/// A joint: frames on both sides, which lie on each other where its measures are zero. Their z axes
/// are the axis of the joint; of a universal one z is its first axis, x its second.
struct Joint {
    std::string name;
    Place place;
    JointKind kind = JointKind::fixed;
    int parent = kGround, child = kGround;
    Pose on_parent, on_child;
    double start = 0.0, start_rate = 0.0;
    double damping = 0.0;
    double friction = 0.0;  ///< effort of dry friction, whatever the load
    double armature = 0.0;  ///< inertia that turns or slides with the measure
    double pitch = 0.0;     ///< of a screw [m per turn]
    std::optional<Spring> spring;
    std::optional<double> held;        ///< its measure is kept at this value
    Vec3 ball_damping = Vec3::Zero();  ///< of a spherical one, against the relative spin
    Limits limits;
    bool is_loop = false;  ///< closes a loop, so that it places nothing
    bool is_kept = false;  ///< a fixed one that the description wants kept
    std::string remark;
};

/// sum k_i (m_i - m_i at the start) = 0 on measures of joints.
struct Coupler {
    struct Term {
        int joint;
        double factor;
    };
    std::string name;
    std::vector<Term> terms;
    std::string remark;
};

/// Effort on a joint's measure, or along the line between two points.
struct Actuator {
    enum class Kind { motor, servo };
    std::string name;
    Kind kind = Kind::motor;
    int joint = -1;
    int line = -1;       ///< of Robot::lines, instead of a joint
    std::string effort;  ///< of a motor, or the target of a servo: `@` stands for the control
    double kp = 0.0, kd = 0.0;  ///< of a servo
    double limit = std::numeric_limits<double>::infinity();
    std::string control;  ///< its name; actuators with one name have one
    double start = 0.0;   ///< the control's value
    std::string remark;   ///< range of the control
};

/// The straight line between two points of links, with a spring and a damper.
struct Line {
    std::string name;
    Place place;
    int a = kGround, b = kGround;
    Vec3 on_a = Vec3::Zero(), on_b = Vec3::Zero();
    double stiffness = 0.0, damping = 0.0;
    std::optional<double> free;  ///< length without force; none: that at the start
};

/// Points of links from end to end that a cord runs over: it pulls at `length`, and never pushes.
struct Cord {
    std::string name;
    Place place;
    std::vector<std::pair<int, Vec3>> points;
    double length = 0.0;
    double stiffness = 0.0;  ///< 0: it does not give
    double damping = 0.0;    ///< with a stiffness
};

/// Triangles that stand in the description.
struct OwnMesh {
    std::string name;
    TriangleMesh triangles;
};

/// A description, whatever its format.
struct Robot {
    std::string name;
    std::string format;  ///< "URDF"
    std::filesystem::path file;
    std::vector<Link> links;
    std::vector<Joint> joints;
    std::vector<Coupler> couplers;
    std::vector<Actuator> actuators;
    std::vector<Line> lines;
    std::vector<Cord> cords;
    std::vector<OwnMesh> meshes;
    Vec3 gravity{0.0, 0.0, -9.81};
    std::string gravity_remark;
    std::optional<double> step;
};

/// The name of a joint's one measure: "angle", "displacement"; empty if it has none or several.
const char* measure_of(JointKind kind);

}  // namespace ancora::robot
