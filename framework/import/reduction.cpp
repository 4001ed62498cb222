// SPDX-License-Identifier: BSD-3-Clause
#include "reduction.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "ancora/sdk/helpers/rigid_body.hpp"

namespace ancora::robot {
namespace {

// Of the mass and inertia beside it: errs the motion by as much.
constexpr double kConnector = 1e-9;
// Moments of inertia that are typed with some digits, relative to the largest.
constexpr double kTypedMoment = 1e-9;

double mass_of(const Link& link) {
    return link.inertial ? link.inertial->mass : 0.0;
}

/// The moments of inertia about a point at r from the centre of mass, less those about that.
Mat3 steiner(double mass, const Vec3& r) {
    return mass * (r.squaredNorm() * Mat3::Identity() - r * r.transpose());
}

/// The tree joint that carries a link, by number; -1 for none.
std::vector<int> carriers(const Robot& robot) {
    std::vector<int> out(robot.links.size(), -1);
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j)
        if (const Joint& joint = robot.joints[j]; !joint.is_loop && joint.child >= 0)
            out[joint.child] = j;
    return out;
}

/// Links in an order in which each stands behind the one that carries it.
std::vector<int> from_the_ground(const Robot& robot) {
    const std::vector<int> carrier = carriers(robot);
    std::vector<int> order;
    std::vector<bool> is_in(robot.links.size(), false);
    std::vector<int> chain;
    for (int i = 0; i < static_cast<int>(robot.links.size()); ++i) {
        for (int at = i; at != kGround && !is_in[at];) {
            chain.push_back(at);
            is_in[at] = true;
            at = carrier[at] < 0 ? kGround : robot.joints[carrier[at]].parent;
        }
        order.insert(order.end(), chain.rbegin(), chain.rend());
        chain.clear();
    }
    return order;
}

constexpr int kGone = -1;

/// New numbers of joints. The measure of one that is gone does not change: it leaves couplers, and
/// nothing drives it.
void renumber(Robot& robot, const std::vector<int>& number) {
    for (Coupler& coupler : robot.couplers) {
        for (Coupler::Term& term : coupler.terms) term.joint = number[term.joint];
        std::erase_if(coupler.terms, [](const Coupler::Term& term) {
            return term.joint == kGone;
        });
    }
    std::erase_if(robot.couplers, [](const Coupler& coupler) {
        return coupler.terms.empty();
    });
    for (Actuator& actuator : robot.actuators)
        if (actuator.joint >= 0) actuator.joint = number[actuator.joint];
    std::erase_if(robot.actuators, [](const Actuator& actuator) {
        return actuator.joint == kGone && actuator.line < 0;
    });
}

void note_idle(const Robot& robot, int joint, Findings& findings) {
    if (std::ranges::any_of(robot.actuators, [joint](const Actuator& actuator) {
            return actuator.joint == joint;
        }))
        findings.note("what drives joints that carry no mass is left out",
                      robot.joints[joint].place);
}

/// One body of links that are fixed to each other.
class Merging {
public:
    Merging(Robot& robot, Findings& findings) : robot_(robot), findings_(findings) {}

    void run() {
        const std::size_t count = robot_.links.size();
        into_.resize(count);
        const std::vector<int> carrier = carriers(robot_);
        for (int i = 0; i < static_cast<int>(count); ++i) into_[i] = {i, {}};
        is_gone_.assign(robot_.joints.size(), false);
        for (const int i : from_the_ground(robot_)) {
            if (carrier[i] < 0) continue;
            Joint& joint = robot_.joints[carrier[i]];
            if (joint.kind != JointKind::fixed) continue;
            const auto [parent, pose] = place_of(joint.parent);
            const bool has_mass = mass_of(robot_.links[i]) > 0.0;
            if (has_mass &&
                (parent == kGround || (joint.is_kept && mass_of(robot_.links[parent]) > 0.0)))
                continue;
            into_[i] = {parent, pose * joint.on_parent * joint.on_child.inverse()};
            is_gone_[carrier[i]] = true;
            merge(i);
        }
        for (Joint& joint : robot_.joints) {
            std::tie(joint.parent, joint.on_parent) = moved(joint.parent, joint.on_parent);
            std::tie(joint.child, joint.on_child) = moved(joint.child, joint.on_child);
        }
        for (Line& line : robot_.lines) {
            const auto a = moved(line.a, {Mat3::Identity(), line.on_a});
            const auto b = moved(line.b, {Mat3::Identity(), line.on_b});
            line.a = a.first;
            line.b = b.first;
            line.on_a = a.second.x;
            line.on_b = b.second.x;
        }
        for (Cord& cord : robot_.cords)
            for (auto& [link, x] : cord.points) {
                const auto [to, at] = moved(link, {Mat3::Identity(), x});
                link = to;
                x = at.x;
            }
        sweep();
    }

private:
    std::pair<int, Pose> place_of(int link) const {
        return link == kGround ? std::pair(kGround, Pose()) : into_[link];
    }
    std::pair<int, Pose> moved(int link, const Pose& pose) const {
        const auto [to, in] = place_of(link);
        return {to, in * pose};
    }

    void merge(int i) {
        Link& link = robot_.links[i];
        const auto& [to, pose] = into_[i];
        if (to == kGround) {
            if (!link.shapes.empty())
                findings_.note("shapes of what is fixed to the ground are not shown", link.place);
            return;
        }
        Link& body = robot_.links[to];
        if (link.inertial)
            body.inertial = body.inertial
                                ? together(*body.inertial, *link.inertial, pose)
                                : together({0.0, Vec3::Zero(), Mat3::Zero(), link.inertial->place},
                                           *link.inertial,
                                           pose);
        for (Shape& shape : link.shapes) {
            shape.pose = pose * shape.pose;
            body.shapes.push_back(std::move(shape));
        }
        body.frames.push_back({link.name, pose, "link fixed here"});
        for (Frame& frame : link.frames) {
            frame.pose = pose * frame.pose;
            body.frames.push_back(std::move(frame));
        }
    }

    /// Drops links and joints that are parts of others now.
    void sweep() {
        std::vector<int> link_number(robot_.links.size(), kGround),
            joint_number(robot_.joints.size(), kGone);
        std::vector<Link> links;
        for (int i = 0; i < static_cast<int>(robot_.links.size()); ++i) {
            if (into_[i].first != i) continue;
            link_number[i] = static_cast<int>(links.size());
            links.push_back(std::move(robot_.links[i]));
        }
        std::vector<Joint> joints;
        for (int j = 0; j < static_cast<int>(robot_.joints.size()); ++j) {
            if (is_gone_[j]) {
                note_idle(robot_, j, findings_);
                continue;
            }
            joint_number[j] = static_cast<int>(joints.size());
            Joint& joint = joints.emplace_back(std::move(robot_.joints[j]));
            for (int* const link : {&joint.parent, &joint.child})
                if (*link != kGround) *link = link_number[*link];
        }
        robot_.links = std::move(links);
        robot_.joints = std::move(joints);
        renumber(robot_, joint_number);
        for (Line& line : robot_.lines)
            for (int* const link : {&line.a, &line.b})
                if (*link != kGround) *link = link_number[*link];
        for (Cord& cord : robot_.cords)
            for (auto& [link, x] : cord.points)
                if (link != kGround) link = link_number[link];
    }

    Robot& robot_;
    Findings& findings_;
    std::vector<std::pair<int, Pose>> into_;
    std::vector<bool> is_gone_;
};

/// A tensor that a body may have, or a finding.
void check_inertia(Link& link, Findings& findings) {
    if (!link.inertial) return;
    Inertial& inertial = *link.inertial;
    Mat3 J = inertial.inertia;
    const Mat3 axes = rigid::diagonalise(J);
    const Vec3 moments = J.diagonal();
    const double largest = moments.cwiseAbs().maxCoeff();
    if (inertial.mass <= 0.0) {
        if (largest > 0.0)
            findings.no_counterpart(
                inertial.place,
                fmt::format("link \"{}\" has moments of inertia and no mass", printable(link.name)),
                "give its mass");
        link.inertial.reset();
        return;
    }
    // m_i = (J_j + J_k - J_i) / 2
    Vec3 m = Vec3::Constant(0.5 * moments.sum()) - moments;
    if (m.minCoeff() >= -kTypedMoment * largest) return;
    findings.no_counterpart(
        inertial.place,
        fmt::format(
            "no body has the principal moments of inertia {:.6g}, {:.6g}, {:.6g} of link \"{}\": "
            "none is negative or above the sum of the others{}",
            moments(0),
            moments(1),
            moments(2),
            printable(link.name),
            findings.is_lenient() ? "; the nearest that a body has are taken" : ""),
        "correct <inertia>");
    m = m.cwiseMax(0.0);
    inertial.inertia = axes * Vec3(Vec3::Constant(m.sum()) - m).asDiagonal() * axes.transpose();
}

/// Links without mass that move.
class Connectors {
public:
    Connectors(Robot& robot, Findings& findings) : robot_(robot), findings_(findings) {}

    void run() {
        std::vector<int> order = from_the_ground(robot_);
        std::ranges::reverse(order);
        for (const int i : order) {
            Link& link = robot_.links[i];
            if (mass_of(link) > 0.0) {
                lend_inertia(link);
                continue;
            }
            const Inertial* beside = nullptr;
            bool carries_held = false;
            for (const Joint& joint : robot_.joints) {
                if (joint.parent != i || joint.child == kGround || joint.is_loop) continue;
                const auto& inertial = robot_.links[joint.child].inertial;
                carries_held |= !inertial.has_value();
                if (inertial && (beside == nullptr || inertial->mass > beside->mass))
                    beside = &*inertial;
            }
            if (beside == nullptr && carries_held) continue;
            if (beside == nullptr) {
                findings_.no_counterpart(
                    link.place,
                    fmt::format(
                        "link \"{}\" moves, carries nothing and has no mass, so that nothing says "
                        "how it moves{}",
                        printable(link.name),
                        findings_.is_lenient() ? "; its joint is held" : ""),
                    "give it an <inertial>, or make its joint a fixed one");
                hold(i);
                again_ = true;
                continue;
            }
            // Itself a connector, what is beside it has next to no mass already
            const double part = is_connector(*beside) ? 1.0 : kConnector;
            link.inertial = Inertial{part * beside->mass,
                                     Vec3::Zero(),
                                     part * beside->inertia.trace() / 3.0 * Mat3::Identity(),
                                     link.place};
            link.is_connector = true;
            link.remark = "without mass in the source: here a billionth of what it carries";
        }
    }
    /// Whether joints were fixed, and what they carry is to be merged.
    bool has_held() const { return again_; }

private:
    bool is_connector(const Inertial& inertial) const {
        for (const Link& link : robot_.links)
            if (link.is_connector && &*link.inertial == &inertial) return true;
        return false;
    }
    void hold(int i) {
        for (Joint& joint : robot_.joints)
            if (joint.child == i && !joint.is_loop) joint.kind = JointKind::fixed;
    }
    /// A point of mass that cannot turn gets next to no inertia.
    void lend_inertia(Link& link) {
        Inertial& inertial = *link.inertial;
        if (inertial.inertia.cwiseAbs().maxCoeff() > 0.0) return;
        constexpr double kReach = 0.1;  // [m]
        const double r = std::max(kReach, inertial.center.norm());
        inertial.inertia = kConnector * inertial.mass * r * r * Mat3::Identity();
        link.remark = "a point of mass in the source: here with next to no inertia";
    }

    Robot& robot_;
    Findings& findings_;
    bool again_ = false;
};

/// Joints that leave everything free say where what they carry begins.
void cut_free_joints(Robot& robot) {
    const std::vector<Pose> home = home_poses(robot);
    std::vector<int> number(robot.joints.size(), kGone);
    std::vector<Joint> kept;
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
        if (robot.joints[j].kind == JointKind::free) {
            robot.links[robot.joints[j].child].start = home[robot.joints[j].child];
            continue;
        }
        number[j] = static_cast<int>(kept.size());
        kept.push_back(std::move(robot.joints[j]));
    }
    robot.joints = std::move(kept);
    renumber(robot, number);
}

}  // namespace

Inertial together(const Inertial& first, const Inertial& second, const Pose& pose) {
    const Vec3 center = pose.x + pose.R * second.center;
    Inertial out = first;
    out.mass = first.mass + second.mass;
    if (!(out.mass > 0.0)) return out;
    out.center = (first.mass * first.center + second.mass * center) / out.mass;
    out.inertia = first.inertia + steiner(first.mass, first.center - out.center) +
                  pose.R * second.inertia * pose.R.transpose() +
                  steiner(second.mass, center - out.center);
    return out;
}

const char* measure_of(JointKind kind) {
    switch (kind) {
        case JointKind::revolute:
        case JointKind::screw:
            return "angle";
        case JointKind::prismatic:
            return "displacement";
        default:
            return "";
    }
}

void check_tree(const Robot& robot, Findings& findings) {
    std::vector<int> carrier(robot.links.size(), -1);
    for (int j = 0; j < static_cast<int>(robot.joints.size()); ++j) {
        const Joint& joint = robot.joints[j];
        if (joint.is_loop || joint.child < 0) continue;
        if (carrier[joint.child] >= 0) {
            const Joint& other = robot.joints[carrier[joint.child]];
            findings.damaged(
                joint.place,
                fmt::format("joint \"{}\" carries link \"{}\", which joint \"{}\" in line {} "
                            "carries already",
                            printable(joint.name),
                            printable(robot.links[joint.child].name),
                            printable(other.name),
                            other.place.line));
            continue;
        }
        carrier[joint.child] = j;
    }
    // Whoever goes to what carries it, and so on, comes to the ground unless joints form a circle
    std::vector<int> seen(robot.links.size(), -1);
    for (int i = 0; i < static_cast<int>(robot.links.size()); ++i) {
        int at = i;
        while (at >= 0 && seen[at] < 0) {
            seen[at] = i;
            at = carrier[at] < 0 ? kGround : robot.joints[carrier[at]].parent;
        }
        if (at < 0 || seen[at] != i) continue;
        std::string names;
        int link = at;
        do {
            const Joint& joint = robot.joints[carrier[link]];
            names += fmt::format("{}\"{}\"", names.empty() ? "" : ", ", printable(joint.name));
            link = joint.parent;
        } while (link != at);
        findings.damaged(
            robot.joints[carrier[at]].place,
            fmt::format("joints form a circle, {}: links that carry each other hang on "
                        "nothing",
                        names));
    }
}

void reduce(Robot& robot, Findings& findings) {
    for (Link& link : robot.links) check_inertia(link, findings);
    Merging(robot, findings).run();
    while (true) {
        Connectors connectors(robot, findings);
        connectors.run();
        if (!connectors.has_held()) break;
        for (Link& link : robot.links)
            if (link.is_connector) {
                link.inertial.reset();
                link.is_connector = false;
            }
        Merging(robot, findings).run();
    }
    cut_free_joints(robot);
}

void fit_limits(Robot& robot, Findings& findings) {
    const bool is_free = std::ranges::none_of(robot.joints, &Joint::is_loop);
    std::vector<bool> is_coupled(robot.joints.size());
    for (const Coupler& coupler : robot.couplers)
        for (const Coupler::Term& term : coupler.terms) is_coupled[term.joint] = true;
    for (std::size_t j = 0; j < robot.joints.size(); ++j) {
        Joint& joint = robot.joints[j];
        Limits& limits = joint.limits;
        if (std::isinf(limits.lower) && std::isinf(limits.upper)) continue;
        if (!(limits.lower < limits.upper) || joint.held || *measure_of(joint.kind) == '\0') {
            limits.is_remark = true;
            if (!joint.held)
                findings.note("limits that leave no room are a comment: hold the joint by `drive`",
                              joint.place);
            continue;
        }
        const double inside = std::clamp(joint.start, limits.lower, limits.upper);
        if (joint.is_loop || inside == joint.start) continue;
        // Where other joints depend on it, a start of its own would tear the model apart
        limits.is_remark = is_coupled[j] || !is_free;
        if (!limits.is_remark) joint.start = inside;
        findings.note(limits.is_remark
                          ? fmt::format("limits that do not hold {:g}, where the joint begins, are "
                                        "a comment",
                                        joint.start)
                          : fmt::format("the joint begins at its limit, {:g}", inside),
                      joint.place);
    }
}

std::vector<Pose> home_poses(const Robot& robot) {
    const std::vector<int> carrier = carriers(robot);
    std::vector<Pose> out(robot.links.size() + 1);
    for (const int i : from_the_ground(robot)) {
        if (carrier[i] < 0) {
            out[i] = robot.links[i].start;
            continue;
        }
        const Joint& joint = robot.joints[carrier[i]];
        const Pose parent = joint.parent == kGround ? Pose() : out[joint.parent];
        out[i] = parent * joint.on_parent * joint.on_child.inverse();
    }
    return out;
}

}  // namespace ancora::robot
