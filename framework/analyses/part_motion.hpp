// SPDX-License-Identifier: BSD-3-Clause
// How bodies and joints move in a small motion of the coordinates.
#pragma once

#include <string>

#include <Eigen/Core>

#include "ancora/framework/linear_model.hpp"
#include "kernel_system.hpp"

namespace ancora {

/// Scales the shape to a largest displacement of 1 m and fills in bodies and joints.
void describe_motion(const KernelSystem& system, const Eigen::VectorXcd& shape, Mode& mode);

/// The object with the largest displacement: 'body "arm"'.
std::string what_moves_most(const KernelSystem& system, const Eigen::VectorXd& shape);

}  // namespace ancora
