// SPDX-License-Identifier: BSD-3-Clause
// The correction of a step: solves, iterative refinement and their cost.
#include "step_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora {
namespace {

// u, the machine epsilon: a relative correction of this size is round-off.
constexpr double kUnseenCorrection = std::numeric_limits<double>::epsilon();
// Contraction that a refinement must achieve to be accepted.
constexpr double kContraction = 0.5;
// Allowed ratio of the remaining error to round-off: in large nets the measured error is round-off
// itself, some 0.4.
constexpr double kSurely = 0.5;
// Most refinements of one solve.
constexpr int kMostRefinements = 3;
// A ratio of residuals within so many roundings is no contraction.
constexpr double kFewRoundings = 8.0;
// Dense blocks of a factorisation run at so many times the speed of a solve, which is bound by
// memory; its single entries cost as much as so many solves. Both measured, chains to nets.
constexpr double kDenseIsFaster = 8.0;
constexpr double kSolvesPerEntry = 3.0;

}  // namespace

StepSolver::StepSolver(const SystemData& of,
                       StepRows& rows,
                       StepParts& extra,
                       LowRankUpdate& feedback,
                       ResidualScaling& defect)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      rows_(rows),
      extra_(extra),
      feedback_(feedback),
      defect_(defect) {
    for (Eigen::VectorXd* x : {&left_motion_, &more_dq_}) x->setZero(parts_.n);
    for (Eigen::VectorXd* x : {&left_rows_, &more_s_}) x->setZero(parts_.m + extra.num_rows());
}

bool StepSolver::factorise(const StepTrial& trial, Tangent tangent) {
    const Stopwatch watch(true, factorise_seconds);
    const Stopwatch watch_sampled(parts_.meter.is_sampling(), parts_.meter.spent.factorise);
    ++factorisations;
    rows_.choice.note_factorisation();
    extra_.for_each([](StepPart& part) {
        part.forget_matrix();
    });
    known_ = {};
    return rows_.matrix.factorise(trial, tangent);
}

void StepSolver::solve(std::span<const double> r_motion,
                       std::span<const double> r_rows,
                       std::span<double> ddq,
                       std::span<double> ds) {
    // With tangent moduli so different from the old matrix' the iteration would diverge.
    if (!rows_.nonlinear.empty() && !rows_.matrix.is_exact() &&
        rows_.nonlinear.have_outlived_matrix() &&
        !factorise({state_.t, trial_.h, {}, {trial_.s, r_rows.size()}}, Tangent::definite)) {
        std::ranges::fill(ddq, std::numeric_limits<double>::quiet_NaN());
        return;
    }
    // The correction of theory (30), exact but for the error left by refinement.
    solve_refined(r_motion, r_rows, ddq, ds);
    // A slack row has exactly no stress. s <- s - ds = 0
    for (const int k : parts_.laws.nonlinear())
        if (rows_.nonlinear.law(k).is_slack()) ds[k] = trial_.s[k];
}

/// Whether the error of an unrefined solve is round-off: of positions relative to the step's
/// motion; of residuals of motion relative to their units; and the second-order error of Newton's
/// method, |D|^2 over the model's size.
bool StepSolver::leaves_rounding(double first, std::span<const double> r_motion) {
    if (!extra_.empty() || !feedback_.empty()) return false;
    // D = `first`, c the contraction of D by a refinement, c_m that of residuals of motion r_m,
    // l the model's size:
    //   c D <= u moved / 2,    D^2 / l <= u moved,    c_m max(r_m / allowed) <= 1 / 2
    return known_.contraction * first <= kSurely * kUnseenCorrection * moved_ &&
           first * first <= kUnseenCorrection * moved_ * state_.extent &&
           known_.of_motion * defect_.motion_in_units(r_motion.data()) <= kSurely;
}

/// Iterative refinement with the consistent tangent: the relative error of the symmetric, perhaps
/// old and regularised matrix is squared. It is skipped where earlier ones have shown that the
/// error of a solve is round-off; if that turns out wrong, the contraction is measured again.
void StepSolver::solve_refined(std::span<const double> r_motion,
                               std::span<const double> r_rows,
                               std::span<double> ddq,
                               std::span<double> ds) {
    // Solutions that parts keep belong to the attitude at which they were solved for.
    // Solve with T K_ref T^T, T the attitude since the factorisation (theory (33)).
    rows_.matrix.corotate(extra_.empty());
    if (!feedback_.empty()) feedback_.prepare();
    feedback_.solve(r_motion, r_rows, ddq, ds);
    solved_ += solve_work();
    is_solved_to_rounding_ = trial_.correction_at_rounding_level = false;
    const bool is_same_trial = state_.t == t_ && trial_.h == h_;
    if (is_same_trial && was_unrefined_) known_ = {};
    was_unrefined_ = false;
    t_ = state_.t;
    h_ = trial_.h;
    if (rows_.matrix.is_exact()) return;
    const double first = parts_.space.displacement(ddq.data());
    moved_ = parts_.space.displacement(trial_.dq.data());
    // D <= u times the largest distance of matter: positions after the correction differ from the
    // exact ones by round-off, which times G is a residual of motion (theory, section 10).
    trial_.correction_at_rounding_level = first <= kUnseenCorrection * state_.farthest;
    if (leaves_rounding(first, r_motion)) {
        was_unrefined_ = is_solved_to_rounding_ = trial_.correction_at_rounding_level = true;
        return;
    }
    {
        const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.assemble);
        // A(q_0) for B_end = 2 B - A(q_0), and all of G, for the consistent tangent times a vector.
        rows_.tangent.evaluate_start(state_.t);
        rows_.tangent.evaluate_stiffness(trial_.s, false, state_.t);
    }
    refine(r_motion, r_rows, first, ddq, ds);
    trial_.correction_at_rounding_level |= is_solved_to_rounding_;
}

/// Refines once, or down to round-off where the second-order error of the step is round-off too.
void StepSolver::refine(std::span<const double> r_motion,
                        std::span<const double> r_rows,
                        double first,
                        std::span<double> ddq,
                        std::span<double> ds) {
    // Allowed error of a correction: the round-off of the step's motion, or that small part of the
    // round-off of positions below which constraint residuals count as zero. Iterative refinement
    // (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., chapter 12) of x_0 = K_0^-1
    // r with the factorised matrix K_0 and the consistent tangent K:
    //   r_j = r - K x_j,    d_j = K_0^-1 r_j,    x_j+1 = x_j + d_j
    // With E = I - K_0^-1 K the error of x_j is E^(j+1) x, so |d_j| / |d_j-1| shows |E|.
    const double rounding =
        kUnseenCorrection * (moved_ + ResidualScaling::kUnseenPart * state_.farthest);
    // Newton's error after the exact correction D is D^2 over a length, the model's size.
    const bool may_end = first * first <= rounding * state_.extent;
    double last = first;
    double last_motion = may_end ? defect_.motion_in_units(r_motion.data()) : 0.0;
    for (int k = 0; k < kMostRefinements; ++k) {
        leave_residual(r_motion, r_rows, ddq, ds);
        const double motion = may_end ? defect_.motion_in_units(left_motion_.data()) : 0.0;
        solved_ += solve_work();
        feedback_.solve(view(left_motion_),
                        view(left_rows_),
                        {more_dq_.data(), ddq.size()},
                        {more_s_.data(), ds.size()});
        const double more = parts_.space.displacement(more_dq_.data());
        if (!std::isfinite(more)) parts_.attribute_nonfinite(state_.t);
        if (k == 0) {
            // From x_0 and d_0: c = |d_0| / |x_0|, the contraction of one solve.
            rows_.matrix.judge(first, more);
            note_contraction(first, more, kFewRoundings * rounding, known_.contraction);
            if (may_end) note_contraction(last_motion, motion, kFewRoundings, known_.of_motion);
        }
        // |E| > 1/2: adding d_j might not help; the iteration continues with x_j.
        if (!(more <= kContraction * last)) return;
        for (std::size_t i = 0; i < ddq.size(); ++i)
            ddq[i] += more_dq_[static_cast<Eigen::Index>(i)];
        for (std::size_t i = 0; i < ds.size(); ++i) ds[i] += more_s_[static_cast<Eigen::Index>(i)];
        // After x_j + d_j its error is some |d_j|^2 / |d_j-1|, and likewise that of the residual of
        // motion.
        is_solved_to_rounding_ =
            may_end && more * more <= last * rounding && motion * motion <= last_motion * kSurely;
        if (is_solved_to_rounding_ || !may_end) return;
        // The residual that the remaining refinements would leave.
        const int to_come = kMostRefinements - k;
        // |d_j| (|d_j| / |d_j-1|)^k after k more: if that is not rounding, one iteration, which
        // renews the residual, is the better use of a solve.
        if (more * std::pow(more / last, to_come) > rounding ||
            motion * std::pow(motion / last_motion, to_come) > kSurely)
            return;
        last = more;
        last_motion = motion;
    }
}

/// A residual at the rounding level gives no new information about the contraction.
void StepSolver::note_contraction(double before, double after, double rounding, double& known) {
    const double contraction = before > 0.0 && after < before ? after / before : 1.0;
    known = after <= rounding ? std::min(known, contraction) : contraction;
}

/// The residuals after a correction, by the consistent tangent.
void StepSolver::leave_residual(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<const double> ddq,
                                std::span<const double> ds) {
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.solve);
    parts_.workers.copy(r_motion.data(), static_cast<int>(r_motion.size()), left_motion_.data());
    parts_.workers.copy(r_rows.data(), static_cast<int>(r_rows.size()), left_rows_.data());
    // r - K_exact (ddq, ds): model rows, then contacts, then U E of forces that depend on
    // reactions.
    rows_.tangent.subtract(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    extra_.for_each([&](StepPart& part) {
        part.subtract_tangent(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    });
    if (!feedback_.empty()) feedback_.add_tangent(ds.data(), left_motion_.data());
}

SolverCost StepSolver::cost() const {
    // c_f, c_i and the operations spent, in units of those of a solve; an iteration is a residual,
    // a solve, the residual of the tangent and a second solve.
    return {rows_.matrix.factorise_flops() / kDenseIsFaster +
                kSolvesPerEntry * rows_.matrix.solve_flops(),
            2.0 * solve_work(),
            solved_};
}

/// Operations of a solve.
double StepSolver::solve_work() const {
    return rows_.matrix.solve_flops() + evaluation_flops();
}

/// Operations of a residual, or of a product with the tangent.
double StepSolver::evaluation_flops() const {
    // B dq, B^T s and their sizes: 6 an entry; some 20 a coordinate and 10 a row for the sums
    // around them.
    return 6.0 * static_cast<double>(parts_.rows.column.size()) + 20.0 * parts_.n + 10.0 * parts_.m;
}

}  // namespace ancora
