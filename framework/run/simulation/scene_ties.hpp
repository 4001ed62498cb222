// SPDX-License-Identifier: BSD-3-Clause
// Connections of a model, for pictures: rods in bodies, joints and springs between them.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "ancora/framework/scene.hpp"
#include "model.hpp"

namespace ancora {

/// [assembly] Gives bodies of which nothing says what they look like rods from their reference
/// point to the points where constraints and forces act on them.
void add_skeletons(const Model& model, Scene& scene);

/// [assembly] Fills in the joints and springs of the scene. A constraint or force that does not say
/// that it is one stays a marker.
void add_joints(const Model& model, Scene& scene);

/// The axis that an effort turns about, of a law on a joint's angle or of friction in a joint.
struct TurningAxis {
    Attachment point;                    ///< of the joint, on its second body
    std::array<Attachment, 2> across{};  ///< directions; the axis is their cross product
};

/// [assembly] Nothing if an effort on these attachments is no torque of a joint.
std::optional<TurningAxis> turning_axis(const Model& model,
                                        const std::vector<Attachment>& attachments);
/// [assembly] The same of friction in a joint.
std::optional<TurningAxis> turning_axis(const ConstraintPart& joint);

/// [assembly] Gives the scene's bodies their named frames.
void add_frames(const Model& model, Scene& scene);

}  // namespace ancora
