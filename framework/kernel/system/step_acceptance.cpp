// SPDX-License-Identifier: BSD-3-Clause
// From one state to the next.
#include "step_acceptance.hpp"

#include <algorithm>

#include "compensated_sum.hpp"
#include "gauge_rows.hpp"
#include "lanes.hpp"

namespace ancora {

StepAcceptance::StepAcceptance(const SystemData& of,
                               StepRows& rows,
                               StepParts& extra,
                               Accounts& accounts,
                               const ResidualScaling& defect)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      rows_(rows),
      extra_(extra),
      accounts_(accounts),
      defect_(defect) {
    A_.setZero(parts_.rows.B.size());
    pi_t_.setZero(parts_.m);
}

void StepAcceptance::accept(const StepTrial& trial) {
    // The order: (a) calls that may refuse the step, before the state is changed; (b) held
    // coordinates; (c) q_1 and v_1; (d) residuals there; (e) works and impulses, of the trial's B,
    // tau, s and F at the old state; (f) the state; (g) readers of the new state.
    check(trial);
    state_.held.clear();
    extra_.for_each([&trial](StepPart& part) {
        part.hold(trial);
    });
    if (state_.held.any()) {
        // The round-off of a trial does not move coordinates that are held, and no force does work
        // on it.
        trial_.q_next.setZero();
        parts_.forces.evaluate_step(state_.q.data(),
                                    trial_.dq.data(),
                                    trial.t0,
                                    trial.h,
                                    state_.plugin,
                                    trial_.plugin,
                                    trial_.q_next.data());
    }
    // (c), with changes of v_1 alone: projection (62), impulse (64a), massless velocities (35).
    const bool is_projected = projection_ != nullptr && projection_->is_under_way();
    move_on(trial);
    const double t1 = trial.t0 + trial.h;
    // (d) phi and A v + phi_t at (q_1, v_1, t_1); B, tau and F of the step stay as they are.
    accounts_.violations.measure(trial_.q_next.data(),
                                 trial_.v_next.data(),
                                 t1,
                                 has_impulse_ ? VelocityImpulse::behind(t1) : t1);
    rows_.turn.look(trial);

    // Event functions have been evaluated at the end of the step since the residual was.
    extra_.for_each([&trial](StepPart& part) {
        part.return_to_step(trial);
    });
    parts_.hold_mass(trial.t0, trial.h);
    // (e) needs pi_0, q_0 and v_0 of the present state, hence before the exchange.
    accounts_.energy.record(trial);
    if (parts_.mass.is_timed()) {
        accounts_.energy.record_flow(
            state_.q.data(), state_.v.data(), trial_.q_next.data(), trial_.v_next.data());
    }
    if (is_projected) projection_->record(accounts_.energy.ledger, state_.q, trial_.q_next);
    if (has_impulse_)
        impulse_->record(
            accounts_.energy.ledger, accounts_.energy.efforts, trial_.q_next, trial_.v_next);
    extra_.for_each([&](StepPart& part) {
        part.record(trial, defect_.sizes());
    });
    accounts_.reactions.collect(trial);
    // (f): from here on the state is the new one.
    commit(trial);
    if (has_impulse_) accounts_.reactions.collect_impulse(impulse_->stress());
    // (g): balances compare the new state with all that was recorded.
    accounts_.violations.note();
    accounts_.energy.close();
    rows_.choice.follow_motion();
    extra_.for_each([&trial](StepPart& part) {
        part.accept_step(trial.h);
    });
}

void StepAcceptance::check(const StepTrial& trial) {
    const double h = trial.h;
    // A step back goes where one forward has been, or will be.
    if (h > 0.0) rows_.jumps.check(state_.q.data(), trial.t0, h, state_.extent);
    // h^2 a^T M a = dv^T M dv, an energy that is there when the ledger has none, in the first step.
    const double dv_M_dv = h * h * pairwise_dot(trial.a.data(), trial_.Ma.data(), trial.a.size());
    check_gauge_rows(parts_,
                     trial.s.data(),
                     trial_.F.data(),
                     trial_.Ma.data(),
                     std::max(accounts_.energy.ledger.energy_scale(), dv_M_dv),
                     trial.t0);
}

/// q1 = q0 + dq, v1 = v0 + h a, compensated
void StepAcceptance::move_on(const StepTrial& trial) {
    const double h = trial.h;
    const double* const a = trial.a.data();
    const double* const dq = trial_.dq.data();
    const double *const q = state_.q.data(), *const q_low = state_.q_low.data();
    const double *const v = state_.v.data(), *const v_low = state_.v_low.data();
    double *const q_next = trial_.q_next.data(), *const q_low_next = trial_.q_low_next.data();
    double *const v_next = trial_.v_next.data(), *const v_low_next = trial_.v_low_next.data();
    // Two words each (Kahan 1965; Neumaier 1974): q + q_low takes dq without losing its last
    // digits, so that errors of N additions are of the order of u, not N u. The low word is the
    // error of the last addition; arithmetic that reorders sums (-ffast-math) would make it zero.
    parts_.workers.split(parts_.n, [=](int begin, int end) {
        ANCORA_APART
        for (int i = begin; i < end; ++i) {
            double high = q[i], low = q_low[i];
            add_compensated(high, low, dq[i]);
            q_next[i] = high;
            q_low_next[i] = low;
        }
        ANCORA_APART
        for (int i = begin; i < end; ++i) {
            double high = v[i], low = v_low[i];
            add_compensated(high, low, h * a[i]);
            v_next[i] = high;
            v_low_next[i] = low;
        }
    });
    for (int i = 0; state_.held.any() && i < parts_.n; ++i) {
        if (!state_.held.has(i)) continue;
        trial_.q_next[i] = state_.q[i];
        trial_.q_low_next[i] = state_.q_low[i];
        trial_.v_next[i] = trial_.v_low_next[i] = 0.0;
    }
    const bool is_projected = projection_ != nullptr && projection_->is_under_way();
    if (is_projected) projection_->finish(trial_.v_next, trial_.v_low_next);
    has_impulse_ = impulse_ != nullptr && impulse_->is_wanted() && !is_projected &&
                   impulse_->meet(trial_.q_next,
                                  VelocityImpulse::behind(trial.t0 + h),
                                  SignalSet::Moment::end,
                                  trial_.v_next,
                                  trial_.v_low_next);
    if (rows_.massless.empty()) return;
    parts_.rows.evaluate_rates(rows_.massless.blocks(),
                               trial_.q_next.data(),
                               trial_.v_next.data(),
                               trial.t0 + trial.h,
                               A_.data(),
                               pi_t_.data(),
                               SignalSet::Moment::end);
    // Theory (35) at (q_1, t_1): v_1 = v_0 + h a of a massless coordinate would be 2 dq / h - v_0.
    rows_.massless.reset(A_, pi_t_, trial_.v_next.data());
}

void StepAcceptance::commit(const StepTrial& trial) {
    state_.q.swap(trial_.q_next);
    state_.q_low.swap(trial_.q_low_next);
    state_.v.swap(trial_.v_next);
    state_.v_low.swap(trial_.v_low_next);
    parts_.workers.copy(trial.a.data(), parts_.n, state_.a.data());
    if (!rows_.massless.empty())
        for (int i = 0; i < parts_.n; ++i)
            if (parts_.mass.is_massless(i)) {
                state_.v_low[i] = 0.0;
                state_.a[i] = 0.0;
            }
    // Theory (12), pi_1 = pi_0 + B dq + tau, also of dropped rows (in rows_.independent); held
    // rows have not moved.
    parts_.workers.split(parts_.m, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            if (parts_.laws.carries(k) && !state_.held.has_row(parts_.rows, k))
                state_.pi[k] += trial_.Bdq[k] + parts_.rows.tau[k];
    });
    parts_.workers.copy(trial.s.data(), static_cast<int>(trial.s.size()), state_.s.data());
    rows_.independent.accept();
    // A slack row carries no stress; its s after the iteration is round-off.
    for (const int k : parts_.laws.nonlinear())
        if (rows_.nonlinear.law(k).is_slack()) state_.s[k] = 0.0;
    for (const int k : parts_.timed_rows) state_.lag[k] = 0.0;
    state_.plugin.swap(trial_.plugin);
    parts_.signals.accept_step();
    rows_.tangent.forget_start();
    // The time of the last substep of a grid step is replaced by that of the grid
    // (end_grid_step()).
    state_.t = trial.t0 + trial.h;
}

}  // namespace ancora
