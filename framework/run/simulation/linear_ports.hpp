// SPDX-License-Identifier: BSD-3-Clause
// Inputs and outputs of a linear model, by name.
#pragma once

#include <string>
#include <vector>

#include "model.hpp"
#include "vibrations.hpp"

namespace ancora {

/// @param inputs "BODY@POINT.x", "BODY.x": a force on a point along an axis [N]; "JOINT.MEASURE":
/// an
///        effort on a measure
/// @param outputs "BODY.x", "BODY.vx", "BODY@POINT.x", ...: of a point; "JOINT.MEASURE",
///        "JOINT.MEASURE_rate"
/// @throws Error (usage) for others
LinearPorts linear_ports(const Model& model,
                         KernelSystem& system,
                         const std::vector<std::string>& inputs,
                         const std::vector<std::string>& outputs);

}  // namespace ancora
