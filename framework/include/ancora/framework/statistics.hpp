// SPDX-License-Identifier: BSD-3-Clause
// What a run cost and how well it kept its balances.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/analysis.hpp"

namespace ancora {

/// Maximum of a balance over every step, absolute and relative to its scale at the end.
struct BalanceMaximum {
    double max_abs = 0.0;
    double max_rel = 0.0;
};

/// What one plugin cost a run: its share of the step time, measured in one step of sixteen. The
/// integrator's share holds the kernel's services that it called.
struct PluginCost {
    std::string plugin;
    double seconds = 0.0;
    long calls = 0;
};

/// Statistics of a run so far.
struct RunStatistics {
    long steps = 0;     ///< grid steps
    long substeps = 0;  ///< accepted pieces of them
    long iterations = 0;
    long max_iterations = 0;  ///< in one accepted piece, with the retries that led to it
    long factorisations = 0;
    long evaluations = 0;  ///< of accelerations, by the integrator
    /// Of stops and contacts.
    struct Impacts {
        bool has_any = false;  ///< the model has such
        long count = 0;        ///< times that one of them met
        long closed = 0;       ///< times that one of them went on in touch
        long released = 0;
        long lowered = 0;         ///< impacts whose restitution was lowered, since they would gain
        long several = 0;         ///< impacts with friction that had other solutions
        long stepped_over = 0;    ///< steps, or rests of one, that went over all events
        double loss = 0.0;        ///< of energy [J]
        double least_gap = 0.0;   ///< below zero by what rounding lets through
        std::string laws;         ///< of restitution, such as "poisson" or "newton, poisson"
        bool is_in_turn = false;  ///< contacts that meet at one instant do so one by one
    };
    Impacts impacts;
    double factorise_seconds = 0.0;
    double assemble_seconds =
        0.0;                     ///< residuals and tangents of implicit steps, from sampled steps
    double solve_seconds = 0.0;  ///< solves with the factorised matrix, likewise
    double step_seconds = 0.0;   ///< wall time inside step()
    int redundant_rows = 0;  ///< constraint rows at the start that depend on others; if there are
                             ///< any, reactions are those of minimum norm
    std::vector<MovedBody> projected;  ///< onto the constraints, at the start
    std::vector<MovedMeasure> projected_measures;
    std::vector<std::string> arbitrary_reactions;  ///< their columns, of those that are not unique
    BalanceMaximum energy;
    BalanceMaximum momentum;
    BalanceMaximum angular_momentum;
    BalanceMaximum constraint_position;
    BalanceMaximum constraint_velocity;
    BalanceMaximum constraint_strain;
    std::vector<PluginCost> plugins;
    /// What plugins say of their objects' parameters, in words; known from the start.
    std::vector<std::string> warnings;
    /// Reasons not to take the run for right as it is, in words; settled at its end.
    std::vector<std::string> doubts;
};

}  // namespace ancora
