// SPDX-License-Identifier: BSD-3-Clause
// Instants: in which order changes follow each other.
#include "discontinuities.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "ancora/framework/error.hpp"

namespace ancora {

Discontinuities::Discontinuities(
    const SystemData& of, StepRows& rows, StepParts& extra, Accounts& accounts, Steps& steps)
    : impulse(of.parts, of.state),
      parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      rows_(rows),
      extra_(extra),
      accounts_(accounts),
      steps_(steps) {
    for (Eigen::VectorXd* pi : {&pi_before_, &pi_next_}) pi->setZero(parts_.m);
}

int Discontinuities::num_events() const {
    return first_crossing() + parts_.signals.num_crossings();
}

int Discontinuities::first_crossing() const {
    return extra_.num_events() + (accounts_.breaking.may_break() ? 1 : 0);
}

void Discontinuities::evaluate_events(const StepTrial& trial, std::span<double> g) {
    const auto first = static_cast<std::size_t>(first_crossing());
    if (parts_.signals.num_crossings() > 0) {
        for (int i = 0; i < parts_.n; ++i) {
            // Crossings are those at the step's end: q_1 = q_0 + dq, v_1 = v_0 + h a.
            trial_.q_next[i] = state_.q[i] + trial_.dq[i];
            trial_.v_next[i] = state_.v[i] + trial.h * trial.a[i];
        }
        parts_.signals.evaluate_crossings(trial_.q_next.data(),
                                          trial_.v_next.data(),
                                          trial.t0 + trial.h,
                                          nullptr,
                                          g.subspan(first));
    }
    if (accounts_.breaking.may_break()) {
        // pi_1 = pi_0 + B dq + tau (theory (12))
        pi_next_ = state_.pi + trial_.Bdq + parts_.rows.tau;
        g[first - 1] = accounts_.breaking.margin(pi_next_);
    }
    extra_.evaluate_events(trial, g);
}

void Discontinuities::evaluate_events(
    double t, std::span<const double> x, const double* own, const double* q, std::span<double> g) {
    const auto first = static_cast<std::size_t>(first_crossing());
    if (parts_.signals.num_crossings() > 0)
        parts_.signals.evaluate_crossings(x.data(), x.data() + parts_.n, t, own, g.subspan(first));
    if (accounts_.breaking.may_break()) {
        parts_.rows.evaluate_elastic(x.data(), t, pi_next_.data());
        g[first - 1] = accounts_.breaking.margin(pi_next_);
    }
    extra_.evaluate_events(t, q, x.data() + parts_.n, g);
}

void Discontinuities::pass_event(int event) {
    extra_.for_each([](StepPart& part) {
        part.recheck();
    });
    // Events in the order of num_events(): contacts, rows that break, crossings of signals. An
    // event may cause others at the same instant.
    if (event >= first_crossing()) {
        pass_crossing(event - first_crossing());
    } else {
        look_at_crossings(false);
        if (event < extra_.num_events()) {
            begin_new_course(extra_.pass(event));
        } else {
            accounts_.breaking.break_rows();
            if (parts_.model.traits.face == Face::continuous) resolve_modes();
        }
        look_at_crossings(false);
    }
    pass_due_crossings();
}

void Discontinuities::begin_new_course(const StepPart::Passage& passage) {
    if (!passage.is_new_course) return;
    if (passage.impulse != nullptr && parts_.model.traits.face == Face::discrete)
        accounts_.reactions.collect_impulse(*passage.impulse, passage.applied);
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t);
    accounts_.violations.note();
    // What is extrapolated; of an explicit method it may be a length that an error chose.
    if (!parts_.model.traits.is_adaptive || parts_.model.traits.face == Face::discrete)
        std::ranges::fill(state_.history, 0.0);
    if (passage.may_depend) rows_.choice.follow_conditions();
    steps_.begin_course();
    note_jump();
}

void Discontinuities::note_jump() {
    extra_.for_each([](StepPart& part) {
        part.note_jump();
    });
}

void Discontinuities::resolve_modes() {
    extra_.for_each([](StepPart& part) {
        part.resolve();
    });
}

void Discontinuities::pass_crossing(int crossing) {
    refuse_endless_switching(crossing);
    parts_.signals.pass(crossing, state_.q.data(), state_.v.data(), state_.t);
    after_signals();
}

/// Crossings at this instant that the actions of others at it have caused.
void Discontinuities::pass_due_crossings() {
    for (int due = parts_.signals.due_crossing(); due >= 0; due = parts_.signals.due_crossing())
        pass_crossing(due);
}

/// Faster than anything that is built: a bound without hysteresis, which the motion slides along.
void Discontinuities::refuse_endless_switching(int crossing) {
    constexpr int kMost = 1000;
    constexpr double kWithin = 1e-8;  // [s]
    if (state_.t - switching_.since > kWithin || state_.t < switching_.since)
        switching_ = {state_.t, 0};
    if (++switching_.count <= kMost) return;
    const SignalPart& part = parts_.signals.part_of_crossing(crossing);
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: {} acts again and again, {} times within {:.2g} s: what "
                            "it switches drives its input back at once; give it a hysteresis, a "
                            "delay or a sampling time",
                            state_.t,
                            part.name,
                            kMost,
                            state_.t - switching_.since),
                part.place);
}

void Discontinuities::act() {
    parts_.signals.act(state_.q.data(), state_.v.data(), state_.t);
    after_signals();
    pass_due_crossings();
}

void Discontinuities::after_signals() {
    jump_with_own_values();
    open_constraints();
    meet_prescribed_rates(VelocityImpulse::behind(state_.t));
    steps_.invalidate(Change::state);
    note_jump();
    begin_new_course(extra_.follow_signals());
}

void Discontinuities::look_at_crossings(bool has_passed) {
    parts_.signals.look(state_.q.data(), state_.v.data(), state_.t, has_passed);
}

/// Own values that rows read have jumped, and with them strains and energies.
void Discontinuities::jump_with_own_values() {
    if (!parts_.signals.are_read_by_rows()) return;
    const double *const q = state_.q.data(), *const v = state_.v.data();
    // pi(q; own values before) and pi(q; after), at one q: the carried pi jumps by the difference.
    parts_.signals.show_sampled();
    parts_.rows.evaluate_elastic(q, state_.t, pi_before_.data());
    parts_.signals.hold(q, v, state_.t);
    parts_.rows.evaluate_elastic(q, state_.t, pi_next_.data());
    const double before = accounts_.energy.own_energy(state_.pi);
    bool has_jumped = false;
    for (const int k : parts_.rows.own_rows) {
        if (pi_next_[k] == pi_before_[k]) continue;
        state_.pi[k] += pi_next_[k] - pi_before_[k];
        has_jumped = true;
    }
    if (!has_jumped) return;
    // W(pi + dpi) - W(pi) comes from the object that changed the value.
    accounts_.energy.ledger.record_external(accounts_.energy.own_energy(state_.pi) - before);
    accounts_.energy.close();
    steps_.invalidate(Change::state);
    if (accounts_.breaking.may_break() && accounts_.breaking.margin(state_.pi) <= 0.0)
        accounts_.breaking.break_rows();
}

/// Constraints whose releases have come are gone from here on.
void Discontinuities::open_constraints() {
    if (!accounts_.releases.update()) return;
    steps_.follow_rows();
    // Rows that were dropped beside them may be needed.
    rows_.choice.renew();
    rows_.singular.prepare();
    impulse.forget();
    begin_new_course({true, nullptr});
    rows_.choice.begin_anew();
    // Modes are those of another system at this state.
    extra_.for_each([](StepPart& part) {
        part.forget_rows();
        part.restart();
        part.recheck();
    });
}

/// Brings velocities to what is prescribed at t, if they are not there.
void Discontinuities::meet_prescribed_rates(double t) {
    if (!impulse.is_wanted()) return;
    parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), t);
    if (!impulse.meet(state_.q, t, SignalSet::Moment::now, state_.v, state_.v_low)) return;
    impulse.record(accounts_.energy.ledger, accounts_.energy.efforts, state_.q, state_.v);
    if (parts_.model.traits.face == Face::discrete)
        accounts_.reactions.collect_impulse(impulse.stress());
    else
        state_.v_low.setZero();
    accounts_.energy.close();
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t, t);
    accounts_.violations.note();
    steps_.follow_velocities();
}

/// The sides of `at` differ by a few roundings of t: t- ends the step, t+ begins the next.
void Discontinuities::pass_break_point(double at) {
    rows_.jumps.check_sides(
        state_.q.data(), VelocityImpulse::before(at), VelocityImpulse::behind(at), state_.extent);
    // (64a) on the far side of the jump: velocities meet pi_t(t+), of which the step before knew
    // nothing.
    const double t = VelocityImpulse::behind(std::max(at, state_.t));
    meet_prescribed_rates(t);
    // Contacts may slide or stick otherwise where velocities have jumped.
    if (!extra_.empty() && impulse.jumps_at(state_.q, state_.v, t))
        extra_.for_each([](StepPart& part) {
            part.restart();
        });
    // Extrapolations from earlier steps are invalid; a step length chosen by error control is not.
    if (!parts_.model.traits.is_adaptive) std::ranges::fill(state_.history, 0.0);
    steps_.invalidate(parts_.model.traits.is_adaptive ? Change::state : Change::course);
    note_jump();
    look_at_crossings(false);
    pass_due_crossings();
}

}  // namespace ancora
