// SPDX-License-Identifier: BSD-3-Clause
// The parts of a system, and in which order they are asked.
#include "kernel_system.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>

#include <fmt/format.h>

#include "call_sizes.hpp"
#include "state_archive.hpp"

namespace ancora {

KernelSystem::KernelSystem(const Model& model)
    : parts_(model),
      state_(parts_),
      trial_(parts_),
      rows_(data()),
      extra_(context_of_parts()),
      accounts_(data(), extra_, rows_),
      residual_(data(), rows_, extra_),
      defect_(data(), rows_, extra_),
      feedback_(parts_, rows_.independent, extra_.outermost(), parts_.m + extra_.num_rows()),
      solver_(data(), rows_, extra_, feedback_, defect_),
      newton_(*this, parts_.workers),
      accelerations_(parts_, state_, extra_, accounts_.energy),
      acceptance_(data(), rows_, extra_, accounts_, defect_),
      motion_(data(), rows_, extra_, accounts_, accelerations_),
      instant_(parts_, state_, extra_, accelerations_, accounts_.reactions),
      start_(data(), rows_, accounts_, accelerations_, motion_),
      impulse_(parts_, state_) {
    // Rows and laws read plugins' state, values of objects and the time from where these are kept.
    acceptance_.meet_by(&impulse_);
    parts_.rows.read_state_from(state_.plugin);
    parts_.rows.read_own_values_from(parts_.signals);
    parts_.laws.read_time_from(state_.t);
    state_.s.setZero(parts_.m + extra_.num_rows());
    r_motion_.setZero(parts_.n);
    r_rows_.setZero(num_rows());
    newton_.resize(parts_.n, num_rows(), 0);
    for (Eigen::VectorXd* pi : {&pi_before_, &pi_next_}) pi->setZero(parts_.m);
    const double begin = parts_.model.begin_time;
    parts_.signals.begin(begin);
    parts_.signals.act(trial_.q_next.data(), trial_.v_next.data(), begin);
    follow_releases();
    start_.complete_own(
        view(trial_.q_next), {trial_.v_next.data(), static_cast<std::size_t>(parts_.n)}, begin);
    set_state(view(trial_.q_next), view(trial_.v_next), begin);
    accounts_.releases.record_start();
    look_at_crossings(false);
    pass_due_crossings();
}

/// With the bodies' start in the trial's room for the next state.
PartContext KernelSystem::context_of_parts() {
    parts_.read_start(trial_.q_next.data(), trial_.v_next.data());
    return {parts_,
            state_,
            trial_,
            rows_.independent,
            rows_.matrix,
            parts_.m,
            accelerations_,
            accounts_.energy,
            events_,
            impacts_};
}

void KernelSystem::plan_matrix(double h) {
    RowSet::StateValues instant;
    // gamma of this h decides which rows are condensed, A which pattern has entries.
    parts_.laws.prepare(h);
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant);
    rows_.matrix.plan(h, instant.A);
    rows_.turn.prepare();
}

void KernelSystem::set_state(std::span<const double> q, std::span<const double> v, double t) {
    // A state that is refused leaves the present one as it is.
    const MotionState saved_state = state_;
    std::vector<std::vector<std::byte>> saved_parts;
    extra_.save(saved_parts);
    try {
        begin_at(q, v, t);
    } catch (...) {
        state_ = saved_state;
        extra_.restore(saved_parts);
        invalidate(Change::state);
        throw;
    }
    // Only a state that was accepted replaces what was known of the last one.
    clear_records();
    accounts_.violations.note();
    parts_.signals.hold(state_.q.data(), state_.v.data(), t);
    accounts_.energy.begin();
    motion_.scale_quadratures();
    if (parts_.model.traits.face == Face::continuous) motion_.make_room();
}

void KernelSystem::invalidate(Change change) {
    // Values at the start of a step, and the rows that count there.
    rows_.tangent.forget_start();
    motion_.forget_rank();
    if (change == Change::state) return;
    // Extrapolations, factorisations, selections.
    accelerations_.forget_choices();
    if (implicit_) implicit_->forget();
    defect_.forget();
    solver_.forget();
    newton_.forget();
    impulse_.forget();
}

void KernelSystem::clear_records() {
    rows_.independent.forget();
    rows_.singular.forget();
    rows_.turn.forget();
    accounts_.reactions.forget();
    accounts_.breaking.forget();
    accounts_.releases.forget();
    accounts_.violations.forget_worst();
    events_.forget();
    motion_.forget_records();
    limited_ = {};
}

void KernelSystem::take_state(std::span<const double> q,
                              std::span<const double> v,
                              double t,
                              double h) {
    is_from_program_ = true;
    given_step_ = parts_.model.traits.face == Face::discrete && !projection_ ? h : 0.0;
    try {
        set_state(q, v, t);
    } catch (...) {
        is_from_program_ = false;
        throw;
    }
    is_from_program_ = false;
}

void KernelSystem::begin_at(std::span<const double> q, std::span<const double> v, double t) {
    invalidate(Change::motion);
    if (!parts_.rows.unilateral().empty()) {
        // Which unilateral rows are closed is found anew.
        close_rows({});
    }
    if (is_from_program_)
        start_.begin_from_program(q, v, t, given_step_);
    else
        start_.begin(q, v, t);
    accounts_.joints.begin(state_.q.data());
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t);
    failed_until_ = -std::numeric_limits<double>::infinity();
    settled_ = {};
    extra_.for_each([](StepPart& part) {
        part.start();
    });
}

void KernelSystem::continue_from(KernelSystem& before) {
    const EnergyAccounting::Snapshot stand = before.accounts_.energy.snapshot();
    const Start::InitialViolations initial_violations = before.start_.initial_violations();
    const std::size_t own_history = state_.history.size();
    set_redundant(before.rows_.choice.is_redundant());
    state_.history.resize(before.state_.history.size());
    try {
        restore(before.save());
    } catch (const Error& error) {
        // Numbers of one kind, read as those of another, may mean anything
        if (error.kind() != ErrorKind::file && error.kind() != ErrorKind::manifest) throw;
        throw Error(ErrorKind::usage,
                    "with these parameters the model keeps other numbers from step to step than "
                    "it did, and cannot go on from them; make a new simulation instead");
    }
    state_.history.assign(own_history, 0.0);
    rows_.choice.begin_anew();
    rows_.independent.forget();
    invalidate(Change::motion);
    start_.begin_here(initial_violations);
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t);
    parts_.signals.hold(state_.q.data(), state_.v.data(), state_.t);
    accounts_.energy.continue_from(stand);
    if (accounts_.breaking.may_break() && accounts_.breaking.margin(state_.pi) <= 0.0)
        accounts_.breaking.break_rows();
    after_signals();
    motion_.scale_quadratures();
    if (parts_.model.traits.face == Face::continuous) {
        motion_.make_room();
        resolve_modes();
    }
}

void KernelSystem::clear_constraint_stress(std::span<double> s) const {
    for (int k = 0; rows_.choice.is_redundant() && k < parts_.m; ++k)
        if (parts_.laws.is_constraint(k)) s[k] = 0.0;
    extra_.for_each([s](const StepPart& part) {
        part.clear_shared_stress(s);
    });
}

std::span<const double> KernelSystem::stress_of_body(std::size_t body) const {
    const RowOwner& owner = parts_.rows.owners[body];
    return view(state_.s).subspan(owner.first_row, owner.num_rows);
}

/// Accepted records continue from the present state.
void KernelSystem::require_present(double t0, double h) const {
    constexpr double kRounding = 1e-9;
    if (std::abs(t0 - state_.t) <= kRounding * std::max(std::abs(h), std::abs(state_.t))) return;
    throw Error(
        ErrorKind::plugin,
        fmt::format("{}: it accepts a step that begins at t = {:.9g} s, but the state stands "
                    "at t = {:.9g} s",
                    describe(parts_.model.integrator_object),
                    t0,
                    state_.t),
        parts_.model.integrator_object.place);
}

void KernelSystem::split_ranges(std::size_t count, RangeCall call, const void* range) {
    constexpr int kMost = std::numeric_limits<int>::max();
    if (count > static_cast<std::size_t>(kMost)) return call(range, 0, count);
    std::mutex of_failure;
    std::exception_ptr failure;
    int failed_at = kMost;
    parts_.workers.split(static_cast<int>(count), [&](int begin, int end) {
        try {
            call(range, static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
        } catch (...) {
            // The first in the order of turns, which one thread would have come to.
            const std::lock_guard lock(of_failure);
            if (begin >= failed_at) return;
            failed_at = begin;
            failure = std::current_exception();
        }
    });
    if (failure) std::rethrow_exception(failure);
}

void KernelSystem::accept(const StepTrial& trial) {
    require_present(trial.t0, trial.h);
    require_size(parts_.model, "accept", "a", trial.a.size(), parts_.n);
    require_size(parts_.model, "accept", "s", trial.s.size(), num_rows());
    // B, tau, M a and F have to be those of this trial: others may have been evaluated since.
    return_to(trial);
    if (watch_) watch_(trial);
    try {
        acceptance_.accept(trial);
    } catch (...) {
        if (projection_) projection_->abandon();
        throw;
    }
    // Costs and joint angles of steps that count, not of those that were tried.
    newton_.note_accepted(trial.h);
    accounts_.joints.follow_step(state_.q.data(), state_.v.data(), state_.t, trial.h);
    begin_new_course(extra_.finish_step());
    note_piece();
}

/// A piece of a step has been accepted.
void KernelSystem::note_piece() {
    rows_.singular.follow();
    look_at_crossings(true);
    if (implicit_) counts_.in_piece += std::exchange(implicit_->iterations, 0);
    ++counts_.substeps;
    counts_.iterations += counts_.in_piece;
    counts_.max_iterations = std::max(counts_.max_iterations, counts_.in_piece);
    counts_.in_piece = 0;
}

void KernelSystem::accept_state(double t0, double t1, std::span<const double> x) {
    require_present(t0, t1 - t0);
    if (implicit_ && implicit_->leaves_own())
        throw Error(ErrorKind::plugin,
                    describe(parts_.model.integrator_object) +
                        ": accepts a step without follow_own(), though its traits say that it "
                        "carries continuous states of objects (follows_own_states); they would "
                        "stand still",
                    parts_.model.integrator_object.place);
    motion_.accept(t0, t1, x);
    accounts_.joints.follow(state_.q.data(), state_.v.data(), t1, t1 - t0);
    note_piece();
}

ImplicitFace& KernelSystem::linearisable() {
    // States of objects would be constant.
    ImplicitFace::require_differentiable(parts_, rows_.choice.is_redundant(), {});
    return implicit_face();
}

void KernelSystem::close_rows(const std::vector<int>& rows) {
    parts_.rows.close(rows);
    parts_.laws.forget_step();
    accelerations_.rebuild();
}

ImplicitFace& KernelSystem::implicit_face() {
    if (!implicit_)
        implicit_ = std::make_unique<ImplicitFace>(
            parts_, state_, accelerations_, motion_, rows_.choice.is_redundant());
    return *implicit_;
}

std::unique_ptr<ImplicitFace> KernelSystem::make_turning_face() {
    ImplicitFace::require_differentiable(parts_, rows_.choice.is_redundant(), {});
    return std::make_unique<ImplicitFace>(
        parts_, state_, accelerations_, motion_, rows_.choice.is_redundant(), true);
}

std::vector<std::byte> KernelSystem::save() {
    ArchiveWriter writer;
    transfer(writer);
    return writer.take();
}

void KernelSystem::restore(std::span<const std::byte> saved) {
    if (projection_) projection_->abandon();
    ArchiveReader reader(saved);
    transfer(reader);
    if (!reader.at_end()) ArchiveReader::refuse();
}

void* KernelSystem::find_facet(Facet which) {
    const bool is_discrete = parts_.model.traits.face == Face::discrete;
    switch (which) {
        case Facet::continuous:
            return static_cast<ContinuousSystem*>(this);
        case Facet::implicit:
            if (is_discrete) return nullptr;
            ImplicitFace::require_differentiable(parts_,
                                                 rows_.choice.is_redundant(),
                                                 {parts_.model.traits.follows_own_states, true});
            ImplicitFace::refuse_releases(parts_.model);
            return static_cast<ImplicitSystem*>(&implicit_face());
        case Facet::step_equations:
            return static_cast<StepEquations*>(this);
        case Facet::projection:
            return is_discrete ? static_cast<StepProjection*>(&velocity_projection()) : nullptr;
    }
    return nullptr;
}

VelocityProjection& KernelSystem::velocity_projection() {
    if (!projection_) {
        projection_ = std::make_unique<VelocityProjection>(
            parts_,
            state_,
            extra_,
            [this] {
                extra_.for_each([](StepPart& part) {
                    part.begin_course();
                });
                saved_ = save();
            },
            [this] {
                restore(saved_);
            },
            [this](std::span<double> g) {
                extra_.evaluate_course(g);
            });
        acceptance_.project_by(projection_.get());
        newton_.resize(parts_.n, num_rows(), projection_->num_conditions());
    }
    return *projection_;
}

// Trials without a solution, each within so many lengths of the one before, and changes of modes in
// one trial, before a part goes over the step.
constexpr int kMostFailures = 4;
constexpr double kFailureReach = 2.0;
constexpr int kMostSettlings = 600;

StepReport KernelSystem::solve_step(const StepGuess& guess, const StepOptions& options) {
    const bool is_refused = guess.t0 == refused_.t0 && guess.h == refused_.h;
    refused_ = {};
    if (is_refused) return {};
    has_gone_over_ = false;
    VelocityProjection* const projection = guess.mu.empty() ? nullptr : projection_.get();
    // Where no solution was found, rows left out may be others: once more with a new choice.
    StepReport report = newton_.solve(guess, options, projection);
    if (!report.has_converged && rows_.choice.renew()) {
        newton_.return_to(guess);
        report = newton_.solve(guess, options, projection);
    }
    if (report.has_converged) return report;
    // Shorter trials come first: a part that takes the rest of the step at once is the last resort.
    if (!(state_.t <= failed_until_)) num_failures_ = 0;
    failed_until_ = std::max(failed_until_, state_.t + kFailureReach * guess.h);
    if (++num_failures_ >= kMostFailures) go_over();
    return report;
}

/// Trials at hand are then void, and with them the search for an event that they belong to.
/// @returns whether a part goes over the rest of the step as a whole
bool KernelSystem::go_over() {
    const StepPart::Passage passage = extra_.go_over();
    begin_new_course(passage);
    has_gone_over_ = passage.is_new_course;
    return passage.is_new_course;
}

/// Evaluates a solved trial again, where other positions have been evaluated since.
void KernelSystem::return_to(const StepTrial& trial) {
    if (!is_trial_passed_) return;
    is_trial_passed_ = false;
    residual_.evaluate(trial,
                       {r_motion_.data(), static_cast<std::size_t>(r_motion_.size())},
                       {r_rows_.data(), static_cast<std::size_t>(r_rows_.size())});
}

bool KernelSystem::nears_singular_position(const StepTrial& trial) {
    is_trial_passed_ = true;
    return rows_.singular.nears(trial);
}

bool KernelSystem::update_active_set(const StepTrial& trial) {
    return_to(trial);
    if (rows_.choice.settle(trial, rows_.singular)) return true;
    const bool is_same = trial.t0 == settled_.t0 && trial.h == settled_.h;
    settled_ = {trial.t0, trial.h, is_same ? settled_.count + 1 : 0};
    const auto refuse = [&] {
        refused_ = {trial.t0, trial.h};
        return true;
    };
    if (settled_.count == kMostSettlings && go_over()) return refuse();
    try {
        if (!extra_.settle(trial)) {
            if (extra_.is_admissible()) return false;
            return refuse();
        }
    } catch (const Error&) {
        // No modes, or no single solution.
        if (!go_over()) throw;
        return refuse();
    }
    if (!parts_.rows.unilateral().empty()) {
        // Others of them may be rows of the step now.
        rows_.matrix.forget();
        newton_.forget();
        invalidate(Change::state);
    }
    return true;
}

/// One for each contact, one for all rows that may break, and the crossings of signals.
int KernelSystem::num_events() const {
    return first_crossing() + parts_.signals.num_crossings();
}

int KernelSystem::first_crossing() const {
    return extra_.num_events() + (accounts_.breaking.may_break() ? 1 : 0);
}

void KernelSystem::evaluate_events(const StepTrial& trial, std::span<double> g) {
    require_size(parts_.model, "evaluate_events", "event functions", g.size(), num_events());
    return_to(trial);
    const auto first = static_cast<std::size_t>(first_crossing());
    if (parts_.signals.num_crossings() > 0) {
        for (int i = 0; i < parts_.n; ++i) {
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
    // Gaps and reactions at the end of the trial have been looked at.
    is_trial_passed_ = is_trial_passed_ || !parts_.rows.unilateral().empty();
}

void KernelSystem::evaluate_events(double t, std::span<const double> x, std::span<double> g) {
    require_size(parts_.model, "evaluate_events", "a state", x.size(), motion_.num_states());
    require_size(parts_.model, "evaluate_events", "event functions", g.size(), num_events());
    if (motion_.diverged(x) >= 0) {
        std::ranges::fill(g, 0.0);
        return;
    }
    const auto first = static_cast<std::size_t>(first_crossing());
    if (parts_.signals.num_crossings() > 0)
        parts_.signals.evaluate_crossings(
            x.data(), x.data() + parts_.n, t, motion_.own_states(x).data(), g.subspan(first));
    if (accounts_.breaking.may_break()) {
        if (parts_.signals.are_read_by_rows()) motion_.show_own_values(t, x);
        parts_.rows.evaluate_elastic(x.data(), t, pi_next_.data());
        g[first - 1] = accounts_.breaking.margin(pi_next_);
    }
    // What may meet does so where the step will end, not where a method's error leaves it.
    const double* const q =
        parts_.rows.unilateral().empty() ? x.data() : motion_.positions_on_constraints(t, x);
    extra_.evaluate_events(t, q, x.data() + parts_.n, g);
}

void KernelSystem::pass_event(int event) {
    if (std::exchange(has_gone_over_, false)) return;
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

/// Behind an impact, or with other rows of the model: what is known of steps before does not hold.
void KernelSystem::begin_new_course(const StepPart::Passage& passage) {
    if (!passage.is_new_course) return;
    if (passage.impulse != nullptr && parts_.model.traits.face == Face::discrete)
        accounts_.reactions.collect_impulse(*passage.impulse, passage.applied);
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t);
    accounts_.violations.note();
    // The choice of rows for a projection, and what is extrapolated; of an explicit method it may
    // be a length that an error chose.
    if (projection_) projection_->abandon();
    if (!parts_.model.traits.is_adaptive || parts_.model.traits.face == Face::discrete)
        std::ranges::fill(state_.history, 0.0);
    if (passage.may_depend) rows_.choice.follow_conditions();
    rows_.matrix.forget();
    newton_.forget();
    invalidate(Change::state);
    motion_.scale_quadratures();
    note_jump();
}

/// Extrapolations from the last step are invalid under other forces.
void KernelSystem::note_jump() {
    extra_.for_each([](StepPart& part) {
        part.note_jump();
    });
}

void KernelSystem::resolve_modes() {
    extra_.for_each([](StepPart& part) {
        part.resolve();
    });
}

void KernelSystem::pass_crossing(int crossing) {
    refuse_endless_switching(crossing);
    parts_.signals.pass(crossing, state_.q.data(), state_.v.data(), state_.t);
    after_signals();
}

/// Crossings at this instant that the actions of others at it have caused.
void KernelSystem::pass_due_crossings() {
    for (int due = parts_.signals.due_crossing(); due >= 0; due = parts_.signals.due_crossing())
        pass_crossing(due);
}

void KernelSystem::apply_force(const std::string& attachment, const std::array<double, 3>& force) {
    parts_.forces.loads().set(attachment, force);
    note_jump();
}

void KernelSystem::apply_torque(const std::string& body, const std::array<double, 3>& torque) {
    parts_.forces.loads().set_torque(body, torque);
    note_jump();
}

/// Faster than anything that is built: a bound without hysteresis, which the motion slides along.
void KernelSystem::refuse_endless_switching(int crossing) {
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

void KernelSystem::act() {
    parts_.signals.act(state_.q.data(), state_.v.data(), state_.t);
    after_signals();
    pass_due_crossings();
}

/// Own values that rows read have jumped, and with them strains and energies.
void KernelSystem::jump_with_own_values() {
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
    invalidate(Change::state);
    if (accounts_.breaking.may_break() && accounts_.breaking.margin(state_.pi) <= 0.0)
        accounts_.breaking.break_rows();
}

/// Brings velocities to what is prescribed at t, if they are not there.
bool KernelSystem::meet_prescribed_rates(double t) {
    if (!impulse_.is_wanted()) return false;
    parts_.rows.refresh_own_values(state_.q.data(), state_.v.data(), t);
    if (!impulse_.meet(state_.q, t, SignalSet::Moment::now, state_.v, state_.v_low)) return false;
    impulse_.record(accounts_.energy.ledger, accounts_.energy.efforts, state_.q, state_.v);
    if (parts_.model.traits.face == Face::discrete)
        accounts_.reactions.collect_impulse(impulse_.stress());
    else
        state_.v_low.setZero();
    accounts_.energy.close();
    accounts_.violations.measure(state_.q.data(), state_.v.data(), state_.t, t);
    accounts_.violations.note();
    invalidate(Change::state);
    motion_.scale_quadratures();
    return true;
}

/// The sides of `at` differ by a few roundings of t: t- ends the step, t+ begins the next.
void KernelSystem::pass_break_point(double at) {
    rows_.jumps.check_sides(
        state_.q.data(), VelocityImpulse::before(at), VelocityImpulse::behind(at), state_.extent);
    // (64a) on the far side of the jump: velocities meet pi_t(t+), of which the step before knew
    // nothing.
    const double t = VelocityImpulse::behind(std::max(at, state_.t));
    meet_prescribed_rates(t);
    // Contacts may slide or stick otherwise where velocities have jumped.
    if (!extra_.empty() && impulse_.jumps_at(state_.q, state_.v, t))
        extra_.for_each([](StepPart& part) {
            part.restart();
        });
    // Extrapolations from earlier steps are invalid; a step length chosen by error control is not.
    if (!parts_.model.traits.is_adaptive) {
        std::ranges::fill(state_.history, 0.0);
        newton_.forget();
    }
    invalidate(Change::state);
    note_jump();
    look_at_crossings(false);
    pass_due_crossings();
}

/// Constraints whose releases have come are gone from here on.
void KernelSystem::open_constraints() {
    if (!accounts_.releases.update()) return;
    accelerations_.rebuild();
    start_.follow_rows(true);
    // Rows that were dropped beside them may be needed.
    rows_.choice.renew();
    rows_.singular.prepare();
    impulse_.forget();
    begin_new_course({true, nullptr});
    rows_.choice.begin_anew();
    // Modes are those of another system at this state.
    extra_.for_each([](StepPart& part) {
        part.forget_rows();
        part.restart();
        part.recheck();
    });
}

void KernelSystem::after_signals() {
    jump_with_own_values();
    open_constraints();
    meet_prescribed_rates(VelocityImpulse::behind(state_.t));
    invalidate(Change::state);
    note_jump();
    begin_new_course(extra_.follow_signals());
}

void KernelSystem::look_at_crossings(bool has_passed) {
    parts_.signals.look(state_.q.data(), state_.v.data(), state_.t, has_passed);
}

void KernelSystem::begin_grid_step(long step, bool goes_on) {
    parts_.meter.sample(step % CallMeter::kSampleEvery == 0);
    counts_.in_piece = 0;
    if (implicit_) implicit_->iterations = 0;
    if (!goes_on) accounts_.reactions.begin_grid_step();
    // A program may have set inputs or the state.
    look_at_crossings(false);
    pass_due_crossings();
}

void KernelSystem::end_grid_step(double t) {
    // t_0 + k h of the grid, not the sum of pieces, so that times do not drift; lag of the same
    // instant.
    accounts_.violations.note_lag(t, state_);
    state_.t = t;
    accounts_.reactions.end_grid_step();
}

void KernelSystem::refuse(double t, std::string_view why) {
    if (motion_.trial_error()) throw *motion_.trial_error();
    const std::string grown = grown_energy(true);
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: {}{}{}", t, why, grown.empty() ? "" : "; ", grown));
}

std::string KernelSystem::grown_energy(bool has_failed) const {
    return accounts_.energy.growth.cause(
        accounts_.energy.ledger, accounts_.energy.efforts, has_failed);
}

void KernelSystem::no_convergence(const StepTrial& trial,
                                  std::string_view what,
                                  std::string_view advice) {
    parts_.attribute_nonfinite(trial.t0);
    rows_.jumps.check(state_.q.data(), trial.t0, trial.h, state_.extent);
    extra_.for_each([&trial](const StepPart& part) {
        part.refuse_unsolvable(trial.t0);
    });
    rows_.choice.refuse_open_row(trial);
    const ResidualScaling::Worst worst = defect_.worst(trial);
    const ForceSet::ReactionDependents dependents = parts_.forces.reaction_dependents();
    std::string cause{advice};
    if (const std::string grown = grown_energy(true); !grown.empty()) cause = grown;
    if (worst.cause != nullptr)
        cause = worst.cause;
    else if (!dependents.names.empty())
        cause =
            fmt::format("{} and the reactions that it depends on may raise each other without end",
                        dependents.names);
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s, step of {:.3g} s: {}; the largest residual is in {} "
                            "({:.3g} {}); {}",
                            trial.t0,
                            trial.h,
                            what,
                            worst.name,
                            worst.left,
                            worst.unit,
                            cause),
                dependents.place);
}

/// Constraints that signals say are open are no rows of the model.
/// @returns whether there are others than before
bool KernelSystem::follow_releases() {
    if (!accounts_.releases.follow()) return false;
    accelerations_.rebuild();
    extra_.for_each([](StepPart& part) {
        part.forget_rows();
    });
    return true;
}

/// Members that a step only uses itself are not among these; a restored run repeats every bit.
template <class Archive>
void KernelSystem::transfer(Archive& archive) {
    parts_.signals.transfer(archive);
    bool has_other_rows = false;
    if constexpr (Archive::kReads) has_other_rows = follow_releases();
    accounts_.reactions.transfer(archive);
    accounts_.joints.transfer(archive);
    rows_.choice.transfer(archive);
    state_.transfer(archive);
    accounts_.energy.transfer(archive);
    accounts_.violations.transfer(archive);
    motion_.transfer(archive);
    extra_.for_each([&archive](StepPart& part) {
        part.transfer(archive);
    });
    events_.transfer(archive, static_cast<int>(parts_.model.forces.size()));
    rows_.singular.transfer(archive);
    rows_.jumps.transfer(archive);
    accounts_.breaking.transfer(archive);
    accounts_.releases.transfer(archive);
    rows_.nonlinear.transfer(archive);
    parts_.forces.loads().transfer(archive);
    solver_.transfer(archive);
    newton_.transfer(archive);
    defect_.transfer(archive);
    // Steps that solve without a refinement measure residuals with the tangent of one before.
    archive(parts_.rows.K);
    archive.require_finite(parts_.rows.K, "a tangent");
    for (long* count : {&counts_.substeps, &counts_.iterations, &counts_.max_iterations}) {
        archive(*count);
        archive.require(*count >= 0, "a count");
    }
    for (double* number : {&limited_.t, &limited_.h}) {
        archive(*number);
        archive.require(std::isfinite(*number), "a step that was limited");
    }
    rows_.matrix.transfer(archive);
    impulse_.transfer(archive);
    rows_.turn.transfer(archive);
    bool has_implicit = implicit_ != nullptr;
    archive(has_implicit);
    if (!has_implicit)
        implicit_.reset();
    else
        implicit_face().transfer(archive);
    if constexpr (Archive::kReads) {
        invalidate(Change::state);
        accelerations_.forget_choices();
        if (has_other_rows) start_.follow_rows(false);
        // The last values of plugins are those of this state.
        RowSet::StateValues instant;
        parts_.signals.show_sampled();
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant);
        parts_.update_mass(state_.q.data(), state_.v.data(), state_.t);
        extra_.for_each([](StepPart& part) {
            part.follow_restored();
        });
    }
}
template void KernelSystem::transfer(ArchiveWriter&);
template void KernelSystem::transfer(ArchiveReader&);

}  // namespace ancora
