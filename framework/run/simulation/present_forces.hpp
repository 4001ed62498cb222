// SPDX-License-Identifier: BSD-3-Clause
// Reactions, efforts and tensions of a model's objects at its present state.
#pragma once

#include <vector>

#include "ancora/framework/analysis.hpp"
#include "ancora/framework/dynamics.hpp"
#include "ancora/framework/scene.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Of every object that bears or applies something, the largest first.
/// @param now the Udwadia-Kalaba equation at the present state, just solved
std::vector<ObjectForce> present_forces(const Model& model,
                                        KernelSystem& system,
                                        const Scene& scene,
                                        const Dynamics& now);

/// Of bodies with a reference point, the largest acceleration of that first.
std::vector<BodyAcceleration> present_accelerations(const Model& model,
                                                    const KernelSystem& system,
                                                    const Dynamics& now);

}  // namespace ancora
