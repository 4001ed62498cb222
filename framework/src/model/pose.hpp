// SPDX-License-Identifier: BSD-3-Clause
// Motion of a body's frame at its start.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

struct BodyPart;

/// Motion of a body's frame at its start, inertial axes.
RigidMotion start_motion(const BodyPart& part);

}  // namespace ancora
