// SPDX-License-Identifier: BSD-3-Clause
// Constraint residuals of accepted states.
#include "violations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora {
namespace {

// Rounding of a row's function of time, relative to the model's size, and the share of a larger lag
// that a step closes: small, since 2 / h^2 times as much is an acceleration.
constexpr double kLagRounding = 8.0 * std::numeric_limits<double>::epsilon();
constexpr double kLagShare = 1.0 / 16.0;

}  // namespace

Violations::Violations(Assembly& parts) : parts_(parts) {
    pi_.setZero(parts.m);
    if (parts.constraint_blocks.empty()) return;
    pi_t_.setZero(parts.m);
    A_.setZero(parts.rows.B.size());
}

void Violations::measure(const double* q, const double* v, double t, double t_of_rates) {
    // max |phi| of constraints, max |strain| of rigid bodies' rows, max |A v + pi_t| of all with a
    // rate.
    next_ = {};
    parts_.rows.evaluate_gaps(q, t, pi_.data());
    for (const RowOwner& owner : parts_.rows.owners) {
        double& worst = owner.constraint >= 0 ? next_.position : next_.strain;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            if (parts_.laws[k].kind != RowKind::constraint) continue;
            if (!std::isfinite(pi_[k])) parts_.rows.refuse_row(k, t);
            worst = std::max(worst, std::abs(pi_[k]));
        }
    }
    parts_.rows.evaluate_rates(parts_.constraint_blocks, q, v, t_of_rates, A_.data(), pi_t_.data());
    for (const int b : parts_.constraint_blocks) {
        const BlockPart& part = parts_.rows.blocks[b];
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!parts_.laws.has_rate(k)) continue;
            // A_k v + pi_t, by the sums that projections and impulses use
            double rate = pi_t_[k];
            rate = parts_.rows.multiply_onto(rate, A_.data(), k, v);
            if (!std::isfinite(rate)) parts_.rows.refuse_row(k, t);
            next_.velocity = std::max(next_.velocity, std::abs(rate));
        }
    }
}

void Violations::note() {
    now_ = next_;
    worst_.position = std::max(worst_.position, now_.position);
    worst_.velocity = std::max(worst_.velocity, now_.velocity);
    worst_.strain = std::max(worst_.strain, now_.strain);
}

void Violations::note_lag(double t, MotionState& state) const {
    // lag = pi(q, t) - (carried pi), extrapolated by pi_t dt from the end of the last substep to
    // the grid: the accumulated round-off of many increments tau.
    const double rounding = kLagRounding * std::max(state.extent, state.farthest);
    for (const int k : parts_.timed_rows) {
        const double lag = pi_[k] + pi_t_[k] * (t - state.t) - state.pi[k];
        state.lag[k] =
            std::abs(lag) <= rounding || state.held.has_row(parts_.rows, k) ? 0.0 : kLagShare * lag;
    }
    for (const auto* const rows : {&parts_.rows.dropped(), &parts_.rows.released()})
        for (const int k : *rows) state.lag[k] = 0.0;
}

}  // namespace ancora
