// SPDX-License-Identifier: BSD-3-Clause
// Stick and slip: which contacts do what, when that changes, how those that stick share their
// friction, and islands at rest.
#include <algorithm>
#include <array>
#include <cmath>

#include "kernel_system.hpp"

namespace ancora {
namespace {

// Velocities and accelerations of an island at rest, relative to its top speed and to what its
// forces alone would cause: what rounding leaves.
constexpr double kRestSpeed = 1e-12;
constexpr double kRestAcceleration = 1e-11;
// Changes of modes at one instant, of all contacts and of one, before they are left as they are.
constexpr int kMostModeChanges = 50;
constexpr int kMostFlips = 4;
// Sharing among sticking contacts: the use that counts as relieved, the progress of a round below
// which it ends, and bounds of uses and of prices.
constexpr double kRelieved = 1.0 - 1e-6;
constexpr double kProgress = 1e-7;
constexpr int kMostRounds = 400;
constexpr double kLeastUse = 1e-3;
constexpr double kMostUse = 1e3;
constexpr double kLeastWeight = 1e-4;

}  // namespace

void KernelSystem::note_speeds() {
    for (int i = 0; i < n_; ++i) {
        const int island = rest_island_[static_cast<std::size_t>(i)];
        if (island < 0) continue;
        double& top = top_speed_[static_cast<std::size_t>(island)];
        top = std::max(top, std::abs(v_[i]));
    }
}

/// Modes at the start: what slides slips, the rest is tried as stick.
void KernelSystem::start_contacts() {
    std::fill(top_speed_.begin(), top_speed_.end(), 0.0);
    note_speeds();
    contact_s_.setZero();
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& contact : contacts_.all()) {
        const std::array<double, 2> w = contacts_.sliding(contact, v_.data());
        const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
        const bool is_sliding = norm(w.data(), contact.num_rows) > kStopped * top;
        contact.begin(is_sliding ? ContactMode::slip : ContactMode::stick);
        contact.num_flips = 0;
        if (is_sliding) contact.turn_to(w.data());
        contact.speed = contact.fastest = norm(w.data(), contact.num_rows);
    }
    if (model_.traits.face == Face::continuous) {
        resolve_modes();
        return;
    }
    // A step confirms modes itself, and it may do so where accelerations are not unique.
    try {
        resolve_modes();
    } catch (const Error&) {
    }
    for (Contact& contact : contacts_.all()) contact.is_fresh = contact.mode == ContactMode::stick;
    s_.setZero();
}

bool KernelSystem::settle_modes(const StepTrial& trial) {
    if (settle_rows(trial)) return true;
    if (contacts_.empty()) return false;
    if (paradox_) refuse_paradox(trial.t0);
    // A short trial would close what the velocities gape in a short time, by large forces, which
    // hides where a sticking contact reaches its limit.
    if (met_constraints_at_ != t_ && stick_ends(trial)) {
        met_constraints_at_ = t_;
        if (meet_velocity_constraints()) {
            for (int island = 0; island < num_rest_islands_; ++island)
                if (std::ranges::any_of(contacts_.all(), [&](const Contact& contact) {
                        return contact.mode == ContactMode::stick && island_of(contact) == island;
                    }))
                    stop_sliding(island);
            follow_sliding();
            return true;
        }
    }
    if (relieve_sticking(trial.s.data(), true, trial.t0) != ModeChange::none) return true;
    bool has_changed = false;
    for (Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick || !contact.is_fresh ||
            contact.num_flips >= kMostFlips)
            continue;
        double along = 0.0;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            along += contact.direction[i] * (contacts_.along(k, dq_.data()) + contacts_.drift(k));
        }
        const double rounding =
            kUndecided * 0.5 * trial.h * trial.h * force_acceleration(island_of(contact));
        if (along >= -rounding) continue;
        contact.begin(ContactMode::stick);
        ++contact.num_flips;
        record_mode(contact, trial.t0);
        has_changed = true;
    }
    return has_changed;
}

/// Where sticking contacts bear more than they hold, they share it anew, or the one that bears
/// most of its limit slips; for stresses s of all rows and contacts.
KernelSystem::ModeChange KernelSystem::relieve_sticking(const double* s, bool of_step, double t) {
    find_most_used(s, of_step, t);
    ModeChange change = ModeChange::none;
    for (std::size_t island = 0; island < sharing_.size(); ++island) {
        Sharing& sharing = sharing_[island];
        if (sharing.most_used < 0 || sharing.use <= (sharing.is_strict ? kRelieved : 1.0)) continue;
        if (share_anew(static_cast<int>(island), s, of_step, t)) {
            change = std::max(change, ModeChange::share);
            continue;
        }
        Contact& contact = contacts_.all()[static_cast<std::size_t>(sharing.most_used)];
        sharing = {};
        contact.begin(ContactMode::slip);
        contact.turn_to(s + m_ + contact.first_row);
        ++contact.num_flips;
        record_mode(contact, t);
        change = ModeChange::mode;
    }
    return change;
}

/// What a sticking contact bears of what it holds.
double KernelSystem::stick_use(const Contact& contact, const double* s, bool of_step, double t) {
    Eigen::Vector3d f;
    const double limit = contacts_.stick_limit(contact, normal_force(contact, s, of_step, &f), t);
    const double force = norm(s + m_ + contact.first_row, contact.num_rows);
    return force <= limit * kLeastUse ? kLeastUse : force / limit;
}

/// In each island, the sticking contact that bears most of its limit and may still change.
void KernelSystem::find_most_used(const double* s, bool of_step, double t) {
    for (Sharing& sharing : sharing_) {
        sharing.num_sticking = 0;
        sharing.most_used = -1;
        sharing.use = 0.0;
    }
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contact.mode == ContactMode::slip) continue;
        Sharing& sharing = sharing_[static_cast<std::size_t>(island_of(contact))];
        ++sharing.num_sticking;
        if (!contact.is_fresh || contact.num_flips >= kMostFlips) continue;
        const double use = stick_use(contact, s, of_step, t);
        if (use <= sharing.use) continue;
        sharing.use = use;
        sharing.most_used = static_cast<int>(c);
    }
}

/// One round of Lawson's iteration in an island, see Sharing.
/// @returns false if it leads no further
bool KernelSystem::share_anew(int island, const double* s, bool of_step, double t) {
    Sharing& sharing = sharing_[static_cast<std::size_t>(island)];
    if (sharing.num_sticking < 2 || sharing.rounds == kMostRounds) return false;
    if (sharing.rounds > 0 && sharing.use > (1.0 - kProgress) * sharing.worst) return false;
    ++sharing.rounds;
    sharing.worst = sharing.use;
    double largest = 0.0;
    for (Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::slip || island_of(contact) != island) continue;
        contact.weight *= std::min(stick_use(contact, s, of_step, t), kMostUse);
        largest = std::max(largest, contact.weight);
    }
    for (Contact& contact : contacts_.all())
        if (contact.mode == ContactMode::stick && island_of(contact) == island)
            contact.weight = std::max(contact.weight / largest, kLeastWeight);
    return true;
}

/// A new instant: sharing begins anew, from the prices found last.
void KernelSystem::restart_sharing() {
    for (Sharing& sharing : sharing_) sharing = {};
}

/// Largest acceleration that the forces of the last trial alone would cause in an island.
double KernelSystem::force_acceleration(int island) const {
    double largest = 0.0;
    for (int i = 0; i < n_; ++i)
        if (rest_island_[static_cast<std::size_t>(i)] == island)
            largest = std::max(largest, std::abs(F_[i]) * inverse_mass_[i]);
    return largest;
}

/// One for each contact, and one for all rows that may break.
int KernelSystem::num_events() const {
    return static_cast<int>(contacts_.all().size()) + (laws_.may_break() ? 1 : 0);
}

/// What a sticking contact could bear more at the end of a trial. The step knows means; what is
/// left at its end follows from those of two steps.
double KernelSystem::margin_at_end(const Contact& contact, const StepTrial& trial) {
    const double margin = stick_margin(contact, trial.s.data(), true, trial.t0);
    const double h = trial.h;
    return contact.margin_h > 0.0 ? margin + (margin - contact.margin) * h / (h + contact.margin_h)
                                  : margin;
}

/// Whether a contact that sticks would reach its limit within the trial.
bool KernelSystem::stick_ends(const StepTrial& trial) {
    return std::ranges::any_of(contacts_.all(), [&](const Contact& contact) {
        return contact.mode == ContactMode::stick && margin_at_end(contact, trial) < 0.0;
    });
}

void KernelSystem::evaluate_events(const StepTrial& trial, std::span<double> g) {
    const double h = trial.h;
    if (laws_.may_break()) {
        pi_next_ = pi_ + Bdq_ + rows_.tau;
        g.back() = margin_to_break(pi_next_);
    }
    bool has_slip = false;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        has_slip |= contact.mode == ContactMode::slip;
        if (contact.mode == ContactMode::stick) g[c] = margin_at_end(contact, trial);
    }
    if (!has_slip) return;
    for (int i = 0; i < n_; ++i) {
        q_next_[i] = q_[i] + (q_low_[i] + dq_[i]);
        v_next_[i] = v_[i] + (v_low_[i] + h * trial.a[static_cast<std::size_t>(i)]);
    }
    contacts_.evaluate(q_next_.data(), v_next_.data(), trial.t0 + h);
    sliding_events(v_next_.data(), g);
}

/// Sliding velocity of each slipping contact along its direction; geometry of an instant.
void KernelSystem::sliding_events(const double* v, std::span<double> g) const {
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        const Contact& contact = contacts_.all()[c];
        if (contact.mode == ContactMode::stick) continue;
        g[c] = 0.0;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            g[c] += contact.direction[i] * (contacts_.along(k, v) + contacts_.drift(k));
        }
    }
}

/// What a sticking contact could bear more, for stresses s of all rows and contacts.
double KernelSystem::stick_margin(const Contact& contact, const double* s, bool of_step, double t) {
    Eigen::Vector3d f;
    const double N = normal_force(contact, s, of_step, &f);
    return contacts_.stick_limit(contact, N, t) -
           norm(s + m_ + contact.first_row, contact.num_rows);
}

/// Islands whose contacts all stick and which neither move nor accelerate beyond rounding are held:
/// their part of dq is zero.
bool KernelSystem::hold_at_rest(const StepTrial& trial) {
    find_sticking_islands();
    std::vector<char>& held = is_held_;
    for (int island = 0; island < num_rest_islands_; ++island) {
        if (held[static_cast<std::size_t>(island)] == 0) continue;
        double speed = 0.0, acceleration = 0.0;
        for (int i = 0; i < n_; ++i) {
            if (rest_island_[static_cast<std::size_t>(i)] != island) continue;
            speed = std::max(speed, std::abs(v_[i]));
            acceleration = std::max(acceleration, std::abs(dq_[i]) * 2.0 / (trial.h * trial.h));
        }
        const double scale = force_acceleration(island);
        const double top = top_speed_[static_cast<std::size_t>(island)];
        held[static_cast<std::size_t>(island)] =
            speed <= kRestSpeed * top &&
            acceleration <= kRestAcceleration * scale + 4.0 * kRestSpeed * top / trial.h;
    }
    bool is_any_held = false;
    for (int i = 0; i < n_; ++i) {
        const int island = rest_island_[static_cast<std::size_t>(i)];
        if (island < 0 || held[static_cast<std::size_t>(island)] == 0) continue;
        dq_[i] = 0.0;
        is_any_held = true;
    }
    return is_any_held;
}

/// Marks in is_held_ the islands whose contacts all stick to surfaces at rest.
void KernelSystem::find_sticking_islands() {
    std::fill(is_held_.begin(), is_held_.end(), char{1});
    for (const Contact& contact : contacts_.all()) {
        const bool rests =
            contact.mode == ContactMode::stick && contacts_.surface_is_still(contact);
        if (!rests) is_held_[static_cast<std::size_t>(island_of(contact))] = 0;
    }
}

/// Sets accelerations of islands at rest to zero where forces balance up to rounding.
void KernelSystem::rest_accelerations(const double* v, double* a) {
    find_sticking_islands();
    for (int island = 0; island < num_rest_islands_; ++island) {
        if (is_held_[static_cast<std::size_t>(island)] == 0) continue;
        double speed = 0.0, acceleration = 0.0, scale = 0.0;
        for (int i = 0; i < n_; ++i) {
            if (rest_island_[static_cast<std::size_t>(i)] != island) continue;
            speed = std::max(speed, std::abs(v[i]));
            acceleration = std::max(acceleration, std::abs(a[i]));
            scale = std::max(scale, face_->free_acceleration(i));
        }
        if (speed > 0.0 || acceleration > kRestAcceleration * scale) {
            is_held_[static_cast<std::size_t>(island)] = 0;
            continue;
        }
        for (int i = 0; i < n_; ++i)
            if (rest_island_[static_cast<std::size_t>(i)] == island) a[i] = 0.0;
    }
}

void KernelSystem::evaluate_events(double t, std::span<const double> x, std::span<double> g) {
    if (runaway(x) >= 0) {
        std::ranges::fill(g, 0.0);
        return;
    }
    const double* q = x.data();
    const double* v = q + n_;
    if (laws_.may_break()) {
        rows_.evaluate_elastic(q, t, pi_next_.data());
        g.back() = margin_to_break(pi_next_);
    }
    if (contacts_.empty()) return;
    const auto& all = contacts_.all();
    const bool has_stick = std::any_of(all.begin(), all.end(), [](const Contact& contact) {
        return contact.mode == ContactMode::stick;
    });
    if (has_stick)
        solve_all(q, v, t);
    else
        contacts_.evaluate(q, v, t);
    for (std::size_t c = 0; c < all.size(); ++c)
        if (all[c].mode == ContactMode::stick) g[c] = stick_margin(all[c], s_.data(), false, t);
    sliding_events(v, g);
}

/// After an accepted step of the continuous face.
void KernelSystem::advance_contacts() {
    note_speeds();
    follow_sliding();
    restart_sharing();
    for (Contact& contact : contacts_.all()) contact.is_fresh = false;
}

/// How sliding velocities have changed over the step just accepted.
void KernelSystem::note_changes(double h) {
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& contact : contacts_.all())
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            const double w = contacts_.along(k, v_.data()) + contacts_.drift(k);
            contact.change[i] = (w - contact.speed * contact.direction[i]) / h;
        }
}

/// Sliding directions at the present state.
void KernelSystem::follow_sliding() {
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick || contact.num_rows == 1) continue;
        const std::array<double, 2> w = contacts_.sliding(contact, v_.data());
        contact.turn_to(w.data());
        contact.speed = norm(w.data(), contact.num_rows);
        contact.fastest = std::max(contact.fastest, contact.speed);
    }
}

void KernelSystem::pass_event(int event) {
    // Forces jump: what sticks is to be confirmed anew.
    for (Contact& other : contacts_.all()) {
        other.is_fresh = other.mode == ContactMode::stick;
        other.margin_h = 0.0;
        other.num_flips = 0;
    }
    if (static_cast<std::size_t>(event) == contacts_.all().size()) {
        break_rows();
        if (!contacts_.empty() && model_.traits.face == Face::continuous) resolve_modes();
        return;
    }
    Contact& contact = contacts_.all()[static_cast<std::size_t>(event)];
    const ContactMode before = contact.mode;
    if (before == ContactMode::slip) {
        const bool is_unique = meet_velocity_constraints();
        if (!has_stopped(contact)) {
            follow_sliding();
            return;
        }
        contact.begin(ContactMode::stick);
        stop_others(contact);
        if (is_unique) stop_sliding(island_of(contact));
        follow_sliding();  // of what goes on, with the velocities that are left
        record_mode(contact, t_);
    } else if (!asks_others(contact)) {
        contact.begin(ContactMode::slip);
        contact.turn_to(s_.data() + m_ + contact.first_row);
        record_mode(contact, t_);
    }
    if (model_.traits.face == Face::continuous) resolve_modes();
}

/// Whether contacts stick together, so that what each of them bears may be open.
bool KernelSystem::shares_friction() const {
    return std::ranges::count_if(contacts_.all(), [](const Contact& contact) {
               return contact.mode == ContactMode::stick;
           }) > 1;
}

/// Whether a contact that has come to its limit may be relieved by others that stick with it: what
/// follows finds that out.
bool KernelSystem::asks_others(const Contact& contact) {
    Sharing& sharing = sharing_[static_cast<std::size_t>(island_of(contact))];
    if (sharing.is_strict) return false;
    sharing.is_strict = std::ranges::any_of(contacts_.all(), [&](const Contact& other) {
        return &other != &contact && other.mode == ContactMode::stick &&
               island_of(other) == island_of(contact);
    });
    return sharing.is_strict;
}

/// Contacts of one body often stop together; those that stand still now are tried as stick too.
void KernelSystem::stop_others(const Contact& stopped) {
    const int island = island_of(stopped);
    const double top = top_speed_[static_cast<std::size_t>(island)];
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& other : contacts_.all()) {
        if (other.mode == ContactMode::stick || island_of(other) != island) continue;
        const std::array<double, 2> w = contacts_.sliding(other, v_.data());
        if (norm(w.data(), other.num_rows) > kTurning * top) continue;
        other.begin(ContactMode::stick);
        record_mode(other, t_);
    }
}

/// Whether a contact whose sliding velocity along its direction is zero has stopped; a slide in two
/// directions may only have turned.
bool KernelSystem::has_stopped(Contact& contact) {
    if (contact.num_rows == 1) return true;
    contacts_.evaluate(q_.data(), v_.data(), t_);
    const std::array<double, 2> w = contacts_.sliding(contact, v_.data());
    if (norm(w.data(), 2) <= kTurning * contact.fastest) return true;
    contact.turn_to(w.data());
    return false;
}

/// Takes what is left of sliding at sticking contacts out of the velocities, with what else that
/// moves.
void KernelSystem::stop_sliding(int island) {
    const double top = top_speed_[static_cast<std::size_t>(island)];
    ContinuousFace& face = continuous_face();
    const double before = total_energy(q_.data(), v_.data(), t_);
    const Eigen::VectorXd v_before = v_;
    face.assemble(q_.data(), v_.data(), t_, state0_);
    contacts_.evaluate(q_.data(), v_.data(), t_);
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(face.multipliers().size());
    small_.clear();
    for (int k = 0; k < contacts_.num_rows(); ++k) {
        const Contact& other = contacts_.all()[static_cast<std::size_t>(contacts_.contact_of(k))];
        contact_work_.setZero();
        contacts_.add_along(k, 1.0, contact_work_.data());
        face.respond(
            view(contact_work_), {response_x_.col(k).data(), n}, {response_s_.col(k).data(), m});
        has_responses_ = false;
        const bool stops = other.mode == ContactMode::stick;
        for (int j = 0; j < contacts_.num_rows(); ++j) {
            const Contact& row = contacts_.all()[static_cast<std::size_t>(contacts_.contact_of(j))];
            small_(j, k) = stops && row.mode == ContactMode::stick
                               ? contacts_.along(j, response_x_.col(k).data())
                               : (j == k ? 1.0 : 0.0);
        }
        if (stops) small_.share(k, other.weight);
        if (stops) small_.rhs(k) = -(contacts_.along(k, v_.data()) + contacts_.drift(k));
    }
    small_.solve();
    for (int k = 0; k < contacts_.num_rows(); ++k) {
        const double x = small_.x(k);
        if (x != 0.0) v_ += x * response_x_.col(k);
    }
    v_low_.setZero();
    // What is now at rest is exactly so.
    double speed = 0.0;
    for (int i = 0; i < n_; ++i)
        if (rest_island_[static_cast<std::size_t>(i)] == island)
            speed = std::max(speed, std::abs(v_[i]));
    for (int i = 0; i < n_ && speed <= kRestSpeed * top; ++i)
        if (rest_island_[static_cast<std::size_t>(i)] == island) v_[i] = 0.0;
    book_velocity_change(v_before, before);
}

/// Projects the velocities onto the constraints. A step's end meets them only to its order, which
/// hides where slow sliding ends, and would rattle at rest.
/// @returns false where accelerations are not unique; then what is left there, a rounding error,
///          stays
bool KernelSystem::meet_velocity_constraints() {
    ContinuousFace& face = continuous_face();
    try {
        face.assemble(q_.data(), v_.data(), t_, state0_);
    } catch (const Error&) {
        return false;
    }
    const double before = total_energy(q_.data(), v_.data(), t_);
    const Eigen::VectorXd v_before = v_;
    face.project(ContinuousFace::Projected::velocity, q_.data(), v_.data(), t_, 0.0);
    if (v_ == v_before) return true;
    v_low_.setZero();
    book_velocity_change(v_before, before);
    return true;
}

/// Books a change of velocities at an instant, at which the energy was `before`.
void KernelSystem::book_velocity_change(const Eigen::VectorXd& v_before, double before) {
    ledger_.book_projection(total_energy(q_.data(), v_.data(), t_) - before);
    contact_work_ = v_ - v_before;
    mass_.multiply(contact_work_.data(), p_.data());
    ledger_.book_impulse(space_.momenta(q_.data(), p_.data()), 1.0);
    close_ledger(false);
}

/// Finds the modes that go on from the present state, by their accelerations and forces.
void KernelSystem::resolve_modes() {
    int num_changes = 0;
    for (;;) {
        // Modes that will not hold may have no solution.
        is_resolving_ = true;
        try {
            solve_all(q_.data(), v_.data(), t_);
        } catch (...) {
            is_resolving_ = false;
            throw;
        }
        is_resolving_ = false;
        const ModeChange change = relieve_sticking(s_.data(), false, t_);
        if (change == ModeChange::share) continue;
        if (change == ModeChange::none && !stop_pushed_back()) {
            if (paradox_) refuse_paradox(t_);
            break;
        }
        if (++num_changes > kMostModeChanges)
            refuse(t_,
                   "no combination of stick and slip holds for the contacts; their friction may be "
                   "too large for the motion (Painleve's paradox)");
    }
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = false;
        contact.num_flips = 0;
    }
    restart_sharing();
}

/// Largest acceleration that forces alone would cause in an island at the present state.
double KernelSystem::free_acceleration(int island) const {
    double largest = 0.0;
    for (int i = 0; i < n_; ++i)
        if (rest_island_[static_cast<std::size_t>(i)] == island)
            largest = std::max(largest, face_->free_acceleration(i));
    return largest;
}

/// Turns the first contact into stick that has just begun to slip and is pushed back; accelerations
/// are those of the present state.
bool KernelSystem::stop_pushed_back() {
    for (Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick || !contact.is_fresh ||
            contact.num_flips >= kMostFlips)
            continue;
        double w = 0.0, acceleration = 0.0;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            w += contact.direction[i] * (contacts_.along(k, v_.data()) + contacts_.drift(k));
            acceleration += contact.direction[i] *
                            (contacts_.along(k, face_->acceleration().data()) - contacts_.bias(k));
        }
        const int island = island_of(contact);
        if (w > kStopped * top_speed_[static_cast<std::size_t>(island)]) continue;
        if (acceleration >= -kUndecided * free_acceleration(island)) continue;
        contact.begin(ContactMode::stick);
        ++contact.num_flips;
        record_mode(contact, t_);
        return true;
    }
    return false;
}

/// Records that a contact goes on in its present mode from t.
void KernelSystem::record_mode(const Contact& contact, double t) {
    constexpr std::size_t kMostEvents = 10'000;
    if (substeps == 0) return;  // the start is no event
    const bool sticks = contact.mode == ContactMode::stick;
    // A mode that did not hold at its own instant was none.
    for (auto event = recorded_events_.rbegin(); event != recorded_events_.rend(); ++event) {
        if (event->t < t) break;
        if (event->force != contact.index) continue;
        event->sticks = sticks;
        return;
    }
    if (recorded_events_.size() < kMostEvents)
        recorded_events_.push_back({t, contact.index, sticks});
}

}  // namespace ancora
