// SPDX-License-Identifier: BSD-3-Clause
// Finds where bodies are tied, in their own axes.
#include "scene_ties.hpp"

#include <algorithm>
#include <cmath>
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
        const std::span<double> q =
            std::span(q_).subspan(static_cast<std::size_t>(part.first), v.size());
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
    OwnPoints own_points(model);
    double longest = 0.0;
    for (std::size_t i = 0; i < points.size(); ++i) {
        if (!has_no_look(model.bodies[i], scene.bodies[i]) || ties[i].empty()) continue;
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

void add_joints(const Model& /*model*/, Scene& /*scene*/) {
    // No type of constraint or force says yet that it is a joint or a spring.
}

}  // namespace ancora
