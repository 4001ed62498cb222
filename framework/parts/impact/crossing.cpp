// SPDX-License-Identifier: BSD-3-Clause
// Chooses the rows that bear a step over all events.
#include "crossing.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace ancora {
namespace {

constexpr int kMostChoices = 100;  // of the rows that bear one trial, with friction and without
// One that has no such rows is halved to this part of a step.
constexpr double kShortest = 1e-9;
constexpr int kMostNamed = 6;
// Impulses are zero within this part of the largest.
constexpr double kNoImpulse = 1e-12;

}  // namespace

Crossing::Crossing(Assembly& parts,
                   MotionState& state,
                   Trial& trial,
                   Accelerations& accelerations,
                   UnilateralRows& rows,
                   Impact& impact)
    : parts_(parts),
      state_(state),
      trial_(trial),
      accelerations_(accelerations),
      rows_(rows),
      impact_(impact) {
    for (Eigen::VectorXd* x : {&q_, &v_}) x->setZero(parts.n);
    has_state_.assign(static_cast<std::size_t>(rows.count()), 0);
    for (const RowOwner& owner : parts.rows.owners) {
        if (owner.state_count == 0) continue;
        bool any = false;
        for (int i = 0; i < rows.count(); ++i) {
            const int k = rows.row(i) - owner.first_row;
            if (k < 0 || k >= owner.num_rows) continue;
            has_state_[static_cast<std::size_t>(i)] = 1;
            any = true;
        }
        if (any) states_.emplace_back(owner.state_first, owner.state_count);
    }
}

void Crossing::begin() {
    candidates_ = rows_.closed();
    if (impact_.pressed().may_depend()) close(rows_.latched());
    length_ = 0.0;
    for (int i = 0; i < rows_.count(); ++i)
        if (!rows_.is_latched(i)) state_.pi[rows_.row(i)] = rows_.gap(i);
    find_rubbing();
}

void Crossing::find_rubbing() {
    std::vector<int> rubbing;
    for (int i = 0; i < rows_.count(); ++i) {
        if (!may_bear(i)) continue;
        const bool touches = rows_.gap(i) <= rows_.touching() &&
                             std::abs(rows_.rate_at_begin(i)) <= rows_.at_rest(i, state_.v.data());
        if (touches || candidates_[static_cast<std::size_t>(i)] != 0)
            rubbing.push_back(rows_.row(i));
    }
    parts_.rows.set_rubbing(std::move(rubbing));
}

bool Crossing::drop_friction() {
    if (parts_.rows.rubbing().empty()) return false;
    parts_.rows.set_rubbing({});
    num_choices_ = 0;
    return true;
}

bool Crossing::begin_anew() {
    const bool has_rubbed = drop_friction();
    if (!has_rubbed && rows_.closed() == rows_.latched()) return false;
    length_ = 0.0;
    close(rows_.latched());
    return true;
}

void Crossing::look_at_end(const StepTrial& trial) {
    for (int i = 0; i < parts_.n; ++i) {
        q_[i] = state_.q[i] + (state_.q_low[i] + trial_.dq[i]);
        v_[i] = state_.v[i] + (state_.v_low[i] + trial.h * trial.a[i]);
    }
    rows_.evaluate(q_.data(), v_.data(), trial.t0 + trial.h, gaps_, rates_);
}

bool Crossing::settle(const StepTrial& trial, double longest) {
    if (trial.h != length_) {
        length_ = trial.h;
        num_choices_ = 0;
        is_open_ended_ = false;
    }
    look_at_end(trial);
    double largest = 0.0;
    for (int i = 0; i < rows_.count(); ++i)
        if (rows_.is_closed(i)) largest = std::max(largest, std::abs(impulse(i, trial)));
    bool is_solution = true;
    for (int i = 0; i < rows_.count() && is_solution; ++i)
        if (may_bear(i))
            is_solution = rows_.is_closed(i) ? impulse(i, trial) >= -kNoImpulse * largest
                                             : gaps_[i] >= -rows_.grazing();
    const bool has_followed = follow_states(trial, is_solution, kNoImpulse * largest);
    if (is_solution && !has_followed) return false;
    is_open_ended_ = false;
    if (++num_choices_ > kMostChoices) return end_open(trial, longest);
    bool pulls = false;
    double lowest = 0.0;
    std::vector<int> rows;
    for (int i = 0; i < rows_.count(); ++i) {
        if (!may_bear(i)) continue;
        char& is_candidate = candidates_[static_cast<std::size_t>(i)];
        if (rows_.is_closed(i)) {
            pulls = pulls || impulse(i, trial) < -kNoImpulse * largest;
        } else if (gaps_[i] < -rows_.grazing()) {
            lowest = std::min(lowest, gaps_[i]);
            is_candidate = 1;
        }
        if (is_candidate != 0) rows.push_back(i);
    }
    const auto count = static_cast<Eigen::Index>(rows.size());
    Eigen::VectorXd g(count), P(count);
    for (Eigen::Index k = 0; k < count; ++k) {
        const int i = rows[static_cast<std::size_t>(k)];
        g[k] = gaps_[i];
        // That of a row that is about something else now is not its own.
        const bool is_same = !has_followed || gaps_[i] == gaps_before_[i];
        P[k] = rows_.is_closed(i) && is_same ? impulse(i, trial) : 0.0;
    }
    bearing_ = rows_.closed();
    impact_.find_bearing(q_.data(), v_.data(), trial.t0 + trial.h, trial.h, rows, g, P, bearing_);
    if (bearing_ == rows_.closed() && !has_followed) {
        // The rows at hand solve it: what others are below zero by, which these hold, is rounding.
        return (lowest < -rows_.touching() || pulls) && end_open(trial, longest);
    }
    close(bearing_);
    take_gaps_at_begin(trial);
    if (has_followed) impact_.look_at_rows();
    return true;
}

/// Exchanges the states at both ends of the trial; false if they are the same.
bool Crossing::swap_states() {
    bool any = false;
    for (const auto& [first, count] : states_) {
        const auto here = state_.plugin.begin() + first;
        const auto there = trial_.plugin.begin() + first;
        if (std::equal(here, here + count, there)) continue;
        std::swap_ranges(here, here + count, there);
        any = true;
    }
    return any;
}

/// Objects go on with their states at the end of the trial. Where it is a solution otherwise, they
/// do so if a row bears it that is not there any more.
bool Crossing::follow_states(const StepTrial& trial, bool is_solution, double least_impulse) {
    if (!swap_states()) return false;
    gaps_before_ = gaps_;
    look_at_end(trial);
    bool has_left = false;
    for (int i = 0; i < rows_.count() && !has_left; ++i)
        has_left = may_bear(i) && rows_.is_closed(i) && impulse(i, trial) > least_impulse &&
                   std::abs(gaps_[i] - gaps_before_[i]) > rows_.touching();
    if (is_solution && !has_left) {
        swap_states();
        gaps_ = gaps_before_;
        return false;
    }
    return true;
}

/// g0 = g1 - (B dq + tau) of closed rows with a state.
void Crossing::take_gaps_at_begin(const StepTrial& trial) {
    if (states_.empty()) return;
    parts_.rows.evaluate_step(state_.q.data(),
                              trial_.dq.data(),
                              trial_.mid.data(),
                              trial.t0,
                              trial.h,
                              state_.plugin,
                              trial_.plugin);
    for (int i = 0; i < rows_.count(); ++i) {
        if (has_state_[static_cast<std::size_t>(i)] == 0 || !rows_.is_closed(i) ||
            rows_.is_latched(i))
            continue;
        const int k = rows_.row(i);
        const double moved =
            parts_.rows.multiply(parts_.rows.B.data(), k, trial_.dq.data()) + parts_.rows.tau[k];
        state_.pi[k] = gaps_[i] - moved;
    }
}

/// No set of rows bears the trial: one without friction is next, if it had any.
/// @returns whether it is to be solved so
bool Crossing::end_open(const StepTrial& trial, double longest) {
    if (drop_friction()) return true;
    is_open_ended_ = true;
    refuse_open_end(trial, longest);
    return false;
}

/// A trial that no set of rows bears is made shorter, but not without end.
void Crossing::refuse_open_end(const StepTrial& trial, double longest) const {
    if (trial.h > kShortest * longest) return;
    std::string names;
    int first = -1, count = 0;
    for (int i = 0; i < rows_.count(); ++i) {
        if (!may_bear(i) || (!rows_.is_closed(i) && gaps_[i] >= -rows_.touching())) continue;
        if (first < 0) first = i;
        if (++count <= kMostNamed)
            names += (names.empty() ? "" : "; ") + parts_.rows.row_name(rows_.row(i));
    }
    if (count > kMostNamed) names += fmt::format(" and {} more", count - kMostNamed);
    throw Error(
        ErrorKind::numerical,
        fmt::format("t = {:.9g} s: no set of contacts bears the bodies over the rest of the step, "
                    "not even over {:.3g} s of it; contacts that touch: {}. Take a shorter step, "
                    "move apart what is jammed, or join it by constraints",
                    trial.t0,
                    trial.h,
                    names),
        first < 0 ? Place{} : parts_.rows.place_of_row(rows_.row(first)));
}

void Crossing::note(const StepTrial& trial) {
    rows_of_step_.assign(static_cast<std::size_t>(rows_.count()), {});
    for (int i = 0; i < rows_.count(); ++i) {
        Impact::Crossing& crossing = rows_of_step_[static_cast<std::size_t>(i)];
        crossing.gap = rows_.gap(i);
        crossing.rate = rows_.rate_at_begin(i);
        if (!rows_.is_closed(i) || rows_.is_latched(i)) continue;
        crossing.gap = state_.pi[rows_.row(i)];
        crossing.impulse = impulse(i, trial);
        crossing.rubs = parts_.rows.is_pressed(rows_.row(i));
    }
    length_ = trial.h;
}

}  // namespace ancora
