// SPDX-License-Identifier: BSD-3-Clause
// Position, attitude and velocity of bodies, as their plugins give them.
#include "pose.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "ancora/sdk/numbers/math.hpp"
#include "fp_environment.hpp"
#include "model.hpp"

namespace ancora {

Pose pose_of(const BodyPart& part,
             std::span<const double> q,
             std::span<const double> v,
             const double* t) {
    Pose pose;
    const auto capture = [&] {
        return PluginCall("pose").in("q", q).in("v", v);
    };
    const FpEnvironment environment = FpEnvironment::capture();
    try {
        part.body->pose(q, v, pose);
    } catch (...) {
        environment.restore();
        rethrow_captured(part.object, "pose", t, capture);
    }
    if (environment.differs()) {
        environment.restore();
        refuse_environment(part.object, "pose", t);
    }
    const auto check = [&](const auto& values, const char* what) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isfinite(values[i])) continue;
            const PluginCall inputs = capture();
            refuse_nonfinite(part.object, "pose", what, t, fmt::format("entry {}", i), &inputs);
        }
    };
    check(pose.position, "a position");
    check(pose.velocity, "a velocity");
    check(pose.quaternion, "a quaternion");
    check(pose.angular_velocity, "an angular velocity");
    return pose;
}

RigidMotion start_motion(const BodyPart& part) {
    std::vector<double> q(static_cast<std::size_t>(part.count));
    std::vector<double> v(q.size());
    call_plugin(
        part.object,
        "start",
        [&] {
            part.body->start(q, v);
        },
        [] {
            return PluginCall("start");
        });
    const Pose pose = pose_of(part, q, v, nullptr);
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
