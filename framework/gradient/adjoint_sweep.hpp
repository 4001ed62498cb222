// SPDX-License-Identifier: BSD-3-Clause
// What all sweeps over a recorded run have in common: objectives, parameters, sums.
#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "adjoint.hpp"
#include "parameter_group.hpp"
#include "state_columns.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// Carries derivatives of objectives by the state from the end of a run to its begin, or changes of
/// the state by parameters forth, and adds up what each parameter has to do with it. How a step
/// changes them is the business of a derived class.
class AdjointSweep {
public:
    struct Subject {
        const ModelSource& model;
        const ModelRuns& runs;
        RecordedRun& run;
        Simulation& simulation;
        std::span<const Objective> of;
        std::span<const ColumnWatch::Place> places;
        std::span<const ModelParameter> by;
    };

    AdjointSweep(const AdjointSweep&) = delete;
    AdjointSweep& operator=(const AdjointSweep&) = delete;

    AdjointGradient run();

protected:
    /// @param first  a step of the run, for a look at what each parameter enters
    AdjointSweep(const Subject& of, const AcceptedStep& first);
    virtual ~AdjointSweep() = default;

    /// Goes over the run, from its end or from its begin; fills out.is_forward.
    /// @throws AdjointObstacle, Error
    virtual void go(AdjointGradient& out) = 0;
    /// Allowance for the error of a derivative of this value.
    virtual double further_error(double value) const {
        static_cast<void>(value);
        return 0.0;
    }

    double weight(std::size_t c, long step) const;
    /// At the end of a step, as it is computed again: what columns with a weight there depend on.
    void note_seeds(long step);
    struct Seeds {
        std::vector<Entries> of_columns;
        StepState at;
    };
    /// Calls plant(seeds) if some column has a weight at the end of a step, once.
    template <class Plant>
    void at_seeds(long step, const Plant& plant) {
        const auto found = seeds_.find(step);
        if (found == seeds_.end()) return;
        plant(found->second);
        seeds_.erase(found);
    }
    void look_at_columns(const Seeds& seeds, const std::vector<int>& unseen);
    /// Adds what the column with a weight w depends on to a costate.
    void plant(std::size_t c, double w, const Seeds& seeds, Costate& to) const;
    /// What a column depends on parameters at a given state.
    void add_columns(std::size_t c, double w, const Seeds& seeds, const std::vector<int>& unseen);
    void add(std::size_t c, std::size_t k, double term, double size) {
        value_[c * num_parameters_ + k] += term;
        size_[c * num_parameters_ + k] += size;
    }
    /// What parameters make of numbers of each coordinate and row.
    /// @param of_all  of those too that the equations of steps do not depend on
    template <class Evaluate>
    void add_numbers(std::size_t c, const Evaluate& evaluate, bool of_all = false) {
        for (ParameterGroup& group : parameters().groups) {
            if (group.is_of_start() && !of_all) continue;
            group.take_numbers(evaluate);
            for (const ParameterGroup::Member& member : group.members()) {
                const auto [value, size] = group.sum(member);
                add(c, member.number, value, size);
            }
        }
    }
    /// Which parameters residuals depend on: near this step too, so that nothing cancels.
    void look(const AcceptedStep& step);
    /// Refuses parameters of which nothing depended where it was looked, if residuals of this step
    /// do.
    void look_at_idle(const AcceptedStep& step);
    /// What starts depend on parameters.
    void take_start();

    ParameterGroups& parameters() { return *parameters_; }
    std::size_t num_columns() const { return column_of_.size(); }
    std::size_t num_parameters() const { return num_parameters_; }
    /// Of each costate: the number of its objective, and of its column.
    const std::vector<std::pair<std::size_t, std::size_t>>& column_of() const { return column_of_; }
    /// The entry of a costate that a number of (q, v, pi) stands for.
    double& entry(Costate& of, int j) const;

    RecordedRun& run_;
    Simulation& simulation_;
    KernelSystem& system_;
    Neighbour here_;  // of the same values
    StepDerivative derivative_;
    std::vector<Costate> costates_;  // of each objective that has a column
    unsigned checks_ = 0;

private:
    AdjointGradient out_;
    std::size_t num_parameters_;
    std::vector<std::pair<std::size_t, std::size_t>> column_of_;  // objective, its column
    std::vector<std::size_t> places_;                             // of columns in a row
    std::vector<std::map<long, double>> weights_;                 // as column_of_
    std::optional<ColumnDerivative> columns_;
    IntegratorSettings settings_;
    std::optional<ParameterGroups> parameters_;
    std::map<long, Seeds> seeds_;
    std::vector<double> value_, size_;
    int column_looks_ = 0;
    bool has_looked_ = false;
};

}  // namespace ancora
