// SPDX-License-Identifier: BSD-3-Clause
// How starts, residuals and columns depend on parameters: differences of neighbouring models.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "model_parameter.hpp"
#include "model_runs.hpp"
#include "recorded_run.hpp"
#include "state_columns.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// A model with neighbouring values.
struct Neighbour {
    explicit Neighbour(Simulation made);

    void evaluate(const AcceptedStep& step);
    /// What parts of the residual are made of, without rows' geometry: M a - F, and what laws make
    /// of strains and stresses at these increments.
    void evaluate_laws(const AcceptedStep& step, const Eigen::VectorXd& increments, bool forces);
    const std::vector<double>& sample(const StepState& at,
                                      const std::vector<int>& unseen,
                                      bool with_energies);

    Simulation simulation;
    KernelSystem& system;
    StateColumns columns;
    Eigen::VectorXd motion, rows, increment;
};

/// Coordinates and rows that a parameter of one object may enter.
struct Support {
    bool is_all = true;
    std::vector<int> coordinates, rows;
};

/// Parameters whose values are moved together.
class ParameterGroup {
public:
    /// They do not enter what they should, so that the effect of each is not known.
    struct Entangled {};
    struct Member {
        std::size_t number;
        const ModelParameter* parameter;
        Support support;
        double distance = 0.0, width = 0.0;
        std::string fault{};
        Entries start{};  // d(q, v, pi)/dp at the begin
    };

    /// @param members  one, or several with supports that have nothing in common
    /// @throws AdjointObstacle, Error, Entangled
    ParameterGroup(std::vector<Member> members,
                   const ModelRuns& runs,
                   const IntegratorSettings& settings,
                   Simulation& base,
                   double extent);

    std::vector<Member>& members() { return members_; }
    /// Whether residuals do not depend on them where they have been looked at.
    bool is_of_start() const { return is_of_start_; }
    /// Whether nothing is known to depend on them, which may come later in a run.
    bool is_idle() const {
        return is_of_start_ && columns_.empty() &&
               std::ranges::all_of(members_, [](const Member& member) {
                   return member.start.empty();
               });
    }
    bool is_in_columns() const { return !columns_.empty(); }
    /// Whether the column at a place depends on them at a given state.
    bool is_in_column(std::size_t place) const {
        return std::ranges::find(columns_, place) != columns_.end();
    }
    bool is_in_rows() const { return is_in_rows_; }
    /// Where they are, as far as it has been looked at.
    std::array<bool, 3> parts() const { return {is_of_start_, is_in_rows_, is_in_forces_}; }

    /// Looks whether residuals of a step depend on them, which `here` has evaluated.
    /// @returns whether each enters its support alone, as far as this tells
    bool look(const AcceptedStep& step, const Neighbour& here);
    /// Of several: whether slopes are those of others at other distances, after look() at the same
    /// step; else some enter the supports of others.
    bool agrees(const AcceptedStep& step);
    void look(const StepState& at,
              std::span<const std::size_t> places,
              const std::vector<int>& unseen,
              bool with_energies);

    /// Differences of a step's residuals by laws, masses and forces alone, where rows do not depend
    /// on them.
    void take_laws(const AcceptedStep& step, const Eigen::VectorXd& increments);
    /// Of all, for a step whose own residuals are as small as these.
    void take(const AcceptedStep& step, double motion_left, double rows_left);
    /// (motion, rows) . dr/dp and of_increments . dI/dp of a member, as taken last, and the sum of
    /// their terms' sizes.
    struct Term {
        double value = 0.0, size = 0.0;
    };
    Term term(const Member& member,
              const Eigen::VectorXd& motion,
              const Eigen::VectorXd& rows,
              const Eigen::VectorXd& of_increments) const;
    /// What a member changes of residuals and increments, as taken last, by one.
    void put_slopes(const Member& member,
                    Eigen::VectorXd& motion,
                    Eigen::VectorXd& rows,
                    Eigen::VectorXd& increments) const;
    /// Differences of numbers of each coordinate and row that a system gives, instead of a step's;
    /// and what a member adds to their sum.
    template <class Evaluate>
    void take_numbers(const Evaluate& evaluate) {
        evaluate(up_->system, motion_, rows_);
        evaluate(down_->system, down_motion_, down_rows_);
        motion_ -= down_motion_;
        rows_ -= down_rows_;
    }
    /// Looks whether such numbers depend on them.
    /// @returns whether each enters its support alone, as far as this tells
    template <class Evaluate>
    bool look_at_numbers(const Evaluate& evaluate) {
        take_numbers(evaluate);
        is_of_start_ = is_of_start_ && motion_.isZero(0.0) && rows_.isZero(0.0);
        return are_numbers_within();
    }
    Term sum(const Member& member) const;
    /// What it adds to -motion . (those of coordinates) - rows . (those of rows), likewise.
    Term product(const Member& member,
                 const Eigen::VectorXd& motion,
                 const Eigen::VectorXd& rows) const;
    /// Of a column at a state; of one member.
    double of_column(const StepState& at,
                     std::size_t place,
                     const std::vector<int>& unseen,
                     bool with_energies);

private:
    Simulation make(double part, bool is_uneven) const;
    void take_start(const StepState& here, double extent);
    bool is_within_supports(const StepState& start, const StepState& here) const;
    bool are_numbers_within() const;
    bool starts_agree(const StepState& up, const StepState& down) const;
    double part_of(const Member& member) const;
    template <class Visit>
    static void for_entries(const std::vector<int>* only, Eigen::Index size, const Visit& visit);

    std::vector<Member> members_;
    const ModelRuns& runs_;
    const IntegratorSettings& settings_;
    Simulation& base_;
    std::vector<char> is_supported_;  // of coordinates and then rows; empty: all
    std::unique_ptr<Neighbour> up_, down_;
    std::unique_ptr<Neighbour> uneven_up_, uneven_down_;  // until agrees() has been asked
    Eigen::VectorXd motion_, rows_, increment_;           // differences
    Eigen::VectorXd down_motion_, down_rows_;
    bool is_of_start_ = true;
    std::vector<std::size_t> columns_;  // places of those that depend on them at a given state
    bool is_in_rows_ = false, is_in_forces_ = false;
};

/// All parameters, those of one object each together as far as that can be.
class ParameterGroups {
public:
    /// @param step  of the run, for a look at what each enters
    ParameterGroups(std::span<const ModelParameter> by,
                    const ModelRuns& runs,
                    const IntegratorSettings& settings,
                    Simulation& base,
                    double extent,
                    const AcceptedStep& step,
                    std::span<const std::size_t> places,
                    bool with_energies,
                    StepDerivative& derivative);

    std::vector<ParameterGroup> groups;
    std::vector<std::string> faults;  ///< of each parameter: why there are no derivatives by it

private:
    enum class Reach { own, ring, all };
    Support support_of(const ModelParameter& parameter, Reach reach) const;
    void make(std::vector<std::size_t> of, Reach reach);
    void make_group(std::vector<std::size_t> of, Reach reach, std::vector<std::size_t>& further);

    std::span<const ModelParameter> by_;
    const ModelRuns& runs_;
    const IntegratorSettings& settings_;
    Simulation& base_;
    double extent_;
    const AcceptedStep& step_;
    std::span<const std::size_t> places_;
    bool with_energies_;
    StepDerivative& derivative_;
    std::vector<std::vector<int>> rows_of_coordinate_;
    std::unique_ptr<Neighbour> here_;
};

}  // namespace ancora
