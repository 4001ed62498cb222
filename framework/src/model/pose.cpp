// SPDX-License-Identifier: BSD-3-Clause
// Motion of a body's frame at its start.
#include "pose.hpp"

#include <vector>

#include <Eigen/Geometry>

#include "ancora/sdk/numbers/math.hpp"
#include "model.hpp"

namespace ancora {

RigidMotion start_motion(const BodyPart& part) {
    std::vector<double> q(static_cast<std::size_t>(part.count));
    std::vector<double> v(q.size());
    part.start(q, v);
    const Pose pose = part.pose(q, v, nullptr);
    RigidMotion motion;
    motion.position = pose.position;
    motion.velocity = pose.velocity;
    const auto& [w, x, y, z] = pose.quaternion;
    const Mat3 R = Eigen::Quaterniond(w, x, y, z).normalized().toRotationMatrix();
    Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(motion.rotation.data()) = R;
    vec3(motion.angular_velocity) = R * vec3(pose.angular_velocity);
    return motion;
}

}  // namespace ancora
