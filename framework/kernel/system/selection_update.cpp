// SPDX-License-Identifier: BSD-3-Clause
// The choice of rows, kept and renewed.
#include "selection_update.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "state_archive.hpp"

namespace ancora {
namespace {

// A choice of rows is looked at again when the system has moved by this part of its size and the
// matrix has had to be made anew.
constexpr double kMoved = 0.05;

}  // namespace

SelectionUpdate::SelectionUpdate(const SystemData& of,
                                 ConstraintSelection& independent,
                                 StepTangent& tangent,
                                 FactoredStep& matrix)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      independent_(independent),
      tangent_(tangent),
      matrix_(matrix) {
    for (Eigen::VectorXd* x : {&q_at_choice_, &way_}) x->setZero(parts_.n);
}

void SelectionUpdate::set_redundant(bool is_redundant) {
    // Rows are chosen by A at the accepted state (theory, section 6); those that stay are
    // independent, so that the matrix needs no room for dependent ones.
    if (is_redundant && parts_.model.traits.face == Face::discrete) {
        parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
        independent_.choose(instant_.A, state_.pi);
        q_at_choice_ = state_.q;
        is_redundant = false;
    }
    is_redundant_ = is_redundant;
    matrix_.lay_out(is_redundant);
}

bool SelectionUpdate::choose_anew(ConstraintSelection::Conditions conditions) {
    q_at_choice_ = state_.q;
    parts_.rows.evaluate(state_.q.data(), state_.v.data(), state_.t, instant_);
    if (!independent_.choose(instant_.A, state_.pi, conditions)) return false;
    // Another choice of rows makes the same force by other stresses: the iteration starts from
    // zero.
    for (int k = 0; k < parts_.m; ++k)
        if (parts_.laws.is_constraint(k)) state_.s[k] = 0.0;
    begin_anew();
    return true;
}

void SelectionUpdate::begin_anew() {
    // Extrapolations and factorisations belong to the rows of before.
    std::ranges::fill(state_.history, 0.0);
    matrix_.forget();
    tangent_.forget_start();
}

bool SelectionUpdate::settle(const StepTrial& trial, SingularPositions& singular) {
    if (independent_.all()) return false;
    // A row left out is carried by pi_1 = pi_0 + B dq + tau without being asked for: where it
    // opens, it was no combination of the others along this step.
    const int row = independent_.violated_dropped_row(state_.extent);
    if (row < 0) return false;
    // As the motion goes on, not as the trial went.
    const bool was_chosen_for_it = chosen_.is(trial);
    const bool is_beside = singular.nears({trial.t0, trial.h, view(state_.a), {}});
    // A at the middle, where B of the step is taken: there the choice has to hold.
    parts_.rows.evaluate(trial_.mid.data(), state_.v.data(), trial.t0 + 0.5 * trial.h, instant_);
    if (!(was_chosen_for_it && is_beside) && independent_.choose(instant_.A, state_.pi)) {
        for (const int k : independent_.dropped()) state_.s[k] = 0.0;
        chosen_ = {trial.t0, trial.h};
        begin_anew();
        return true;
    }
    // The same rows from a choice made for this very step: A^T of the kept rows spans all rows, and
    // pi of the row is prescribed by the others, which contradict it.
    if (!is_beside) refuse(trial, row);
    refuted_ = {trial.t0, trial.h};
    return true;
}

void SelectionUpdate::refuse_open_row(const StepTrial& trial) const {
    if (!independent_.all() && is_refuted(trial))
        refuse(trial, independent_.violated_dropped_row(state_.extent));
}

void SelectionUpdate::refuse(const StepTrial& trial, int row) const {
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s, step of {:.3g} s: {} opens by {:.3g} and cannot be "
                            "closed, since the other constraints determine what it measures: "
                            "they contradict it; remove it or make their motions agree",
                            trial.t0,
                            trial.h,
                            parts_.rows.row_name(row),
                            independent_.dropped_row_residual(row)),
                parts_.rows.place_of_row(row));
}

void SelectionUpdate::follow_motion() {
    if (independent_.all() || !has_factorised_) return;
    has_factorised_ = false;
    // The largest displacement of matter since the choice, against the model's size; looked at
    // where the matrix was renewed, which tells that A has changed.
    way_ = state_.q - q_at_choice_;
    if (parts_.space.displacement(way_.data()) > kMoved * state_.extent) choose_anew();
}

template <class Archive>
void SelectionUpdate::transfer(Archive& archive) {
    independent_.transfer(archive);
    archive(q_at_choice_);
    archive(has_factorised_);
    bool is_redundant = is_redundant_;
    archive(is_redundant);
    if (is_redundant != is_redundant_) ArchiveReader::refuse();
}
template void SelectionUpdate::transfer(ArchiveWriter&);
template void SelectionUpdate::transfer(ArchiveReader&);

}  // namespace ancora
