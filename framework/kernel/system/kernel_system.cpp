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
      discontinuities_(data(), rows_, extra_, accounts_, *this) {
    // Rows and laws read plugins' state, values of objects and the time from where these are kept.
    acceptance_.meet_by(&discontinuities_.impulse);
    parts_.rows.read_state_from(state_.plugin);
    parts_.rows.read_own_values_from(parts_.signals);
    parts_.laws.read_time_from(state_.t);
    state_.s.setZero(parts_.m + extra_.num_rows());
    r_motion_.setZero(parts_.n);
    r_rows_.setZero(num_rows());
    newton_.resize(parts_.n, num_rows(), 0);
    const double begin = parts_.model.begin_time;
    parts_.signals.begin(begin);
    parts_.signals.act(trial_.q_next.data(), trial_.v_next.data(), begin);
    follow_releases();
    start_.complete_own(
        view(trial_.q_next), {trial_.v_next.data(), static_cast<std::size_t>(parts_.n)}, begin);
    set_state(view(trial_.q_next), view(trial_.v_next), begin);
    accounts_.releases.record_start();
    discontinuities_.look_at_crossings(false);
    discontinuities_.pass_due_crossings();
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
    rows_.matrix.forget();
    newton_.forget();
    if (change == Change::course) return;
    // What has been learnt of steps, selections, and factorisations beside the step's.
    defect_.forget();
    solver_.forget();
    accelerations_.forget_choices();
    if (implicit_) implicit_->forget();
    discontinuities_.impulse.forget();
}

void KernelSystem::follow_velocities() {
    invalidate(Change::state);
    motion_.scale_quadratures();
}

void KernelSystem::begin_course() {
    // The choice of rows for a projection belongs to the course before.
    if (projection_) projection_->abandon();
    invalidate(Change::course);
    motion_.scale_quadratures();
}

void KernelSystem::follow_rows() {
    accelerations_.rebuild();
    start_.follow_rows(true);
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
    trials_.begin_anew();
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
    discontinuities_.after_signals();
    motion_.scale_quadratures();
    if (parts_.model.traits.face == Face::continuous) {
        motion_.make_room();
        discontinuities_.resolve_modes();
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
    discontinuities_.begin_new_course(extra_.finish_step());
    note_piece();
}

/// A piece of a step has been accepted.
void KernelSystem::note_piece() {
    rows_.singular.follow();
    discontinuities_.look_at_crossings(true);
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
    if (watch_) watch_({t0, t1 - t0, {}, {}});
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
                pause_behind_event();
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

StepReport KernelSystem::solve_step(const StepGuess& guess, const StepOptions& options) {
    if (trials_.takes_refused(guess.t0, guess.h)) return {};
    has_gone_over_ = false;
    VelocityProjection* const projection = guess.mu.empty() ? nullptr : projection_.get();
    // Where no solution was found, rows left out may be others: once more with a new choice.
    StepReport report = newton_.solve(guess, options, projection);
    if (!report.has_converged && rows_.choice.renew()) {
        newton_.return_to(guess);
        report = newton_.solve(guess, options, projection);
    }
    if (!report.has_converged && extra_.take_less()) {
        newton_.return_to(guess);
        report = newton_.solve(guess, options, projection);
    }
    if (report.has_converged) return report;
    // Shorter trials come first: a part that takes the rest of the step at once is the last resort.
    if (trials_.fails_again(state_.t, guess.h)) go_over();
    return report;
}

/// Trials at hand are then void, and with them the search for an event that they belong to.
/// @returns whether a part goes over the rest of the step as a whole
bool KernelSystem::go_over() {
    const StepPart::Passage passage = extra_.go_over();
    discontinuities_.begin_new_course(passage);
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
    const auto refuse = [&] {
        trials_.refuse(trial);
        return true;
    };
    if (trials_.settles_without_end(trial) && go_over()) return refuse();
    if (rows_.choice.settle(trial, rows_.singular)) return true;
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
    // Other unilateral rows may be rows of the step now.
    if (!parts_.rows.unilateral().empty()) invalidate(Change::course);
    return true;
}

void KernelSystem::evaluate_events(const StepTrial& trial, std::span<double> g) {
    require_size(parts_.model, "evaluate_events", "event functions", g.size(), num_events());
    return_to(trial);
    discontinuities_.evaluate_events(trial, g);
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
    if (accounts_.breaking.may_break() && parts_.signals.are_read_by_rows())
        motion_.show_own_values(t, x);
    // What may meet does so where the step will end, not where a method's error leaves it.
    const double* const q =
        parts_.rows.unilateral().empty() ? x.data() : motion_.positions_on_constraints(t, x);
    discontinuities_.evaluate_events(t, x, motion_.own_states(x).data(), q, g);
}

void KernelSystem::pass_event(int event) {
    if (!std::exchange(has_gone_over_, false)) discontinuities_.pass_event(event);
    is_paused_ = pauses_;
}

void KernelSystem::apply_force(const std::string& attachment, const std::array<double, 3>& force) {
    parts_.forces.loads().set(attachment, force);
    discontinuities_.note_jump();
}

void KernelSystem::apply_torque(const std::string& body, const std::array<double, 3>& torque) {
    parts_.forces.loads().set_torque(body, torque);
    discontinuities_.note_jump();
}

void KernelSystem::begin_grid_step(long step, bool goes_on) {
    parts_.meter.sample(step % CallMeter::kSampleEvery == 0);
    counts_.in_piece = 0;
    if (implicit_) implicit_->iterations = 0;
    if (!goes_on) accounts_.reactions.begin_grid_step();
    // A program may have set inputs or the state.
    discontinuities_.look_at_crossings(false);
    discontinuities_.pass_due_crossings();
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
    discontinuities_.impulse.transfer(archive);
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
