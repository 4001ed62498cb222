// SPDX-License-Identifier: BSD-3-Clause
// Derivatives by the adjoint of a run's steps.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ancora/framework/gradient.hpp"
#include "column_watch.hpp"
#include "model_parameter.hpp"
#include "model_runs.hpp"
#include "recorded_run.hpp"

namespace ancora {

/// Derivatives of objectives by parameters, from one run back over the recorded one.
struct AdjointGradient {
    std::string obstacle;                  ///< why there are none; empty: there are
    std::vector<std::string> of, by;       ///< why not of one, or by one; empty: there are
    std::vector<Gradient::Entry> entries;  ///< row by row, one row for each objective
    bool has_jump = false;                 ///< that is the obstacle, to differences of runs as well
    bool is_forward = false;               ///< changes by parameters have gone forth with the run
    bool has(std::size_t objective, std::size_t parameter) const {
        return obstacle.empty() && of[objective].empty() && by[parameter].empty();
    }
};

/// Why the adjoint of a model's run is not to be had, as far as the model tells; empty: it may be.
std::string obstacle_of_adjoint(const Simulation& simulation);
/// Whether runs with neighbouring values of so few parameters cost less: the derivatives of
/// energies and momenta of a large model are found by passes over its coordinates.
bool differences_cost_less(const Simulation& simulation,
                           std::span<const Objective> of,
                           std::size_t num_parameters);

/// @param simulation  at the end of the recorded run
/// @param places  of extreme values
AdjointGradient differentiate_backwards(const ModelSource& model,
                                        const ModelRuns& runs,
                                        RecordedRun& run,
                                        Simulation& simulation,
                                        std::span<const Objective> of,
                                        std::span<const ColumnWatch::Place> places,
                                        std::span<const ModelParameter> by);

}  // namespace ancora
