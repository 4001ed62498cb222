// SPDX-License-Identifier: BSD-3-Clause
// MJCF, the format of MuJoCo.
#pragma once

#include "robot.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// Reads `<mujoco>` and the files that it includes; mistakes go to the source's findings.
Robot read_mjcf(pugi::xml_node root, XmlSource& source);

}  // namespace ancora::robot
