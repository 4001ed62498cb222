// SPDX-License-Identifier: BSD-3-Clause
// What the trials of a step have come to.
#pragma once

#include <algorithm>
#include <limits>

#include "ancora/sdk/step_equations.hpp"

namespace ancora {

/// Tells when shorter trials no longer help, so that a part has to go over the rest of the step as
/// a whole (StepPart::go_over()), and which trial is not solved again.
class TrialHistory {
public:
    /// Another motion begins.
    void begin_anew() { *this = {}; }

    /// A trial without admissible modes has no solution.
    void refuse(const StepTrial& trial) {
        refused_t0_ = trial.t0;
        refused_h_ = trial.h;
    }
    /// Whether the next trial is the one refused last. To be asked once of each.
    bool takes_refused(double t0, double h) {
        const bool out = t0 == refused_t0_ && h == refused_h_;
        refused_t0_ = kNever;
        return out;
    }

    /// A trial from t has no solution.
    /// @returns whether as many in a row have none, each within kReach lengths of the one before
    bool fails_again(double t, double h) {
        if (!(t <= failed_until_)) num_failures_ = 0;
        failed_until_ = std::max(failed_until_, t + kReach * h);
        return ++num_failures_ >= kMostFailures;
    }

    /// Modes of a trial are to change.
    /// @returns whether that has come to an end
    bool settles_without_end(const StepTrial& trial) {
        const bool is_same = trial.t0 == settled_t0_ && trial.h == settled_h_;
        num_settlings_ = is_same ? num_settlings_ + 1 : 0;
        settled_t0_ = trial.t0;
        settled_h_ = trial.h;
        return num_settlings_ == kMostSettlings;
    }

private:
    static constexpr double kNever = std::numeric_limits<double>::quiet_NaN();
    static constexpr int kMostFailures = 4;
    static constexpr double kReach = 2.0;
    static constexpr int kMostSettlings = 600;

    double refused_t0_ = kNever, refused_h_ = 0.0;
    double failed_until_ = -std::numeric_limits<double>::infinity();
    int num_failures_ = 0;
    double settled_t0_ = 0.0, settled_h_ = 0.0;
    int num_settlings_ = 0;
};

}  // namespace ancora
