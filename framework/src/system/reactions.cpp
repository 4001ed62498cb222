// SPDX-License-Identifier: BSD-3-Clause
// Reactions over grid steps and at instants.
#include "reactions.hpp"

#include <algorithm>

#include "state_archive.hpp"

namespace ancora {

Reactions::Reactions(const Assembly& parts, const Contacts& contacts, IndependentRows& independent)
    : parts_(parts), contacts_(contacts), independent_(independent) {
    int count = 0;
    int largest_u = 0;
    for (std::size_t c = 0; c < parts.model.constraints.size(); ++c) {
        const RowOwner& owner = parts.owner_of_constraint(c);
        start_.push_back(count);
        count += parts.model.constraints[c].reaction == ReactionKind::force ? 3 : owner.num_rows;
        largest_u = std::max(largest_u, owner.u_count);
    }
    start_.push_back(count);
    for (Eigen::VectorXd* x : {&sum_, &mean_}) x->setZero(count);
    stress_sum_.setZero(parts.m);
    for (Eigen::VectorXd* x : {&applied_sum_, &applied_mean_})
        x->setZero(3 * static_cast<Eigen::Index>(parts.model.forces.size()));
    local_force_.setZero(largest_u);
}

void Reactions::begin_grid_step() {
    sum_.setZero();
    stress_sum_.setZero();
    applied_sum_.setZero();
    time_ = 0.0;
}

void Reactions::collect(const StepTrial& trial) {
    const double h = trial.h;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const int first = start_[c];
        const int count = start_[c + 1] - first;
        const RowOwner& owner = parts_.owner_of_constraint(c);
        if (parts_.model.constraints[c].reaction == ReactionKind::force) {
            parts_.rows.local_force(static_cast<int>(c), trial.s.data(), local_force_.data());
            for (int i = 0; i < count; ++i) sum_[first + i] += h * local_force_[i];
        } else {
            for (int i = 0; i < count; ++i)
                sum_[first + i] -= h * trial.s[static_cast<std::size_t>(owner.first_row + i)];
        }
    }
    add_applied(trial.s.data() + parts_.m, h, applied_sum_);
    if (!independent_.all())
        for (int k = 0; k < parts_.m; ++k)
            stress_sum_[k] += h * trial.s[static_cast<std::size_t>(k)];
    time_ += h;
}

void Reactions::end_grid_step() {
    if (!(time_ > 0.0)) return;
    mean_ = sum_ / time_;
    is_shared_ = independent_.all();
    applied_mean_ = applied_sum_ / time_;
}

void Reactions::forget() {
    mean_.setZero();
    is_shared_ = true;
}

void Reactions::take_instant(const double* s, const double* contact_s) {
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const std::vector<double> reaction = reported(c, s, false);
        std::copy(reaction.begin(), reaction.end(), mean_.begin() + start_[c]);
    }
    applied_mean_ = applied_at_instant(contact_s);
}

Eigen::VectorXd Reactions::applied_at_instant(const double* contact_s) const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(applied_mean_.size());
    add_applied(contact_s, 1.0, out);
    return out;
}

void Reactions::share() const {
    if (is_shared_) return;
    is_shared_ = true;
    const Eigen::VectorXd basic = stress_sum_ / time_;
    share_work_ = basic;
    independent_.prepare_sharing();
    independent_.share(share_work_.data());
    share_work_ -= basic;
    for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
        const int first = start_[c];
        const int count = start_[c + 1] - first;
        const RowOwner& owner = parts_.owner_of_constraint(c);
        if (parts_.model.constraints[c].reaction == ReactionKind::force) {
            share_force_.setZero(local_force_.size());
            parts_.rows.local_force(static_cast<int>(c), share_work_.data(), share_force_.data());
            for (int i = 0; i < count; ++i) mean_[first + i] += share_force_[i];
        } else {
            for (int i = 0; i < count; ++i) mean_[first + i] -= share_work_[owner.first_row + i];
        }
    }
}

/// Adds `factor` times C of every force object, as last evaluated.
void Reactions::add_applied(const double* contact_s, double factor, Eigen::VectorXd& to) const {
    for (std::size_t f = 0; f < parts_.model.forces.size(); ++f) {
        const std::span<const double> force = parts_.forces.force(static_cast<int>(f));
        for (std::size_t i = 0; i < 3 && i < force.size(); ++i)
            to[static_cast<Eigen::Index>(3 * f + i)] += factor * force[i];
    }
    for (const Contact& contact : contacts_.all())
        for (int k = contact.first_row; k < contact.first_row + contact.num_rows; ++k)
            to.segment<3>(3 * contact.index) -= factor * contact_s[k] * contacts_.force_axis(k);
}

std::vector<double> Reactions::reported(std::size_t constraint,
                                        const double* s,
                                        bool of_step) const {
    const int count = start_[constraint + 1] - start_[constraint];
    std::vector<double> out(static_cast<std::size_t>(count));
    const RowOwner& owner = parts_.owner_of_constraint(constraint);
    const bool is_force = parts_.model.constraints[constraint].reaction == ReactionKind::force;
    if (is_force && of_step)
        parts_.rows.local_force(static_cast<int>(constraint), s, local_force_.data());
    else if (is_force)
        parts_.rows.local_force_now(static_cast<int>(constraint), s, local_force_.data());
    for (int i = 0; i < count; ++i)
        out[static_cast<std::size_t>(i)] = is_force ? local_force_[i] : -s[owner.first_row + i];
    return out;
}

template <class Archive>
void Reactions::transfer(Archive& archive) {
    share();
    for (Eigen::VectorXd* x : {&sum_, &stress_sum_, &mean_, &applied_sum_, &applied_mean_})
        archive(*x);
    archive(time_);
}
template void Reactions::transfer(StateWriter&);
template void Reactions::transfer(StateReader&);

}  // namespace ancora
