// SPDX-License-Identifier: BSD-3-Clause
// The mechanism of a model: its joints as they stand, and what was moved to make them fit.
#pragma once

#include "ancora/framework/analysis.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Fills in joints, gruebler, placed and projected.
void describe_joints(const Model& model, const KernelSystem& system, ModelAnalysis& out);

/// Measures of joints that are not what model.start_q has them, beyond rounding.
std::vector<MovedMeasure> moved_measures(const Model& model, const KernelSystem& system);

/// The first joint whose axes, which its rows hold along each other, point against each other,
/// which the rows hold as well; or null.
const ConstraintPart* turned_over(const Model& model, std::span<const double> q);

/// How far bodies are from where model.start_q has them, those that are farther than rounding.
std::vector<MovedBody> moved_bodies(const Model& model, std::span<const double> q, double extent);

}  // namespace ancora
