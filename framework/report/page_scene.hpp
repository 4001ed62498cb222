// SPDX-License-Identifier: BSD-3-Clause
// The parts of a scene that do not move, as the page reads them.
#pragma once

#include <nlohmann/json.hpp>

#include "ancora/framework/scene.hpp"

namespace ancora {

/// A body with its shapes, frames and lines. What moves is null: "position", "quaternion", "nodes";
/// "channels" is empty.
nlohmann::ordered_json page_body(const SceneBody& body);
/// A constraint or force, with null for "positions", "force" and "torque".
nlohmann::ordered_json page_marker(const SceneMarker& marker);
/// Gravity, joints, springs and meshes.
void add_still_parts(nlohmann::ordered_json& to, const Scene& scene);

}  // namespace ancora
