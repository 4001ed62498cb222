// SPDX-License-Identifier: BSD-3-Clause
// Reads URDF as urdfdom and ROS understand it.
#include "urdf_reader.hpp"

#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "mesh_files.hpp"
#include "names.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

constexpr TagRule kUrdfRobot{.attributes = "name",
                             .children = "link joint material gazebo",
                             .unused = "transmission sensor ros2_control mujoco",
                             .silent = "version"};
constexpr TagRule kUrdfLink{.attributes = "name",
                            .children = "inertial visual collision",
                            .unused = "contact self_collision_checking",
                            .silent = "type"};
constexpr TagRule kUrdfInertial{.children = "origin mass inertia"};
constexpr TagRule kUrdfOrigin{.attributes = "xyz rpy"};
constexpr TagRule kUrdfMass{.attributes = "value"};
constexpr TagRule kUrdfInertia{.attributes = "ixx ixy ixz iyy iyz izz"};
constexpr TagRule kUrdfVisual{.attributes = "name", .children = "origin geometry material"};
constexpr TagRule kUrdfCollision{
    .attributes = "name", .children = "origin geometry verbose", .silent = "group"};
constexpr TagRule kUrdfGeometry{.children = "box cylinder sphere capsule mesh"};
constexpr TagRule kUrdfMaterial{.attributes = "name", .children = "color", .unused = "texture"};
constexpr TagRule kUrdfJoint{.attributes = "name type",
                             .children = "origin parent child axis dynamics limit mimic",
                             .unused = "calibration safety_controller"};

class UrdfReader {
public:
    UrdfReader(pugi::xml_node root, const XmlSource& source)
        : root_(root), source_(source), findings_(source.findings()) {}

    Robot read() {
        robot_.format = "URDF";
        robot_.file = source_.file(root_);
        robot_.name = root_.attribute("name").value();
        robot_.gravity_remark = "URDF says none: z is up";
        source_.account(root_, kUrdfRobot);
        for (const pugi::xml_node material : root_.children("material")) read_material(material);
        for (const pugi::xml_node gazebo : root_.children("gazebo")) read_gazebo(gazebo);
        for (const pugi::xml_node link : root_.children("link")) read_link(link);
        if (robot_.links.empty()) findings_.damaged(source_.place(root_), "<robot> has no <link>");
        for (const pugi::xml_node joint : root_.children("joint")) read_joint(joint);
        for (const auto& [joint, mimic] : mimics_) read_mimic(joint, mimic);
        add_base();
        return std::move(robot_);
    }

private:
    Pose origin_of(pugi::xml_node node) const {
        const pugi::xml_node origin = node.child("origin");
        if (!origin) return {};
        source_.account(origin, kUrdfOrigin);
        return {from_roll_pitch_yaw(source_.vector(origin, "rpy", Vec3::Zero())),
                source_.vector(origin, "xyz", Vec3::Zero())};
    }

    // --- materials and what simulators add

    struct Material {
        std::optional<Vec3> color;
        double opacity = 1.0;
    };

    void read_material(pugi::xml_node node) {
        source_.account(node, kUrdfMaterial);
        const pugi::xml_node color = node.child("color");
        if (!color) return;
        const auto rgba = source_.numbers(color, "rgba", 4);
        if (!rgba) return;
        Material& material = materials_[node.attribute("name").value()];
        material.color = Vec3((*rgba)[0], (*rgba)[1], (*rgba)[2]).cwiseMax(0.0).cwiseMin(1.0);
        material.opacity = (*rgba)[3];
    }

    void read_gazebo(pugi::xml_node node) {
        for (const pugi::xml_node child : node.children()) {
            if (child.type() != pugi::node_element) continue;
            const std::string tag = child.name();
            const std::string of = node.attribute("reference").value();
            if (tag == "preserveFixedJoint" || tag == "disableFixedJointLumping")
                is_kept_[of] = source_.boolean(child, nullptr, false);
            else if (tag == "springStiffness")
                springs_[of].stiffness = text_number(child);
            else if (tag == "springReference")
                springs_[of].free = text_number(child);
            else if ((tag == "turnGravityOff" && source_.boolean(child, nullptr, false)) ||
                     (tag == "gravity" && !source_.boolean(child, nullptr, true)))
                findings_.no_counterpart(source_.place(child),
                                         fmt::format("a link \"{}\" without weight", printable(of)),
                                         "delete this element");
            else
                findings_.note(fmt::format("<gazebo> <{}> is not read", printable(tag)),
                               source_.place(child));
        }
    }
    double text_number(pugi::xml_node node) const {
        const auto found = source_.numbers(node, nullptr, 1);
        return found ? found->front() : 0.0;
    }

    // --- links

    void read_link(pugi::xml_node node) {
        source_.account(node, kUrdfLink);
        Link link;
        link.name = source_.required(node, "name");
        link.place = source_.place(node);
        if (!link.name.empty() &&
            !links_.emplace(link.name, static_cast<int>(robot_.links.size())).second)
            findings_.damaged(link.place,
                              fmt::format("there is another link \"{}\"", printable(link.name)));
        if (const pugi::xml_node inertial = node.child("inertial")) read_inertial(inertial, link);
        read_shapes(node, link);
        robot_.links.push_back(std::move(link));
    }

    void read_inertial(pugi::xml_node node, Link& link) {
        source_.account(node, kUrdfInertial);
        const pugi::xml_node mass = node.child("mass"), inertia = node.child("inertia");
        for (const auto& [child, name] : {std::pair{mass, "mass"}, std::pair{inertia, "inertia"}})
            if (!child)
                source_.wrong(
                    node,
                    nullptr,
                    fmt::format("<{}> is missing in link \"{}\"", name, printable(link.name)));
        if (!mass || !inertia) return;
        source_.account(mass, kUrdfMass);
        source_.account(inertia, kUrdfInertia);
        Inertial out;
        out.place = source_.place(node);
        source_.required(mass, "value");
        out.mass = source_.number(mass, "value", 0.0);
        if (out.mass < 0.0) source_.wrong(mass, "value", "a mass is not negative");
        for (const char* const entry : {"ixx", "iyy", "izz"}) source_.required(inertia, entry);
        const auto entry = [&](const char* name) {
            return source_.number(inertia, name, 0.0);
        };
        Mat3 J;
        J << entry("ixx"), entry("ixy"), entry("ixz"),  //
            entry("ixy"), entry("iyy"), entry("iyz"),   //
            entry("ixz"), entry("iyz"), entry("izz");
        const Pose origin = origin_of(node);
        out.center = origin.x;
        out.inertia = origin.R * J * origin.R.transpose();
        link.inertial = out;
    }

    void read_shapes(pugi::xml_node node, Link& link) {
        for (const pugi::xml_node collision : node.children("collision")) {
            source_.account(collision, kUrdfCollision);
            findings_.note("<collision> is not part of the model: bodies pass through each other",
                           source_.place(collision));
        }
        for (const pugi::xml_node visual : node.children("visual")) {
            source_.account(visual, kUrdfVisual);
            const auto shape = read_geometry(visual, node);
            if (!shape) continue;
            link.shapes.push_back(*shape);
            const pugi::xml_node own = visual.child("material");
            if (!own) continue;
            read_material(own);
            const auto known = materials_.find(own.attribute("name").value());
            if (known == materials_.end()) continue;
            link.shapes.back().color = known->second.color;
            link.shapes.back().opacity = known->second.opacity;
        }
        if (node.child("visual")) return;
        for (const pugi::xml_node collision : node.children("collision"))
            if (const auto shape = read_geometry(collision, node)) link.shapes.push_back(*shape);
    }

    std::optional<Shape> read_geometry(pugi::xml_node node, pugi::xml_node link) {
        const pugi::xml_node geometry = node.child("geometry");
        if (!geometry) {
            source_.wrong(node, nullptr, "<geometry> is missing");
            return std::nullopt;
        }
        source_.account(geometry, kUrdfGeometry);
        Shape shape;
        shape.pose = origin_of(node);
        const auto length = [&](pugi::xml_node of, const char* name) {
            source_.required(of, name);
            const double x = source_.number(of, name, 1.0);
            if (!(x > 0.0)) source_.wrong(of, name, "a length is positive");
            return x;
        };
        if (const pugi::xml_node box = geometry.child("box")) {
            source_.account(box, {.attributes = "size"});
            shape.size = source_.vector(box, "size", Vec3::Ones());
            source_.required(box, "size");
            if (shape.size.minCoeff() < 0.0) source_.wrong(box, "size", "edges are not negative");
        } else if (const pugi::xml_node sphere = geometry.child("sphere")) {
            source_.account(sphere, {.attributes = "radius"});
            shape.kind = Shape::Kind::sphere;
            shape.size(0) = length(sphere, "radius");
        } else if (const pugi::xml_node mesh = geometry.child("mesh")) {
            return read_mesh(mesh, link, shape);
        } else {
            for (const auto& [tag, kind] : {std::pair{"cylinder", Shape::Kind::cylinder},
                                            std::pair{"capsule", Shape::Kind::capsule}}) {
                const pugi::xml_node round = geometry.child(tag);
                if (!round) continue;
                source_.account(round, {.attributes = "radius length"});
                shape.kind = kind;
                shape.size(0) = length(round, "radius");
                shape.size(1) = length(round, "length");
                return shape;
            }
            source_.wrong(
                geometry, nullptr, "names no shape: box, cylinder, sphere, capsule or mesh");
            return std::nullopt;
        }
        return shape;
    }

    std::optional<Shape> read_mesh(pugi::xml_node node, pugi::xml_node link, Shape shape) {
        source_.account(node, {.attributes = "filename scale"});
        shape.kind = Shape::Kind::mesh;
        shape.scale = source_.vector(node, "scale", Vec3::Ones());
        const std::string uri = source_.required(node, "filename");
        if (uri.empty()) return std::nullopt;
        if (!can_be_shown(uri)) {
            // Most often the hull for contacts is in a format that can
            for (const pugi::xml_node collision : link.children("collision")) {
                const pugi::xml_node other = collision.child("geometry").child("mesh");
                if (!other || !can_be_shown(other.attribute("filename").value())) continue;
                findings_.note("a mesh in a format that is not read; that of <collision> is shown",
                               source_.place(node));
                shape.pose = origin_of(collision);
                return read_mesh(other, link, shape);
            }
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("mesh \"{}\": only STL, OBJ and glTF are read", printable(uri)),
                "convert it, for example with \"assimp export\"");
            return std::nullopt;
        }
        const auto found =
            find_mesh(uri, source_.file(node).parent_path(), source_.place(node), findings_);
        if (!found) return std::nullopt;
        shape.file = *found;
        return shape;
    }

    // --- joints

    int link_named(pugi::xml_node joint, const char* side) {
        const pugi::xml_node node = joint.child(side);
        if (!node) {
            source_.wrong(joint, nullptr, fmt::format("<{}> is missing", side));
            return kNone;
        }
        source_.account(node, {.attributes = "link"});
        const std::string name = source_.required(node, "link");
        if (name.empty()) return kNone;
        const auto found = links_.find(name);
        if (found != links_.end()) return found->second;
        std::vector<std::string> names;
        for (const auto& [known, number] : links_) names.push_back(known);
        findings_.damaged(source_.place(node),
                          fmt::format("{}: there is no link \"{}\"{}",
                                      in_words(joint),
                                      printable(name),
                                      did_you_mean(name, names)));
        return kNone;
    }

    void read_joint(pugi::xml_node node) {
        source_.account(node, kUrdfJoint);
        Joint joint;
        joint.name = source_.required(node, "name");
        joint.place = source_.place(node);
        const std::string type = source_.required(node, "type");
        joint.parent = link_named(node, "parent");
        joint.child = link_named(node, "child");
        const bool is_known =
            joints_.emplace(joint.name, static_cast<int>(robot_.joints.size())).second;
        if (!is_known && !joint.name.empty())
            findings_.damaged(joint.place,
                              fmt::format("there is another joint \"{}\"", printable(joint.name)));
        if (type == "revolute" || type == "continuous") {
            joint.kind = JointKind::revolute;
        } else if (type == "prismatic") {
            joint.kind = JointKind::prismatic;
        } else if (type == "planar") {
            joint.kind = JointKind::planar;
        } else if (type == "floating") {
            joint.kind = JointKind::free;
        } else if (type == "spherical") {  // of Bullet
            joint.kind = JointKind::spherical;
        } else if (type != "fixed" && !type.empty()) {
            const std::vector<std::string> types = {
                "revolute", "continuous", "prismatic", "fixed", "floating", "planar", "spherical"};
            source_.wrong(node, "type", no_such_type(type, types));
        }
        const Pose origin = origin_of(node);
        read_axis(node, origin, joint);
        read_laws(node, type, joint);
        if (const auto kept = is_kept_.find(joint.name); kept != is_kept_.end())
            joint.is_kept = kept->second;
        robot_.joints.push_back(std::move(joint));
    }

    void read_axis(pugi::xml_node node, const Pose& origin, Joint& joint) {
        const bool has_axis = joint.kind != JointKind::fixed && joint.kind != JointKind::free &&
                              joint.kind != JointKind::spherical;
        Vec3 axis = Vec3::UnitX();
        if (const pugi::xml_node given = node.child("axis")) {
            source_.account(given, {.attributes = "xyz"});
            axis = source_.vector(given, "xyz", axis);
            if (!(axis.norm() > 0.0)) {
                if (has_axis) source_.wrong(given, "xyz", "an axis has a length");
                axis = Vec3::UnitX();
            }
        }
        joint.on_child.R = has_axis ? frame_about(axis) : Mat3(Mat3::Identity());
        joint.on_parent = origin * joint.on_child;
    }

    void read_laws(pugi::xml_node node, const std::string& type, Joint& joint) {
        const bool moves = joint.kind == JointKind::revolute || joint.kind == JointKind::prismatic;
        if (const pugi::xml_node dynamics = node.child("dynamics"); dynamics && moves) {
            source_.account(dynamics, {.attributes = "damping friction"});
            joint.damping = source_.number(dynamics, "damping", 0.0);
            joint.friction = source_.number(dynamics, "friction", 0.0);
            for (const char* const key : {"damping", "friction"})
                if (source_.number(dynamics, key, 0.0) < 0.0)
                    source_.wrong(dynamics, key, "is negative: it would drive the joint");
        }
        if (const pugi::xml_node limit = node.child("limit"); limit && moves) {
            source_.account(limit, {.attributes = "lower upper effort velocity"});
            if (type != "continuous") {
                joint.limits.lower = source_.number(limit, "lower", 0.0);
                joint.limits.upper = source_.number(limit, "upper", 0.0);
                if (joint.limits.lower > joint.limits.upper) {
                    findings_.no_counterpart(
                        source_.place(limit),
                        fmt::format("{}: lower is above upper, which some read as no limits",
                                    in_words(limit)),
                        "exchange them, or delete both");
                    joint.limits = Limits();
                }
            }
            constexpr double kNo = std::numeric_limits<double>::infinity();
            joint.limits.effort = source_.number(limit, "effort", kNo);
            joint.limits.rate = source_.number(limit, "velocity", kNo);
        }
        if (const auto spring = springs_.find(joint.name); spring != springs_.end() && moves)
            joint.spring = spring->second;
        if (const pugi::xml_node mimic = node.child("mimic"); mimic && moves)
            mimics_.emplace_back(joint.name, mimic);
    }

    void read_mimic(const std::string& name, pugi::xml_node node) {
        source_.account(node, {.attributes = "joint multiplier offset"});
        const std::string leader = source_.required(node, "joint");
        const auto joint = joints_.find(name), found = joints_.find(leader);
        if (leader.empty() || joint == joints_.end()) return;
        if (found == joints_.end() || found == joint) {
            std::vector<std::string> names;
            for (const auto& [known, number] : joints_)
                if (known != name) names.push_back(known);
            source_.wrong(node,
                          "joint",
                          found == joint ? "is the joint itself"
                                         : fmt::format("there is no joint \"{}\"{}",
                                                       printable(leader),
                                                       did_you_mean(leader, names)));
            return;
        }
        const double multiplier = source_.number(node, "multiplier", 1.0);
        const double offset = source_.number(node, "offset", 0.0);
        robot_.couplers.push_back(
            {name + "_mimic",
             {{found->second, multiplier}, {joint->second, -1.0}},
             fmt::format("{} = {:g} {}{}",
                         name,
                         multiplier,
                         leader,
                         offset != 0.0 ? fmt::format(" {:+g}", offset) : "")});
        robot_.joints[joint->second].start =
            multiplier * robot_.joints[found->second].start + offset;
    }

    // --- the whole

    /// URDF does not say whether the base is held: a joint of its own does, which is easily
    /// deleted.
    void add_base() {
        // What names no link carries none
        for (const Joint& joint : robot_.joints)
            if (joint.parent == kNone || joint.child == kNone) return;
        std::vector<bool> is_carried(robot_.links.size(), false);
        for (const Joint& joint : robot_.joints)
            if (joint.child >= 0) is_carried[joint.child] = true;
        int root = kNone;
        for (int i = 0; i < static_cast<int>(robot_.links.size()); ++i) {
            if (is_carried[i]) continue;
            if (root != kNone)
                findings_.damaged(
                    robot_.links[i].place,
                    fmt::format("no joint carries link \"{}\", nor \"{}\" in line {}: "
                                "a robot has one such link, its base",
                                printable(robot_.links[i].name),
                                printable(robot_.links[root].name),
                                robot_.links[root].place.line));
            else
                root = i;
        }
        if (root == kNone) return;
        Joint base;
        base.name = "base";
        base.remark = "URDF does not say: delete this joint to let the robot float";
        base.place = robot_.links[root].place;
        base.child = root;
        robot_.joints.push_back(base);
    }

    static constexpr int kNone = -2;

    pugi::xml_node root_;
    const XmlSource& source_;
    Findings& findings_;
    Robot robot_;
    std::map<std::string, Material> materials_;
    std::map<std::string, bool> is_kept_;
    std::map<std::string, Spring> springs_;
    std::map<std::string, int> links_, joints_;
    std::vector<std::pair<std::string, pugi::xml_node>> mimics_;
};

}  // namespace

Robot read_urdf(pugi::xml_node root, XmlSource& source) {
    return UrdfReader(root, source).read();
}

}  // namespace ancora::robot
