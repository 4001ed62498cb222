// SPDX-License-Identifier: BSD-3-Clause
// Position, attitude and velocity of bodies, as their plugins give them.
#pragma once

#include <span>

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

struct BodyPart;

/// Pose of a body from its own coordinates; finite, or the plugin's error. `t` for messages, or
/// null.
Pose pose_of(const BodyPart& part,
             std::span<const double> q,
             std::span<const double> v,
             const double* t);

/// Motion of a body's frame at its start, inertial axes.
RigidMotion start_motion(const BodyPart& part);

}  // namespace ancora
