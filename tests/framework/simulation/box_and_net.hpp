// SPDX-License-Identifier: BSD-3-Clause
// A model for tests of what a simulation repeats to the bit.
#pragma once

#include <string>

namespace ancora::testing {

/// A net on a rigid link and a redundant joint, a box with a penalty: a factorisation that is kept
/// over many steps.
inline const std::string kBoxAndNet = R"(
[model]
gravity = [0.0, 0.0, -9.81]
[[body]]
name = "box"
type = "ancf_rigid_body"
size = [1.0, 0.5, 0.2]
density = 500.0
penalty = 1e8
angular_velocity = [1.0, 2.0, 3.0]
[[body]]
name = "net"
type = "truss"
grid = {counts = [6, 6], spacing = [0.2, 0.2], origin = [2.0, 0.0, 0.0], diagonals = true}
young = 1e7
area = 1e-4
density = 1000.0
[[body]]
name = "link"
type = "truss"
from = [1.5, 0.0, 0.0]
to = [2.0, 0.0, 0.0]
young = inf
area = 1e-4
density = 1000.0
[[constraint]]
name = "eye"
type = "position"
a = "net@0"
b = "link@1"
[[constraint]]
name = "eye_again"
type = "position"
a = "net@0"
b = "link@1"
)";

}  // namespace ancora::testing
