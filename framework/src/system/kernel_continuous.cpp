// SPDX-License-Identifier: BSD-3-Clause
// The continuous face of the whole model: accelerations, accepted states, projection.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "ancora/framework/failed_call.hpp"
#include "kernel_system.hpp"

namespace ancora {
namespace {

// Constraints are met to this, relative to the model's size or speed; rounding is a little less.
constexpr double kProjected = 1e-14;
// What projection may leave, relative likewise; more is no rounding.
constexpr double kGaping = 1e-7;
// Projection corrects what a step errs by. Where that is more than this part of what the step moved
// the bodies, or of the energy in play, the step followed another motion.
constexpr double kFarMoved = 0.1;
constexpr double kFarFromEnergy = 0.1;
constexpr const char* kTooLong =
    "the step is too long for the motion; take a shorter one, or an integrator with error control "
    "or one that meets constraints by itself";
// Coordinates and velocities beyond this, in SI units or those of a larger model's size, have
// diverged.
constexpr double kRunaway = 1e12;

}  // namespace

ContinuousFace& KernelSystem::continuous_face() {
    if (!face_) {
        face_ =
            std::make_unique<ContinuousFace>(model_, rows_, mass_, space_, laws_, forces_, meter_);
        face_->set_baumgarte(model_.traits.baumgarte);
        face_->want_least(!contacts_.empty() || forces_.listens());
    }
    return *face_;
}

ContinuousState KernelSystem::continuous() const {
    return {n_, 2 * n_ + kBooks};
}

void KernelSystem::read_state(std::span<double> x) const {
    std::copy(q_.begin(), q_.end(), x.begin());
    std::copy(v_.begin(), v_.end(), x.begin() + n_);
    std::fill(x.begin() + 2 * n_, x.end(), 0.0);
}

/// Coordinate of a state that has run away, or -1.
int KernelSystem::runaway(std::span<const double> x) const {
    for (int i = 0; i < 2 * n_; ++i)
        if (!(std::abs(x[static_cast<std::size_t>(i)]) <= kRunaway * std::max(1.0, extent_)))
            return i % n_;
    return -1;
}

/// False where a trial state has no accelerations and the integrator may take a shorter step.
bool KernelSystem::can_solve_accelerations(const double* q,
                                           const double* v,
                                           double t,
                                           RankUse use) {
    try {
        solve_accelerations(q, v, t, use);
        return true;
    } catch (const FailedCall&) {
        throw;
    } catch (const Error& error) {
        if (!model_.traits.is_adaptive || error.kind() != ErrorKind::numerical) throw;
        trial_error_ = error;
        return false;
    }
}

bool KernelSystem::is_accepted_state(std::span<const double> x) const {
    return std::equal(q_.begin(), q_.end(), x.begin()) &&
           std::equal(v_.begin(), v_.end(), x.begin() + n_);
}

void KernelSystem::derivative(double t, std::span<const double> x, std::span<double> dx) {
    ++evaluations;
    if (runaway(x) >= 0) {
        // Plugins are not asked; a step that leads here is shortened, or refused when it ends.
        std::ranges::fill(dx, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const double* q = x.data();
    const double* v = q + n_;
    ContinuousFace& face = continuous_face();
    // The rank of the step is that of the state it starts from.
    const bool is_start = is_accepted_state(x);
    if (is_start) {
        trial_error_.reset();
        solve_accelerations(q, v, t, RankUse::choose);
        has_chosen_rank_ = true;
    } else if (!can_solve_accelerations(
                   q, v, t, has_chosen_rank_ ? RankUse::keep : RankUse::decide)) {
        std::ranges::fill(dx, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    const Eigen::VectorXd& a = face.acceleration();
    std::copy(v, v + n_, dx.begin());
    std::copy(a.begin(), a.end(), dx.begin() + n_);

    double* books = dx.data() + 2 * n_;
    ForceSet::Work power = face.power();
    if (!contacts_.empty()) {
        rest_accelerations(v, dx.data() + n_);
        const Contacts::Work friction = contacts_.work(contact_s_.data(), v);
        power.nonideal += friction.nonideal;
        power.external += friction.external;
    }
    books[kExternal] = power.external / book_unit_[kExternal];
    books[kNonideal] = power.nonideal / book_unit_[kNonideal];
    std::fill(books + kImpulse, books + kBooks, 0.0);
    if (!has_gravity_ && !has_external_ && forces_.loads().empty()) return;
    face.external_force(x_force_);
    if (!contacts_.empty()) {
        contacts_.add_external(contact_s_.data(), x_force_.data());
        for (int i = 0; i < n_; ++i)
            if (is_coordinate_held(i)) x_force_[i] = 0.0;  // in balance by definition
    }
    const Momenta rate = space_.momenta(q, x_force_.data());
    std::copy(rate.linear.begin(), rate.linear.end(), books + kImpulse);
    std::copy(rate.angular.begin(), rate.angular.end(), books + kAngularImpulse);
    for (std::size_t i = kImpulse; i < kBooks; ++i) books[i] /= book_unit_[i];
}

/// Chooses units for the books of the next step, in which an error means as much as one of the same
/// size in q and v, with 1 J, 1 N s and 1 N m s for what is small: the energy E of the ledger, the
/// momentum (2 m E)^1/2, and that at the largest distance of mass from the origin. Powers of two,
/// which round nothing.
void KernelSystem::scale_books() {
    const auto unit = [](double scale) {
        return std::exp2(std::ceil(std::log2(1.0 + scale)));
    };
    const double energy = ledger_.energy_scale();
    const double momentum = std::sqrt(2.0 * total_mass_ * energy);
    book_unit_[kExternal] = book_unit_[kNonideal] = unit(energy);
    std::fill_n(book_unit_.begin() + kImpulse, 3, unit(momentum));
    std::fill_n(book_unit_.begin() + kAngularImpulse, 3, unit(momentum * farthest_));
}

void KernelSystem::accept_state(double t0, double t1, std::span<const double> x) {
    if (const int coordinate = runaway(x); coordinate >= 0) {
        const auto part =
            std::find_if(model_.bodies.begin(), model_.bodies.end(), [&](const BodyPart& body) {
                return coordinate < body.first + body.count;
            });
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: the motion runs away, first {} of "
                                "{}; the step is too long for the fastest vibration of the model: "
                                "take a shorter one, or an integrator with error control or one "
                                "that is implicit",
                                t0,
                                t1 - t0,
                                coordinate_name(*part, coordinate),
                                part->object.label),
                    part->object.place);
    }
    refuse_jumps(t0, t1 - t0);
    save(before_);
    const Violation violation = violation_;
    try {
        advance_to(t0, t1, x);
    } catch (...) {
        // What is refused leaves the accepted state as it was, also for the last row of results.
        restore(before_);
        violation_ = violation;
        mass_.update(q_.data(), v_.data(), t_, meter_, nullptr);
        throw;
    }
    scale_books();
    has_B_start_ = false;
    has_chosen_rank_ = false;
    ++substeps;
    iterations_in_piece_ = 0;
    note_violation();
}

void KernelSystem::advance_to(double t0, double t1, std::span<const double> x) {
    if (!state0_.empty()) {
        // State of plugins moves on with the discrete face; its forces are not used.
        for (int i = 0; i < n_; ++i) {
            dq_[i] = x[static_cast<std::size_t>(i)] - q_[i];
            mid_[i] = q_[i] + 0.5 * dq_[i];
        }
        std::copy(state0_.begin(), state0_.end(), state1_.begin());
        const double h = t1 - t0;
        if (rows_.num_state > 0)
            rows_.evaluate_step(q_.data(), dq_.data(), mid_.data(), t0, h, state0_, state1_);
        F_.setZero();
        forces_.evaluate_step(q_.data(), dq_.data(), t0, h, state0_, state1_, F_.data());
        state0_.swap(state1_);
    }
    take_state(t1, x);
    if (!contacts_.empty()) advance_contacts();
}

/// Goes from the present state to x at t1: projection, books, balances.
void KernelSystem::take_state(double t1, std::span<const double> x) {
    q_next_ = q_;
    std::copy(x.begin(), x.begin() + n_, q_.begin());
    std::copy(x.begin() + n_, x.begin() + 2 * n_, v_.begin());
    q_low_.setZero();
    v_low_.setZero();
    t_ = t1;
    if (model_.traits.projects) {
        dq_ = q_ - q_next_;
        const double speed =
            std::max(space_.displacement(v_.data()), space_.displacement(before_.v.data()));
        project(t1, std::max(space_.displacement(dq_.data()), (t1 - before_.t) * speed));
    }
    std::array<double, kBooks> books;
    for (std::size_t i = 0; i < kBooks; ++i)
        books[i] = book_unit_[i] * x[static_cast<std::size_t>(2 * n_) + i];
    ledger_.book_external(books[kExternal]);
    ledger_.book_nonideal(books[kNonideal]);
    Momenta impulse;
    std::copy_n(books.begin() + kImpulse, 3, impulse.linear.begin());
    std::copy_n(books.begin() + kAngularImpulse, 3, impulse.angular.begin());
    ledger_.book_impulse(impulse, 1.0);
    if (has_gravity_) {
        dq_ = q_ - q_next_;
        ledger_.book_gravity(
            -pairwise_dot(gravity_force_.data(), dq_.data(), static_cast<std::size_t>(n_)));
    }
    measure_violation(q_.data(), v_.data(), t1);
    rows_.evaluate_elastic(q_.data(), t1, pi_.data());
    close_ledger(false);
}

/// Kinetic, elastic and gravity energy of a state.
double KernelSystem::total_energy(const double* q, const double* v, double t) {
    mass_.update(q, v, t, meter_, nullptr);
    mass_.multiply(v, p_.data());
    rows_.evaluate_elastic(q, t, fresh_pi_.data());
    CompensatedSum sum(0.5 * pairwise_dot(v, p_.data(), static_cast<std::size_t>(n_)));
    for (int k = 0; k < m_; ++k) sum += laws_.energy(k, fresh_pi_[k]);
    sum += -pairwise_dot(gravity_force_.data(), q, static_cast<std::size_t>(n_));
    return sum.value();
}

/// Moves the present state onto the constraints and books the energy that this changes.
/// @param way what the step moved the bodies by [m]
void KernelSystem::project(double t, double way) {
    if (face_->constraint_rows().empty()) return;
    const double before = total_energy(q_.data(), v_.data(), t);
    const double speed = space_.displacement(v_.data());
    using Projected = ContinuousFace::Projected;
    mid_ = q_;
    const ContinuousFace::Projection positions =
        face_->project(Projected::position, q_.data(), v_.data(), t, kProjected * extent_);
    if (positions.left > kGaping * extent_)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: {} is {:.3g} instead of 0 and cannot be projected: "
                                "it contradicts other constraints, jumps, or moves too fast for "
                                "the step",
                                t,
                                rows_.row_name(positions.row),
                                positions.left),
                    rows_.place_of_row(positions.row));
    mid_ -= q_;
    const double moved = space_.displacement(mid_.data());
    // What is prescribed may move by any amount within a step.
    if (timed_rows_.empty() && moved > kFarMoved * way + kGaping * extent_)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: to meet the constraints at its "
                                "end, bodies would have to be moved by {:.3g} m, of {:.3g} m that "
                                "they went: {}",
                                before_.t,
                                t - before_.t,
                                moved,
                                way,
                                kTooLong),
                    model_.integrator_object.place);
    const ContinuousFace::Projection velocities =
        face_->project(Projected::velocity, q_.data(), v_.data(), t, kProjected * speed);
    if (velocities.left > kGaping * std::max(speed, velocities.first))
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: {} changes at a rate of {:.3g} and cannot be "
                                "projected: it contradicts other constraints",
                                t,
                                rows_.row_name(velocities.row),
                                velocities.left),
                    rows_.place_of_row(velocities.row));
    if (!positions.has_moved && !velocities.has_moved) return;
    const double work = total_energy(q_.data(), v_.data(), t) - before;
    const double kinetic = 0.5 * pairwise_dot(v_.data(), p_.data(), static_cast<std::size_t>(n_));
    const double scale = std::max(ledger_.energy_scale(), kinetic);
    if (timed_rows_.empty() && positions.first > kGaping * extent_ &&
        std::abs(work) > kFarFromEnergy * scale)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s, step of {:.3g} s: to meet the constraints at its "
                                "end, the energy would have to change by {:.3g} J, of {:.3g} J in "
                                "play: {}",
                                before_.t,
                                t - before_.t,
                                work,
                                scale,
                                kTooLong),
                    model_.integrator_object.place);
    ledger_.book_projection(work);
}

void KernelSystem::save(Snapshot& to) const {
    to.t = t_;
    to.q = q_;
    to.v = v_;
    to.pi = pi_;
    to.ledger = ledger_;
    to.state = state0_;
    to.contacts = contacts_.all();
    to.broken = laws_.broken();
    to.book_unit = book_unit_;
}

void KernelSystem::restore(const Snapshot& from) {
    t_ = from.t;
    q_ = from.q;
    v_ = from.v;
    pi_ = from.pi;
    ledger_ = from.ledger;
    state0_ = from.state;
    contacts_.all() = from.contacts;
    laws_.set_broken(from.broken);
    book_unit_ = from.book_unit;
}

void KernelSystem::peek(double t, std::span<const double> x) {
    save(after_);
    const Violation shown = violation_;
    restore(before_);
    take_state(t, x);
    violation_ = violation_next_;
    violation_next_ = shown;
}

void KernelSystem::unpeek() {
    restore(after_);
    violation_ = violation_next_;
    mass_.update(q_.data(), v_.data(), t_, meter_, nullptr);
}

/// A constraint's reaction for stresses s as it is reported.
std::vector<double> KernelSystem::reported(std::size_t constraint, const double* s, bool of_step) {
    const int count = reaction_start_[constraint + 1] - reaction_start_[constraint];
    std::vector<double> out(static_cast<std::size_t>(count));
    const RowOwner& owner = rows_.owners[model_.bodies.size() + constraint];
    const bool is_force = model_.constraints[constraint].reaction == ReactionKind::force;
    if (is_force && of_step)
        rows_.local_force(static_cast<int>(constraint), s, local_force_.data());
    else if (is_force)
        rows_.local_force_now(static_cast<int>(constraint), s, local_force_.data());
    for (int i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i)] = is_force ? local_force_[i] : -s[owner.first_row + i];
    return out;
}

void KernelSystem::update_reactions() {
    solve_all(q_.data(), v_.data(), t_);
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        const std::vector<double> reaction = reported(c, s_.data(), false);
        std::copy(reaction.begin(), reaction.end(), reaction_mean_.begin() + reaction_start_[c]);
    }
    applied_mean_.setZero();
    add_applied(contact_s_.data(), 1.0, applied_mean_);
}

Dynamics KernelSystem::dynamics() {
    const Eigen::VectorXd stress = s_;  // the next step starts from it
    const Eigen::VectorXd applied = applied_mean_;
    ContinuousFace& face = continuous_face();
    solve_all(q_.data(), v_.data(), t_);
    s_ = stress;
    face.refuse_inconsistent();
    const auto list = [](const Eigen::VectorXd& x) {
        return std::vector<double>(x.begin(), x.end());
    };
    Dynamics out;
    out.acceleration = list(face.acceleration());
    out.Q = list(face.Q());
    Eigen::VectorXd C = face.C();
    for (int k = 0; k < contacts_.num_rows(); ++k) contacts_.add_along(k, -contact_s_[k], C.data());
    out.C = list(C);
    Eigen::VectorXd lambda_L, lambda_C, s_L = Eigen::VectorXd::Zero(m_), s_C = s_L;
    face.split(view(C), lambda_L, lambda_C);
    out.F_L = list(face.constraint_force(lambda_L));
    out.F_C = list(C + face.constraint_force(lambda_C));
    face.write_stress(lambda_L, s_L);
    face.write_stress(lambda_C, s_C);
    // A compliant constraint's force belongs to Q, but it is its reaction all the same.
    for (int k = 0; k < m_; ++k)
        if (!laws_.is_constraint(k)) s_L[k] = face.stress()[k];
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        ConstraintForces forces{model_.constraints[c].object.name,
                                reported(c, s_L.data(), false),
                                reported(c, s_C.data(), false),
                                {}};
        for (std::size_t i = 0; i < forces.ideal.size(); ++i)
            forces.reaction.push_back(forces.ideal[i] + forces.nonideal[i]);
        out.constraints.push_back(std::move(forces));
    }
    applied_mean_.setZero();
    add_applied(contact_s_.data(), 1.0, applied_mean_);
    for (std::size_t f = 0; f < model_.forces.size(); ++f) {
        const auto i = static_cast<Eigen::Index>(3 * f);
        out.forces.push_back({model_.forces[f].object.name,
                              {applied_mean_[i], applied_mean_[i + 1], applied_mean_[i + 2]}});
    }
    applied_mean_ = applied;
    return out;
}

void KernelSystem::check_consistency() {
    ContinuousFace& face = continuous_face();
    try {
        forces_.forget_reactions();
        face.assemble(q_.data(), v_.data(), t_, state0_);
        face.solve();
    } catch (const Error&) {
        return;  // not unique, which a step may not need
    }
    face.refuse_inconsistent();
}

void KernelSystem::check_accelerations() {
    solve_all(q_.data(), v_.data(), t_);
    face_->refuse_inconsistent();
    s_.setZero();
}

RankAnalysis KernelSystem::rank_by_solver() {
    ContinuousFace& face = continuous_face();
    face.assemble(q_.data(), v_.data(), t_, state0_);
    RankAnalysis rank = face.solver().rank(true);
    for (int& row : rank.redundant) row = face.constraint_rows()[static_cast<std::size_t>(row)];
    return rank;
}

std::vector<std::string> KernelSystem::ambiguous_contacts() {
    std::vector<std::string> names;
    if (contacts_.empty()) return names;
    ContinuousFace& face = continuous_face();
    face.assemble(q_.data(), v_.data(), t_, state0_);
    for (const int c : face.solver().rows_without_unique_multiplier()) {
        const int k = face.constraint_rows()[static_cast<std::size_t>(c)];
        const auto begin = rows_.row_start[static_cast<std::size_t>(k)];
        const auto end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        const bool vanishes = std::all_of(
            face.instant().A.data() + begin, face.instant().A.data() + end, [](double x) {
                return x == 0.0;
            });
        if (vanishes) continue;  // its force is zero
        for (const Contact& contact : contacts_.all()) {
            const RowOwner& owner =
                rows_.owners[model_.bodies.size() + static_cast<std::size_t>(contact.constraint)];
            const std::string& label = contact.force->object.label;
            if (k >= owner.first_row && k < owner.first_row + owner.num_rows &&
                std::find(names.begin(), names.end(), label) == names.end())
                names.push_back(label);
        }
    }
    return names;
}

/// Moves a start that gapes onto the constraints, as the manifest asks for.
void KernelSystem::project_start() {
    ContinuousFace& face = continuous_face();
    using Projected = ContinuousFace::Projected;
    face.project(Projected::position, q_.data(), v_.data(), t_, kProjected * extent_, true);
    const double speed = space_.displacement(v_.data());
    face.project(Projected::velocity, q_.data(), v_.data(), t_, kProjected * speed, true);
}

}  // namespace ancora
