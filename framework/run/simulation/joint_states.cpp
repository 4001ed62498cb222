// SPDX-License-Identifier: BSD-3-Clause
// Reads joints at the present state.
#include "joint_states.hpp"

#include <Eigen/Geometry>

#include "ancora/sdk/numbers/math.hpp"
#include "node_axes.hpp"

namespace ancora {
namespace {

// What a projection may move a body by without being told, relative to the model's size.
constexpr double kNotWorthTelling = 1e-9;

JointState state_of(const Model& model, const ConstraintPart& part, std::span<const double> q) {
    const Joint& joint = *part.joint;
    JointState out;
    out.name = part.object.name;
    out.type = part.object.type->name;
    out.a = joint.a.body;
    out.b = joint.b.body;
    out.freedom = joint.freedom;
    if (joint.point >= 0)
        evaluate_attachment(model.bodies,
                            part.attachments[joint.point],
                            q.data(),
                            nullptr,
                            out.point.data(),
                            nullptr);
    if (part.axes.size() == 3)
        evaluate_attachment(
            model.bodies, part.axes[2], q.data(), nullptr, out.axis.data(), nullptr);
    return out;
}

}  // namespace

void describe_joints(const Model& model, const KernelSystem& system, ModelAnalysis& out) {
    const std::span<const double> q = system.q();
    int taken = 0;
    bool is_countable = true;
    std::size_t entry = 0;
    for (const ConstraintPart& part : model.constraints) {
        if (part.joint == nullptr) {
            is_countable &= part.reaction == ReactionKind::effort;
            continue;
        }
        JointState joint = state_of(model, part, q);
        for (const Measure& measure : part.joint->measures) {
            const JointValues::Reading now =
                system.joints().read(entry++, q.data(), system.v().data());
            joint.values.push_back({measure.name, unit_of(measure.kind), now.value, now.rate});
        }
        taken += 6 - joint.freedom;
        out.joints.push_back(std::move(joint));
    }
    int num_bodies = 0;
    for (const BodyPart& part : model.bodies) {
        if (part.is_inner) continue;  // takes with its row as much as it adds
        ++num_bodies;
        is_countable &= part.pose_kind == PoseKind::attitude;
    }
    if (!out.joints.empty() && is_countable) out.gruebler = 6 * num_bodies - taken;
    for (const Model::PlacedBody& placed : model.placed_bodies)
        out.placed.push_back({model.bodies[placed.body].object.name, placed.moved, placed.turned});
}

std::vector<MovedMeasure> moved_measures(const Model& model, const KernelSystem& system) {
    std::vector<MovedMeasure> out;
    int entry = 0;
    for (std::size_t c = 0; c < model.constraints.size(); ++c) {
        const ConstraintPart& part = model.constraints[c];
        if (part.joint == nullptr) continue;
        for (int k = 0; k < static_cast<int>(part.joint->measures.size()); ++k, ++entry) {
            const double before = measure_start(model, {static_cast<int>(c), k}).value;
            const double after =
                system.joints()
                    .read(static_cast<std::size_t>(entry), system.q().data(), system.v().data())
                    .value;
            const Measure& measure = part.joint->measures[k];
            if (std::abs(after - before) > kNotWorthTelling)
                out.push_back(
                    {part.object.name + "." + measure.name, unit_of(measure.kind), before, after});
        }
    }
    return out;
}

const ConstraintPart* turned_over(const Model& model, std::span<const double> q) {
    using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
    const auto frame = [&](const JointFrame& of, const ConstraintPart& asking) -> Mat3 {
        Mat3 R = Eigen::Map<const RowMajor>(of.axes.data());
        if (of.body == "ground") return R;
        if (const auto node = node_axes(
                model, std::string(of.body), {asking.object.label, asking.object.place, {}, {}})) {
            Mat3 axes;
            for (std::size_t k = 0; k < 3; ++k)
                evaluate_attachment(
                    model.bodies, node->axes[k], q.data(), nullptr, axes.data() + 3 * k, nullptr);
            return axes * R;
        }
        const int index = model.body_names.find(std::string(of.body));
        const BodyPart& part = model.bodies[index];
        const std::vector<double> rest(static_cast<std::size_t>(part.count), 0.0);
        const Pose pose = part.pose(q.subspan(part.first, part.count), rest, nullptr);
        const auto& [w, x, y, z] = pose.quaternion;
        return Eigen::Quaterniond(w, x, y, z).normalized() * R;
    };
    for (const ConstraintPart& part : model.constraints) {
        if (part.joint == nullptr || part.joint->aligned == 0) continue;
        if (!part.joint->a.has_axes || !part.joint->b.has_axes) continue;
        const Mat3 a = frame(part.joint->a, part), b = frame(part.joint->b, part);
        for (int k = 3 - part.joint->aligned; k < 3; ++k)
            if (!(a.col(k).dot(b.col(k)) > 0.0)) return &part;
    }
    return nullptr;
}

std::vector<MovedBody> moved_bodies(const Model& model, std::span<const double> q, double extent) {
    std::vector<MovedBody> out;
    for (const BodyPart& part : model.bodies) {
        if (part.pose_kind == PoseKind::none) continue;
        const auto first = static_cast<std::size_t>(part.first);
        const auto count = static_cast<std::size_t>(part.count);
        const std::span<const double> v = std::span(model.start_v).subspan(first, count);
        const Pose before =
            part.pose(std::span<const double>(model.start_q).subspan(first, count), v, nullptr);
        const Pose after = part.pose(q.subspan(first, count), v, nullptr);
        MovedBody moved;
        moved.name = part.object.name;
        moved.moved = (vec3(after.position) - vec3(before.position)).norm();
        if (part.pose_kind == PoseKind::attitude) {
            const auto turn = [](const Pose& pose) {
                const auto& [w, x, y, z] = pose.quaternion;
                return Eigen::Quaterniond(w, x, y, z).normalized();
            };
            moved.turned = turn(before).angularDistance(turn(after));
        }
        if (moved.moved > kNotWorthTelling * extent || moved.turned > kNotWorthTelling)
            out.push_back(std::move(moved));
    }
    return out;
}

}  // namespace ancora
