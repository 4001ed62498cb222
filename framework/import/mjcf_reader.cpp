// SPDX-License-Identifier: BSD-3-Clause
// Reads MJCF: sections in order, settings of the compiler, the start.
#include "mjcf_reader.hpp"

#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"

namespace ancora::robot {

Robot MjcfReader::read() {
    robot_.format = "MJCF";
    robot_.file = source_.file(root_);
    robot_.name = root_.attribute("model").value();
    robot_.step = 0.002;
    source_.account(root_, kMjcfMujoco);
    for (const pugi::xml_node node : sections("compiler")) read_compiler(node);
    for (const pugi::xml_node node : sections("option")) read_option(node);
    defaults_.read_classes();
    for (const pugi::xml_node node : sections("asset")) read_assets(node);
    for (const pugi::xml_node node : sections("worldbody")) {
        source_.account(
            node, {.attributes = "name", .children = kMjcfBody.children, .unused = "camera light"});
        read_content({node, Pose(), ""}, kGround, Pose(), 0);
    }
    if (robot_.links.empty()) findings_.damaged(source_.place(root_), "<mujoco> has no <body>");
    for (const pugi::xml_node node : sections("tendon")) read_tendons(node);
    for (const pugi::xml_node node : sections("equality")) read_equalities(node);
    for (const pugi::xml_node node : sections("actuator")) read_actuators(node);
    for (const pugi::xml_node node : sections("keyframe")) read_keyframe(node);
    finish_masses();
    for (const Joint& joint : robot_.joints)
        if (first_loop_.known() && joint.start != 0.0)
            findings_.no_counterpart(joint.place,
                                     fmt::format("joint \"{}\" has a ref, or is coupled with "
                                                 "an offset, and the model has closed "
                                                 "loops",
                                                 printable(joint.name)),
                                     "count its values from how the bodies lie");
    return std::move(robot_);
}

std::vector<pugi::xml_node> MjcfReader::sections(std::string_view name) {
    return defaults_.elements(root_, name);
}

void MjcfReader::read_compiler(pugi::xml_node node) {
    source_.account(node, kMjcfCompiler);
    const std::string angle = node.attribute("angle").as_string(in_degrees_ ? "degree" : "radian");
    if (angle != "degree" && angle != "radian")
        source_.wrong(node, "angle", "expected degree or radian");
    in_degrees_ = angle == "degree";
    if (std::string_view(node.attribute("coordinate").as_string("local")) != "local")
        findings_.no_counterpart(
            source_.place(node),
            "coordinates in the global frame",
            "save the file once by a MuJoCo older than 2.3.4, which writes local ones");
    sequence_ = node.attribute("eulerseq").as_string(sequence_.c_str());
    if (sequence_.size() != 3 || sequence_.find_first_not_of("xyzXYZ") != std::string::npos) {
        source_.wrong(node, "eulerseq", "expected three of x, y, z, X, Y, Z");
        sequence_ = "xyz";
    }
    autolimits_ = source_.boolean(node, "autolimits", autolimits_);
    balance_ = source_.boolean(node, "balanceinertia", balance_);
    strip_ = source_.boolean(node, "strippath", strip_);
    least_mass_ = source_.number(node, "boundmass", least_mass_);
    least_inertia_ = source_.number(node, "boundinertia", least_inertia_);
    total_mass_ = source_.number(node, "settotalmass", total_mass_);
    if (const auto groups = source_.numbers(node, "inertiagrouprange", 2)) {
        first_group_ = (*groups)[0];
        last_group_ = (*groups)[1];
    }
    if (const auto from = node.attribute("inertiafromgeom")) from_geoms_ = from.value();
    if (const auto folder = node.attribute("assetdir")) mesh_folder_ = folder.value();
    if (const auto folder = node.attribute("meshdir")) mesh_folder_ = folder.value();
}

void MjcfReader::read_option(pugi::xml_node node) {
    source_.account(node, kMjcfOption);
    robot_.step = source_.number(node, "timestep", *robot_.step);
    robot_.gravity = source_.vector(node, "gravity", robot_.gravity);
    for (const char* const medium : {"density", "viscosity"})
        if (source_.number(node, medium, 0.0) != 0.0)
            findings_.no_counterpart(
                source_.place(node),
                fmt::format("<option> {}: a medium that bodies move in", medium),
                "delete it, and see the forces of type \"drag\"");
    const pugi::xml_node flag = node.child("flag");
    if (!flag) return;
    source_.account(flag, kMjcfFlag);
    if (std::string_view(flag.attribute("gravity").value()) == "disable")
        robot_.gravity = Vec3::Zero();
}

void MjcfReader::read_keyframe(pugi::xml_node section) {
    source_.account(section, {.children = "key include"});
    const std::vector<pugi::xml_node> keys = defaults_.elements(section, "key");
    if (keys.empty()) return;
    const pugi::xml_node key = keys.front();
    source_.account(key, {.attributes = "name qpos qvel ctrl", .silent = "time act mpos mquat"});
    findings_.note(fmt::format("the start is keyframe \"{}\"{}",
                               printable(key.attribute("name").value()),
                               keys.size() > 1 ? "; others are not kept" : ""),
                   source_.place(key));
    std::size_t num_q = 0, num_v = 0;
    for (const auto& [joint, count] : slots_) {
        num_q += static_cast<std::size_t>(count);
        num_v += static_cast<std::size_t>(count == 7 ? 6 : count == 4 ? 3 : 1);
    }
    const auto q = source_.numbers(key, "qpos", num_q), v = source_.numbers(key, "qvel", num_v);
    if (q && first_loop_.known())
        findings_.no_counterpart(source_.place(key),
                                 "a keyframe of a model with closed loops",
                                 "delete it: the start is that of the file");
    std::size_t at_q = 0, at_v = 0;
    for (const auto& [number, count] : slots_) {
        Joint& joint = robot_.joints[number];
        Link& link = robot_.links[joint.child];
        const auto vec = [](const std::vector<double>& x, std::size_t i) {
            return Vec3(x[i], x[i + 1], x[i + 2]);
        };
        if (q && !first_loop_.known()) {
            if (count == 1) joint.start = (*q)[at_q];
            if (count == 7)
                joint.on_parent = {quaternion(key, "qpos", std::span(*q).subspan(at_q + 3)),
                                   vec(*q, at_q)};
            if (count == 4)
                joint.on_child.R = quaternion(key, "qpos", std::span(*q).subspan(at_q)).transpose();
        }
        if (v) {
            if (count == 1) joint.start_rate = (*v)[at_v];
            if (count == 7) {
                link.velocity = vec(*v, at_v);
                link.spin = vec(*v, at_v + 3);
            }
            if (count == 4 && vec(*v, at_v) != Vec3::Zero())
                findings_.no_counterpart(
                    source_.place(key), "a spin of a ball at the start", "delete it from qvel");
        }
        at_q += static_cast<std::size_t>(count);
        at_v += static_cast<std::size_t>(count == 7 ? 6 : count == 4 ? 3 : 1);
    }
    if (const auto u = source_.numbers(key, "ctrl", controls_.size()))
        for (Actuator& actuator : robot_.actuators)
            for (std::size_t i = 0; i < controls_.size(); ++i)
                if (controls_[i] != kNone &&
                    robot_.actuators[controls_[i]].control == actuator.control)
                    actuator.start = (*u)[i];
}

Robot read_mjcf(pugi::xml_node root, XmlSource& source) {
    return MjcfReader(root, source).read();
}

}  // namespace ancora::robot
