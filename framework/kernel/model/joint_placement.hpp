// SPDX-License-Identifier: BSD-3-Clause
// Where joints put the bodies of a model at its start.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "ancora/framework/error.hpp"

namespace ancora {

class Model;

/// A body that lies between points of others, and so is put nowhere by joints.
struct LinkBody {
    int body;
    std::vector<int> ends;  ///< bodies of these points, -1 the ground
    std::vector<int> tied;  ///< bodies that joints tie to it
};

/// Bodies between points of others, starts that joints ask for, and what else starts from how other
/// bodies start.
struct Followers {
    std::vector<LinkBody> links;
    /// Puts a link between its ends, which stay where they are now, and makes its joints.
    std::function<void(int link)> settle;
    /// Bodies have been put where they stay. @returns bodies whose start has changed by that
    std::function<std::vector<int>(std::span<const int>)> moved;
    /// Whether the user says how a joint is to start; the place of that.
    std::function<const Place*(int constraint)> start_of;
};

/// Moves bodies from where they were put to where joints put them, with all that hangs on them:
/// frames of a placed joint lie as its start says, other joints keep their bodies as they lay to
/// each other. Goes from the ground, or else the first body of those that hang together, along
/// joints in the order of the model; joints that close a loop are left to the constraints. A link
/// comes as soon as the bodies at its ends stay where they are, and then what hangs on it.
/// Writes Model::start_q, start_v and placed_bodies.
/// @throws Error (manifest) for a body that cannot be moved, links that begin and end on each
/// other, and a start that nothing brings about
void place_bodies(Model& model, const Followers& followers);

}  // namespace ancora
