// SPDX-License-Identifier: BSD-3-Clause
// Bodies of an MJCF file, how they lie, and joints between them.
#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"
#include "names.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

// A body in a body in a body ...
constexpr int kMostNestedBodies = 1000;
// All that replicas hold; a slip in a count would fill the memory.
constexpr int kMostReplicated = 100'000;

/// With as many digits as the last of them has, as MuJoCo numbers them.
std::string numbered(int i, int count) {
    return fmt::format("{:0{}}", i, fmt::formatted_size("{}", count));
}

}  // namespace

std::optional<Mat3> MjcfReader::euler(pugi::xml_node node, double factor) const {
    const auto angles = source_.numbers(node, "euler", 3);
    if (!angles) return std::nullopt;
    Mat3 R = Mat3::Identity();
    for (int i = 0; i < 3; ++i) {
        const bool turns_along = sequence_[i] >= 'a';
        const Mat3 turn =
            turn_about_axis(sequence_[i] - (turns_along ? 'x' : 'X'), angle(factor * (*angles)[i]));
        R = turns_along ? Mat3(R * turn) : Mat3(turn * R);
    }
    return R;
}

Mat3 MjcfReader::quaternion(pugi::xml_node node,
                            const char* attribute,
                            std::span<const double> q) const {
    const Eigen::Quaterniond quaternion(q[0], q[1], q[2], q[3]);
    if (quaternion.norm() > 0.0) return quaternion.normalized().toRotationMatrix();
    source_.wrong(node, attribute, "a quaternion has a length");
    return Mat3::Identity();
}

Mat3 MjcfReader::orientation(pugi::xml_node node) const {
    if (const auto q = source_.numbers(node, "quat", 4)) return quaternion(node, "quat", *q);
    if (const auto a = source_.numbers(node, "axisangle", 4)) {
        const Vec3 axis((*a)[0], (*a)[1], (*a)[2]);
        if (axis.norm() > 0.0)
            return Eigen::AngleAxisd(meant_angle(angle((*a)[3])), axis.normalized())
                .toRotationMatrix();
        source_.wrong(node, "axisangle", "an axis has a length");
    }
    if (const auto a = source_.numbers(node, "xyaxes", 6)) {
        const Vec3 x = Vec3((*a)[0], (*a)[1], (*a)[2]), y((*a)[3], (*a)[4], (*a)[5]);
        Mat3 R;
        R.col(0) = x.normalized();
        R.col(1) = (y - R.col(0) * R.col(0).dot(y)).normalized();
        R.col(2) = R.col(0).cross(R.col(1));
        if (R.allFinite() && x.cross(y).norm() > 0.0) return R;
        source_.wrong(node, "xyaxes", "two axes have lengths and are not parallel");
    }
    if (const auto z = source_.numbers(node, "zaxis", 3))
        return along(Vec3((*z)[0], (*z)[1], (*z)[2]));
    return euler(node).value_or(Mat3::Identity());
}

Mat3 MjcfReader::along(const Vec3& z) {
    return Eigen::Quaterniond::FromTwoVectors(Vec3::UnitZ(), z).toRotationMatrix();
}

Pose MjcfReader::pose(pugi::xml_node node) const {
    return {orientation(node), source_.vector(node, "pos", Vec3::Zero())};
}

void MjcfReader::collect(const Item& place, std::vector<Item>& out, int depth) {
    if (depth > kMostNestedBodies)
        return source_.wrong(place.node, nullptr, "frames are nested too deeply");
    for (const pugi::xml_node child : defaults_.elements(place.node)) {
        const std::string_view tag = child.name();
        const std::string inner = child.attribute("childclass").value();
        const Item here{
            child, place.in_body, inner.empty() ? place.surrounding : inner, place.suffix};
        if (tag == "frame") {
            source_.account(child, kMjcfFrame);
            collect({child, place.in_body * pose(child), here.surrounding, place.suffix},
                    out,
                    depth + 1);
        } else if (tag == "replicate") {
            replicate(here, out, depth + 1);
        } else {
            out.push_back({child, place.in_body, place.surrounding, place.suffix});
            if (!place.suffix.empty()) note_replica(out.back());
        }
    }
}

void MjcfReader::replicate(const Item& place, std::vector<Item>& out, int depth) {
    const pugi::xml_node node = place.node;
    source_.account(node, kMjcfReplicate);
    source_.required(node, "count");
    const double given = source_.number(node, "count", 0.0);
    if (!(given >= 0.0) || given > kMostReplicated || given != std::floor(given))
        return source_.wrong(
            node, "count", fmt::format("expected a whole number up to {}", kMostReplicated));
    const int count = static_cast<int>(given);
    const Vec3 offset = source_.vector(node, "offset", Vec3::Zero());
    Pose at;
    for (int i = 0; i < count; ++i) {
        // Each offset along the axes of the replica before
        at.R = euler(node, i).value_or(Mat3::Identity());
        const std::size_t before = out.size();
        collect({node,
                 place.in_body * at,
                 place.surrounding,
                 node.attribute("sep").value() + numbered(i, count) + place.suffix},
                out,
                depth);
        at.x += at.R * offset;
        num_replicas_ += static_cast<int>(out.size() - before);
        if (num_replicas_ <= kMostReplicated) continue;
        source_.wrong(node, "count", fmt::format("makes more than {} elements", kMostReplicated));
        return;
    }
}

void MjcfReader::note_replica(const Item& item) {
    const std::string name = item.node.attribute("name").value();
    if (name.empty()) return;
    std::vector<std::string>& suffixes = replicas_[name];
    if (std::ranges::find(suffixes, item.suffix) == suffixes.end()) suffixes.push_back(item.suffix);
}

std::string MjcfReader::replica_name(pugi::xml_node node) const {
    const std::string name = node.attribute("name").value();
    return name.empty() ? name : name + replica_;
}

void MjcfReader::read_content(const Item& body, int link, const Pose& world, int depth) {
    std::vector<Item> items;
    collect(body, items, 0);
    Masses masses;
    for (const Item& item : items) {
        const std::string_view tag = item.node.name();
        if (tag == "geom")
            read_geom(item, link, masses);
        else if (tag == "site")
            read_site(item, link, world);
        else if (tag == "composite" || tag == "flexcomp")
            findings_.no_counterpart(
                source_.place(item.node),
                fmt::format("{}: a soft body", in_words(item.node)),
                "delete it, and see the bodies \"cable\", \"membrane\" and \"shell\"");
        else if (tag == "attach")
            findings_.no_counterpart(
                source_.place(item.node),
                fmt::format("{}: a part of another model", in_words(item.node)),
                "import that model by itself");
    }
    if (link != kGround) weigh(body.node, link, items, masses);
    for (const Item& item : items)
        if (std::string_view(item.node.name()) == "body") read_body(item, link, world, depth + 1);
}

void MjcfReader::read_body(const Item& item, int parent, const Pose& parent_world, int depth) {
    const pugi::xml_node node = item.node;
    if (depth > kMostNestedBodies)
        return source_.wrong(node, nullptr, "bodies are nested too deeply");
    source_.account(node, kMjcfBody);
    if (source_.number(node, "gravcomp", 0.0) != 0.0)
        findings_.no_counterpart(
            source_.place(node), fmt::format("{}: gravcomp", in_words(node)), "delete it");
    const std::string inner = node.attribute("childclass").value();
    const std::string surrounding = inner.empty() ? item.surrounding : inner;
    const bool has_name = *node.attribute("name").value() != '\0';
    const std::string name =
        has_name ? item.name() : fmt::format("body_{}", robot_.links.size() + 1);
    const Pose in_parent = item.in_body * pose(node);
    const Pose world = parent_world * in_parent;

    std::vector<Item> items, joints;
    const Item inside{node, Pose(), surrounding, item.suffix};
    collect(inside, items, 0);
    for (const Item& entry : items) {
        const std::string_view tag = entry.node.name();
        if (tag == "joint" || tag == "freejoint") joints.push_back(entry);
    }
    // Each joint but the last carries a link of its own, which has no mass
    int carrier = parent;
    Pose at = in_parent;
    for (std::size_t j = 0; j < std::max<std::size_t>(joints.size(), 1); ++j) {
        const bool is_last = j + 1 >= joints.size();
        Link link;
        link.name = is_last ? name : fmt::format("{}_{}", name, j + 1);
        link.place = source_.place(node);
        const int child = static_cast<int>(robot_.links.size());
        robot_.links.push_back(link);
        if (joints.empty())
            fix(child, carrier, at, name);
        else
            read_joint(joints[j], child, carrier, at);
        carrier = child;
        at = Pose();
    }
    const int link = carrier;
    worlds_[link] = world;
    if (!bodies_.emplace(name, link).second && has_name)
        source_.wrong(node, "name", "another body has it");
    read_content(inside, link, world, depth);
}

void MjcfReader::fix(int child, int parent, const Pose& at, const std::string& name) {
    Joint joint;
    joint.name = name + "_fixed";
    joint.place = robot_.links[child].place;
    joint.parent = parent;
    joint.child = child;
    joint.on_parent = at;
    robot_.joints.push_back(joint);
}

void MjcfReader::read_joint(const Item& item, int child, int parent, const Pose& at) {
    const pugi::xml_node node = item.node;
    const bool is_free = std::string_view(node.name()) == "freejoint";
    if (!is_free) defaults_.complete(node, item.surrounding, "joint");
    source_.account(node, is_free ? kMjcfFreeJoint : kMjcfJoint);
    const std::string type = is_free ? "free" : node.attribute("type").as_string("hinge");
    Joint joint;
    joint.name = *node.attribute("name").value() != '\0'
                     ? item.name()
                     : fmt::format("{}_joint", robot_.links[child].name);
    joint.place = source_.place(node);
    joint.parent = parent;
    joint.child = child;
    const int number = static_cast<int>(robot_.joints.size());
    if (!joints_.emplace(joint.name, number).second)
        source_.wrong(node, "name", "another joint has it");

    const Vec3 point = item.in_body.x + item.in_body.R * source_.vector(node, "pos", Vec3::Zero());
    if (type == "free") {
        joint.kind = JointKind::free;
        joint.on_parent = at;
    } else if (type == "ball") {
        joint.kind = JointKind::spherical;
        joint.on_child.x = point;
        joint.on_parent = at * joint.on_child;
        joint.ball_damping = Vec3::Constant(damping_of(node));
        if (source_.number(node, "stiffness", 0.0) != 0.0)
            findings_.no_counterpart(joint.place,
                                     fmt::format("{}: stiffness of a ball", in_words(node)),
                                     "delete it, and see the constraint \"bushing\"");
        if (source_.number(node, "frictionloss", 0.0) != 0.0)
            findings_.no_counterpart(joint.place,
                                     fmt::format("{}: frictionloss of a ball", in_words(node)),
                                     "delete it");
        if (const double armature = source_.number(node, "armature", 0.0); armature != 0.0)
            findings_.no_counterpart(joint.place,
                                     fmt::format("{}: armature of a ball", in_words(node)),
                                     "add it to the inertia of the body");
        if (const auto range = source_.numbers(node, "range", 2);
            is_limited(node, "limited", range.has_value()))
            findings_.no_counterpart(joint.place,
                                     fmt::format("{}: limits of a ball", in_words(node)),
                                     "write three hinges, or limited = \"false\"");
    } else if (type == "hinge" || type == "slide") {
        joint.kind = type == "hinge" ? JointKind::revolute : JointKind::prismatic;
        read_axis(node, item, point, at, joint);
        read_laws(node, joint);
    } else {
        source_.wrong(
            node,
            "type",
            no_such_type(type, std::vector<std::string>{"hinge", "slide", "ball", "free"}));
    }
    slots_.push_back({number, type == "free" ? 7 : type == "ball" ? 4 : 1});
    robot_.joints.push_back(std::move(joint));
}

double MjcfReader::damping_of(pugi::xml_node node) const {
    const double damping = source_.number(node, "damping", 0.0);
    if (damping < 0.0) source_.wrong(node, "damping", "is negative: it would drive the joint");
    return std::max(damping, 0.0);
}

void MjcfReader::read_axis(
    pugi::xml_node node, const Item& item, const Vec3& point, const Pose& at, Joint& joint) {
    Vec3 axis = item.in_body.R * source_.vector(node, "axis", Vec3::UnitZ());
    if (!(axis.norm() > 0.0)) {
        source_.wrong(node, "axis", "an axis has a length");
        axis = Vec3::UnitZ();
    }
    const Pose here{frame_about(axis), point};
    joint.on_parent = at * here;
    joint.on_child = here;
    // The measure is `ref` as the bodies lie in the file
    const bool turns = joint.kind == JointKind::revolute;
    const double ref = source_.number(node, "ref", 0.0);
    joint.start = turns ? angle(ref) : ref;
    if (turns)
        joint.on_child.R = here.R * turn_about_axis(2, joint.start);
    else
        joint.on_child.x = point + joint.start * here.R.col(2);
}

void MjcfReader::read_laws(pugi::xml_node node, Joint& joint) {
    const bool turns = joint.kind == JointKind::revolute;
    const auto in_units = [&](double x) {
        return turns ? angle(x) : x;
    };
    joint.damping = damping_of(node);
    joint.friction = source_.number(node, "frictionloss", 0.0);
    joint.armature = source_.number(node, "armature", 0.0);
    if (joint.armature < 0.0) source_.wrong(node, "armature", "is negative");
    if (const double k = source_.number(node, "stiffness", 0.0); k != 0.0)
        joint.spring = Spring{k, in_units(source_.number(node, "springref", 0.0))};
    if (const auto pair = source_.numbers(node, "springdamper", 2);
        pair && ((*pair)[0] != 0.0 || (*pair)[1] != 0.0))
        findings_.no_counterpart(
            joint.place,
            fmt::format("{}: springdamper, which MuJoCo makes of the model's inertia",
                        in_words(node)),
            "write stiffness and damping");
    const auto range = source_.numbers(node, "range", 2);
    if (is_limited(node, "limited", range.has_value()) && range) {
        joint.limits.lower = in_units((*range)[0]);
        joint.limits.upper = in_units((*range)[1]);
    }
    if (const auto effort = source_.numbers(node, "actuatorfrcrange", 2))
        joint.limits.effort = std::max(std::abs((*effort)[0]), std::abs((*effort)[1]));
}

bool MjcfReader::is_limited(pugi::xml_node node, const char* attribute, bool has_range) const {
    const std::string text = node.attribute(attribute).as_string("auto");
    return text == "auto" ? autolimits_ && has_range : source_.boolean(node, attribute, false);
}

}  // namespace ancora::robot
