// SPDX-License-Identifier: BSD-3-Clause
// The rank of a model's constraints, its consequences, and warnings about it.
#pragma once

#include <string>
#include <vector>

#include "ancora/framework/simulation.hpp"
#include "kernel_system.hpp"
#include "model.hpp"
#include "observables.hpp"
#include "rank_analysis.hpp"

namespace ancora {

/// Decides the rank of the constraint rows at a state, and with it the selection of the solver,
/// which reactions are arbitrary, and the warnings. Its arguments must outlive it.
class RowRank {
public:
    /// Models with more coordinates are analysed by their rows alone.
    static constexpr int kMostBySolver = 600;

    /// @param step of the integrator, for which the step matrix is planned
    RowRank(const Model& model,
            KernelSystem& system,
            const Observables& observables,
            const WarningSink& warn,
            double step)
        : model_(model), system_(system), observables_(observables), warn_(warn), step_(step) {}

    /// At the present state, and what follows from it for the solver.
    void decide();
    /// At the present state, without consequences: by the accelerations' own solver, or where they
    /// are not unique (a step may hold massless parts by stiffness) or the model is large, by the
    /// rows alone.
    RankAnalysis analyse();
    /// Reactions, by their columns, that redundancy makes arbitrary at the state of this rank.
    std::vector<std::string> arbitrary_reactions(const RankAnalysis& of) const;
    /// Whether a row is zero at the state last analysed.
    bool acts_on_nothing(int row) const;

    /// As decided last.
    int num_redundant() const { return now_.num_rows - now_.rank; }
    const std::vector<std::string>& arbitrary() const { return arbitrary_; }

private:
    std::string names_of(const std::vector<int>& rows) const;
    void warn();
    void warn_redundant();
    void warn_untaken();
    /// Whether forces of constraints `first` to `last` - 1 have a resultant or a moment on the
    /// bodies, although none of them is tied to the inertial frame.
    bool is_untaken(std::size_t first, std::size_t last) const;
    void warn_idle_friction();
    void say(const std::string& text);

    const Model& model_;
    KernelSystem& system_;
    const Observables& observables_;
    const WarningSink& warn_;
    double step_;
    RankAnalysis now_;
    std::vector<std::string> arbitrary_;
    std::vector<std::string> said_;  // warnings
    RowSet::StateValues rows_;       // of the state last analysed
};

}  // namespace ancora
