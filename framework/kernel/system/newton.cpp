// SPDX-License-Identifier: BSD-3-Clause
// The iteration, and the sequence of fallbacks.
#include "newton.hpp"

#include <algorithm>
#include <cmath>

#include "ancora/framework/error.hpp"

namespace ancora {

void Newton::resize(int num_coordinates, int num_rows, int num_multipliers) {
    for (std::vector<double>* x : {&guess_a_, &r_motion_, &ddq_}) x->assign(num_coordinates, 0.0);
    for (std::vector<double>* x : {&guess_s_, &r_rows_, &ds_}) x->assign(num_rows, 0.0);
    guess_mu_.assign(num_multipliers, 0.0);
    multipliers_.resize(num_coordinates, num_multipliers);
}

StepReport Newton::solve(const StepGuess& guess,
                         const StepOptions& options,
                         ProjectedEnds* projection) {
    if (guess.a.size() != guess_a_.size() || guess.s.size() != guess_s_.size() ||
        (guess.mu.empty() ? 0 : guess_mu_.size()) != guess.mu.size() ||
        guess.mu.empty() != (projection == nullptr))
        throw Error(
            ErrorKind::plugin,
            "an integrator's guess for a step does not fit the model: it has other numbers of "
            "accelerations, stresses or multipliers of a projection, or the projection was "
            "not asked for (System::projection())");
    std::ranges::copy(guess.a, guess_a_.begin());
    std::ranges::copy(guess.s, guess_s_.begin());
    std::ranges::copy(guess.mu, guess_mu_.begin());
    reuse_.begin(guess.h, equations_.is_factorised_for(guess.h));
    StepReport report;
    // First with a matrix that may be old: the simplified (modified) Newton iteration, whose
    // contraction measures the effect of its age (Hairer & Wanner, Solving Ordinary Differential
    // Equations II, section IV.8).
    report.has_converged = iterate(guess, options, projection, Tangent::definite, Age::any);
    if (!report.has_converged) {
        // Beside a singular position the Jacobians at the middle and the end of a step are not
        // alike.
        // Fallback sequence, each from the same guess with a matrix in every iteration: positive
        // part of G, all of G, the consistent tangent with B_end = 2 B - A(q_0) (theory (31)).
        constexpr Tangent kBeside[] = {Tangent::consistent, Tangent::definite};
        constexpr Tangent kElsewhere[] = {
            Tangent::definite, Tangent::symmetric, Tangent::consistent};
        return_to(guess);
        report.nears_singular_position =
            equations_.nears_singular_position({guess.t0, guess.h, guess.a, guess.s});
        const std::span<const Tangent> sequence = report.nears_singular_position
                                                      ? std::span<const Tangent>(kBeside)
                                                      : std::span<const Tangent>(kElsewhere);
        for (const Tangent tangent : sequence) {
            report.has_converged = iterate(guess, options, projection, tangent, Age::fresh);
            reuse_.give_up();
            if (report.has_converged) break;
        }
    }
    report.is_far_from_closed = is_far_from_closed_;
    report.first_correction = first_correction_;
    return report;
}

void Newton::return_to(const StepGuess& guess) const {
    std::ranges::copy(guess_a_, guess.a.begin());
    std::ranges::copy(guess_s_, guess.s.begin());
    std::copy_n(guess_mu_.begin(), guess.mu.size(), guess.mu.begin());
    // Stresses of a guess are extrapolated; their component of self-stress would persist.
    if (!equations_.stresses_are_unique()) equations_.clear_constraint_stress(guess.s);
}

bool Newton::iterate(const StepGuess& guess,
                     const StepOptions& options,
                     ProjectedEnds* projection,
                     Tangent tangent,
                     Age age) {
    return_to(guess);
    const StepTrial trial{guess.t0, guess.h, guess.a, guess.s};
    if (projection != nullptr) multipliers_.begin(*projection, guess.mu);
    Convergence convergence(options.tolerance,
                            options.max_iterations,
                            Convergence::most_of(guess.a.size() + guess.s.size()));
    const double slack = Convergence::slack(options.tolerance);
    bool factorise = age == Age::fresh || reuse_.is_due() || !equations_.is_factorised_for(guess.h);
    const bool began_fresh = factorise;
    const double solved_before = equations_.cost().solved;
    bool is_stale = !factorise || reuse_.is_from_start();
    // One iteration: residual (29) at (a, s); convergence test; the matrix (30) where one is due;
    // the correction. The residual after a correction is tested, so that the accepted trial is the
    // one evaluated last.
    for (int k = 0; k <= options.max_iterations; ++k) {
        equations_.evaluate(trial, r_motion_, r_rows_);
        // r_motion and r_rows in units of (46) and (47), and the size of the last correction.
        if (convergence.is_to_be_judged(k)) {
            const Convergence::Verdict verdict =
                convergence.judge(k, equations_.defect(trial, slack));
            if (verdict == Convergence::Verdict::failed) return false;
            if (verdict == Convergence::Verdict::converged &&
                (projection == nullptr || multipliers_.are_found(*projection, trial))) {
                is_far_from_closed_ = convergence.is_far_from_closed();
                reuse_.note_converged(began_fresh, equations_.cost().solved - solved_before);
                return true;
            }
            // Once in a trial: the iterations to come would cost more than a factorisation and two
            // of them.
            if (k > 1 && is_stale && convergence.wants_fresh_matrix(equations_.cost())) {
                factorise = true;
                is_stale = false;
                reuse_.note_replaced();
            }
        }
        // The matrix of this trial: an iteration of full Newton.
        if (factorise) {
            if (!equations_.factorise(trial, tangent)) return false;
            reuse_.note_factorised();
            factorise = age == Age::fresh;
        }
        equations_.solve(r_motion_, r_rows_, ddq_, ds_);
        correct(guess);
        equations_.count_iteration();
        // |ddq|: the largest displacement of matter, a length for any coordinates.
        const double correction = equations_.displacement(ddq_);
        if (k == 0) first_correction_ = correction;
        if (!std::isfinite(correction)) return false;
        convergence.note(correction, projection == nullptr && equations_.converged_to_roundoff());
        // mu is corrected outside of K: it would fill the matrix with A M^-1 A^T.
        if (projection != nullptr &&
            !multipliers_.follow(
                *projection, trial, {k, correction, options.tolerance}, guess.a, guess.mu))
            return false;
    }
    return false;
}

/// (1), with dq = h v0 + (h^2 / 2) a
void Newton::correct(const StepGuess& guess) {
    double* const a = guess.a.data();
    double* const s = guess.s.data();
    const double* const ddq = ddq_.data();
    const double* const ds = ds_.data();
    const double of_a = 2.0 / (guess.h * guess.h);
    workers_.split(static_cast<int>(guess.a.size()), [=](int begin, int end) {
        for (int i = begin; i < end; ++i) a[i] -= of_a * ddq[i];
    });
    workers_.split(static_cast<int>(guess.s.size()), [=](int begin, int end) {
        for (int i = begin; i < end; ++i) s[i] -= ds[i];
    });
}

}  // namespace ancora
