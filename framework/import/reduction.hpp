// SPDX-License-Identifier: BSD-3-Clause
// From a description to bodies that can move.
#pragma once

#include <vector>

#include "findings.hpp"
#include "robot.hpp"

namespace ancora::robot {

/// Refuses what is no tree: links with two joints that carry them, circles.
void check_tree(const Robot& robot, Findings& findings);

/// Makes one body of links that are fixed to each other, ground of links without mass that are
/// fixed to it, and connectors of links without mass between joints. Masses and moments that no
/// body has are findings.
void reduce(Robot& robot, Findings& findings);

/// Joints begin within their limits; limits that cannot be kept become remarks.
void fit_limits(Robot& robot, Findings& findings);

/// Where links lie with all measures at zero; the last entry is the ground.
std::vector<Pose> home_poses(const Robot& robot);

/// What lies in both, about the common centre of mass; `pose` is that of the second in the first.
Inertial together(const Inertial& first, const Inertial& second, const Pose& pose);

}  // namespace ancora::robot
