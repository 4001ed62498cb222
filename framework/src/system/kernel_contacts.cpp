// SPDX-License-Identifier: BSD-3-Clause
// Contacts of the whole model: their rows in a step, their forces at an instant.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "kernel_system.hpp"

namespace ancora {
namespace {

constexpr int kMostLawIterations = 50;
// Within a step, a slide in two directions that has come down to this part of its speed keeps the
// step's direction.
constexpr double kSlow = 1e-6;
// A slide that turns by less than this while it stops [rad] is straight; of others a fixed formula
// takes this part of the time to the stop.
constexpr double kStraight = 1e-8;
constexpr double kSmoothPart = 0.125;
// Regularisation that leaves the share open to prices: the matrix of a step is regularised itself,
// so that dependent rows seem a little independent; an instant's responses are exact.
constexpr double kShareInStep = 1e-4;
constexpr double kShareAtInstant = 1e-6;
// What several anchors may contradict each other by, relative to positions.
constexpr double kAnchorRounding = 4.0 * std::numeric_limits<double>::epsilon();

}  // namespace

/// Sizes buffers and finds the islands in which something rubs.
void KernelSystem::prepare_contacts() {
    const int K = contacts_.num_rows();
    small_.resize(K);
    const bool is_discrete = model_.traits.face == Face::discrete;
    small_.set_regularisation(is_discrete ? kShareInStep : kShareAtInstant);
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
    sharing_.assign(static_cast<std::size_t>(num_rest_islands_), {});
}

int KernelSystem::island_of(const Contact& contact) const {
    const RowSet& rows = contacts_.rows();
    return rest_island_[static_cast<std::size_t>(
        rows.column[static_cast<std::size_t>(contacts_.first_entry(contact.first_row))])];
}

/// Magnitude of a constraint's reaction on its first attachment for stresses s of all rows.
double KernelSystem::normal_force(const Contact& contact,
                                  const double* s,
                                  bool of_step,
                                  Eigen::Vector3d* f) {
    if (of_step)
        rows_.local_force(contact.constraint, shared(s), local_force_.data());
    else
        rows_.local_force_now(contact.constraint, s, local_force_.data());
    *f = local_force_.head<3>();
    return f->norm();
}

/// Stress -C of a slipping contact at sliding velocity w and normal force N, and its derivatives.
void KernelSystem::linearise_slip(
    const Contact& contact, const double* w, double N, double t, const double* direction) {
    const int n = contact.num_rows;
    // The side is frozen for the step, so that the law stays smooth through zero.
    const double* side = direction != nullptr ? direction : contact.direction;
    double d[2] = {side[0], side[1]};
    double along = d[0] * w[0] + (n == 2 ? d[1] * w[1] : 0.0);
    const double speed = norm(w, n);
    has_turned_ |= along < 0.0;
    // Slower than this it has stopped, or just begins, and turns with rounding.
    const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
    const bool is_ending = contact.speed > 0.0 && contact.speed <= kTurning * contact.fastest;
    const bool turns = n == 2 && direction == nullptr && !is_ending &&
                       speed > std::max(kSlow * contact.speed, kStopped * top);
    if (turns) {
        const double sign = along < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < n; ++i) d[i] = sign * w[i] / speed;
        along = sign * speed;
    }
    const SlipForce slip = contacts_.slip(contact, N, along, t);
    for (int i = 0; i < n; ++i) {
        law_.s[i] = slip.force * d[i];
        law_.by_normal[i] = slip.by_normal * d[i];
        for (int j = 0; j < n; ++j) {
            law_.by_rate[i][j] = along > 0.0 ? slip.by_speed * d[i] * d[j] : 0.0;
            if (turns)
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
                                     std::span<double> r_rows) {
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
void KernelSystem::solve_with_contacts(std::span<const double> r_motion,
                                       std::span<const double> r_rows,
                                       std::span<double> ddq,
                                       std::span<double> ds) {
    const Stopwatch watch(meter_.is_sampling(), sampled.solve);
    const auto m = static_cast<std::size_t>(m_);
    solve_matrix(r_motion, in_units_of_matrix(r_rows.first(m)), ddq, ds.first(m));
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
                small_.share(k, contact.weight);
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

/// Books the friction of the step and moves the contacts' state on; before the state moves.
void KernelSystem::book_contacts(const StepTrial& trial) {
    const Contacts::Work work = contacts_.work(trial.s.data() + m_, dq_.data());
    ledger_.book_nonideal(work.nonideal);
    ledger_.book_external(work.external);
    restart_sharing();
    for (Contact& contact : contacts_.all()) {
        contact.is_fresh = false;
        contact.num_flips = 0;
        if (contact.mode == ContactMode::slip) continue;
        contact.margin = stick_margin(contact, trial.s.data(), true, trial.t0);
        contact.margin_h = trial.h;
        for (int i = 0; i < contact.num_rows; ++i) {
            const int k = contact.first_row + i;
            double& anchor = contact.anchor[i];
            anchor += contacts_.along(k, dq_.data()) + contacts_.drift(k);
            if (std::abs(anchor) <= kAnchorRounding * unreachable(contact, k)) anchor = 0.0;
        }
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
    // From the same start whatever was solved before, so that looking at a run does not change it.
    contact_s_.setZero();
    bool has_slip = false;
    double change = 0.0;
    for (int iteration = 0; iteration < kMostLawIterations; ++iteration) {
        small_.clear();
        for (std::size_t c = 0; c < num_contacts; ++c) {
            const Contact& contact = contacts_.all()[c];
            if (contact.mode == ContactMode::stick) {
                for (int i = 0; i < contact.num_rows; ++i) {
                    const int k = contact.first_row + i;
                    small_.share(k, contact.weight);
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
            double direction[2];
            const double pull = begin_slip(contact, w, direction);
            linearise_slip(contact, w, N, t, pull > 0.0 ? direction : nullptr);
            if (pull > 0.0) add_turning(contact, pull, direction);
            if (pull > 0.0 && is_resolving_) contacts_.all()[c].turn_to(direction);
            for (int i = 0; i < contact.num_rows; ++i) {
                const int k = contact.first_row + i;
                small_.rhs(k) += law_.s[i];
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
        if (iteration + 1 == kMostLawIterations && !(change <= 1e-10 * size)) paradox_ = true;
    }
    if (paradox_ && !is_resolving_) refuse_paradox(t);
    for (int k = 0; k < K; ++k)
        face.add_response(-contact_s_[k], response_x_.col(k).data(), response_s_.col(k).data());
}

/// Friction of what begins to slip in two directions acts against the acceleration a that results
/// with it, and goes on so while it is slow: sliding turns towards the pull at a rate of friction
/// over speed, faster than anything could follow.
/// @returns |a| of sliding at the present iterate, and its direction; 0 if the contact slides on
///          its own, or does not accelerate
double KernelSystem::begin_slip(const Contact& contact, const double* w, double* direction) {
    const int island = island_of(contact);
    const double slow = kTurning * top_speed_[static_cast<std::size_t>(island)];
    if (contact.num_rows == 1 || contact.fastest > slow || norm(w, 2) > slow) return 0.0;
    double a[2];
    for (int i = 0; i < 2; ++i) {
        const int k = contact.first_row + i;
        a[i] = contacts_.along(k, face_->acceleration().data()) - contacts_.bias(k);
        for (int j = 0; j < contacts_.num_rows(); ++j)
            a[i] -= contact_s_[j] * contacts_.along(k, response_x_.col(j).data());
    }
    const double size = norm(a, 2);
    if (size <= kUndecided * free_acceleration(island)) return 0.0;
    for (int i = 0; i < 2; ++i) direction[i] = a[i] / size;
    return size;
}

/// Adds to the small system how such friction turns with the acceleration, of size `pull`.
void KernelSystem::add_turning(const Contact& contact, double pull, const double* d) {
    const double stiffness = (d[0] * law_.s[0] + d[1] * law_.s[1]) / pull;
    for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < contacts_.num_rows(); ++j) {
            double turn = 0.0;
            for (int l = 0; l < 2; ++l)
                turn += ((i == l ? 1.0 : 0.0) - d[i] * d[l]) *
                        contacts_.along(contact.first_row + l, response_x_.col(j).data());
            small_(contact.first_row + i, j) += stiffness * turn;
            small_.rhs(contact.first_row + i) += stiffness * turn * contact_s_[j];
        }
    }
}

double KernelSystem::smooth_length(double h) const {
    const bool is_discrete = model_.traits.face == Face::discrete;
    double length = h;
    for (const Contact& contact : contacts_.all()) {
        if (contact.mode == ContactMode::stick || contact.num_rows == 1) continue;
        double w[2], a[2];
        for (int i = 0; i < 2; ++i) {
            const int k = contact.first_row + i;
            w[i] = is_discrete ? contact.speed * contact.direction[i]
                               : contacts_.along(k, v_.data()) + contacts_.drift(k);
            a[i] = is_discrete
                       ? contact.change[i]
                       : contacts_.along(k, face_->acceleration().data()) - contacts_.bias(k);
        }
        const double speed = norm(w, 2), pull = norm(a, 2);
        const double top = top_speed_[static_cast<std::size_t>(island_of(contact))];
        const bool is_slow = speed <= kSlow * contact.fastest ||
                             (contact.fastest <= kTurning * top && speed <= kTurning * top);
        if (is_slow || std::abs(w[0] * a[1] - w[1] * a[0]) <= kStraight * speed * pull) continue;
        // Up to its stop, or as long as its direction takes to follow the pull.
        if (w[0] * a[0] + w[1] * a[1] < 0.0) length = std::min(length, kSmoothPart * speed / pull);
        if (is_discrete) continue;  // which is implicit: no turn is too fast for it
        const double turning = norm(contact_s_.data() + contact.first_row, 2) *
                               std::max(contacts_.mobility(contact.first_row, inverse_mass_),
                                        contacts_.mobility(contact.first_row + 1, inverse_mass_));
        if (turning > 0.0) length = std::min(length, speed / turning);
    }
    return length;
}

/// Accelerations, reactions and friction at a state; stresses of all rows go to s_.
void KernelSystem::solve_all(const double* q, const double* v, double t) {
    ContinuousFace& face = continuous_face();
    solve_accelerations(q, v, t);
    s_.head(m_) = face.stress();
    s_.tail(contacts_.num_rows()) = contact_s_;
    mass_.multiply(face.acceleration().data(), p_.data());
    check_conventions(s_.data(), face.Q().data(), p_.data(), ledger_.energy_scale(), t);
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

}  // namespace ancora
