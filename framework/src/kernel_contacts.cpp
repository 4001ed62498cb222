// SPDX-License-Identifier: BSD-3-Clause
// Contacts of the whole model: their rows in a step, their forces at an instant, modes, events, and
// islands at rest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "kernel_system.hpp"

namespace ancora {
namespace {

// Sliding slower than this, relative to the fastest that the island has been, has stopped.
constexpr double kStopped = 1e-9;
// Within a step, a slide in two directions that has come down to this part of its speed keeps the
// step's direction.
constexpr double kSlow = 1e-6;
// A slide in two directions that is reversed at a speed above this, relative likewise, has passed
// by zero; below, it has met zero but for the error of the step, and is stopped.
constexpr double kTurning = 1e-5;
// Velocities and accelerations of an island at rest, relative to its top speed and to what its
// forces alone would cause: what rounding leaves.
constexpr double kRestSpeed = 1e-12;
constexpr double kRestAcceleration = 1e-11;
constexpr int kMostLawIterations = 50;
constexpr int kMostModeChanges = 50;
// A contact that begins to slip with no more deceleration than this, relative to that of its
// forces, was at its limit exactly, and slips.
constexpr double kUndecided = 1e-9;
// How often one contact may change its mode at one instant before the mode is left as it is.
constexpr int kMostFlips = 4;

double norm(const double* x, int n) {
    return n == 1 ? std::abs(x[0]) : std::hypot(x[0], x[1]);
}

/// A unit vector along x, or `otherwise` if x is zero.
void set_direction(const double* x, int n, double* direction) {
    const double length = norm(x, n);
    if (!(length > 0.0)) return;
    for (int i = 0; i < n; ++i) direction[i] = x[i] / length;
}

void begin_mode(Contact& contact, ContactMode mode) {
    contact.mode = mode;
    contact.is_fresh = true;
    contact.anchor[0] = contact.anchor[1] = contact.speed = 0.0;
    contact.margin = contact.margin_h = 0.0;
}

}  // namespace

/// Sizes buffers and finds the islands in which something rubs.
void KernelSystem::prepare_contacts() {
    const int K = contacts_.num_rows();
    small_.resize(K);
    response_x_.setZero(n_, K);
    response_s_.setZero(m_, K);
    contact_s_.setZero(K);
    contact_work_.setZero(n_);
    scratch_s_.setZero(m_);
    normal_response_.assign(static_cast<std::size_t>(K) * contacts_.all().size(),
                            Eigen::Vector3d::Zero());

    std::vector<int> parent(static_cast<std::size_t>(n_));
    std::iota(parent.begin(), parent.end(), 0);
    const auto root = [&parent](int i) {
        while (parent[static_cast<std::size_t>(i)] != i) {
            int& up = parent[static_cast<std::size_t>(i)];
            up = parent[static_cast<std::size_t>(up)];
            i = up;
        }
        return i;
    };
    const auto join = [&](const RowSet& rows) {
        for (int k = 0; k < rows.num_rows(); ++k)
            for (int e = rows.row_start[static_cast<std::size_t>(k)] + 1;
                 e < rows.row_start[static_cast<std::size_t>(k) + 1];
                 ++e)
                parent[static_cast<std::size_t>(
                    root(rows.column[static_cast<std::size_t>(e) - 1]))] =
                    root(rows.column[static_cast<std::size_t>(e)]);
    };
    join(rows_);
    join(contacts_.rows());
    for (const MassEntry& entry : mass_.entries())
        parent[static_cast<std::size_t>(root(entry.i))] = root(entry.j);
    for (const BodyPart& part : model_.bodies)
        for (int i = part.first + 1; i < part.first + part.count; ++i)
            parent[static_cast<std::size_t>(root(i))] = root(part.first);
    std::vector<int> number(static_cast<std::size_t>(n_), -1);
    rest_island_.assign(static_cast<std::size_t>(n_), -1);
    const RowSet& rows = contacts_.rows();
    for (const int i : rows.column) {
        int& island = number[static_cast<std::size_t>(root(i))];
        if (island < 0) island = num_rest_islands_++;
    }
    for (int i = 0; i < n_; ++i)
        rest_island_[static_cast<std::size_t>(i)] = number[static_cast<std::size_t>(root(i))];
    top_speed_.assign(static_cast<std::size_t>(num_rest_islands_), 0.0);
    is_held_.assign(static_cast<std::size_t>(num_rest_islands_), 0);
}

int KernelSystem::island_of(const Contact& contact) const {
    const RowSet& rows = contacts_.rows();
    return rest_island_[static_cast<std::size_t>(
        rows.column[static_cast<std::size_t>(contacts_.first_entry(contact.first_row))])];
}

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
        double w[2] = {};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = contacts_.along(contact.first_row + i, v_.data()) +
                   contacts_.drift(contact.first_row + i);
        const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
        const bool is_sliding = norm(w, contact.num_rows) > kStopped * top;
        begin_mode(contact, is_sliding ? ContactMode::slip : ContactMode::stick);
        contact.num_flips = 0;
        if (is_sliding) set_direction(w, contact.num_rows, contact.direction);
        contact.speed = norm(w, contact.num_rows);
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

/// Magnitude of a constraint's reaction on its first attachment for stresses s of all rows.
double KernelSystem::normal_force(const Contact& contact,
                                  const double* s,
                                  bool of_step,
                                  Eigen::Vector3d* f) {
    if (of_step)
        rows_.local_force(contact.constraint, s, local_force_.data());
    else
        rows_.local_force_now(contact.constraint, s, local_force_.data());
    *f = local_force_.head<3>();
    return f->norm();
}

/// Stress -C of a slipping contact at sliding velocity w and normal force N, and its derivatives.
void KernelSystem::linearise_slip(const Contact& contact, const double* w, double N, double t) {
    const int n = contact.num_rows;
    // The side is frozen for the step, so that the law stays smooth through zero.
    double d[2] = {contact.direction[0], contact.direction[1]};
    double along = d[0] * w[0] + (n == 2 ? d[1] * w[1] : 0.0);
    const double speed = norm(w, n);
    has_turned_ |= along < 0.0;
    // So slow it has stopped but for rounding, and turns with it.
    if (n == 2 && speed > kSlow * contact.speed) {
        const double side = along < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < n; ++i) d[i] = side * w[i] / speed;
        along = side * speed;
    }
    const SlipForce slip = contacts_.slip(contact, N, along, t);
    for (int i = 0; i < n; ++i) {
        law_.s[i] = slip.force * d[i];
        law_.by_normal[i] = slip.by_normal * d[i];
        for (int j = 0; j < n; ++j) {
            law_.by_rate[i][j] = along > 0.0 ? slip.by_speed * d[i] * d[j] : 0.0;
            if (n == 2 && speed > kSlow * contact.speed)
                law_.by_rate[i][j] += slip.force / along * ((i == j ? 1.0 : 0.0) - d[i] * d[j]);
        }
    }
}

// --- discrete face

/// Adds friction to the step's residual:
///
///   stick:  T dq + drift + anchor = 0,    slip:  (s_law(N, w) - s) h^2 D / 2 = 0
///
/// with D the row's own mobility, so that a residual is a length.
void KernelSystem::evaluate_contacts(const StepTrial& trial,
                                     std::span<double> r_motion,
                                     std::span<double> r_rows,
                                     StepDefect& sums) {
    contacts_.evaluate_step(q_.data(), dq_.data(), mid_.data(), trial.t0, trial.h);
    has_responses_ = false;
    const double* s = trial.s.data() + m_;
    Eigen::Vector3d f;
    for (const Contact& contact : contacts_.all()) {
        double slide[2] = {};
        double w[2] = {};
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            slide[i] = contacts_.along(k, dq_.data()) + contacts_.drift(k);
            w[i] = slide[i] / trial.h;
            contacts_.add_along(k, s[k], r_motion.data());
        }
        const bool sticks = contact.mode == ContactMode::stick;
        if (!sticks)
            linearise_slip(contact, w, normal_force(contact, trial.s.data(), true, &f), trial.t0);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            double& r = r_rows[static_cast<std::size_t>(m_ + k)];
            r = sticks ? slide[i] + contact.anchor[i] : slip_scale(k, trial.h) * (law_.s[i] - s[k]);
            sums.energy += std::abs(s[k] * r);
            sums.energy_scale += std::abs(s[k] * slide[i]);
        }
    }
}

/// Turns a residual of the slip law, a force, into a length.
double KernelSystem::slip_scale(int k, double h) const {
    const double D = contacts_.mobility(k, inverse_mass_);
    return 0.5 * h * h * (D > 0.0 ? D : 1.0);
}

/// Solves with the factorised matrix of the frictionless rows, then for the contacts' stresses in
/// the small space of their rows.
void KernelSystem::solve_linear(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<double> ddq,
                                std::span<double> ds) {
    const auto m = static_cast<std::size_t>(m_);
    matrix_->solve(r_motion, r_rows.first(m), ddq, ds.first(m));
    const int K = contacts_.num_rows();
    if (K == 0) return;
    if (!has_responses_) {
        scratch_s_.setZero();
        for (int k = 0; k < K; ++k) {
            contact_work_.setZero();
            contacts_.add_along(k, 1.0, contact_work_.data());
            matrix_->solve(view(contact_work_),
                           view(scratch_s_),
                           {response_x_.col(k).data(), static_cast<std::size_t>(n_)},
                           {response_s_.col(k).data(), m});
        }
        has_responses_ = true;
    }
    small_.clear();
    Eigen::Vector3d f, df;
    bool has_slip = false;
    has_turned_ = false;
    for (const Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick) {
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                small_.share(k);
                for (int j = 0; j < K; ++j)
                    small_(k, j) = contacts_.along(k, response_x_.col(j).data());
                small_.rhs(k) =
                    contacts_.along(k, ddq.data()) - r_rows[static_cast<std::size_t>(m_ + k)];
            }
            continue;
        }
        has_slip = true;
        double w[2] = {};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = (contacts_.along(contact.first_row + i, dq_.data()) +
                    contacts_.drift(contact.first_row + i)) /
                   trial_h_;
        const double N = normal_force(contact, s_trial_, true, &f);
        linearise_slip(contact, w, N, t_);
        if (N > 0.0) f /= N;
        const auto add = [&](int i, const double* x, const double* s, double& to) {
            normal_force(contact, s, true, &df);
            to += law_.by_normal[i] * f.dot(df);
            for (int l = 0; l < contact.num_rows; ++l)
                to += law_.by_rate[i][l] * contacts_.along(contact.first_row + l, x) / trial_h_;
        };
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            for (int j = 0; j < K; ++j)
                add(i, response_x_.col(j).data(), response_s_.col(j).data(), small_(k, j));
            small_(k, k) += 1.0;
            small_.rhs(k) = -r_rows[static_cast<std::size_t>(m_ + k)] / slip_scale(k, trial_h_);
            add(i, ddq.data(), ds.data(), small_.rhs(k));
        }
    }
    // Beyond a stop, where the step is about to be cut, the sign says nothing.
    paradox_ = small_.solve() < 0 && has_slip && !has_turned_;
    for (int k = 0; k < K; ++k) {
        const double x = small_.x(k);
        ds[static_cast<std::size_t>(m_ + k)] = x;
        for (int i = 0; i < n_; ++i) ddq[static_cast<std::size_t>(i)] -= response_x_(i, k) * x;
        for (int i = 0; i < m_; ++i) ds[static_cast<std::size_t>(i)] -= response_s_(i, k) * x;
    }
}

/// (r_motion, r_rows) -= the contacts' part of the residual's derivative times (x, y).
void KernelSystem::apply_contacts(
    const double* x, const double* y, double h, double* r_motion, double* r_rows) {
    Eigen::Vector3d f, df;
    for (const Contact& contact : contacts_.all()) {
        double w[2] = {};
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            contacts_.add_along(k, -y[m_ + k], r_motion);
            w[i] = (contacts_.along(k, dq_.data()) + contacts_.drift(k)) / h;
        }
        if (contact.mode == ContactMode::stick) {
            for (int i = 0; i < contact.num_rows; ++i)
                r_rows[m_ + contact.first_row + i] -= contacts_.along(contact.first_row + i, x);
            continue;
        }
        const double N = normal_force(contact, s_trial_, true, &f);
        linearise_slip(contact, w, N, t_);
        if (N > 0.0) f /= N;
        normal_force(contact, y, true, &df);
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            double change = law_.by_normal[i] * f.dot(df) - y[m_ + k];
            for (int l = 0; l < contact.num_rows; ++l)
                change += law_.by_rate[i][l] * contacts_.along(contact.first_row + l, x) / h;
            r_rows[m_ + k] -= slip_scale(k, h) * change;
        }
    }
}

bool KernelSystem::settle_modes(const StepTrial& trial) {
    if (paradox_) refuse_paradox(trial.t0);
    bool has_changed = false;
    Eigen::Vector3d f;
    const double* s = trial.s.data() + m_;
    for (Contact& contact : contacts_.all()) {
        if (!contact.is_fresh || contact.num_flips >= kMostFlips) continue;
        const int n = contact.num_rows;
        if (contact.mode == ContactMode::stick) {
            const double N = normal_force(contact, trial.s.data(), true, &f);
            if (norm(s + contact.first_row, n) <= contacts_.stick_limit(contact, N, trial.t0))
                continue;
            begin_mode(contact, ContactMode::slip);
            set_direction(s + contact.first_row, n, contact.direction);
        } else {
            double along = 0.0;
            for (int i = 0; i < n; ++i) {
                const int k = contact.first_row + i;
                along +=
                    contact.direction[i] * (contacts_.along(k, dq_.data()) + contacts_.drift(k));
            }
            const double rounding =
                kUndecided * 0.5 * trial.h * trial.h * force_acceleration(island_of(contact));
            if (along >= -rounding) continue;
            begin_mode(contact, ContactMode::stick);
        }
        ++contact.num_flips;
        record_mode(contact, trial.t0);
        has_changed = true;
    }
    return has_changed;
}

/// Largest acceleration that the forces of the last trial alone would cause in an island.
double KernelSystem::force_acceleration(int island) const {
    double largest = 0.0;
    for (int i = 0; i < n_; ++i)
        if (rest_island_[static_cast<std::size_t>(i)] == island)
            largest = std::max(largest, std::abs(F_[i]) * inverse_mass_[i]);
    return largest;
}

int KernelSystem::num_events() const {
    return static_cast<int>(contacts_.all().size());
}

void KernelSystem::evaluate_events(const StepTrial& trial, std::span<double> g) {
    const double h = trial.h;
    Eigen::Vector3d f;
    bool has_slip = false;
    for (std::size_t c = 0; c < contacts_.all().size(); ++c) {
        Contact& contact = contacts_.all()[c];
        has_slip |= contact.mode == ContactMode::slip;
        if (contact.mode == ContactMode::slip) continue;
        // The step knows means; what is left at its end follows from those of two steps.
        const double margin = stick_margin(contact, trial.s.data(), true, trial.t0);
        g[c] = contact.margin_h > 0.0
                   ? margin + (margin - contact.margin) * h / (h + contact.margin_h)
                   : margin;
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

/// Books the friction of the step and moves the contacts' state on; before the state moves.
void KernelSystem::book_contacts(const StepTrial& trial) {
    // Events have looked at the end of the step since the residual was evaluated.
    contacts_.evaluate_step(q_.data(), dq_.data(), mid_.data(), trial.t0, trial.h);
    const Contacts::Work work = contacts_.work(trial.s.data() + m_, dq_.data());
    ledger_.book_nonideal(work.nonideal);
    ledger_.book_external(work.external);
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = false;
        contact.num_flips = 0;
        if (contact.mode == ContactMode::slip) continue;
        contact.margin = stick_margin(contact, trial.s.data(), true, trial.t0);
        contact.margin_h = trial.h;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            contact.anchor[i] += contacts_.along(k, dq_.data()) + contacts_.drift(k);
        }
    }
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

// --- continuous face

/// Friction at the state that the continuous face was last solved for; adds its effect there.
void KernelSystem::solve_contacts(const double* q, const double* v, double t) {
    ContinuousFace& face = continuous_face();
    has_responses_ = false;
    contacts_.evaluate(q, v, t);
    const int K = contacts_.num_rows();
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(face.multipliers().size());
    const std::size_t num_contacts = contacts_.all().size();
    Eigen::Vector3d f, df;
    for (int k = 0; k < K; ++k) {
        contact_work_.setZero();
        contacts_.add_along(k, 1.0, contact_work_.data());
        face.respond(
            view(contact_work_), {response_x_.col(k).data(), n}, {response_s_.col(k).data(), m});
        // Reactions answer to a contact's stress s, C = -s, with the stress +mu.
        face.write_stress(response_s_.col(k).head(static_cast<Eigen::Index>(m)), scratch_s_);
        for (std::size_t c = 0; c < num_contacts; ++c) {
            normal_force(contacts_.all()[c], scratch_s_.data(), false, &df);
            normal_response_[c * static_cast<std::size_t>(K) + static_cast<std::size_t>(k)] = -df;
        }
    }
    scratch_s_.setZero();
    bool has_slip = false;
    double change = 0.0;
    for (int iteration = 0; iteration < kMostLawIterations; ++iteration) {
        small_.clear();
        for (std::size_t c = 0; c < num_contacts; ++c) {
            const Contact& contact = contacts_.all()[c];
            if (contact.mode == ContactMode::stick) {
                for (int i = 0; i < contact.num_rows; ++i) {
                    const int k = contact.first_row + i;
                    small_.share(k);
                    for (int j = 0; j < K; ++j)
                        small_(k, j) = contacts_.along(k, response_x_.col(j).data());
                    small_.rhs(k) =
                        contacts_.along(k, face.acceleration().data()) - contacts_.bias(k);
                }
                continue;
            }
            has_slip = true;
            const Eigen::Vector3d* response =
                normal_response_.data() + c * static_cast<std::size_t>(K);
            normal_force(contact, face.stress().data(), false, &f);
            for (int j = 0; j < K; ++j) f += contact_s_[j] * response[j];
            const double N = f.norm();
            if (N > 0.0) f /= N;
            double w[2] = {};
            for (int i = 0; i < contact.num_rows; ++i)
                w[i] = contacts_.along(contact.first_row + i, v) +
                       contacts_.drift(contact.first_row + i);
            linearise_slip(contact, w, N, t);
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                small_.rhs(k) = law_.s[i];
                for (int j = 0; j < K; ++j) {
                    const double slope = law_.by_normal[i] * f.dot(response[j]);
                    small_(k, j) -= slope;
                    small_.rhs(k) -= slope * contact_s_[j];
                }
                small_(k, k) += 1.0;
            }
        }
        paradox_ = small_.solve() < 0 && has_slip;
        change = 0.0;
        double size = 0.0;
        for (int k = 0; k < K; ++k) {
            change = std::max(change, std::abs(small_.x(k) - contact_s_[k]));
            size = std::max(size, std::abs(small_.x(k)));
            contact_s_[k] = small_.x(k);
        }
        if (change <= 4e-16 * size || !has_slip) break;
        if (iteration + 1 == kMostLawIterations && !(change <= 1e-10 * size)) refuse_paradox(t);
    }
    if (paradox_) refuse_paradox(t);
    for (int k = 0; k < K; ++k)
        face.add_response(-contact_s_[k], response_x_.col(k).data(), response_s_.col(k).data());
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
    if (contacts_.empty()) return;
    if (runaway(x) >= 0) {
        std::ranges::fill(g, 0.0);
        return;
    }
    const double* q = x.data();
    const double* v = q + n_;
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

/// Accelerations, reactions and friction at a state; stresses of all rows go to s_.
void KernelSystem::solve_all(const double* q, const double* v, double t) {
    ContinuousFace& face = continuous_face();
    face.assemble(q, v, t, state0_);
    face.solve();
    if (!contacts_.empty()) solve_contacts(q, v, t);
    s_.head(m_) = face.stress();
    s_.tail(contacts_.num_rows()) = contact_s_;
    mass_.multiply(face.acceleration().data(), p_.data());
    check_conventions(s_.data(), face.Q().data(), p_.data(), ledger_.energy_scale(), t);
}

/// After an accepted step of the continuous face.
void KernelSystem::advance_contacts() {
    note_speeds();
    follow_sliding();
    for (Contact& contact : contacts_.all()) contact.is_fresh = false;
}

/// Sliding directions at the present state.
void KernelSystem::follow_sliding() {
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick || contact.num_rows == 1) continue;
        double w[2] = {};
        for (int i = 0; i < contact.num_rows; ++i)
            w[i] = contacts_.along(contact.first_row + i, v_.data()) +
                   contacts_.drift(contact.first_row + i);
        set_direction(w, contact.num_rows, contact.direction);
        contact.speed = norm(w, contact.num_rows);
    }
}

// --- events, both faces

void KernelSystem::pass_event(int event) {
    Contact& contact = contacts_.all()[static_cast<std::size_t>(event)];
    const ContactMode before = contact.mode;
    // Forces jump: what sticks is to be confirmed anew.
    for (Contact& other : contacts_.all()) {
        other.is_fresh = other.mode == ContactMode::stick;
        other.margin_h = 0.0;
        other.num_flips = 0;
    }
    if (before == ContactMode::slip) {
        if (!has_stopped(contact)) return;
        begin_mode(contact, ContactMode::stick);
        stop_others(contact);
        stop_sliding(island_of(contact));
    } else {
        begin_mode(contact, ContactMode::slip);
        set_direction(s_.data() + m_ + contact.first_row, contact.num_rows, contact.direction);
    }
    record_mode(contact, t_);
    if (model_.traits.face == Face::continuous) resolve_modes();
}

/// Contacts of one body often stop together; those that stand still now are tried as stick too.
void KernelSystem::stop_others(const Contact& stopped) {
    const int island = island_of(stopped);
    const double top = top_speed_[static_cast<std::size_t>(island)];
    contacts_.evaluate(q_.data(), v_.data(), t_);
    for (Contact& other : contacts_.all()) {
        if (other.mode == ContactMode::stick || island_of(other) != island) continue;
        double w[2] = {};
        for (int i = 0; i < other.num_rows; ++i)
            w[i] = contacts_.along(other.first_row + i, v_.data()) +
                   contacts_.drift(other.first_row + i);
        if (norm(w, other.num_rows) > kTurning * top) continue;
        begin_mode(other, ContactMode::stick);
        record_mode(other, t_);
    }
}

/// Whether a contact whose sliding velocity along its direction is zero has stopped; a slide in two
/// directions may only have turned.
bool KernelSystem::has_stopped(Contact& contact) {
    if (contact.num_rows == 1) return true;
    contacts_.evaluate(q_.data(), v_.data(), t_);
    double w[2] = {};
    for (int i = 0; i < contact.num_rows; ++i)
        w[i] = contacts_.along(contact.first_row + i, v_.data()) +
               contacts_.drift(contact.first_row + i);
    const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
    if (norm(w, 2) <= kTurning * top) return true;
    set_direction(w, 2, contact.direction);
    return false;
}

/// Takes what is left of sliding at sticking contacts out of the velocities, with what else that
/// moves.
void KernelSystem::stop_sliding(int island) {
    const double top = top_speed_[static_cast<std::size_t>(island)];
    contacts_.evaluate(q_.data(), v_.data(), t_);
    ContinuousFace& face = continuous_face();
    try {
        face.assemble(q_.data(), v_.data(), t_, state0_);
    } catch (const Error&) {
        return;  // without accelerations the rest stays, a rounding error
    }
    const double before = total_energy(q_.data(), v_.data(), t_);
    const Eigen::VectorXd v_before = v_;
    // A step's end meets constraints on velocities only to its order; at rest that would rattle.
    face.project_velocity(q_.data(), v_.data(), t_, 0.0);
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
        if (stops) small_.share(k);
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
    ledger_.book_projection(total_energy(q_.data(), v_.data(), t_) - before);
    contact_work_ = v_ - v_before;
    mass_.multiply(contact_work_.data(), p_.data());
    ledger_.book_impulse(space_.momenta(q_.data(), p_.data()), 1.0);
    close_ledger(false);
}

/// Finds the modes that go on from the present state, by their accelerations and forces.
void KernelSystem::resolve_modes() {
    for (int change = 0;; ++change) {
        solve_all(q_.data(), v_.data(), t_);
        Contact* changed = nullptr;
        for (Contact& contact : contacts_.all()) {
            if (!contact.is_fresh || contact.num_flips >= kMostFlips) continue;
            const int n = contact.num_rows;
            if (contact.mode == ContactMode::stick) {
                if (stick_margin(contact, s_.data(), false, t_) >= 0.0) continue;
                begin_mode(contact, ContactMode::slip);
                set_direction(s_.data() + m_ + contact.first_row, n, contact.direction);
            } else {
                double w = 0.0, acceleration = 0.0;
                for (int i = 0; i < n; ++i) {
                    const int k = contact.first_row + i;
                    w +=
                        contact.direction[i] * (contacts_.along(k, v_.data()) + contacts_.drift(k));
                    acceleration +=
                        contact.direction[i] *
                        (contacts_.along(k, face_->acceleration().data()) - contacts_.bias(k));
                }
                const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
                if (w > kStopped * top) continue;
                double scale = 0.0;
                for (int i = 0; i < n_; ++i)
                    if (rest_island_[static_cast<std::size_t>(i)] == island_of(contact))
                        scale = std::max(scale, face_->free_acceleration(i));
                if (acceleration >= -kUndecided * scale) continue;
                begin_mode(contact, ContactMode::stick);
            }
            ++contact.num_flips;
            record_mode(contact, t_);
            changed = &contact;
            break;
        }
        if (changed == nullptr) break;
        if (change == kMostModeChanges)
            refuse(t_,
                   fmt::format("no combination of stick and slip holds for {} and the other "
                               "contacts; their friction may be too large for the motion "
                               "(Painleve's paradox)",
                               changed->force->object.label));
    }
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = false;
        contact.num_flips = 0;
    }
}

void KernelSystem::refuse_paradox(double t) const {
    std::string names;
    Place place;
    for (const Contact& contact : contacts_.all()) {
        if (contact.mode != ContactMode::slip) continue;
        if (names.empty()) place = contact.force->object.place;
        names += (names.empty() ? "" : "; ") + contact.force->object.label;
    }
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: friction and normal force of {} have no solution or "
                            "several (Painleve's paradox): friction raises the normal force as "
                            "fast as the normal force raises friction; lower its coefficient",
                            t,
                            names),
                place);
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
