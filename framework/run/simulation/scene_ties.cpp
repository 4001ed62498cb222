// SPDX-License-Identifier: BSD-3-Clause
// Finds where bodies are tied, in their own axes.
#include "scene_ties.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <vector>

#include "ancora/sdk/numbers/math.hpp"

namespace ancora {
namespace {

// Rods are this thick relative to the longest in the model, and no thicker relative to their own.
constexpr double kThickness = 0.032;
constexpr double kMostThickness = 0.1;
// The reference point stands out from the rods that meet there.
constexpr double kKnot = 1.6;
// More rods than this from one point are a hedgehog.
constexpr std::size_t kMostRods = 64;
// Points of a body that are nearer to each other, relative to its longest rod, are one.
constexpr double kSamePoint = 1e-9;

bool has_no_look(const BodyPart& part, const SceneBody& body) {
    return part.pose_kind == PoseKind::attitude && !part.look.is_given && body.shapes.empty() &&
           body.num_nodes == 0;
}

/// Points of bodies in their own axes, from their reference points.
class OwnPoints {
public:
    explicit OwnPoints(const Model& model)
        : model_(model), q_(static_cast<std::size_t>(model.num_coordinates)) {}

    /// Where attachments of one body lie, by its start.
    std::vector<Vec3> of(const BodyPart& part, const std::vector<const Attachment*>& attachments) {
        std::vector<double> v(static_cast<std::size_t>(part.count));
        const std::span<double> q = std::span(q_).subspan(part.first, v.size());
        part.start(q, v);
        const Pose pose = part.pose(q, v, nullptr);
        const auto& [w, x, y, z] = pose.quaternion;
        Mat3 R = Mat3::Identity();
        if (part.pose_kind == PoseKind::attitude)
            R = Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
        std::vector<Vec3> out;
        for (const Attachment* const at : attachments) {
            Vec3 r;
            evaluate_attachment(model_.bodies, *at, q_.data(), nullptr, r.data(), nullptr);
            out.push_back(R.transpose() * (r - Vec3(vec3(pose.position))));
        }
        return out;
    }

private:
    const Model& model_;
    std::vector<double> q_;  // of the model; those of the body at hand are written
};

/// The points that differ from each other and from the reference point; none if there are too many.
std::vector<Vec3> distinct_of(const std::vector<Vec3>& points) {
    double reach = 0.0;
    for (const Vec3& p : points) reach = std::max(reach, p.norm());
    std::vector<Vec3> distinct;
    for (const Vec3& p : points) {
        const bool is_known = std::ranges::any_of(distinct, [&](const Vec3& other) {
            return (p - other).norm() <= kSamePoint * reach;
        });
        if (!is_known && p.norm() > kSamePoint * reach) distinct.push_back(p);
        if (distinct.size() > kMostRods) return {};
    }
    return distinct;
}

std::array<double, 3> triple(const Vec3& x) {
    return {x(0), x(1), x(2)};
}

// --- joints

/// A joint's point in a body that can move it; nothing for one of nodes alone.
std::optional<ScenePoint> point_of(const Model& model, const JointFrame& frame) {
    if (frame.body.find('@') != std::string_view::npos) return std::nullopt;  // a node's axes
    const ScenePoint out{model.body_names.find(std::string(frame.body)), frame.point};
    if (out.body < 0) return out;
    const BodyPart& part = model.bodies[out.body];
    if (part.pose_kind == PoseKind::none) return std::nullopt;
    return out;
}

/// The axis of a joint: the third of its frame.
std::array<double, 3> axis_of(const JointFrame& frame) {
    return {frame.axes[2], frame.axes[5], frame.axes[8]};
}

}  // namespace

void add_skeletons(const Model& model, Scene& scene) {
    std::vector<std::vector<const Attachment*>> ties(model.bodies.size());
    const auto note = [&](const auto& parts) {
        for (const auto& part : parts)
            for (const Attachment& at : part.attachments)
                if (at.is_point && at.body >= 0) ties[at.body].push_back(&at);
    };
    note(model.constraints);
    note(model.forces);

    std::vector<std::vector<Vec3>> points(model.bodies.size());
    OwnPoints own_points(model);
    double longest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (model.bodies[i].is_inner || ties[i].empty() ||
            !has_no_look(model.bodies[i], scene.bodies[i]))
            continue;
        points[i] = distinct_of(own_points.of(model.bodies[i], ties[i]));
        for (const Vec3& p : points[i]) longest = std::max(longest, p.norm());
    }
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (points[i].empty()) continue;
        double own = 0.0;
        for (const Vec3& p : points[i]) own = std::max(own, p.norm());
        const double radius = std::min(kThickness * longest, kMostThickness * own);
        SceneBody& body = scene.bodies[i];
        body.is_skeleton = true;
        for (const Vec3& p : points[i]) body.shapes.push_back({Capsule{radius, {}, triple(p)}});
        body.shapes.push_back({Sphere{kKnot * radius, {}}});
    }
}

void add_joints(const Model& model, Scene& scene) {
    for (const ConstraintPart& part : model.constraints) {
        if (part.joint == nullptr || !part.joint->has_rows) continue;
        const Joint& joint = *part.joint;
        const std::optional<ScenePoint> a = point_of(model, joint.a), b = point_of(model, joint.b);
        if (!a || !b) continue;
        SceneJoint& shown =
            scene.joints.emplace_back(SceneJoint{part.object.name, joint.kind, *a, *b, {}, {}});
        if (joint.a.has_axes) shown.axes_a.push_back(axis_of(joint.a));
        if (joint.b.has_axes) shown.axes_b.push_back(axis_of(joint.b));
    }

    OwnPoints own_points(model);
    const auto add_spring = [&](const auto& part) {
        if (part.attachments.size() != 2) return;
        std::array<ScenePoint, 2> ends;
        for (std::size_t k = 0; k < 2; ++k) {
            const Attachment& at = part.attachments[k];
            if (!at.is_point) return;
            ends[k] = {-1, at.constant};
            if (at.body < 0) continue;
            const BodyPart& body = model.bodies[at.body];
            if (body.pose_kind == PoseKind::none) return;
            ends[k] = {at.body, triple(own_points.of(body, {&at}).front())};
        }
        scene.springs.push_back({part.object.name, ends[0], ends[1]});
    };
    for (const ConstraintPart& part : model.constraints)
        if (part.joint == nullptr && part.reaction == ReactionKind::effort) add_spring(part);
    for (const ForcePart& part : model.forces)
        if (part.effort_on != nullptr && part.effort_on->kind == MeasureKind::distance)
            add_spring(part);
}

namespace {

std::optional<TurningAxis> axis_of(const ConstraintPart& part, const Measure& measure) {
    const auto at = [&](std::int32_t i) -> const Attachment& {
        return part.attachments[i];
    };
    if (measure.kind != MeasureKind::angle || !at(part.joint->point).is_point) return std::nullopt;
    return TurningAxis{at(part.joint->point),
                       {at(measure.attachments[0]), at(measure.attachments[1])}};
}

}  // namespace

std::optional<TurningAxis> turning_axis(const Model& model,
                                        const std::vector<Attachment>& attachments) {
    for (const ConstraintPart& part : model.constraints) {
        if (part.joint == nullptr) continue;
        for (const Measure& measure : part.joint->measures) {
            const auto count = static_cast<std::size_t>(num_attachments(measure.kind));
            bool is_same = attachments.size() >= count;
            for (std::size_t k = 0; k < count && is_same; ++k) {
                const Attachment& own = part.attachments[measure.attachments[k]];
                is_same = own.body == attachments[k].body && own.text == attachments[k].text;
            }
            if (is_same) return axis_of(part, measure);
        }
    }
    return std::nullopt;
}

std::optional<TurningAxis> turning_axis(const ConstraintPart& joint) {
    // A nut turns about the axis that it slides along; a screw's effort is on both together
    const std::size_t count = joint.joint->measures.size();
    if (count != 1 && (count != 2 || joint.joint->freedom != 2)) return std::nullopt;
    return axis_of(joint, joint.joint->measures.front());
}

void add_frames(const Model& model, Scene& scene) {
    for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
        const bool is_ground = scene.bodies[i].name == "ground";
        for (const FrameNames::Named* const named :
             model.frames.of_body(is_ground ? FrameNames::kGround : static_cast<int>(i))) {
            const BodyFrame& frame = named->frame;
            const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(
                frame.axes.data());
            const Eigen::Quaterniond turn{Mat3(R)};
            scene.bodies[i].frames.push_back(
                {frame.name, frame.position, {turn.w(), turn.x(), turn.y(), turn.z()}});
        }
    }
}

}  // namespace ancora
