// SPDX-License-Identifier: BSD-3-Clause
// Where the meshes are that a description names, and which of them can be shown.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "findings.hpp"

namespace ancora::robot {

/// Finds `package://PACKAGE/...`, `model://MODEL/...`, `file:///...`, or a path from `folder`: a
/// package is a folder of that name at or beside `folder` or above, or one that ROS_PACKAGE_PATH,
/// AMENT_PREFIX_PATH, GAZEBO_MODEL_PATH or GZ_SIM_RESOURCE_PATH lead to. Nothing after a finding.
std::optional<std::filesystem::path> find_mesh(const std::string& uri,
                                               const std::filesystem::path& folder,
                                               const Place& place,
                                               Findings& findings);

/// The file of a model of SDF that a URI leads to, likewise: itself, or in its folder the one that
/// model.config names last, or model.sdf. Nothing after a finding.
std::optional<std::filesystem::path> find_sdf_model(const std::string& uri,
                                                    const std::filesystem::path& folder,
                                                    const Place& place,
                                                    Findings& findings);

/// Whether a body can show it: STL, OBJ, glTF.
bool can_be_shown(const std::filesystem::path& file);

}  // namespace ancora::robot
