// SPDX-License-Identifier: BSD-3-Clause
// Solves with a sparse island's factors, refinement, and the least multipliers.
#include <algorithm>
#include <cmath>
#include <utility>

#include "island_limits.hpp"
#include "sparse_island.hpp"

namespace ancora {
namespace {

// Refinement ends when the next correction would be no more than this part of the solution, or
// kRounding of the free motion.
constexpr double kSparseConverged = 1e-15;
constexpr int kMostSparseRefinements = 20;
// The same for multipliers; and what of them may be left when x is right and corrections have
// stalled. Multipliers that change by more belong to dependent rows.
constexpr double kSettled = 1e-14;
constexpr double kUnsettled = 1e-6;
// Corrections that shrink by less than this have stalled.
constexpr double kStalled = 0.5;
// Residuals of scaled rows above this part of their terms mean that rows contradict each other.
constexpr double kContradictingResidual = 1e-12;
constexpr int kContradictionPasses = 3;
// Multipliers are reduced until that changes them by no more than this part; the next time it would
// be 1e-6 of that and less.
constexpr double kReduced = 1e-10;
constexpr int kMostReductions = 4;
// Projections end when the next one would change no more than this part, or when it is at the
// round-off by which T differs from 1.
constexpr double kProjected = 1e-15;
constexpr double kShortOfOne = 1e-4;
constexpr int kMostProjections = 30;

}  // namespace

bool SparseIsland::do_solve() {
    given_r_ = r_;
    if (!is_factorised_) return fall_back();
    if (is_mass_alone()) {
        // Nothing is regularised, and a definite matrix needs no refinement.
        solve_once(f_, r_, x_, lambda_);
        return x_.allFinite();
    }
    // In turn: the present delta; a larger one with the least multipliers; orthogonal factors
    // if the island is small enough; without dependent rows; the motion alone.
    bool is_solved = attempt();
    if (is_solved && use_ != RankUse::decide) make_least();
    has_changed_factors_ |= !is_solved;
    if (!is_solved && mode_ == Mode::independent) {
        enter(Mode::dependent);
        is_solved = was_dependent_ = is_factorised_ && attempt();
    }
    if (!is_solved && n_ + m_ <= kMostFallenBack) return fall_back();
    if (!is_solved && mode_ == Mode::dependent) is_solved = solve_without_dependent_rows();
    if (!is_solved && mode_ == Mode::dependent) {
        enter(Mode::motion_only);
        is_solved = is_factorised_ && attempt();
    }
    return is_solved;
}

/// Where rows that are independent, but hardly, are as close to each other as delta, corrections
/// beside it shrink too slowly. Without the rows that depend on others it may be small. All rows
/// are factorised again afterwards. [assembly]
bool SparseIsland::solve_without_dependent_rows() {
    if (use_ != RankUse::decide) return false;
    Choice chosen = *choice_;  // of the same size
    chosen.forget();
    Choice* const choice = std::exchange(choice_, &chosen);
    const bool wants_least = std::exchange(wants_least_, true);
    const Eigen::VectorXd force = f_;
    const bool is_made = make_choice() && chosen.is_made && is_factorised_;
    f_ = force;  // rows are measured by solves
    r_ = given_r_;
    const bool is_solved = is_made && refine();
    if (is_solved) make_least();
    choice_ = choice;
    wants_least_ = wants_least;
    std::ranges::fill(is_dropped_, 0);
    if (is_augmented_) factorise_mass();
    take_order({});
    assemble();
    enter(Mode::dependent);
    return is_solved;
}

bool SparseIsland::has_mass_of(const SparseIsland& other) const {
    return is_mass_alone() && other.is_mass_alone() && n_ == other.n_ &&
           pattern_.mass == other.pattern_.mass && M_ == other.M_;
}

bool SparseIsland::solve_side_by_side(std::span<SparseIsland* const> islands,
                                      std::span<const double> f,
                                      std::span<double> x) {
    side_by_side_.resize(static_cast<std::size_t>(n_) * kLanes);
    const auto for_each = [&](const auto& what) {
        for (std::size_t k = 0; k < islands.size(); ++k) {
            const std::vector<int>& coordinates = islands[k]->pattern_.coordinates;
            // Coordinate i of island k is lane k of place new_of_old[i]:
            // islands have one pattern and one order.
            for (std::size_t i = 0; i < coordinates.size(); ++i) {
                const auto at = static_cast<std::size_t>(order_->new_of_old[i]);
                what(side_by_side_[kLanes * at + k], static_cast<std::size_t>(coordinates[i]));
            }
        }
    };
    for_each([&](double& to, std::size_t i) {
        to = f[i];
    });
    order_->factor.solve_side_by_side(side_by_side_.data());
    bool is_finite = true;
    for_each([&](double from, std::size_t i) {
        x[i] = from;
        is_finite &= std::isfinite(from);
    });
    return is_finite;
}

bool SparseIsland::attempt() {
    const bool is_solved = refine();
    if (mode_ != Mode::dependent) return is_solved;
    // Unless rows contradict each other x is right by now. Of the multipliers A^T lambda is,
    // and the part in the null space of A_s^T is round-off divided by delta.
    const bool is_least =
        (is_contradictory() ? refine_without_contradiction() : is_solved) && reduce_multipliers();
    r_ = given_r_;
    return is_least;
}

/// Solves with f_ and r_ and corrects until the corrections are rounding.
/// @returns false if they are not and do not shrink either
bool SparseIsland::refine() {
    const double free = force_norm(f_);
    solve_once(f_, r_, x_, lambda_);
    double before = mass_norm(x_);
    // (x, lambda) += K^-1 (f + A^T lambda - M x, r - A x): along a singular value s of
    // A_s L^-T the error of x shrinks by delta / (s^2 + delta) each time.
    for (int step = 0; step < kMostSparseRefinements; ++step) {
        correct();
        const double correction = mass_norm(dx_);
        const double solution = mass_norm(x_);
        if (!std::isfinite(correction)) return false;
        // The next correction is smaller by the factor that this one gained, or that the slowest
        // part of the solution gains.
        const double gain = std::max(slowest_gain_, before > 0.0 ? correction / before : 0.0);
        const bool is_right =
            correction * gain <= kSparseConverged * solution || correction <= kRounding * free;
        // Multipliers of dependent rows need not converge: their component in the null space of A^T
        // is removed later.
        const double unsettled =
            mode_ == Mode::independent ? scaled_norm(dlambda_) / scaled_norm(lambda_) : 0.0;
        if (is_right && !(unsettled * gain > kSettled)) return true;
        if (step >= 2 && correction > kStalled * before) return is_right && unsettled < kUnsettled;
        before = correction;
    }
    return false;
}

/// One refinement: a solve with the residual, added to x_ and lambda_.
void SparseIsland::correct() {
    compute_residual();
    solve_once(residual_f_, residual_r_, dx_, dlambda_);
    x_ += dx_;
    lambda_ += dlambda_;
}

/// (1) for scaled rows: from f and r to x and lambda.
void SparseIsland::solve_once(const Eigen::VectorXd& f,
                              const Eigen::VectorXd& r,
                              Eigen::VectorXd& x,
                              Eigen::VectorXd& lambda) {
    // [M A_s^T; A_s -delta] (x, mu) = (f', D^-1/2 r), lambda = -D^-1/2 mu,
    // f' = f + sum_k sigma_k r_k A_k^T
    double* z = work_.data();
    const int* at = order_->new_of_old.data();
    for (int i = 0; i < n_; ++i) z[at[i]] = f[i];
    for (const int k : local_rows_) {
        const double share = augmentation(k) * r[k];
        const auto [begin, end] = entries(k);
        for (int e = begin; e < end; ++e) z[at[pattern_.column[e]]] += share * A_[e];
    }
    for (int k = 0; k < m_; ++k) z[at[n_ + k]] = is_used(k) ? r[k] / length_[k] : 0.0;
    order_->factor.solve(z);
    ++counts_.solves;
    for (int i = 0; i < n_; ++i) x[i] = z[at[i]];
    for (int k = 0; k < m_; ++k) lambda[k] = is_used(k) ? -z[at[n_ + k]] / length_[k] : 0.0;
}

/// Whether r - A x stays above rounding; leaves it, scaled, in row_work_.
bool SparseIsland::is_contradictory() {
    compute_residual();
    double gap = 0.0;
    double terms = force_norm(f_) + mass_norm(x_);
    for (int k = 0; k < m_; ++k) {
        // D^-1/2 (r - A x), a root of energy like |M^-1 f| and |x| in the norm of M
        row_work_[k] = is_used(k) ? residual_r_[k] / length_[k] : 0.0;
        gap = std::max(gap, std::abs(row_work_[k]));
        if (is_used(k)) terms = std::max(terms, std::abs(r_[k]) / length_[k]);
    }
    return gap > kContradictingResidual * terms;
}

/// Solves again without the inconsistent component of r, which multipliers cannot balance. Each
/// pass reduces it by a factor of a million.
bool SparseIsland::refine_without_contradiction() {
    for (int pass = 0; pass < kContradictionPasses; ++pass) {
        if (pass > 0 && !is_contradictory()) break;
        if (!project_on_null(row_work_)) return false;
        // r -= D^1/2 N N^T D^-1/2 (r - A x), N the null space of A_s^T
        for (int k = 0; k < m_; ++k) r_[k] -= length_[k] * row_work_[k];
    }
    return refine();
}

/// Removes from lambda_ its component in the null space of A^T, and refines lambda_ until it has
/// converged; so far only A^T lambda_ is.
bool SparseIsland::reduce_multipliers() {
    for (int step = 0; step < kMostReductions; ++step) {
        lambda_before_ = lambda_;
        if (step > 0) correct();
        // mu = D^1/2 lambda; lambda -= D^-1/2 lim T^j mu
        row_work_ = lambda_.cwiseProduct(length_);
        if (!project_on_null(row_work_)) return false;
        for (int k = 0; k < m_; ++k)
            if (is_used(k)) lambda_[k] -= row_work_[k] / length_[k];
        lambda_before_ -= lambda_;
        if (step > 0 && scaled_norm(lambda_before_) <= kReduced * scaled_norm(lambda_)) break;
    }
    return true;
}

/// mu := lim T^j mu, the part of scaled multipliers or residuals that A^T D^-1/2 maps to zero.
/// @returns false if T^j converges too slowly
bool SparseIsland::project_on_null(Eigen::VectorXd& mu) {
    const int* at = order_->new_of_old.data();
    const double given = mu.norm();
    double before = 0.0;
    for (int pass = 0; pass < kMostProjections; ++pass) {
        // K (x, mu') = (0, -delta mu): x = -M^-1 A_s^T mu',
        // so (A_s M^-1 A_s^T + delta) mu' = delta mu.
        work_.setZero();
        for (int k = 0; k < m_; ++k) work_[at[n_ + k]] = is_used(k) ? -delta_ * mu[k] : 0.0;
        if (pass == 0)
            solve_refined();  // of all of mu; later passes have little left that could go astray
        else
            order_->factor.solve(work_.data());
        double square = 0.0;
        for (int k = 0; k < m_; ++k) {
            const double next = is_used(k) ? work_[at[n_ + k]] : 0.0;
            square += (next - mu[k]) * (next - mu[k]);
            mu[k] = next;
        }
        // Changes fall geometrically: the next one is about change times gain.
        const double change = std::sqrt(square);
        const double gain = pass > 0 && change < before ? change / before : 1.0;
        if (change * gain <= kProjected * given) return true;
        if (pass > 0 && change > kStalled * before) return change <= kShortOfOne * mu.norm();
        before = change;
    }
    return false;
}

/// work_ := K^-1 work_ with one correction.
void SparseIsland::solve_refined() {
    // With residuals of K itself, delta included, in extended precision;
    // K is given by its upper triangle.
    long double* rest = extended_work_.data();
    for (int i = 0; i < n_ + m_; ++i) rest[i] = work_[i];
    order_->factor.solve(work_.data());
    const double* z = work_.data();
    for (int j = 0; j < n_ + m_; ++j)
        for (int e = order_->K.outerIndexPtr()[j]; e < order_->K.outerIndexPtr()[j + 1]; ++e) {
            const int i = order_->K.innerIndexPtr()[e];
            const long double value = order_->K.valuePtr()[e];
            rest[i] -= value * z[j];
            if (i != j) rest[j] -= value * z[i];
        }
    for (int i = 0; i < n_ + m_; ++i) correction_[i] = static_cast<double>(rest[i]);
    order_->factor.solve(correction_.data());
    work_ += correction_;
}

double SparseIsland::scaled_norm(const Eigen::VectorXd& lambda) const {
    return lambda.cwiseProduct(length_).norm();
}

bool SparseIsland::fall_back() {
    if (n_ + m_ > kMostFallenBack) return false;
    ++num_fallbacks_;
    r_ = given_r_;
    return factorised_dense().solve_local(f_, r_, x_, lambda_);
}

DenseIsland& SparseIsland::dense() {
    if (dense_ == nullptr) dense_ = std::make_unique<DenseIsland>(pattern_);
    return *dense_;
}

DenseIsland& SparseIsland::factorised_dense() {
    // With the rows that the present factorisation drops.
    if (!is_dense_current_) dense().factorise_local(M_, A_, is_dropped_);
    is_dense_current_ = true;
    return dense();
}

}  // namespace ancora
