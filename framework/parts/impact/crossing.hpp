// SPDX-License-Identifier: BSD-3-Clause
// A step over all events at once: which of the unilateral rows bear it.
#pragma once

#include <utility>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "assembly.hpp"
#include "impact.hpp"
#include "unilateral_rows.hpp"

namespace ancora {

/// The rest of a step as a whole, without events within: rows are closed from their gaps as they
/// are, and come to zero with its end, with impulses P so that there
///
///   0 <= P  _|_  g >= 0                                                                  (1)
///
/// Sets of rows are tried on solved trials until one has (1). Rows whose objects keep a state, as
/// the features of shapes by which they may meet, take it from the end of the trial whenever it is
/// not (1): what they meet with is what is there, not what was near where the step began. Their
/// gaps at its begin are then those at its end, less the increment of the trial.
///
/// Rows that touch where it begins rub over all of it: stick and slip are one law there,
///
///   P_t = projection of P_t - r T dq onto |P_t| <= mu P,   any r > 0                     (2)
///
/// so that what rests goes on resting. Those that meet within it rub in the impact at its end.
class Crossing {
public:
    Crossing(Assembly& parts,
             MotionState& state,
             Trial& trial,
             Accelerations& accelerations,
             UnilateralRows& rows,
             Impact& impact);

    /// [step] Where the rows that are closed depend on each other it begins without any: those that
    /// the gaps ask for do not.
    void begin();
    /// [step] Begins anew without any row, as where those that are closed have no solution.
    /// @returns false if that has been so already
    bool begin_anew();
    /// [step] @returns whether other rows bear the step than in the trial
    /// @param longest step
    bool settle(const StepTrial& trial, double longest);
    /// [step] Rows rub no more over it, for where none bear it so. @returns whether any did
    bool drop_friction();
    /// Whether the trial that settle() saw last has no set of rows.
    bool is_open_ended() const { return is_open_ended_; }
    /// [step] The trial is that which has been taken.
    void note(const StepTrial& trial);
    /// [step] Its end, see Impact::finish_crossing().
    void finish(double longest) { impact_.finish_crossing(rows_of_step_, length_, longest); }
    /// Rows are others than before, and nothing is known of trials.
    void forget(const std::vector<char>& closed) {
        candidates_ = closed;
        length_ = 0.0;
    }

private:
    void look_at_end(const StepTrial& trial);
    void find_rubbing();
    double impulse(int i, const StepTrial& trial) const {
        return -trial.h * trial.s[static_cast<std::size_t>(rows_.row(i))];
    }
    bool may_bear(int i) const { return !rows_.is_latched(i) && !rows_.is_absent(i); }
    bool swap_states();
    bool follow_states(const StepTrial& trial, bool is_solution, double least_impulse);
    void take_gaps_at_begin(const StepTrial& trial);
    bool end_open(const StepTrial& trial, double longest);
    void refuse_open_end(const StepTrial& trial, double longest) const;
    void close(const std::vector<char>& closed) {
        rows_.close(closed);
        accelerations_.rebuild();
    }

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    Accelerations& accelerations_;
    UnilateralRows& rows_;
    Impact& impact_;
    std::vector<std::pair<int, int>> states_;  // of owners of such rows: first, and how many
    std::vector<char> has_state_;              // of rows
    double length_ = 0.0;                      // of the trial that rows are being chosen for
    int num_choices_ = 0;
    bool is_open_ended_ = false;
    std::vector<char> candidates_, bearing_;
    std::vector<Impact::Crossing> rows_of_step_;
    Eigen::VectorXd q_, v_, gaps_, gaps_before_, rates_;
};

}  // namespace ancora
