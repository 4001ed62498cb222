// SPDX-License-Identifier: BSD-3-Clause
// Nodes of bodies that have axes, as a beam's, in which joints and directions are given.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "ancora/sdk/arguments.hpp"
#include "attachment.hpp"

namespace ancora {

class Model;

/// A node with axes: all that a joint needs of a rigid body. "boom@3" is written wherever a body's
/// name stands in a text, so that "boom@3@[x, y, z]" is a point or direction in its axes.
struct NodeAxes {
    std::string name;  ///< "boom@3"
    Attachment origin;
    std::array<Attachment, 3> axes;
};

/// The node that "boom@3" or "boom@3@[x, y, z]" names; nothing where a text names no node, or one
/// without axes.
std::optional<NodeAxes> node_axes(const Model& model, const std::string& text, const Asker& asker);

/// Motion of such axes at the model's start, inertial axes.
RigidMotion start_motion(const Model& model, const NodeAxes& node);

}  // namespace ancora
