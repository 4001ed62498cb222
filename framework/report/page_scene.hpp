// SPDX-License-Identifier: BSD-3-Clause
// The parts of a scene that do not move, as the page reads them.
#pragma once

#include <nlohmann/json.hpp>

#include "ancora/framework/scene.hpp"

namespace ancora {

/// "lines", "nodes", "triangles" or "curves".
const char* page_place(ChannelPlace of);
/// A body with its shapes, frames, lines, triangles and outlines. What moves is null: "position",
/// "quaternion", "nodes", "curves"; "channels" is empty.
nlohmann::ordered_json page_body(const SceneBody& body);
/// A constraint or force, with null for "positions", "force", "torque" and "holds".
nlohmann::ordered_json page_marker(const SceneMarker& marker);
/// Gravity, joints, springs and meshes.
void add_still_parts(nlohmann::ordered_json& to, const Scene& scene);

}  // namespace ancora
