// SPDX-License-Identifier: BSD-3-Clause
// Frames, points and measures by their texts.
#include "references.hpp"

#include <array>

#include <fmt/format.h>

#include "ancora/framework/nearest_name.hpp"
#include "ancora/sdk/authoring/attachment_texts.hpp"
#include "ancora/sdk/helpers/measure_function.hpp"
#include "model.hpp"
#include "near_points.hpp"
#include "node_axes.hpp"
#include "pose.hpp"
#include "wording.hpp"

namespace ancora {
namespace {

using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

std::string full_name(const ConstraintPart& part, const Measure& measure) {
    return fmt::format("{}.{}", part.object.name, measure.name);
}

}  // namespace

void FrameNames::add(int body, const std::string& body_name, BodyFrame frame) {
    const std::string text = fmt::format("{}.{}", body_name, frame.name);
    order_.push_back(text);
    frames_.emplace(text, Named{body, std::move(frame)});
}

const FrameNames::Named* FrameNames::find(const std::string& text) const {
    const auto found = frames_.find(text);
    return found == frames_.end() ? nullptr : &found->second;
}

std::vector<const FrameNames::Named*> FrameNames::of_body(int body) const {
    std::vector<const Named*> out;
    for (const std::string& text : order_)
        if (const Named& named = frames_.find(text)->second; named.body == body)
            out.push_back(&named);
    return out;
}

FrameStart frame_start(const Model& model,
                       const std::string& text,
                       const Asker& asker,
                       std::deque<std::string>& texts) {
    FrameStart out;
    const auto keep = [&](std::string words) {
        return std::string_view(texts.emplace_back(std::move(words)));
    };
    const bool has_point = text.find('@') != std::string::npos;
    const FrameNames::Named* const named = has_point ? nullptr : model.frames.find(text);
    if (text == "ground") {
        out.body = "ground";
        out.point = "ground@[0, 0, 0]";
        out.has_attitude = true;
        return out;
    }
    int body = -1;
    Attachment at;
    if (named != nullptr) {
        body = named->body;
        out.names_point = out.names_axes = true;
    } else if (has_point) {
        at = attach(model, text, asker, false);
        body = at.body;
        out.names_point = true;
    } else {
        if (const std::size_t dot = text.find('.'); dot != std::string::npos) {
            // A frame that the body does not have, unless the body itself is not there
            const bool is_ground = text.compare(0, dot, "ground") == 0;
            const int owner =
                is_ground ? FrameNames::kGround : model.body_index(text.substr(0, dot), asker);
            std::vector<std::string> names;
            for (const FrameNames::Named* frame : model.frames.of_body(owner))
                names.push_back(frame->frame.name);
            const std::string meant = point_or_frame_near(model, text);
            throw asker.error(fmt::format(
                "{} has no frame \"{}\"{}",
                is_ground ? "the ground" : fmt::format("body \"{}\"", text.substr(0, dot)),
                text.substr(dot + 1),
                meant.find('@') != std::string::npos ? meant
                : names.empty()
                    ? fmt::format("; name one with [[{}frame]]", is_ground ? "" : "body.")
                    : hint(text.substr(dot + 1), names, "its frames")));
        }
        body = model.body_index(text, asker);
    }
    if (body < 0) {
        out.body = "ground";
        out.point = keep(text);
        out.has_attitude = true;
        out.motion.position = at.constant;
        if (named != nullptr) {
            out.point = keep(attachment_text("ground", vec3(named->frame.position)));
            out.motion.position = named->frame.position;
            out.motion.rotation = named->frame.axes;
        }
        return out;
    }
    const BodyPart& part = model.bodies[body];
    out.body = part.object.name;
    out.has_attitude = part.pose_kind == PoseKind::attitude;
    if (out.has_attitude) out.carrier = start_motion(model, body);
    if (!out.has_attitude && has_point)
        if (const auto node = node_axes(model, text, asker)) {
            out.body = keep(node->name);
            out.has_attitude = true;
            out.carrier = start_motion(model, *node);
        }
    out.motion = out.carrier;
    if (named == nullptr) {
        if (!has_point) {
            if (part.pose_kind == PoseKind::none)
                throw asker.error(
                    fmt::format("body \"{}\" has no reference point; name a point of it, such as "
                                "\"{}@0\"",
                                part.object.name,
                                part.object.name));
            at = attach(model, part.object.name + "@[0, 0, 0]", asker, false);
        }
        out.point = keep(at.text);
    } else {
        const std::array<double, 3>& r = named->frame.position;
        at = attach(model, attachment_text(part.object.name, vec3(r)), asker, false);
        out.point = keep(at.text);
        const RowMajor R = Eigen::Map<const RowMajor>(out.carrier.rotation.data()) *
                           Eigen::Map<const RowMajor>(named->frame.axes.data());
        Eigen::Map<RowMajor>(out.motion.rotation.data()) = R;
    }
    evaluate_attachment(model.bodies,
                        at,
                        model.start_q.data(),
                        model.start_v.data(),
                        out.motion.position.data(),
                        out.motion.velocity.data());
    return out;
}

MeasureRef find_measure(const Model& model, const std::string& text, const Asker& asker) {
    const std::size_t dot = text.rfind('.');
    const std::string joint = text.substr(0, dot);
    const std::string name = dot == std::string::npos ? "" : text.substr(dot + 1);
    const int c = model.constraint_names.find(joint);
    const ConstraintPart* const part = c < 0 ? nullptr : &model.constraints[c];
    if (part == nullptr || part->joint == nullptr) {
        std::vector<std::string> known;
        for (const ConstraintPart& other : model.constraints)
            if (other.joint != nullptr)
                for (const Measure& measure : other.joint->measures)
                    known.push_back(full_name(other, measure));
        if (dot != std::string::npos && model.body_names.find(joint) >= 0) {
            if (const std::string_view axes = "xyz"; !name.empty() && name.size() <= 2 &&
                                                     axes.find(name.back()) != std::string::npos &&
                                                     (name.size() == 1 || name.front() == 'v'))
                throw asker.error(fmt::format(
                    "\"{}\" is a value of formulas and conditions, and nothing acts on it; add a "
                    "joint of type \"measure\" from \"ground\" to \"{}\", and act on its "
                    "displacement_{}",
                    text,
                    joint,
                    name.back()));
            throw asker.error(fmt::format(
                "body \"{}\" has no value \"{}\"; a body has {}.x, .vx, .wx and so on, its points "
                "\"{}@[x, y, z].x\", and an angle is that of a joint{}",
                joint,
                name,
                joint,
                joint,
                known.empty() ? "" : hint(text, known, "measures")));
        }
        const bool is_of_other =
            dot != std::string::npos && part == nullptr && model.body_names.find(joint) < 0;
        throw asker.error(fmt::format(
            "there is no measure \"{}\"{}{}",
            text,
            known.empty() ? "; only joints have measures" : hint(text, known, "measures"),
            is_of_other ? "; outputs of other objects are read by inputs, as the \"command\" of a "
                          "force that any signal commands (\"ancora plugins\")"
                        : ""));
    }
    std::vector<std::string> names;
    for (const Measure& measure : part->joint->measures) {
        if (name == measure.name) return {c, static_cast<int>(names.size())};
        names.emplace_back(measure.name);
    }
    if (names.empty())
        throw asker.error(
            fmt::format("joint \"{}\" (type {}) has no measures", joint, part->object.type->name));
    // With one freedom all measures go together
    if (name.empty() && (names.size() == 1 || part->joint->freedom == 1)) return {c, 0};
    if (name.empty())
        throw asker.error(fmt::format("joint \"{}\" has several measures; write \"{}.{}\"",
                                      joint,
                                      joint,
                                      fmt::join(names, fmt::format("\" or \"{}.", joint))));
    const bool is_rate = name == "rate" || name == "velocity" || name == "speed" || name == "omega";
    throw asker.error(fmt::format(
        "joint \"{}\" has no measure \"{}\"{}{}",
        joint,
        name,
        hint(name, names, "its measures"),
        is_rate ? fmt::format("; its rate is \"{}.{}_rate\"", joint, names.front()) : ""));
}

std::vector<Attachment> attachments_of(const Model& model, const MeasureRef& ref) {
    const ConstraintPart& part = model.constraints[ref.constraint];
    const Measure& measure = part.joint->measures[ref.index];
    std::vector<Attachment> out;
    for (int k = 0; k < num_attachments(measure.kind); ++k)
        out.push_back(part.attachments[measure.attachments[k]]);
    return out;
}

MeasureStart measure_start(const Model& model, const MeasureRef& ref) {
    const ConstraintPart& part = model.constraints[ref.constraint];
    const Measure& measure = part.joint->measures[ref.index];
    std::array<double, MeasureFunction::kMostScalars> u{}, du{};
    std::size_t k = 0;
    for (const Attachment& at : attachments_of(model, ref)) {
        evaluate_attachment(model.bodies,
                            at,
                            model.start_q.data(),
                            model.start_v.data(),
                            u.data() + 3 * k,
                            du.data() + 3 * k);
        ++k;
    }
    const MeasureFunction function(measure.kind);
    MeasureStart out;
    out.kind = measure.kind;
    out.value = function.near(function.value(u.data()), measure.start);
    out.rate = function.rate(u.data(), du.data());
    out.base = part.joint->a.body;
    return out;
}

}  // namespace ancora
