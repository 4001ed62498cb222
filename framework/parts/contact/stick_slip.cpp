// SPDX-License-Identifier: BSD-3-Clause
// Transitions between stick and slip.
#include "stick_slip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "dense.hpp"

namespace ancora {
namespace {

// Changes of modes at one instant, of all contacts, before they are left as they are.
constexpr int kMostModeChanges = 50;
// Inconsistency of several anchors that is allowed, relative to positions.
constexpr double kAnchorRounding = 4.0 * std::numeric_limits<double>::epsilon();
// A contact is locked by constraints if a force along its rows displaces it by less than this part
// of the displacement without constraints.
constexpr double kLocked = 1e-12;
// The same of one direction among several.
constexpr double kPartlyLocked = 1e-9;

}  // namespace

StickSlip::StickSlip(Assembly& parts,
                     MotionState& state,
                     const Trial& trial,
                     Contacts& contacts,
                     RestIslands& islands,
                     SlipLaw& slip,
                     ContactResponses& responses,
                     InstantFriction& friction,
                     LoadSharing& sharing,
                     ModeEvents& events,
                     Accelerations& accelerations,
                     EnergyAccounting& accounting)
    : parts_(parts),
      state_(state),
      trial_(trial),
      contacts_(contacts),
      islands_(islands),
      slip_(slip),
      responses_(responses),
      friction_(friction),
      sharing_(sharing),
      events_(events),
      accelerations_(accelerations),
      accounting_(accounting) {
    q_.setZero(parts.n);
    v_.setZero(parts.n);
    force_.setZero(contacts.num_rows());
    held_margin_.setOnes(static_cast<Eigen::Index>(contacts.all().size()));
    repeated_.resize(contacts.all().size());
}

void StickSlip::start() {
    told_ = {};
    has_no_solution_ = is_overrun_ = false;
    contacts_.follow_open();
    // Speeds are the scale of "stopped", so they are noted before any contact is asked for its
    // mode.
    islands_.forget_speeds();
    islands_.note_speeds(state_.v);
    friction_.forget();
    find_locked();
    choose_modes(kStopped);
}

void StickSlip::restart() {
    has_no_solution_ = is_overrun_ = false;
    contacts_.follow_open();
    islands_.note_speeds(state_.v);
    if (contacts_.is_crossing()) {
        rub_all_over();
        return;
    }
    find_locked();
    // Slower than what the end of a step misses of its conditions is at rest.
    choose_modes(kTurning);
}

/// Contacts whose rows bear a step over all events slide or do not as SlipLaw::project() says,
/// whatever others there are in the end.
void StickSlip::rub_all_over() {
    for (Contact& contact : contacts_.all())
        contact.is_idle = contact.is_locked = contact.is_partly_locked = false;
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    for (Contact& contact : contacts_.all()) {
        contact.begin(ContactMode::slip);
        contact.direction = {};
        contact.is_fresh = false;
        if (contacts_.is_open(contact)) continue;
        const Slides w = contacts_.sliding(contact, state_.v.data());
        const double speed = norm(w.data(), contact.num_rows);
        if (speed > kTurning * islands_.top_speed(islands_.of(contact))) contact.speed = speed;
    }
}

/// @param stopped part of the island's top speed below which a contact does not slide
void StickSlip::choose_modes(double stopped) {
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    bool creeps = false;
    for (Contact& contact : contacts_.all()) {
        if (contact.is_locked || contacts_.is_open(contact)) {
            contact.begin(ContactMode::slip);
            continue;
        }
        // Initial active set: slip where |w| exceeds rounding of the speeds in play, stick
        // elsewhere. resolve() corrects it by forces, as an active-set method does.
        const Slides w = contacts_.sliding(contact, state_.v.data());
        const double top = islands_.top_speed(islands_.of(contact));
        const bool is_sliding = norm(w.data(), contact.num_rows) > stopped * top;
        contact.begin(is_sliding ? ContactMode::slip : ContactMode::stick);
        contact.num_flips = 0;
        if (is_sliding) contact.turn_to(w.data());
        contact.speed = contact.fastest = norm(w.data(), contact.num_rows);
        creeps |= !is_sliding && contact.speed > kStopped * top;
    }
    if (creeps && project_velocities()) {
        stop_sliding();
        follow_sliding();
    }
    for (Contact& contact : contacts_.all())
        if (contacts_.sticks(contact)) contact.speed = contact.fastest = 0.0;
    if (parts_.model.traits.face == Face::continuous) {
        resolve();
        return;
    }
    // A step confirms modes itself, and it may do so where accelerations are not unique.
    try {
        resolve();
    } catch (const Error&) {
    }
    for (Contact& contact : contacts_.all()) contact.is_fresh = contacts_.sticks(contact);
    state_.s.setZero();
}

/// Contacts that cannot slide, since constraints hold the bodies: a stick row would then be
/// redundant, with a force determined by round-off.
void StickSlip::find_locked() {
    for (Contact& contact : contacts_.all()) contact.is_locked = contact.is_partly_locked = false;
    ContinuousFace& face = accelerations_.face();
    try {
        face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    } catch (const Error&) {
        return;  // accelerations are not unique: what moves is not known
    }
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    responses_.ask(face);
    for (Contact& contact : contacts_.all())
        if (!contacts_.is_open(contact)) find_free(contact);
}

/// The directions in which a contact can slide, by the responses last asked for.
void StickSlip::find_free(Contact& contact) const {
    bool is_locked = true;
    Eigen::MatrixXd answers(contact.num_rows, contact.num_rows);
    double free = 0.0;  // what the softest row would answer without constraints
    // The contact's Delassus matrix W = T X, with X the constrained accelerations by unit forces
    // T^T: W = T M^-1 T^T without constraints, and W = 0 where constraints take the force up.
    for (int i = 0; i < contact.num_rows; ++i) {
        const int k = contact.first_row + i;
        const int place = responses_.groups().place_of(k);
        const double mobility = contacts_.mobility(k, parts_.inverse_mass);
        // W_ii against D_i, the same entry without constraints.
        is_locked &= std::abs(responses_.slide(k, place)) <= kLocked * mobility;
        free = std::max(free, mobility);
        for (int j = 0; j < contact.num_rows; ++j)
            answers(j, i) = responses_.slide(contact.first_row + j, place);
    }
    contact.is_locked = is_locked;
    contact.is_partly_locked = false;
    if (is_locked || contact.num_rows == 1) return;
    // W = V diag(w) V^T, symmetric and positive semidefinite. The eigenvectors with
    // w_e > kPartlyLocked max_i D_i span the directions in which the contact can slide:
    //   free = sum_e v_e v_e^T
    const SymmetricEigen of(answers);
    contact.is_partly_locked = of.values()[0] <= kPartlyLocked * free;
    contact.free.fill(0.0);
    for (int e = 0; e < contact.num_rows; ++e) {
        if (of.values()[e] <= kPartlyLocked * free) continue;
        for (int i = 0; i < contact.num_rows; ++i)
            for (int j = 0; j < contact.num_rows; ++j)
                contact.free[i * kMostSlides + j] += of.vectors()(i, e) * of.vectors()(j, e);
    }
}

/// The projector free = sum_e v_e v_e^T at the present state, for contacts with a locked direction.
void StickSlip::follow_free() {
    const auto follows = [this](const Contact& contact) {
        return contact.is_partly_locked && contacts_.sticks(contact);
    };
    if (std::ranges::none_of(contacts_.all(), follows)) return;
    ContinuousFace& face = accelerations_.face();
    try {
        face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    } catch (const Error&) {
        return;
    }
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    responses_.ask(face);
    for (Contact& contact : contacts_.all()) {
        if (!follows(contact)) continue;
        const Contact before = contact;
        find_free(contact);
        if (!contact.is_partly_locked) contact = before;  // which is decided at the start
    }
}

bool StickSlip::settle(const StepTrial& trial) {
    if (contacts_.is_crossing()) return false;
    if (!tells_forces(trial)) return false;
    // The order matters: velocities first, since forces of a step close their error; then forces of
    // what sticks; then the side of what has begun to slip, which forces decide.
    // Where the laws have none at the end of a trial they may have one before, as they have where
    // what slides ceases to press: an event, up to which a shorter trial goes.
    has_no_solution_ = responses_.has_no_solution && !slip_.all_press(trial.s.data(), true);
    if (has_no_solution_) return false;
    // A short trial would remove velocity residuals in a short time, by large forces, which would
    // hide the instant at which a sticking contact reaches its limit. Velocities at a step's end
    // are off their constraints by O(h^2) (theory, section 5.3); closed over a trial of length h'
    // they ask for forces of M O(h^2) / h'.
    if (met_constraints_at_ != state_.t && stick_ends(trial)) {
        met_constraints_at_ = state_.t;
        if (project_velocities()) {
            stop_sliding();
            follow_sliding();
            return true;
        }
    }
    if (sharing_.resolve_overload(trial.s.data(), true, trial.t0) != LoadSharing::Change::none)
        return true;
    bool has_changed = false;
    for (Contact& contact : contacts_.all()) {
        if (contacts_.sticks(contact) || contacts_.is_open(contact) || !contact.is_fresh ||
            contact.num_flips >= kMostFlips)
            continue;
        // along = d . (T dq + drift), the slide in the direction in which it began: negative,
        // friction f d would drive the motion. The bound is the slide by rounding of accelerations,
        // h^2/2 |F| / M_ii.
        double along = 0.0;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            along +=
                contact.direction[i] * (contacts_.along(k, trial_.dq.data()) + contacts_.drift(k));
        }
        const double rounding = kUndecided * 0.5 * trial.h * trial.h *
                                islands_.force_acceleration(islands_.of(contact), trial_.F);
        // What could slide and does not sticks.
        const bool is_held = slip_.is_projected(contact) && is_below_limit(contact, trial);
        if (along >= -rounding && !is_held) continue;
        if (contact.num_rows > 1 && contact.num_flips == 1 && !is_held) {
            // Its direction was that of a force that it could not have: it slides another way.
            Slides slide{};
            for (int i = 0; i < contact.num_rows; ++i)
                slide[static_cast<std::size_t>(i)] =
                    contacts_.along(contact.first_row + i, trial_.dq.data()) +
                    contacts_.drift(contact.first_row + i);
            contact.turn_to(slide.data());
            ++contact.num_flips;
            has_changed = true;
            continue;
        }
        contact.begin(ContactMode::stick);
        ++contact.num_flips;
        record(events_, contact, trial.t0);
        has_changed = true;
    }
    return has_changed;
}

/// Whether friction that slips is less than its law says, as of a projection that is held.
bool StickSlip::is_below_limit(const Contact& contact, const StepTrial& trial) {
    Eigen::Vector3d f;
    const double N = slip_.normal_force(contact, slip_.shared(trial.s.data(), true), true, &f);
    const double* const s = trial.s.data() + contacts_.first() + contact.first_row;
    return norm(s, contact.num_rows) <
           (1.0 - kUndecided) * contacts_.slip(contact, N, 0.0, trial.t0).force;
}

void StickSlip::record_step(const StepTrial& trial, const TrialSizes& sizes) {
    // The works are those of the very stresses and increments of the step; geometry and N are still
    // those of its trial, so this precedes any evaluation at the new state.
    const StepPart::Work work =
        contacts_.work(trial.s.data() + contacts_.first(), trial_.dq.data());
    accounting_.ledger.record_nonideal(work.nonideal);
    accounting_.ledger.record_external(work.external);
    sharing_.restart();
    const double* const shared = slip_.shared(trial.s.data(), true);
    const bool tells = tells_forces(trial);
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = contact.is_fresh && !tells;
        contact.num_flips = 0;
        if (!contacts_.sticks(contact)) continue;
        if (tells) {
            contact.margin = stick_margin(contact, trial.s.data(), shared, true, trial.t0);
            contact.margin_h = trial.h;
        }
        if (contact.is_rate) continue;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            double& anchor = contact.anchor[i];
            // The residual of stick is slide + anchor = 0: the error of an iteration is corrected
            // by the next step, so that it does not accumulate. The inconsistency of two sticking
            // contacts is set to zero: corrected in every step it would load them against each
            // other.
            anchor += contacts_.along(k, trial_.dq.data()) + contacts_.drift(k);
            if (std::abs(anchor) <=
                kAnchorRounding * unreachable(contacts_, islands_, contact, k, sizes))
                anchor = 0.0;
        }
    }
}

void StickSlip::note_step(double h) {
    events_.note_step();
    islands_.note_speeds(state_.v);
    // Changes are differences to the speed and direction at the step's beginning, which
    // follow_sliding() replaces.
    note_changes(h);
    follow_sliding();
    // Slow sliding is less than the residual of velocity constraints at a step's end.
    if (max_smooth_step(h) < h && project_velocities()) follow_sliding();
    follow_free();
}

void StickSlip::advance() {
    events_.note_step();
    islands_.note_speeds(state_.v);
    follow_sliding();
    sharing_.restart();
    for (Contact& contact : contacts_.all()) contact.is_fresh = false;
}

/// How sliding velocities have changed over the step just accepted.
void StickSlip::note_changes(double h) {
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    for (Contact& contact : contacts_.all())
        for (int i = 0; i < contact.num_rows && !contacts_.is_open(contact); ++i) {
            const int k = contact.first_row + i;
            const double w = contacts_.along(k, state_.v.data()) + contacts_.drift(k);
            const auto at = static_cast<std::size_t>(i);
            // (w_1 - w_0) / h with w_0 = speed d
            contact.change[at] = (w - contact.speed * contact.direction[at]) / h;
        }
}

/// Sliding directions at the present state.
void StickSlip::follow_sliding() {
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    for (Contact& contact : contacts_.all()) {
        if (contacts_.sticks(contact) || contacts_.is_open(contact) || contact.num_rows == 1)
            continue;
        const Slides w = contacts_.sliding(contact, state_.v.data());
        contact.turn_to(w.data());
        contact.speed = norm(w.data(), contact.num_rows);
        contact.fastest = std::max(contact.fastest, contact.speed);
    }
}

void StickSlip::recheck() {
    // Forces jump: sticking contacts are to be rechecked.
    for (Contact& other : contacts_.all()) {
        other.is_fresh = contacts_.sticks(other);
        other.margin_h = 0.0;
        other.num_flips = 0;
    }
}

void StickSlip::pass(int event) {
    Contact& contact = contacts_.all()[event];
    if (has_no_solution_) {
        // Another part may go over the rest of the step, and modes then restart.
        if (is_overrun_) slip_.refuse_paradox(state_.t);
        is_overrun_ = true;
        return;
    }
    const bool is_discrete = parts_.model.traits.face == Face::discrete;
    if (is_discrete && contact.gap >= 0 && comes_again(event)) {
        is_overrun_ = true;
        return;
    }
    const ContactMode before = contact.mode;
    // slip -> stick: velocities onto the constraints, then w of the contacts to zero, then the free
    // directions at that state. The first two change v, so directions of sliding come last.
    if (before == ContactMode::slip) {
        const bool is_unique = project_velocities();
        if (!has_stopped(contact)) {
            if (is_unique && islands_.has_sticking_beside(contact)) stop_sliding();
            follow_sliding();
            return;
        }
        contact.begin(ContactMode::stick);
        stick_coupled(contact);
        if (is_unique) stop_sliding();
        follow_free();
        follow_sliding();  // of what goes on, with the velocities that are left
        record(events_, contact, state_.t);
    } else if (!sharing_.asks_others(contact)) {
        // stick -> slip, as no other contact of the island could take over some of its load.
        contact.begin(ContactMode::slip);
        contact.turn_to(
            contact.driving(state_.s.data() + contacts_.first() + contact.first_row).data());
        record(events_, contact, state_.t);
    }
    if (!is_discrete) resolve();
}

/// Whether the event of a contact has come so often at this very instant that it settles nothing.
bool StickSlip::comes_again(int event) {
    Repeated& repeated = repeated_[static_cast<std::size_t>(event)];
    if (repeated.t != state_.t) repeated = {state_.t, 0};
    return ++repeated.count > kMostFlips;
}

/// Contacts of one body often stop together; those that stand still now are tried as stick too.
void StickSlip::stick_coupled(const Contact& stopped) {
    const int island = islands_.of(stopped);
    const double top = islands_.top_speed(island);
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    for (const int c : islands_.contacts(island)) {
        Contact& other = contacts_.all()[c];
        if (contacts_.sticks(other) || contacts_.is_open(other) || other.is_locked) continue;
        const Slides w = contacts_.sliding(other, state_.v.data());
        // |w| within the O(h^2) by which the end of a step misses its velocity constraints counts
        // as zero here, hence kTurning and not kStopped.
        if (norm(w.data(), other.num_rows) > kTurning * top) continue;
        other.begin(ContactMode::stick);
        record(events_, other, state_.t);
    }
}

/// Whether a contact whose sliding velocity along its direction is zero has stopped; a slide in
/// several directions may only have turned.
bool StickSlip::has_stopped(Contact& contact) {
    if (contact.num_rows == 1) return true;
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    const Slides w = contacts_.sliding(contact, state_.v.data());
    const double top = islands_.top_speed(islands_.of(contact));
    if (norm(w.data(), contact.num_rows) <= std::max(kTurning * contact.fastest, kStopped * top))
        return true;
    contact.turn_to(w.data());
    return false;
}

/// Removes residual sliding at sticking contacts from the velocities, including those of coupled
/// bodies.
void StickSlip::stop_sliding() {
    ContinuousFace& face = accelerations_.face();
    // An impulse in the limit of zero time: with X of find_free() and p the impulses,
    //   v <- v + X p,    (T X) p = -(T v + drift)    in stick,    p = 0    in slip.
    // Since A X = 0, the constraints remain satisfied; the change of energy is recorded as that
    // of a projection.
    const double before = accounting_.total_energy(state_.q.data(), state_.v.data(), state_.t);
    const Eigen::VectorXd v_before = state_.v;
    face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    contacts_.evaluate(state_.q.data(), state_.v.data(), state_.t);
    responses_.ask(face);
    // T v+ = surface at sticking contacts, v+ = v + X f
    for (const ContactGroup& group : responses_.groups().all()) {
        SmallSolver& small = responses_.small(group);
        small.clear();
        const int K = static_cast<int>(group.rows.size());
        for (int i = 0; i < K; ++i) {
            const int k = group.rows[i];
            const auto sticks = [&](int row) {
                return contacts_.sticks(contacts_.all()[contacts_.contact_of(row)]);
            };
            small(i, i) = 1.0;
            if (!sticks(k)) continue;
            for (int j = 0; j < K; ++j)
                small(i, j) = sticks(group.rows[j]) ? responses_.slide(k, j) : 0.0;
            // Rows of one body may depend on each other: the impulses are then shared like stick
            // forces.
            small.share(i, contacts_.all()[contacts_.contact_of(k)].weight);
            small.rhs(i) = contacts_.along(k, state_.v.data()) + contacts_.drift(k);
        }
    }
    responses_.factorise();
    responses_.solve();
    for (int k = 0; k < contacts_.num_rows(); ++k) force_[k] = responses_.solution(k);
    responses_.subtract(force_.data(), {state_.v.data(), static_cast<std::size_t>(parts_.n)});
    state_.v_low.setZero();
    // Velocities of islands now at rest are set to zero exactly.
    islands_.stop_still(state_.v);
    accounting_.record_velocity_change(v_before, before);
}

/// Projects the velocities onto the constraints. A step's end meets them only to its order, which
/// hides where slow sliding ends, and would rattle at rest.
/// @returns false where accelerations are not unique; then what is left there, a rounding error,
///          stays
bool StickSlip::project_velocities() {
    ContinuousFace& face = accelerations_.face();
    // v <- v - M^-1 A^T mu with A v + phi_t = 0, the least change in the norm of M.
    const double before = accounting_.total_energy(state_.q.data(), state_.v.data(), state_.t);
    const Eigen::VectorXd v_before = state_.v;
    try {
        face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
        face.project(
            ContinuousFace::Projected::velocity, state_.q.data(), state_.v.data(), state_.t, 0.0);
    } catch (const Error&) {
        state_.v = v_before;
        return false;
    }
    if (state_.v == v_before) return true;
    state_.v_low.setZero();
    accounting_.record_velocity_change(v_before, before);
    return true;
}

void StickSlip::resolve() {
    if (contacts_.is_crossing()) return;
    int num_changes = 0;
    // A complementarity problem, solved by pivoting: with modes given, accelerations and forces
    // follow from a linear solve (Newton's method where N matters). Then modes change where
    // conditions are violated: |C| <= limit of stick, in each island the most used contact; only
    // if stick is admissible everywhere the sign of d . dw/dt of contacts that begin to slip.
    for (;;) {
        // Inadmissible modes may have no solution.
        friction_.turn_to_pull(true);
        accelerations_.solve_tentatively();
        friction_.turn_to_pull(false);
        const LoadSharing::Change change =
            sharing_.resolve_overload(state_.s.data(), false, state_.t);
        if (change == LoadSharing::Change::share) continue;
        if (change == LoadSharing::Change::none && !stick_reversed()) {
            if (responses_.has_no_solution) slip_.refuse_paradox(state_.t);
            break;
        }
        if (++num_changes > kMostModeChanges)
            throw Error(ErrorKind::numerical,
                        fmt::format("t = {:.9g} s: no combination of stick and slip holds for the "
                                    "contacts; their friction may be too large for the motion "
                                    "(Painleve's paradox)",
                                    state_.t));
    }
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = false;
        contact.num_flips = 0;
    }
    sharing_.restart();
}

/// Turns the first contact into stick that has just begun to slip and is pushed back; accelerations
/// are those of the present state.
bool StickSlip::stick_reversed() {
    for (Contact& contact : contacts_.all()) {
        if (contacts_.sticks(contact) || contacts_.is_open(contact) || !contact.is_fresh ||
            contact.num_flips >= kMostFlips)
            continue;
        double w = 0.0, acceleration = 0.0;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const double direction = contact.direction[i];
            w += direction * (contacts_.along(k, state_.v.data()) + contacts_.drift(k));
            acceleration +=
                direction *
                (contacts_.along(k, accelerations_.solved_face().acceleration().data()) -
                 contacts_.bias(k));
        }
        const int island = islands_.of(contact);
        // Complementarity of slip that begins, w = 0: d . dw/dt >= 0 where friction acts along -d.
        if (w > kStopped * islands_.top_speed(island)) continue;
        // Undecided within rounding of the accelerations by forces alone: slip is kept.
        if (acceleration >=
            -kUndecided * islands_.free_acceleration(island, accelerations_.solved_face()))
            continue;
        contact.begin(ContactMode::stick);
        ++contact.num_flips;
        record(events_, contact, state_.t);
        return true;
    }
    return false;
}

}  // namespace ancora
