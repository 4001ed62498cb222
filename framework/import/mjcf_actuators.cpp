// SPDX-License-Identifier: BSD-3-Clause
// Actuators of an MJCF file.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "ancora/framework/printable.hpp"
#include "mjcf_model.hpp"
#include "mjcf_rules.hpp"

namespace ancora::robot {
void MjcfReader::read_actuators(pugi::xml_node section) {
    for (const pugi::xml_node node : defaults_.elements(section)) {
        const std::size_t before = controls_.size();
        read_actuator_of(node);
        // One that is left out has a number in a keyframe.
        if (controls_.size() == before) controls_.push_back(kNone);
    }
}

void MjcfReader::read_actuator_of(pugi::xml_node node) {
    const std::string tag = node.name();
    const std::vector<std::string> known = {"general", "motor", "position", "velocity", "damper"};
    if (std::ranges::find(known, tag) == known.end()) {
        findings_.no_counterpart(source_.place(node),
                                 fmt::format("{}: an actuator of this kind", in_words(node)),
                                 "write a motor or position in its place");
        return;
    }
    defaults_.complete(node, "", tag.c_str());
    defaults_.complete(node, "", "general");
    if (node.attribute("site") || node.attribute("cranksite") || node.attribute("body")) {
        findings_.no_counterpart(
            source_.place(node),
            fmt::format("{}: an actuator on a site, crank or body", in_words(node)),
            "let it act on a joint");
        return;
    }
    source_.account(node, kMjcfActuator);
    for_each_replica(node, [&] {
        read_actuator(node, tag);
    });
}

void MjcfReader::read_actuator(pugi::xml_node node, const std::string& tag) {
    // force = gain u + b0 + b1 l + b2 l', l = gear times the measure
    double gain = 1.0;
    std::array<double, 3> b{};
    const double kp = source_.number(node, "kp", 1.0);
    const double kv = source_.number(node, "kv", tag == "velocity" || tag == "damper" ? 1.0 : 0.0);
    if (tag == "position") {
        gain = kp;
        b = {0.0, -kp, -kv};
    } else if (tag == "damper") {
        gain = kv;
    } else if (tag == "velocity") {
        gain = kv;
        b = {0.0, 0.0, -kv};
    } else if (tag == "general") {
        const auto gains = source_.numbers(node, "gainprm", 0).value_or(std::vector<double>{1.0});
        gain = gains.empty() ? 1.0 : gains[0];
        const std::string bias = node.attribute("biastype").as_string("none");
        if (bias == "affine") {
            const auto given = source_.numbers(node, "biasprm", 0).value_or(std::vector<double>());
            for (std::size_t i = 0; i < std::min<std::size_t>(given.size(), 3); ++i)
                b[i] = given[i];
        }
        const bool is_known =
            (bias == "none" || bias == "affine") &&
            std::string_view(node.attribute("gaintype").as_string("fixed")) == "fixed" &&
            std::string_view(node.attribute("dyntype").as_string("none")) == "none";
        if (!is_known)
            return findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: an actuator with dynamics, or a gain that is not fixed",
                            in_words(node)),
                "write a motor or position in its place");
    }
    if (source_.number(node, "dampratio", 0.0) != 0.0)
        findings_.no_counterpart(
            source_.place(node),
            fmt::format("{}: dampratio, which MuJoCo makes of the model's inertia", in_words(node)),
            "write kv");
    if (source_.number(node, "timeconst", 0.0) != 0.0)
        findings_.no_counterpart(source_.place(node),
                                 fmt::format("{}: a filter of the control", in_words(node)),
                                 "delete timeconst");
    const auto gears = source_.numbers(node, "gear", 0).value_or(std::vector<double>{1.0});
    const double gear = gears.empty() ? 1.0 : gears[0];

    Actuator actuator;
    actuator.name = replica_name(node);
    const auto controls = source_.numbers(node, "ctrlrange", 2);
    if (is_limited(node, "ctrllimited", controls.has_value()) && controls) {
        actuator.remark = fmt::format("{:g} to {:g}", (*controls)[0], (*controls)[1]);
        actuator.start = std::clamp(0.0,
                                    std::min((*controls)[0], (*controls)[1]),
                                    std::max((*controls)[0], (*controls)[1]));
    }
    std::optional<std::pair<double, double>> forces;
    const auto range = source_.numbers(node, "forcerange", 2);
    if (is_limited(node, "forcelimited", range.has_value()) && range)
        forces = {(*range)[0], (*range)[1]};

    std::vector<Coupler::Term> terms;
    int line = -1;
    if (const auto tendon = node.attribute("tendon")) {
        auto found = tendons_.find(tendon.value() + replica_);
        if (found == tendons_.end()) found = tendons_.find(tendon.value());
        if (found == tendons_.end())
            return source_.wrong(
                node,
                "tendon",
                fmt::format("there is no tendon \"{}\"", printable(tendon.value())));
        terms = found->second.terms;
        line = found->second.line;
        if (line < 0 && found->second.num_points > 0)
            return findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: an actuator of a tendon over {} sites",
                            in_words(node),
                            found->second.num_points),
                "let it act on a joint, or on a tendon between two sites");
        if (line < 0 && terms.size() > 1 && (b[1] != 0.0 || b[2] != 0.0))
            return findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: a controller of a sum of joints", in_words(node)),
                "let it act on a joint");
    } else {
        const char* const key = node.attribute("jointinparent") ? "jointinparent" : "joint";
        const int joint = named(node, key, joints_, "joint");
        if (joint == kNone) return;
        if (*measure_of(robot_.joints[joint].kind) == '\0')
            return findings_.no_counterpart(
                source_.place(node),
                fmt::format("{}: an actuator of a ball or free joint", in_words(node)),
                "see the force \"point_load\"");
        terms = {{joint, 1.0}};
    }
    if (actuator.name.empty())
        actuator.name =
            fmt::format("{}_{}", terms.empty() ? "line" : robot_.joints[terms[0].joint].name, tag);
    actuator.control = actuator.name + "_control";
    controls_.push_back(static_cast<int>(robot_.actuators.size()));
    if (line >= 0) {
        actuator.line = line;
        add_actuator(actuator, tag, gain, b, gear, forces);
    }
    for (const Coupler::Term& term : terms) {
        actuator.joint = term.joint;
        add_actuator(actuator, tag, gain, b, gear * term.factor, forces);
    }
}

void MjcfReader::add_actuator(Actuator actuator,
                              const std::string& tag,
                              double gain,
                              const std::array<double, 3>& b,
                              double gear,
                              const std::optional<std::pair<double, double>>& forces) {
    const bool is_even = !forces || forces->first == -forces->second;
    if (forces && is_even) actuator.limit = std::abs(gear) * forces->second;
    // kp (u - l) - kv l' is a servo on u / gear
    if (tag == "position" && is_even && gear != 0.0) {
        actuator.kind = Actuator::Kind::servo;
        actuator.effort = gear == 1.0 ? "${@}" : fmt::format("${{@/{}}}", gear);
        actuator.kp = gain * gear * gear;
        actuator.kd = -b[2] * gear * gear;
    } else if (tag == "damper") {
        actuator.effort = fmt::format("-${{{}*@}}*rate", gear * gear * gain);
    } else {
        const double k = gear * gain;
        actuator.effort = k == 1.0 ? "${@}" : fmt::format("${{{}*@}}", k);
        const auto add = [&](double factor, const char* what) {
            if (factor != 0.0)
                actuator.effort +=
                    fmt::format(" {} {}{}", factor < 0.0 ? '-' : '+', std::abs(factor), what);
        };
        add(gear * b[0], "");
        add(gear * gear * b[1], "*value");
        add(gear * gear * b[2], "*rate");
    }
    if (!is_even) {
        const double low = gear * forces->first, high = gear * forces->second;
        actuator.effort = fmt::format(
            "min(max({}, {}), {})", actuator.effort, std::min(low, high), std::max(low, high));
    }
    robot_.actuators.push_back(actuator);
}

}  // namespace ancora::robot
