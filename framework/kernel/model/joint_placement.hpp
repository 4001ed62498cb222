// SPDX-License-Identifier: BSD-3-Clause
// Where joints put the bodies of a model at its start.
#pragma once

namespace ancora {

class Model;

/// Moves bodies from where they were put to where joints put them, with all that hangs on them:
/// frames of a placed joint lie as its start says, other joints keep their bodies as they lay to
/// each other. Goes from the ground, or else the first body of those that hang together, along
/// joints in the order of the model; joints that close a loop are left to the constraints.
/// Writes Model::start_q, start_v and placed_bodies.
/// @throws Error (manifest) for a body that cannot be moved
void place_bodies(Model& model);

}  // namespace ancora
