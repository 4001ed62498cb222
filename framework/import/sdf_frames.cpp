// SPDX-License-Identifier: BSD-3-Clause
#include "sdf_frames.hpp"

#include <numbers>
#include <vector>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/framework/printable.hpp"
#include "turns.hpp"

namespace ancora::robot {
namespace {

/// The numbers of a `<pose>`.
Pose read_pose(pugi::xml_node pose, const XmlSource& source) {
    source.account(pose, {.attributes = "relative_to frame degrees rotation_format"});
    const bool by_quaternion =
        std::string_view(pose.attribute("rotation_format").value()) == "quat_xyzw";
    const auto x = source.numbers(pose, nullptr, by_quaternion ? 7 : 6);
    if (!x) return {};
    Pose out;
    out.x = {(*x)[0], (*x)[1], (*x)[2]};
    if (by_quaternion) {
        const Eigen::Quaterniond q((*x)[6], (*x)[3], (*x)[4], (*x)[5]);
        if (q.norm() > 0.0)
            out.R = q.normalized().toRotationMatrix();
        else
            source.wrong(pose, nullptr, "a quaternion has a length");
        return out;
    }
    const double unit = source.boolean(pose, "degrees", false) ? std::numbers::pi / 180.0 : 1.0;
    out.R = from_roll_pitch_yaw(unit * Vec3((*x)[3], (*x)[4], (*x)[5]));
    return out;
}

}  // namespace

void SdfFrames::add(const std::string& scope,
                    const std::string& name,
                    pugi::xml_node node,
                    const std::string& otherwise) {
    if (name.empty()) return;
    if (!named_.emplace(scope + name, Named{node, scope, otherwise, {}, Named::State::unknown})
             .second)
        source_.wrong(node, "name", "a link, joint, frame or model has it already");
}

void SdfFrames::check_pose(pugi::xml_node node) const {
    if (const pugi::xml_node pose = node.child("pose")) static_cast<void>(read_pose(pose, source_));
}

std::string SdfFrames::resolve(const std::string& scope, const std::string& name) const {
    if (name == "world" || name.empty()) return name;
    if (name == "__model__") return scope.empty() ? "" : scope.substr(0, scope.size() - 2);
    return scope + name;
}

Pose SdfFrames::of(const std::string& name, pugi::xml_node asked) {
    if (name.empty() || name == "world") return {};
    const auto found = named_.find(name);
    if (found == named_.end()) {
        std::vector<std::string> names;
        for (const auto& [known, entry] : named_) names.push_back(known);
        source_.wrong(asked,
                      nullptr,
                      fmt::format("there is no link, joint or frame \"{}\"{}",
                                  printable(name),
                                  did_you_mean(name, names)));
        return {};
    }
    Named& named = found->second;
    if (named.state == Named::State::asked) {
        source_.wrong(named.node, nullptr, "its pose is relative to itself, by a circle of frames");
        named.state = Named::State::known;
    }
    if (named.state == Named::State::known) return named.pose;
    named.state = Named::State::asked;
    const Pose pose = in_space(named.node, named.scope, named.otherwise);
    named.pose = pose;
    named.state = Named::State::known;
    return pose;
}

std::string SdfFrames::base_of(pugi::xml_node node,
                               const std::string& scope,
                               const std::string& otherwise) const {
    for (const char* const key : {"relative_to", "frame"})
        if (const auto given = node.child("pose").attribute(key); given && *given.value() != '\0')
            return resolve(scope, given.value());
    return otherwise;
}

Pose SdfFrames::in_space(pugi::xml_node node,
                         const std::string& scope,
                         const std::string& otherwise) {
    const Pose at = of(base_of(node, scope, otherwise), node);
    const pugi::xml_node pose = node.child("pose");
    return pose ? at * read_pose(pose, source_) : at;
}

Pose SdfFrames::in_frame(pugi::xml_node node,
                         const std::string& scope,
                         const std::string& otherwise,
                         const std::string& frame) {
    if (base_of(node, scope, otherwise) != frame)
        return of(frame, node).inverse() * in_space(node, scope, otherwise);
    const pugi::xml_node pose = node.child("pose");
    return pose ? read_pose(pose, source_) : Pose();
}

}  // namespace ancora::robot
