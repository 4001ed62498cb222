// SPDX-License-Identifier: BSD-3-Clause
// Finds where bodies are tied, in their own axes.
#include "scene_ties.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <Eigen/Geometry>

#include "ancora/sdk/numbers/math.hpp"
#include "pose.hpp"

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

/// Where the attachments lie in a body's axes at its start, from its reference point.
std::vector<Vec3> own_points(const Model& model,
                             int body,
                             const std::vector<const Attachment*>& attachments) {
    const RigidMotion motion = start_motion(model, body);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(motion.rotation.data());
    std::vector<Vec3> out;
    double reach = 0.0;
    for (const Attachment* const at : attachments) {
        Vec3 r;
        evaluate_attachment(
            model.bodies, *at, model.start_q.data(), nullptr, r.data(), nullptr);
        out.push_back(R.transpose() * (r - Vec3(vec3(motion.position))));
        reach = std::max(reach, out.back().norm());
    }
    std::vector<Vec3> distinct;
    for (const Vec3& p : out) {
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

}  // namespace

void add_skeletons(const Model& model, Scene& scene) {
    std::vector<std::vector<const Attachment*>> ties(model.bodies.size());
    const auto note = [&](const auto& parts) {
        for (const auto& part : parts)
            for (const Attachment& at : part.attachments)
                if (at.is_point && at.body >= 0)
                    ties[static_cast<std::size_t>(at.body)].push_back(&at);
    };
    note(model.constraints);
    note(model.forces);

    std::vector<std::vector<Vec3>> points(model.bodies.size());
    double longest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!has_no_look(model.bodies[i], scene.bodies[i]) || ties[i].empty()) continue;
        points[i] = own_points(model, static_cast<int>(i), ties[i]);
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

namespace {

/// A body of the scene that moves as a whole; -1: the ground.
int posed_body(const Model& model, std::string_view name) {
    return name == "ground" ? -1 : model.body_names.find(name);
}

/// Where an attachment that moves with a body lies in its axes; an attachment of a network is none.
std::optional<ScenePoint> scene_point(const Model& model, const Attachment& at) {
    if (!at.is_point) return {};
    std::array<double, 3> r{};
    evaluate_attachment(model.bodies, at, model.start_q.data(), nullptr, r.data(), nullptr);
    if (at.body < 0) return ScenePoint{-1, r};
    const BodyPart& part = model.bodies[static_cast<std::size_t>(at.body)];
    if (part.pose_kind == PoseKind::none) return {};
    const RigidMotion motion = start_motion(model, at.body);
    const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> R(motion.rotation.data());
    return ScenePoint{at.body, triple(R.transpose() * (vec3(r) - vec3(motion.position)))};
}

bool is_elastic(const ConstraintPart& part) {
    for (const RowBlock& block : part.rows().blocks())
        for (const RowLaw& law : block.laws)
            if (law.kind == RowKind::elastic || law.kind == RowKind::dashpot) return true;
    return false;
}

}  // namespace

void add_joints(const Model& model, Scene& scene) {
    for (const ConstraintPart& part : model.constraints) {
        if (part.joint == nullptr) {
            // A law on the distance of two points
            if (part.reaction != ReactionKind::effort || part.attachments.size() != 2 ||
                !is_elastic(part))
                continue;
            const auto a = scene_point(model, part.attachments[0]);
            const auto b = scene_point(model, part.attachments[1]);
            if (a && b) scene.springs.push_back({part.object.name, *a, *b});
            continue;
        }
        const Joint& joint = *part.joint;
        SceneJoint drawn;
        drawn.name = part.object.name;
        drawn.kind = joint.kind;
        bool is_posed = true;
        for (const auto& [from, to] : {std::pair{&joint.a, &drawn.a}, std::pair{&joint.b, &drawn.b}}) {
            to->body = posed_body(model, from->body);
            to->position = from->point;
            is_posed &= to->body < 0 ||
                        model.bodies[static_cast<std::size_t>(to->body)].pose_kind != PoseKind::none;
        }
        if (!is_posed) continue;
        const auto third = [](const JointFrame& frame) {
            return std::array<double, 3>{frame.axes[2], frame.axes[5], frame.axes[8]};
        };
        if (joint.a.has_axes && joint.freedom < 6) drawn.axes_a.push_back(third(joint.a));
        if (joint.b.has_axes && joint.freedom < 6) drawn.axes_b.push_back(third(joint.b));
        scene.joints.push_back(std::move(drawn));
    }
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
        for (const FrameNames::Named* const named : model.frames.of_body(static_cast<int>(i))) {
            SceneFrame frame;
            frame.name = named->frame.name;
            frame.position = named->frame.position;
            const Eigen::Quaterniond turn(
                Mat3(Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(
                    named->frame.axes.data())));
            frame.quaternion = {turn.w(), turn.x(), turn.y(), turn.z()};
            scene.bodies[i].frames.push_back(std::move(frame));
        }
}

}  // namespace ancora
