// SPDX-License-Identifier: BSD-3-Clause
// What modes of friction, and their ends, add to a sweep back over a run.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "mode_end.hpp"
#include "recorded_run.hpp"
#include "step_derivative.hpp"
#include "velocity_correction.hpp"

namespace ancora {

/// Corrections of velocities between two steps, ends of modes, and what the margins of steps have
/// to do with ends of modes behind them. Steps are taken on the way back.
class ModeSweep {
public:
    /// Writes a number of each coordinate and of each row, as a neighbouring model has it.
    using Evaluate = std::function<void(KernelSystem&, Eigen::VectorXd&, Eigen::VectorXd&)>;
    /// Adds what parameters make of such numbers to derivatives of a costate's objective.
    using AddNumbers = std::function<void(std::size_t costate, const Evaluate& evaluate)>;

    /// @param system  is put to states of the run, and of no other use
    ModeSweep(KernelSystem& system, std::size_t num_costates, AddNumbers add_numbers);

    /// Whether there is friction at all.
    bool has_modes() const { return has_modes_; }
    /// Whether velocities have been brought to modes since the end of a step of length h.
    bool is_corrected(const StepState& end, const StepState& next, double h) const;
    /// Back over that.
    /// @param is_stop  what has stopped at the end of the mode passed last is at rest there
    void correct(const StepState& end,
                 const StepState& next,
                 double h,
                 bool is_stop,
                 std::vector<Costate>& costates);

    /// Back over a change of modes behind a step.
    /// @param is_at_end  the grid step ends there
    /// @returns whether the step ends for that
    /// @throws AdjointObstacle
    bool pass(const PassedEvent& event, const AcceptedStep& step, bool is_at_end);
    /// The end of the mode passed last.
    const ModeEndDerivative& end() const { return *end_; }

    /// Goes on to a step: what objectives have of itself besides.
    void begin(const AcceptedStep& step);
    const StepFunction* besides(std::size_t costate) const {
        return has_modes_ && besides_[costate] ? &*besides_[costate] : nullptr;
    }
    /// And of its length.
    double by_length(std::size_t costate) const { return has_modes_ ? by_length_[costate] : 0.0; }
    /// -sigma g of the end of the mode passed last, for the step that it ends.
    void take_end(std::size_t costate, double sigma, Costate& of);

private:
    void add(std::size_t costate, StepFunction more);

    KernelSystem& system_;
    AddNumbers add_numbers_;
    bool has_modes_;
    std::optional<VelocityCorrection> correction_;
    std::optional<ModeEndDerivative> end_, of_last_;
    int event_ = -1;  // of the end
    /// What an end behind a step has of the margin of the step.
    struct Last {
        int event = -1;
        double value = 0.0, weight = 0.0, by_length = 0.0;
    };
    // Of each costate:
    std::vector<Last> lasts_;
    std::vector<std::optional<StepFunction>> besides_;
    std::vector<double> by_length_;
};

}  // namespace ancora
