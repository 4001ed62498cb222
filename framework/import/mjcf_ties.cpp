// SPDX-License-Identifier: BSD-3-Clause
// Sites, tendons and equalities of an MJCF file.
#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"

namespace ancora::robot {
void MjcfReader::read_site(const Item& item, int link, const Pose& world) {
    const pugi::xml_node node = item.node;
    defaults_.complete(node, item.surrounding, "site");
    source_.account(node, kMjcfSite);
    Pose at = item.in_body * pose(node);
    if (const auto ends = source_.numbers(node, "fromto", 6)) {
        const Vec3 from((*ends)[0], (*ends)[1], (*ends)[2]), to((*ends)[3], (*ends)[4], (*ends)[5]);
        at = item.in_body * Pose{along(from - to), 0.5 * (from + to)};
    }
    if (*node.attribute("name").value() == '\0') return;
    const std::string name = item.name();
    sites_[name] = {link, at, world * at};
    if (link != kGround) robot_.links[link].frames.push_back({name, at, "site"});
}

const MjcfReader::Site* MjcfReader::site_named(pugi::xml_node node, const char* attribute) const {
    const std::string name = source_.required(node, attribute);
    auto found = sites_.find(name + replica_);
    if (found == sites_.end()) found = sites_.find(name);
    if (found != sites_.end()) return &found->second;
    std::vector<std::string> names;
    for (const auto& [known, site] : sites_) names.push_back(known);
    if (!name.empty())
        source_.wrong(
            node,
            attribute,
            fmt::format("there is no site \"{}\"{}", printable(name), did_you_mean(name, names)));
    return nullptr;
}

int MjcfReader::named(pugi::xml_node node,
                      const char* attribute,
                      const std::map<std::string, int>& among,
                      const char* what) const {
    const std::string name = source_.required(node, attribute);
    if (name.empty()) return kNone;
    auto found = among.find(name + replica_);
    if (found == among.end()) found = among.find(name);
    if (found != among.end()) return found->second;
    std::vector<std::string> names;
    for (const auto& [known, number] : among) names.push_back(known);
    source_.wrong(
        node,
        attribute,
        fmt::format("there is no {} \"{}\"{}", what, printable(name), did_you_mean(name, names)));
    return kNone;
}

void MjcfReader::read_tendons(pugi::xml_node section) {
    for (const pugi::xml_node node : defaults_.elements(section)) {
        const std::string_view tag = node.name();
        if (tag != "fixed" && tag != "spatial") {
            findings_.no_counterpart(
                source_.place(node), fmt::format("{} in <tendon>", in_words(node)), "delete it");
            continue;
        }
        defaults_.complete(node, "", "tendon");
        if (tag == "spatial" && (node.child("geom") || node.child("pulley"))) {
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: a tendon that wraps or has pulleys", in_words(node)),
                "delete it");
            continue;
        }
        source_.account(node, kMjcfTendon);
        if (source_.number(node, "frictionloss", 0.0) != 0.0 ||
            source_.number(node, "armature", 0.0) != 0.0)
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: frictionloss or armature of a tendon", in_words(node)),
                "delete it");
        for_each_replica(node, [&] {
            read_tendon(node, tag == "spatial");
        });
    }
}

void MjcfReader::read_tendon(pugi::xml_node node, bool is_spatial) {
    Tendon tendon;
    if (is_spatial)
        read_spatial(node, tendon);
    else
        read_fixed(node, tendon);
    const std::string name = node.attribute("name").value();
    tendons_[name + replica_] = tendon;
    if (!replica_.empty() && !name.empty()) replicas_[name].push_back(replica_);
}

std::optional<double> MjcfReader::longest(pugi::xml_node node) const {
    const auto range = source_.numbers(node, "range", 2);
    if (!range || !is_limited(node, "limited", true)) return std::nullopt;
    if ((*range)[0] > 0.0)
        findings_.no_counterpart(source_.place(node),
                                 fmt::format("{}: a least length of a tendon", in_words(node)),
                                 "write 0 for it, and see the constraint \"stop\"");
    if (!((*range)[1] > 0.0)) {
        source_.wrong(node, "range", "expected a largest length above 0");
        return std::nullopt;
    }
    return (*range)[1];
}

void MjcfReader::read_fixed(pugi::xml_node node, Tendon& tendon) {
    for (const char* const law : {"stiffness", "damping"})
        if (source_.number(node, law, 0.0) != 0.0)
            findings_.no_counterpart(source_.place(node),
                                     fmt::format("{}: {} of a sum of joints", in_words(node), law),
                                     "delete it");
    if (node.attribute("range") && is_limited(node, "limited", true))
        findings_.no_counterpart(source_.place(node),
                                 fmt::format("{}: limits of a sum of joints", in_words(node)),
                                 "delete range");
    for (const pugi::xml_node term : node.children("joint")) {
        const int joint = named(term, "joint", joints_, "joint");
        if (joint != kNone) tendon.terms.push_back({joint, source_.number(term, "coef", 0.0)});
    }
}

void MjcfReader::read_spatial(pugi::xml_node node, Tendon& tendon) {
    std::vector<const Site*> sites;
    for (const pugi::xml_node site : node.children("site"))
        sites.push_back(site_named(site, "site"));
    if (std::ranges::find(sites, nullptr) != sites.end()) return;
    tendon.num_points = static_cast<int>(sites.size());
    if (sites.size() < 2) return source_.wrong(node, nullptr, "has fewer than two sites");
    Cord cord;
    cord.name = node.attribute("name") ? replica_name(node) : "tendon";
    cord.place = source_.place(node);
    for (const Site* const site : sites) cord.points.emplace_back(site->link, site->pose.x);
    if (const auto length = longest(node)) {
        cord.length = *length;
        robot_.cords.push_back(cord);
    }
    Line line;
    line.name = cord.name;
    line.place = cord.place;
    std::tie(line.a, line.on_a) = cord.points.front();
    std::tie(line.b, line.on_b) = cord.points.back();
    line.stiffness = source_.number(node, "stiffness", 0.0);
    line.damping = source_.number(node, "damping", 0.0);
    const auto free = source_.numbers(node, "springlength", 0).value_or(std::vector<double>{-1.0});
    const bool has_slack = free.size() > 1 && free[0] != free[1];
    if (has_slack && free[0] == 0.0 && free[1] > 0.0 && line.stiffness > 0.0) {
        // Without force up to a length, then a spring: as a cord that gives
        cord.length = free[1];
        cord.stiffness = line.stiffness;
        robot_.cords.push_back(cord);
        line.stiffness = 0.0;
    } else if (has_slack && line.stiffness != 0.0) {
        findings_.no_counterpart(line.place,
                                 fmt::format("{}: a spring with a dead band", in_words(node)),
                                 "write one springlength");
    }
    if (sites.size() > 2) {
        if (line.stiffness != 0.0 || line.damping != 0.0)
            findings_.no_counterpart(
                line.place,
                fmt::format("{}: a spring or damper over {} sites", in_words(node), sites.size()),
                "split it into tendons between two sites, or delete it");
        return;
    }
    // As the file has it, whatever the start
    line.free =
        !free.empty() && free[0] >= 0.0 ? free[0] : (sites[1]->world.x - sites[0]->world.x).norm();
    tendon.line = static_cast<int>(robot_.lines.size());
    robot_.lines.push_back(line);
}

void MjcfReader::read_equalities(pugi::xml_node section) {
    for (const pugi::xml_node node : defaults_.elements(section)) {
        const std::string tag = node.name();
        if (tag != "connect" && tag != "weld" && tag != "joint") {
            findings_.no_counterpart(
                source_.place(node), fmt::format("{} in <equality>", in_words(node)), "delete it");
            continue;
        }
        defaults_.complete(node, "", "equality");
        source_.account(node, kMjcfEquality);
        if (!source_.boolean(node, "active", true)) {
            findings_.note("an equality that is not active", source_.place(node));
            continue;
        }
        for_each_replica(node, [&] {
            if (tag == "joint")
                tie_joints(node);
            else
                close_loop(node, tag == "weld");
        });
    }
}

void MjcfReader::tie_joints(pugi::xml_node node) {
    const int first = named(node, "joint1", joints_, "joint");
    if (first == kNone || measure_missing(node, first)) return;
    std::vector<double> c =
        source_.numbers(node, "polycoef", 0).value_or(std::vector<double>{0.0, 1.0});
    c.resize(5, 0.0);
    Joint& joint = robot_.joints[first];
    if (!node.attribute("joint2")) {
        joint.held = joint.start + c[0];
        joint.start = *joint.held;
        return;
    }
    const int second = named(node, "joint2", joints_, "joint");
    if (second == kNone || measure_missing(node, second)) return;
    if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0)
        findings_.no_counterpart(source_.place(node),
                                 fmt::format("{}: a coupling that is not linear", in_words(node)),
                                 "keep the first two numbers of polycoef, or see the constraint "
                                 "\"general_constraint\"");
    std::string name = replica_name(node);
    if (name.empty()) name = joint.name + "_coupling";
    robot_.couplers.push_back(
        {name,
         {{second, c[1]}, {first, -1.0}},
         fmt::format("{} follows {}", joint.name, robot_.joints[second].name)});
    joint.start += c[0];
}

bool MjcfReader::measure_missing(pugi::xml_node node, int joint) const {
    if (*measure_of(robot_.joints[joint].kind) != '\0') return false;
    source_.wrong(
        node,
        nullptr,
        fmt::format("joint \"{}\" is no hinge and no slide", printable(robot_.joints[joint].name)));
    return true;
}

void MjcfReader::close_loop(pugi::xml_node node, bool is_weld) {
    Joint joint;
    joint.place = source_.place(node);
    joint.is_loop = true;
    // Without torques a weld holds a point alone
    const bool is_point = !is_weld || source_.number(node, "torquescale", 1.0) == 0.0;
    joint.kind = is_point ? JointKind::spherical : JointKind::fixed;
    joint.name = replica_name(node);
    if (joint.name.empty())
        joint.name = fmt::format("{}_{}", is_weld ? "weld" : "connect", robot_.joints.size());
    if (node.attribute("site1") || node.attribute("site2")) {
        const Site* const first = site_named(node, "site1");
        const Site* const second = site_named(node, "site2");
        if (first == nullptr || second == nullptr) return;
        joint.parent = first->link;
        joint.child = second->link;
        joint.on_parent = first->pose;
        joint.on_child = second->pose;
    } else {
        const auto body = [&](const char* attribute) {
            return std::string_view(node.attribute(attribute).value()) == "world"
                       ? kGround
                       : named(node, attribute, bodies_, "body");
        };
        joint.parent = body("body1");
        joint.child = node.attribute("body2") ? body("body2") : kGround;
        if (joint.parent == kNone || joint.child == kNone) return;
        const Pose second_in_first = worlds_[joint.parent].inverse() *
                                     (joint.child == kGround ? Pose() : worlds_[joint.child]);
        if (is_weld) {
            joint.on_parent = second_in_first;
            if (const auto pose = source_.numbers(node, "relpose", 7)) {
                const std::span<const double> q = std::span(*pose).subspan(3);
                if (std::ranges::any_of(q, [](double x) {
                        return x != 0.0;
                    })) {
                    joint.on_parent.x = Vec3((*pose)[0], (*pose)[1], (*pose)[2]);
                    joint.on_parent.R = quaternion(node, "relpose", q);
                }
            }
            if (is_point) {
                joint.on_child.x = source_.vector(node, "anchor", Vec3::Zero());
                joint.on_parent = joint.on_parent * joint.on_child;
            }
        } else {
            source_.required(node, "anchor");
            joint.on_parent.x = source_.vector(node, "anchor", Vec3::Zero());
            joint.on_child = second_in_first.inverse() * joint.on_parent;
        }
    }
    if (joint.parent == joint.child) return source_.wrong(node, nullptr, "ties a body to itself");
    // The ground stands first, as elsewhere
    if (joint.child == kGround) {
        std::swap(joint.parent, joint.child);
        std::swap(joint.on_parent, joint.on_child);
    }
    robot_.joints.push_back(joint);
    first_loop_ = first_loop_.known() ? first_loop_ : joint.place;
}

}  // namespace ancora::robot
