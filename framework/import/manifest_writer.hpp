// SPDX-License-Identifier: BSD-3-Clause
// A robot as a manifest that reads as if written by hand.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "robot.hpp"

namespace ancora::robot {

/// Files, beside the manifest, for the meshes that a robot has of its own.
std::vector<std::string> own_mesh_names(const Robot& robot, const std::filesystem::path& manifest);

/// @param manifest  the file that it is to be: meshes are named from its folder
/// @param remarks   lines of the head that say what is not in it
std::string manifest_text(const Robot& robot,
                          const std::filesystem::path& manifest,
                          std::span<const std::string> remarks);

}  // namespace ancora::robot
