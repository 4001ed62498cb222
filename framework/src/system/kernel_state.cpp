// SPDX-License-Identifier: BSD-3-Clause
// What the rest of a run depends on, written and read.
#include <algorithm>
#include <cmath>

#include "kernel_system.hpp"
#include "state_archive.hpp"

namespace ancora {

/// Members that a step only uses itself are not among these; a restored run repeats every bit.
template <class Archive>
void KernelSystem::transfer(Archive& archive) {
    share_reactions();
    independent_.transfer(archive);
    archive(q_at_choice_);
    archive(has_factorised_);
    bool is_redundant = is_redundant_;
    archive(is_redundant);
    if (is_redundant != is_redundant_) StateReader::refuse();

    archive(t_);
    for (Eigen::VectorXd* x : {&q_,
                               &q_low_,
                               &v_,
                               &v_low_,
                               &a_,
                               &s_,
                               &pi_,
                               &lag_,
                               &reaction_sum_,
                               &stress_sum_,
                               &reaction_mean_,
                               &applied_sum_,
                               &applied_mean_,
                               &contact_s_})
        archive(*x);
    archive.require(std::isfinite(t_), "a time");
    for (const Eigen::VectorXd* x : {&q_, &q_low_, &v_, &v_low_, &s_, &pi_, &lag_, &contact_s_})
        archive.require_finite(*x, "a number of the motion");
    for (std::vector<double>* x : {&state0_, &history_, &top_speed_}) {
        archive.array(x->data(), static_cast<Eigen::Index>(x->size()));
        archive.require_finite(*x, "a number of a plugin's state");
    }
    archive(grid_time_);
    archive(met_constraints_at_);
    archive(ledger_);
    archive(violation_);
    archive(worst_violation_);
    archive(extent_);
    archive(farthest_);
    archive(book_unit_);

    std::size_t num_contacts = contacts_.all().size();
    archive(num_contacts);
    if (num_contacts != contacts_.all().size()) StateReader::refuse();
    for (Contact& contact : contacts_.all()) {
        int mode = static_cast<int>(contact.mode);
        archive(mode);
        archive.require(mode == static_cast<int>(ContactMode::slip) ||
                            mode == static_cast<int>(ContactMode::stick),
                        "a contact's mode");
        contact.mode = static_cast<ContactMode>(mode);
        archive(contact.is_fresh);
        archive(contact.direction);
        archive(contact.speed);
        archive(contact.fastest);
        archive(contact.change);
        archive(contact.anchor);
        archive(contact.num_flips);
        archive(contact.margin);
        archive(contact.margin_h);
        archive(contact.weight);
        archive.require(contact.num_flips >= 0, "a number of changes");
    }
    std::vector<char> is_held = is_held_;
    archive(is_held);
    if (is_held.size() != is_held_.size()) StateReader::refuse();
    const auto is_flag = [](char c) {
        return c == 0 || c == 1;
    };
    archive.require(std::ranges::all_of(is_held, is_flag), "a flag");
    is_held_ = is_held;
    archive(is_any_held_);
    for (Sharing& sharing : sharing_) {
        archive(sharing.rounds);
        archive(sharing.worst);
        archive(sharing.is_strict);
        archive.require(sharing.rounds >= 0, "a number of rounds");
    }
    const auto num_forces = static_cast<int>(model_.forces.size());
    archive.list(recorded_events_, [&](auto& event) {
        archive(event.t);
        archive(event.force);
        archive(event.sticks);
        archive.require(event.force >= 0 && event.force < num_forces, "the force of an event");
    });
    archive.list(singular_positions_, [&](auto& position) {
        archive(position.t);
        archive(position.continues);
    });
    archive(singular_until_);
    if (laws_.has_nonlinear()) {
        archive(slope_in_matrix_);
        std::vector<char> broken = laws_.broken();
        archive(broken);
        if (broken.size() != laws_.broken().size()) StateReader::refuse();
        archive.require(std::ranges::all_of(broken, is_flag), "a flag");
        laws_.set_broken(broken);
        archive.list(breaks_, [&](auto& entry) {
            archive(entry.t);
            archive(entry.row);
            archive(entry.energy);
            archive.require(entry.row >= 0 && entry.row < m_, "the row of an event");
        });
    }
    forces_.loads().transfer(archive);

    for (long* count : {&substeps, &iterations, &max_iterations, &factorisations, &evaluations}) {
        archive(*count);
        archive.require(*count >= 0, "a count");
    }
    archive(factorised_for_);
    archive.require(std::isfinite(factorised_for_) && factorised_for_ >= 0.0, "a step");
    archive(is_exact_);
    archive(is_fresh_);
    archive(force_tangents_.values());
    archive.require(force_tangents_.values().allFinite(), "a tangent");
    matrix_->transfer(archive, rows_);
    archive.require(factorised_for_ == 0.0 || matrix_->is_factorised(), "a matrix");
    co_rotation_.transfer(archive);

    if constexpr (Archive::kReads) {
        if (factorised_for_ > 0.0) laws_.prepare(factorised_for_);
        for (const int k : laws_.nonlinear()) laws_.follow(k, slope_in_matrix_[k]);
        has_B_start_ = false;
        has_responses_ = false;
        has_chosen_rank_ = false;
        if (face_) face_->forget_choices();
        rows_.evaluate(q_.data(), v_.data(), t_, instant_);
        mass_.update(q_.data(), v_.data(), t_, meter_, nullptr);
    }
}
template void KernelSystem::transfer(StateWriter&);
template void KernelSystem::transfer(StateReader&);

void KernelSystem::apply_force(const std::string& attachment, const std::array<double, 3>& force) {
    forces_.loads().set(attachment, force);
    // What was extrapolated from the last step does not hold under other forces.
    for (Contact& contact : contacts_.all()) contact.margin_h = 0.0;
}

}  // namespace ancora
