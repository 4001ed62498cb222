// SPDX-License-Identifier: BSD-3-Clause
// The changes of a start by project_start, and whether it is still the start that was written.
#pragma once

#include <vector>

#include "ancora/framework/analysis.hpp"
#include "ancora/framework/simulation.hpp"
#include "kernel_system.hpp"
#include "model.hpp"

namespace ancora {

/// Moved onto the constraints before the run.
struct StartProjection {
    std::vector<MovedBody> bodies;
    std::vector<MovedMeasure> measures;
};

/// A start that was moved far is no longer the one that was written: warns of it or refuses it, as
/// the model has it.
StartProjection judge_projection(const Model& model,
                                 const KernelSystem& system,
                                 const WarningSink& warn);

}  // namespace ancora
