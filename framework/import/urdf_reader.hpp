// SPDX-License-Identifier: BSD-3-Clause
// URDF.
#pragma once

#include "robot.hpp"
#include "xml_source.hpp"

namespace ancora::robot {

/// Reads `<robot>`; mistakes go to the source's findings.
Robot read_urdf(pugi::xml_node root, XmlSource& source);

}  // namespace ancora::robot
