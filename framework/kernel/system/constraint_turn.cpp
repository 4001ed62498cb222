// SPDX-License-Identifier: BSD-3-Clause
// The curvature of the constraints along a step.
#include "constraint_turn.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compensated_sum.hpp"

namespace ancora {
namespace {

// Of the step's motion: what the mean acceleration bends it by at least where that turns it by so
// much. The tangent of half the angle, and room for velocities off the constraints.
constexpr double kBent = 0.1;
// Of the mean mass, to coordinates without any.
constexpr double kLentMass = 1e-9;

}  // namespace

ConstraintTurn::ConstraintTurn(Assembly& parts, const Trial& trial) : parts_(parts), trial_(trial) {
    bool moves = false;
    for (std::size_t b = 0; b < parts.rows.blocks.size(); ++b) {
        const BlockPart& part = parts.rows.blocks[b];
        const std::size_t before = row_.size();
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!parts.laws.is_constraint(k) || !parts.laws.has_rate(k)) continue;
            row_.push_back(k);
            for (const int e : parts.rows.entries(k)) entry_.push_back(e);
        }
        if (row_.size() == before) continue;
        blocks_.push_back(static_cast<int>(b));
        moves |= !part.is_constant;
    }
    if (!moves) row_.clear();
    if (row_.empty()) return;
    for (Eigen::VectorXd* x : {&v_, &x_, &Mx_}) x->setZero(parts.n);
    for (Eigen::VectorXd* A : {&A_, &A1_}) A->setZero(parts.rows.B.size());
    pi_t_.setZero(parts.m);
    r_.setZero(static_cast<Eigen::Index>(row_.size()));
}

/// M, with next to nothing where it has none.
void ConstraintTurn::prepare() {
    if (row_.empty() || solver_) return;
    SystemPattern pattern;
    pattern.num_coordinates = parts_.n;
    for (const MassEntry& entry : parts_.mass.entries())
        pattern.mass.emplace_back(entry.i, entry.j);
    for (int i = 0; i < parts_.n; ++i) {
        if (!parts_.mass.is_massless(i)) continue;
        const auto known = std::ranges::find(pattern.mass, std::pair(i, i));
        lent_to_.push_back(static_cast<int>(known - pattern.mass.begin()));
        if (known == pattern.mass.end()) pattern.mass.emplace_back(i, i);
    }
    for (const BodyPart& part : parts_.model.bodies) pattern.first_of_body.push_back(part.first);
    pattern.row_start.push_back(0);
    for (const int k : row_) {
        for (const int i : parts_.rows.columns(k)) pattern.column.push_back(i);
        pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
    }
    double sum = 0.0;
    for (int i = 0; i < parts_.n; ++i) sum += parts_.mass.diagonal(i);
    M_.assign(pattern.mass.size(), 0.0);
    lent_mass_ = kLentMass * sum / parts_.n;
    A_of_conditions_.assign(entry_.size(), 0.0);
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
}

void ConstraintTurn::look(const StepTrial& trial) {
    if (!solver_) return;
    const auto n = static_cast<std::size_t>(parts_.n);
    const double half = 0.5 * trial.h * trial.h;
    const double bent = half * half * pairwise_dot(trial.a.data(), trial_.Ma.data(), n);
    parts_.mass.multiply(trial_.dq.data(), Mx_.data());
    const double way = pairwise_dot(trial_.dq.data(), Mx_.data(), n);
    if (!(bent > kBent * kBent * way)) return;
    const double turn = turned(trial, way);
    if (!(turn > kResolved)) return;
    if (unresolved_.h == 0.0) {
        unresolved_.t = trial.t0 + trial.h;
        unresolved_.h = trial.h;
    }
    if (!(turn > unresolved_.largest)) return;
    unresolved_.largest = turn;
    double most = -1.0;
    for (int i = 0; i < parts_.n; ++i) {
        const double here = std::abs(trial_.dq[i]);
        if (!(here > most) || parts_.mass.is_massless(i)) continue;
        most = here;
        unresolved_.thrown = i;
    }
}

/// (1); nothing where rows and masses together do not determine x.
double ConstraintTurn::turned(const StepTrial& trial, double dq_M_dq) {
    const double h = trial.h;
    v_ = trial_.dq / h;
    parts_.rows.evaluate_rates(blocks_,
                               trial_.mid.data(),
                               v_.data(),
                               trial.t0 + 0.5 * h,
                               A_.data(),
                               pi_t_.data(),
                               SignalSet::Moment::middle);
    parts_.rows.evaluate_rates(blocks_,
                               trial_.q_next.data(),
                               trial_.v_next.data(),
                               trial.t0 + h,
                               A1_.data(),
                               pi_t_.data(),
                               SignalSet::Moment::end);
    for (std::size_t c = 0; c < row_.size(); ++c)
        r_[static_cast<Eigen::Index>(c)] =
            parts_.rows.multiply_onto(0.0, A1_.data(), row_[c], trial_.dq.data()) -
            parts_.rows.multiply_onto(0.0, A_.data(), row_[c], trial_.dq.data());
    std::size_t e = 0;
    for (std::size_t c = 0; c < row_.size(); ++c) {
        const bool is_there = parts_.laws.has_rate(row_[c]);  // else it has been released
        if (!is_there) r_[static_cast<Eigen::Index>(c)] = 0.0;
        for (const int entry : parts_.rows.entries(row_[c]))
            A_of_conditions_[e++] = is_there ? A_[entry] : 0.0;
    }
    std::ranges::copy(parts_.mass.values(), M_.begin());
    for (const int entry : lent_to_) M_[entry] = lent_mass_;
    const auto n = static_cast<std::size_t>(parts_.n);
    if (solver_->factorise(M_, A_of_conditions_) != SolverStatus::good ||
        !solver_->solve({}, view(r_), {x_.data(), n}, {}))
        return 0.0;
    parts_.mass.multiply(x_.data(), Mx_.data());
    return 2.0 * std::sqrt(pairwise_dot(x_.data(), Mx_.data(), n) / dq_M_dq);
}

}  // namespace ancora
