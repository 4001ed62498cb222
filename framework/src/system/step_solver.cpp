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
// Solves that leave no more than this need no refinement where little is left to correct.
constexpr double kWellKnown = 0.1;
// Those that leave no more than this need none in a second iteration, whatever a solve costs.
constexpr double kBest = 0.02;
// A solve that costs so many evaluations is spared where it can be; in a small model an iteration
// more is worse than a refinement.
constexpr double kDear = 2.0;
// A factorisation's products of dense blocks run so many times as fast as a solve, which waits for
// memory; its single entries cost as much as so many solves. Both measured, chains to nets.
constexpr double kDenseIsFaster = 8.0;
constexpr double kSolvesPerEntry = 3.0;
// Where so many solves have not been enough, others are not spared their refinement.
constexpr int kMostUnrefined = 2;
// Refinements of the first solve of a step, as long as another iteration would do no more.
constexpr int kMostRefinements = 3;
// What a first solve is known to leave may be so much of rounding, and it needs no refinement at
// all; of large nets what is measured of it is rounding itself, some 0.4.
constexpr double kSurely = 0.5;
// What so many roundings leave is no contraction.
constexpr double kFewRoundings = 8.0;
// Steps that needed another iteration all the same, after which it is left at one refinement.
constexpr int kMostInVain = 2;
// Steps after which one is refined further again, to learn what it spares now.
constexpr int kTryAgain = 8;

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
                       RowChoice& choice,
                       DefectMeasure& defect)
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
      choice_(choice),
      defect_(defect) {
    for (Eigen::VectorXd* x : {&left_motion_, &more_dq_}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&left_rows_, &more_s_}) x->setZero(parts.m + contacts.num_rows());
}

bool StepSolver::factorise(const StepTrial& trial, Tangent tangent) {
    const Stopwatch watch(true, factorise_seconds);
    const Stopwatch watch_sampled(parts_.meter.is_sampling(), parts_.meter.spent.factorise);
    ++factorisations;
    choice_.note_factorisation();
    responses_.are_of_step = false;
    known_ = {};
    now_.unrefined = -1.0;
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

/// Draws conclusions from the solves before this one.
void StepSolver::begin_solve(double first) {
    const bool is_new = now_.solves == 0 || state_.t != now_.t || trial_.h != now_.h;
    if (is_new) {
        (now_.was_first_refined ? known_.solves_refined : known_.solves_unrefined) = now_.solves;
        if (now_.was_refined_further) in_vain_ = now_.solves > 1 ? in_vain_ + 1 : 0;
        if (++steps_in_vain_ >= kTryAgain) {
            steps_in_vain_ = 0;
            in_vain_ = std::min(in_vain_, kMostInVain - 1);
        }
        if (now_.was_second_spared)
            known_.spared_in_vain = now_.solves > kMostUnrefined ? known_.spared_in_vain + 1 : 0;
        if (now_.was_first_whole)
            known_.unrefined_in_vain = now_.solves > 1 ? known_.unrefined_in_vain + 1 : 0;
        if (++known_.steps >= kLookAgain)
            known_.steps = known_.solves_refined = known_.solves_unrefined = known_.spared_in_vain =
                known_.unrefined_in_vain = 0;
        now_ = {};
        now_.t = state_.t;
        now_.h = trial_.h;
    } else if (now_.unrefined > 0.0 && first > kUnseenCorrection * state_.farthest) {
        known_.contraction = std::min(1.0, first / now_.unrefined);
    }
    ++now_.solves;
    now_.unrefined = -1.0;
    solved_ += solve_work();
}

/// What a correction may leave of itself: rounding of what the step moves, or that small part of
/// the rounding of positions below which no gap is looked at.
double StepSolver::rounding_of_step() const {
    return kUnseenCorrection * (moved_ + DefectMeasure::kUnseenPart * state_.farthest);
}

/// Whether a first solve is known to leave less than rounding of what the step moves by itself, and
/// curvature no more; from time to time one is refined to learn what it leaves now.
bool StepSolver::is_first_whole(double first, std::span<const double> r_motion) {
    const double rounding = kUnseenCorrection * moved_;
    return now_.solves == 1 && known_.steps > 0 && known_.contraction <= kWellKnown &&
           known_.unrefined_in_vain < kMostInVain && contacts_.empty() && feedback_.empty() &&
           known_.contraction * first <= kSurely * rounding &&
           first * first <= rounding * state_.extent &&
           known_.of_motion * defect_.motion_in_units(r_motion.data()) <= kSurely;
}

/// Whether a second solve is so good that a third is not expected.
bool StepSolver::spares_second(double left) const {
    return now_.solves == kMostUnrefined && known_.contraction <= kBest &&
           known_.spared_in_vain < kMostInVain && contacts_.empty() && feedback_.empty() &&
           left <= rounding_;
}

/// Not where it would move positions by roundings only, unless it has spared whole iterations.
bool StepSolver::needs_refinement(double first) const {
    const double left = known_.contraction * first;
    if (spares_second(left)) return false;
    const bool is_tried = known_.solves_refined == 0;
    const bool has_spared =
        known_.solves_refined == 1 || (known_.solves_unrefined > known_.solves_refined);
    const bool spares_iteration = now_.solves == 1 && (is_tried || has_spared);
    return spares_iteration || now_.solves > kMostUnrefined || !contacts_.empty() ||
           !feedback_.empty() || !(matrix_.solve_flops() > kDear * evaluation_flops()) ||
           !(known_.contraction <= kWellKnown) || !(left <= kUnseenCorrection * state_.farthest);
}

/// Refinement towards the exact tangent: what the symmetric, perhaps old and regularised matrix
/// misses, it misses squared. There is none where the last ones have shown that nothing would be
/// gained: the next iteration's residual says so if that is no longer true.
void StepSolver::solve_refined(std::span<const double> r_motion,
                               std::span<const double> r_rows,
                               std::span<double> ddq,
                               std::span<double> ds) {
    // The contacts' responses are those of the attitude at which they were solved for.
    matrix_.turn_along(contacts_.empty());
    if (!feedback_.empty()) feedback_.prepare();
    feedback_.solve(r_motion, r_rows, ddq, ds);
    trial_.leaves_roundings = false;
    is_solved_to_rounding_ = false;
    const double first = parts_.space.displacement(ddq.data());
    begin_solve(first);
    if (matrix_.is_exact()) return;
    moved_ = parts_.space.displacement(trial_.dq.data());
    rounding_ = rounding_of_step();

    trial_.leaves_roundings = first <= kUnseenCorrection * state_.farthest;
    if (is_first_whole(first, r_motion)) {
        now_.was_first_whole = is_solved_to_rounding_ = trial_.leaves_roundings = true;
        now_.unrefined = first;
        return;
    }
    if (!needs_refinement(first)) {
        now_.unrefined = first;
        now_.was_second_spared |= now_.solves == kMostUnrefined;
        return;
    }
    now_.was_first_refined |= now_.solves == 1;
    {
        const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.assemble);
        tangent_.evaluate_start(state_.t);
        tangent_.evaluate_stiffness(trial_.s, false, state_.t);
    }
    refine(r_motion, r_rows, first, ddq, ds);
    trial_.leaves_roundings |= is_solved_to_rounding_;
}

/// Once, or until rounding is left where the step's curvature leaves no more either.
void StepSolver::refine(std::span<const double> r_motion,
                        std::span<const double> r_rows,
                        double first,
                        std::span<double> ddq,
                        std::span<double> ds) {
    double rounding = 0.0;
    if (now_.solves == 1 && in_vain_ < kMostInVain) rounding = rounding_;
    if (first * first > rounding * state_.extent) rounding = 0.0;
    double last = first;
    double last_motion = rounding > 0.0 ? defect_.motion_in_units(r_motion.data()) : 0.0;
    for (int k = 0; k < kMostRefinements; ++k) {
        leave_residual(r_motion, r_rows, ddq, ds);
        const double motion = rounding > 0.0 ? defect_.motion_in_units(left_motion_.data()) : 0.0;
        solved_ += solve_work();
        feedback_.solve(view(left_motion_),
                        view(left_rows_),
                        {more_dq_.data(), ddq.size()},
                        {more_s_.data(), ds.size()});
        const double more = parts_.space.displacement(more_dq_.data());
        if (!std::isfinite(more)) parts_.attribute_nonfinite(state_.t);
        if (k == 0) {
            matrix_.judge(first, more);
            note_contraction(first, more, kFewRoundings * rounding_, known_.contraction);
            if (rounding > 0.0)
                note_contraction(last_motion, motion, kFewRoundings, known_.of_motion);
        }
        if (!(more <= kContraction * last)) return;
        for (std::size_t i = 0; i < ddq.size(); ++i)
            ddq[i] += more_dq_[static_cast<Eigen::Index>(i)];
        for (std::size_t i = 0; i < ds.size(); ++i) ds[i] += more_s_[static_cast<Eigen::Index>(i)];
        is_solved_to_rounding_ = rounding > 0.0 && more * more <= last * rounding &&
                                 motion * motion <= last_motion * kSurely;
        now_.was_refined_further |= k > 0;
        if (is_solved_to_rounding_ || rounding == 0.0) return;
        // What the refinements that are left would leave.
        double left = more;
        double left_motion = motion;
        for (int j = k; j < kMostRefinements; ++j) {
            left *= more / last;
            left_motion *= motion / last_motion;
        }
        if (left > rounding || left_motion > kSurely) return;
        last = more;
        last_motion = motion;
    }
}

/// What is left by rounding says no more of a matrix than is known.
void StepSolver::note_contraction(double before, double after, double rounding, double& known) {
    const double contraction = before > 0.0 && after < before ? after / before : 1.0;
    known = after <= rounding ? std::min(known, contraction) : contraction;
}

/// What a correction leaves of the residuals by the exact tangent.
void StepSolver::leave_residual(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<const double> ddq,
                                std::span<const double> ds) {
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.solve);
    parts_.workers.copy(r_motion.data(), static_cast<int>(r_motion.size()), left_motion_.data());
    parts_.workers.copy(r_rows.data(), static_cast<int>(r_rows.size()), left_rows_.data());
    tangent_.subtract(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    if (!contacts_.empty())
        friction_.subtract_tangent(ddq.data(), ds.data(), left_motion_.data(), left_rows_.data());
    if (!feedback_.empty()) feedback_.add_tangent(ds.data(), left_motion_.data());
}

SolverCost StepSolver::cost() const {
    return {matrix_.factorise_flops() / kDenseIsFaster + kSolvesPerEntry * matrix_.solve_flops(),
            2.0 * solve_work(),
            solved_};
}

/// Of a solve with a residual or what is left of it by the tangent.
double StepSolver::solve_work() const {
    return matrix_.solve_flops() + evaluation_flops();
}

/// Of a residual, or of a tangent.
double StepSolver::evaluation_flops() const {
    return 6.0 * static_cast<double>(parts_.rows.column.size()) + 20.0 * parts_.n + 10.0 * parts_.m;
}

}  // namespace ancora
