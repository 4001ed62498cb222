// SPDX-License-Identifier: BSD-3-Clause
// The books of the system: works, impulses, reactions and violations of accepted steps.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel_system.hpp"

namespace ancora {
namespace {

// A convention row (the spin of an ideal rod) may carry rounding only, relative to what is beside.
constexpr double kConventionTolerance = 1e-8;
// A jump of what is prescribed that is rounding, relative to the model's size.
constexpr double kJump = 1e-9;
// Rounding of a row's function of time, relative to the model's size, and the share of a larger lag
// that a step closes: small, since 2 / h^2 times as much is an acceleration.
constexpr double kLagRounding = 8.0 * std::numeric_limits<double>::epsilon();
constexpr double kLagShare = 1.0 / 16.0;

}  // namespace

/// Refuses a load where a convention stands in for inertia, beyond what rounding leaves of the
/// stresses and forces beside it.
void KernelSystem::check_conventions(
    const double* s, const double* F, const double* Ma, double energy_scale, double t) const {
    for (const RowOwner& owner : rows_.owners) {
        double scale = -1.0;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            if (laws_[k].kind != RowKind::convention) continue;
            if (scale < 0.0) {
                scale = std::max(energy_scale, std::numeric_limits<double>::min());
                for (int i = owner.first_row; i < owner.first_row + owner.num_rows; ++i)
                    if (i != k) scale = std::max(scale, std::abs(s[i]));
                if (owner.body >= 0)
                    for (int i = owner.u_first; i < owner.u_first + owner.u_count; ++i)
                        scale = std::max({scale, std::abs(F[i]), std::abs(Ma[i])});
            }
            if (std::abs(s[k]) <= kConventionTolerance * scale) continue;
            throw Error(
                ErrorKind::numerical,
                fmt::format("t = {:.9g} s: {} is loaded by {:.3g} N m, but nothing there has "
                            "inertia or stiffness; attach on the axis, or give the body "
                            "inertia about it",
                            t,
                            rows_.row_name(k),
                            s[k]),
                owner.object->place);
        }
    }
}

/// Books works and impulses of the step, from the forces that moved the bodies.
void KernelSystem::book(const StepTrial& trial) {
    const double h = trial.h;
    for (int k = 0; k < m_; ++k) {
        const double s = trial.s[static_cast<std::size_t>(k)];
        if (is_row_held(k)) continue;
        // Explicit time: prescribed motion works s tau; a gap that is closed works s pi0.
        if (rows_.tau[k] != 0.0) ledger_.book_external(s * rows_.tau[k]);
        if (laws_.is_constraint(k) && pi_[k] != 0.0)
            ledger_.book_projection(s * laws_.theta()[k] * pi_[k]);
        if (laws_.has_viscosity()) {
            const double loss = laws_.dissipation(k, pi_[k], Bdq_[k] + rows_.tau[k], h);
            if (loss != 0.0) ledger_.book_nonideal(-loss);
        }
    }
    if (has_gravity_)
        ledger_.book_gravity(-pairwise_dot(gravity_force_.data(), dq_.data(), trial.a.size()));
    const ForceSet::Work work = forces_.work();
    ledger_.book_external(work.external);
    ledger_.book_nonideal(work.nonideal);
    if (!has_gravity_ && !has_external_ && forces_.loads().empty()) return;

    // Forces from outside: gravity, loads, and reactions of the ground.
    external_force_ = gravity_force_;
    forces_.add_external(external_force_.data());
    if (!contacts_.empty()) contacts_.add_external(trial.s.data() + m_, external_force_.data());
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        if (!model_.constraints[c].is_tied_to_ground) continue;
        const RowOwner& owner = rows_.owners[model_.bodies.size() + c];
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
            for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e)
                external_force_[rows_.column[static_cast<std::size_t>(e)]] -=
                    rows_.B[e] * trial.s[static_cast<std::size_t>(k)];
        }
    }
    for (int i = 0; is_any_held_ && i < n_; ++i)
        if (is_coordinate_held(i)) external_force_[i] = 0.0;  // in balance by definition
    ledger_.book_impulse(space_.momenta(mid_.data(), external_force_.data()), h);
}

void KernelSystem::collect_reactions(const StepTrial& trial) {
    const double h = trial.h;
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        const int first = reaction_start_[c];
        const int count = reaction_start_[c + 1] - first;
        const RowOwner& owner = rows_.owners[model_.bodies.size() + c];
        if (model_.constraints[c].reaction == ReactionKind::force) {
            rows_.local_force(static_cast<int>(c), trial.s.data(), local_force_.data());
            for (int i = 0; i < count; ++i) reaction_sum_[first + i] += h * local_force_[i];
        } else {
            for (int i = 0; i < count; ++i)
                reaction_sum_[first + i] -=
                    h * trial.s[static_cast<std::size_t>(owner.first_row + i)];
        }
    }
    add_applied(trial.s.data() + m_, h, applied_sum_);
    if (!independent_.all())
        for (int k = 0; k < m_; ++k) stress_sum_[k] += h * trial.s[static_cast<std::size_t>(k)];
    grid_time_ += h;
}

/// Makes mean reactions of a step that left rows out those of least norm; when asked for, since a
/// step itself does not need them.
void KernelSystem::share_reactions() const {
    if (is_reaction_shared_) return;
    is_reaction_shared_ = true;
    const Eigen::VectorXd basic = stress_sum_ / grid_time_;
    share_work_ = basic;
    independent_.prepare_sharing();
    independent_.share(share_work_.data());
    share_work_ -= basic;
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        const int first = reaction_start_[c];
        const int count = reaction_start_[c + 1] - first;
        const RowOwner& owner = rows_.owners[model_.bodies.size() + c];
        if (model_.constraints[c].reaction == ReactionKind::force) {
            share_force_.setZero(local_force_.size());
            rows_.local_force(static_cast<int>(c), share_work_.data(), share_force_.data());
            for (int i = 0; i < count; ++i) reaction_mean_[first + i] += share_force_[i];
        } else {
            for (int i = 0; i < count; ++i)
                reaction_mean_[first + i] -= share_work_[owner.first_row + i];
        }
    }
}

/// Adds `factor` times C of every force object, as last evaluated.
void KernelSystem::add_applied(const double* contact_s, double factor, Eigen::VectorXd& to) const {
    for (std::size_t f = 0; f < model_.forces.size(); ++f) {
        const std::span<const double> force = forces_.force(static_cast<int>(f));
        for (std::size_t i = 0; i < 3 && i < force.size(); ++i)
            to[static_cast<Eigen::Index>(3 * f + i)] += factor * force[i];
    }
    for (const Contact& contact : contacts_.all())
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k)
            to.segment<3>(3 * contact.index) -= factor * contact_s[k] * contacts_.force_axis(k);
}

void KernelSystem::begin_grid_step(long step, bool goes_on) {
    meter_.sample(step % CallMeter::kSampleEvery == 0);
    iterations_in_piece_ = 0;
    if (goes_on) return;
    reaction_sum_.setZero();
    stress_sum_.setZero();
    applied_sum_.setZero();
    grid_time_ = 0.0;
}

void KernelSystem::end_grid_step(double t) {
    note_lag(t);
    t_ = t;
    if (!(grid_time_ > 0.0)) return;
    reaction_mean_ = reaction_sum_ / grid_time_;
    is_reaction_shared_ = independent_.all();
    applied_mean_ = applied_sum_ / grid_time_;
}

/// What is prescribed moves on by h, or by the difference of two rounded times, as its author has
/// written it, and the roundings of a long run add up. So rows of explicit time are compared with
/// their functions at the grid's time t, and a share of what is no rounding of these is closed in
/// the next step.
void KernelSystem::note_lag(double t) {
    const double rounding = kLagRounding * std::max(extent_, farthest_);
    for (const int k : timed_rows_) {
        const double lag = fresh_pi_[k] + rate_pi_t_[k] * (t - t_) - pi_[k];
        lag_[k] = std::abs(lag) <= rounding || is_row_held(k) ? 0.0 : kLagShare * lag;
    }
    for (const int k : independent_.left_out()) lag_[k] = 0.0;
}

/// Refuses a step from the present state in which what a constraint prescribes jumps.
void KernelSystem::refuse_jumps(double t0, double h) {
    jumps_.check(q_.data(), t0, h, kJump * extent_);
}

void KernelSystem::measure_violation(const double* q, const double* v, double t) {
    violation_next_ = {};
    rows_.evaluate_gaps(q, t, fresh_pi_.data());
    for (const RowOwner& owner : rows_.owners) {
        double& worst = owner.constraint >= 0 ? violation_next_.position : violation_next_.strain;
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k) {
            if (laws_[k].kind != RowKind::constraint) continue;
            if (!std::isfinite(fresh_pi_[k])) rows_.refuse_row(k, t);
            worst = std::max(worst, std::abs(fresh_pi_[k]));
        }
    }
    rows_.evaluate_rates(constraint_blocks_, q, v, t, rate_A_.data(), rate_pi_t_.data());
    for (const int b : constraint_blocks_) {
        const BlockPart& part = rows_.blocks[static_cast<std::size_t>(b)];
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!laws_.has_rate(k)) continue;
            double rate = rate_pi_t_[k];
            const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
            for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e)
                rate += rate_A_[e] * v[rows_.column[static_cast<std::size_t>(e)]];
            if (!std::isfinite(rate)) rows_.refuse_row(k, t);
            violation_next_.velocity = std::max(violation_next_.velocity, std::abs(rate));
        }
    }
}

void KernelSystem::note_violation() {
    violation_ = violation_next_;
    worst_violation_.position = std::max(worst_violation_.position, violation_.position);
    worst_violation_.velocity = std::max(worst_violation_.velocity, violation_.velocity);
    worst_violation_.strain = std::max(worst_violation_.strain, violation_.strain);
}

double KernelSystem::elastic_energy() const {
    CompensatedSum sum;
    for (int k = 0; k < m_; ++k) sum += laws_.energy(k, pi_[k]);
    return sum.value();
}

void KernelSystem::weigh() {
    total_mass_ = 0.0;  // a body may lack some directions
    for (const std::array<double, 3>& axis :
         {std::array{1.0, 0.0, 0.0}, std::array{0.0, 1.0, 0.0}, std::array{0.0, 0.0, 1.0}}) {
        p_.setZero();
        space_.add_uniform(axis, p_.data());
        Eigen::VectorXd force = p_;
        mass_.multiply(p_.data(), force.data());
        total_mass_ = std::max(total_mass_, p_.dot(force));
    }
}

void KernelSystem::close_ledger(bool begins) {
    mass_.update(q_.data(), v_.data(), t_, meter_, nullptr);
    mass_.multiply(v_.data(), p_.data());
    const double kinetic = 0.5 * pairwise_dot(v_.data(), p_.data(), static_cast<std::size_t>(n_));
    const Momenta momenta = space_.momenta(q_.data(), p_.data());
    farthest_ = std::max(farthest_, space_.farthest(q_.data()));
    if (begins) {
        weigh();
        const double gravity =
            -pairwise_dot(gravity_force_.data(), q_.data(), static_cast<std::size_t>(n_));
        ledger_.begin(kinetic, elastic_energy(), gravity, momenta);
    } else {
        ledger_.close(kinetic, elastic_energy(), momenta);
    }
}

}  // namespace ancora
