// SPDX-License-Identifier: BSD-3-Clause
// How a model hangs together, for pictures: rods in bodies, joints and springs between them.
#pragma once

#include "ancora/framework/scene.hpp"
#include "model.hpp"

namespace ancora {

/// [assembly] Gives bodies of which nothing says what they look like rods from their reference
/// point to the points where constraints and forces act on them.
void add_skeletons(const Model& model, Scene& scene);

/// [assembly] Fills in the joints and springs of the scene. A constraint or force that does not say
/// that it is one stays a marker.
void add_joints(const Model& model, Scene& scene);

}  // namespace ancora
