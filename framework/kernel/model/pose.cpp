// SPDX-License-Identifier: BSD-3-Clause
// Motion of a body's frame at its start.
#include "pose.hpp"

#include <span>

#include <Eigen/Geometry>

#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"

namespace ancora {

RigidMotion start_motion(const Model& model, int body) {
    const BodyPart& part = model.bodies[body];
    const auto first = static_cast<std::size_t>(part.first);
    const auto count = static_cast<std::size_t>(part.count);
    const Pose pose = part.pose(std::span(model.start_q).subspan(first, count),
                                std::span(model.start_v).subspan(first, count),
                                nullptr);
    RigidMotion motion;
    motion.position = pose.position;
    motion.velocity = pose.velocity;
    if (part.pose_kind != PoseKind::attitude) return motion;
    const auto& [w, x, y, z] = pose.quaternion;
    const Mat3 R = Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data()) = R;
    vec3(motion.angular_velocity) = R * vec3(pose.angular_velocity);
    return motion;
}

}  // namespace ancora
