// SPDX-License-Identifier: BSD-3-Clause
// The mechanism of a model: the present states of its joints, and the changes by project_start.
#pragma once

#include "ancora/framework/analysis.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Fills in joints, gruebler, placed and projected.
void describe_joints(const Model& model, const KernelSystem& system, ModelAnalysis& out);

/// Measures of joints that differ from those at model.start_q by more than round-off.
std::vector<MovedMeasure> moved_measures(const Model& model, const KernelSystem& system);

/// The first joint whose axes are antiparallel, which its rows also allow; or null.
const ConstraintPart* turned_over(const Model& model, std::span<const double> q);

/// Displacements of bodies from model.start_q, those above round-off.
std::vector<MovedBody> moved_bodies(const Model& model, std::span<const double> q, double extent);

}  // namespace ancora
