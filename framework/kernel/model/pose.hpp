// SPDX-License-Identifier: BSD-3-Clause
// Motion of a body's frame at its start.
#pragma once

#include "ancora/sdk/arguments.hpp"
#include "ancora/sdk/body.hpp"

namespace ancora {

class Model;

/// Motion of a body's frame at the model's start, inertial axes; of a body that has a reference
/// point alone, without rotation.
RigidMotion start_motion(const Model& model, int body);

}  // namespace ancora
