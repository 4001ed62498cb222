// SPDX-License-Identifier: BSD-3-Clause
// SDF, the format of Gazebo.
#pragma once

#include "robot.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// Reads `<sdf>`; mistakes go to the source's findings.
Robot read_sdf(pugi::xml_node root, XmlSource& source);

}  // namespace ancora::robot
