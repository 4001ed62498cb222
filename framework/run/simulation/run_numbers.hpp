// SPDX-License-Identifier: BSD-3-Clause
// Numbers of a run, and of a model at its present state.
#pragma once

#include "ancora/framework/analysis.hpp"
#include "ancora/framework/scene.hpp"
#include "ancora/framework/statistics.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "row_rank.hpp"
#include "stepping.hpp"

namespace ancora {

/// All but what was found at the start: ranks and projections.
RunStatistics statistics_of(const Model& model,
                            const KernelSystem& system,
                            const Stepping& stepping);

/// All but what was projected at the start.
ModelAnalysis analysis_of(const Model& model,
                          KernelSystem& system,
                          const Scene& scene,
                          RowRank& row_rank);

}  // namespace ancora
