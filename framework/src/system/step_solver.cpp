// SPDX-License-Identifier: BSD-3-Clause
// Solving for the correction of a step.
#include "step_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora {
namespace {

// Corrections smaller than this, relative to the largest position, change positions by roundings.
constexpr double kUnseenCorrection = std::numeric_limits<double>::epsilon();
// What a refinement must gain to be taken.
constexpr double kContraction = 0.5;

}  // namespace

StepSolver::StepSolver(Assembly& parts,
                       const MotionState& state,
                       Trial& trial,
                       const Contacts& contacts,
                       NonlinearRows& nonlinear,
                       StepTangent& tangent,
                       FactoredStep& matrix,
                       ContactResponses& responses,
                       StepFriction& friction,
                       ReactionFeedback& feedback,
                       RowChoice& choice)
    : parts_(parts),
      state_(state),
      trial_(trial),
      contacts_(contacts),
      nonlinear_(nonlinear),
      tangent_(tangent),
      matrix_(matrix),
      responses_(responses),
      friction_(friction),
      feedback_(feedback),
      choice_(choice) {
    for (Eigen::VectorXd* x : {&left_motion_, &more_dq_}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&left_rows_, &more_s_}) x->setZero(parts.m + contacts.num_rows());
}

bool StepSolver::factorise(const StepTrial& trial, Tangent tangent) {
    const Stopwatch watch(true, factorise_seconds);
    const Stopwatch watch_sampled(parts_.meter.is_sampling(), parts_.meter.spent.factorise);
    ++factorisations;
    choice_.note_factorisation();
    responses_.are_of_step = false;
    return matrix_.factorise(trial, tangent);
}

void StepSolver::solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) {
    // Laws have changed so much that the old matrix would lead astray.
    if (!nonlinear_.empty() && !matrix_.is_exact() && nonlinear_.have_outlived_matrix() &&
        !factorise({state_.t, trial_.h, {}, {trial_.s, r_rows.size()}}, Tangent::definite)) {
        std::ranges::fill(ddq, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    solve_refined(r_motion, r_rows, ddq, ds);
    // Slack is exactly that.
    for (const int k : parts_.laws.nonlinear())
        if (nonlinear_.law(k).is_slack()) ds[static_cast<std::size_t>(k)] = trial_.s[k];
}

/// One step of refinement towards the exact tangent: what the symmetric, perhaps old and
/// regularised matrix misses, it misses squared.
void StepSolver::solve_refined(std::span<const double> r_motion,
                               std::span<const double> r_rows,
                               std::span<double> ddq,
                               std::span<double> ds) {
    // The contacts' responses are those of the attitude at which they were solved for.
    matrix_.turn_along(contacts_.empty());
    if (!feedback_.empty()) feedback_.prepare();
    feedback_.solve(r_motion, r_rows, ddq, ds);
    trial_.moves_by_roundings = false;
    if (matrix_.is_exact()) return;

    leave_residual(r_motion, r_rows, ddq, ds);
    feedback_.solve(view(left_motion_),
                    view(left_rows_),
                    {more_dq_.data(), ddq.size()},
                    {more_s_.data(), ds.size()});
    const double first = parts_.space.displacement(ddq.data());
    const double second = parts_.space.displacement(more_dq_.data());
    if (!std::isfinite(second)) parts_.attribute_nonfinite(state_.t);
    matrix_.judge(first, second);
    trial_.moves_by_roundings = first <= kUnseenCorrection * state_.farthest;
    if (!(second <= kContraction * first)) return;
    for (std::size_t i = 0; i < ddq.size(); ++i) ddq[i] += more_dq_[static_cast<Eigen::Index>(i)];
    for (std::size_t k = 0; k < ds.size(); ++k) ds[k] += more_s_[static_cast<Eigen::Index>(k)];
}

/// What a correction leaves of the residuals by the exact tangent.
void StepSolver::leave_residual(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<const double> ddq,
                                std::span<const double> ds) {
    {
        const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.assemble);
        tangent_.evaluate_start(state_.t);
        tangent_.evaluate_stiffness(trial_.s, false, state_.t);
    }
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.solve);
    std::copy(r_motion.begin(), r_motion.end(), left_motion_.data());
    std::copy(r_rows.begin(), r_rows.end(), left_rows_.data());
    tangent_.subtract(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    if (!contacts_.empty())
        friction_.subtract_tangent(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    if (!feedback_.empty()) feedback_.add_tangent(ds.data(), left_motion_.data());
}

SolverCost StepSolver::cost() const {
    const double evaluation =
        6.0 * static_cast<double>(parts_.rows.column.size()) + 20.0 * parts_.n + 10.0 * parts_.m;
    return {matrix_.factorise_flops(), 2.0 * (matrix_.solve_flops() + evaluation)};
}

}  // namespace ancora
