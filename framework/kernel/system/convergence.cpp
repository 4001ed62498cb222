// SPDX-License-Identifier: BSD-3-Clause
// Verdicts from an iteration's corrections and residuals.
#include "convergence.hpp"

#include <algorithm>
#include <cmath>

namespace ancora {
namespace {

// Bound of residuals, in units of their rounding-error bounds.
constexpr double kClosedResidual = 1.0;
// The largest of many is larger: of N normally distributed numbers sqrt(2 ln N) standard
// deviations. This is one of them, in the same units, as nets and chains show it.
constexpr double kDeviation = 0.4;
// Bound of residuals at the rounding floor, where they no longer fall.
constexpr double kFloorDefect = ScaledResidual::kFarFromClosed;
// Or constraint residuals of so many roundings of positions, if the terms of a short step are far
// smaller.
constexpr double kPositionRoundings = 4.0;
constexpr double kNearlyClosed = 3.0;
constexpr double kFarFromClosed = 30.0;
constexpr double kLevel = 0.9;   // residuals that shrink by less are at their floor
constexpr double kHalved = 0.5;  // what does not fall so far from one iteration to the next stays
constexpr double kDiverged = 1e6;
// Cycles of round-off: number of iterations, and relative difference of values.
constexpr int kRoundsAlike = 4;
constexpr double kAlike = 4.0;

}  // namespace

double Convergence::most_of(std::size_t num_residuals) {
    // max(1, 0.4 sqrt(2 ln N)): the maximum of N standard normal numbers is near sqrt(2 ln N).
    const double count = static_cast<double>(num_residuals + 1);
    return std::max(kClosedResidual, kDeviation * std::sqrt(2.0 * std::log(count)));
}

/// Only a tolerance beyond the default loosens residuals: a gap by that length, a force by
/// 2 M / h^2 times it.
double Convergence::slack(double tolerance) {
    return tolerance > kDefaultTolerance ? tolerance : 0.0;
}

bool Convergence::is_to_be_judged(int k) const {
    const bool is_under_way = k == 1 && correction_ > kFloorCorrections * tolerance_ && !is_whole_;
    return k > 0 && !is_under_way;
}

Convergence::Verdict Convergence::judge(int k, const ScaledResidual& defect) {
    // D: last correction [m]; r: the larger residual over its rounding-error bound. Three tests:
    //   converged    D <= tolerance, or the error after D is round-off, and   r <= closed
    //   at floor     no r > closed and no D > tolerance has halved,    and   r <= 3, then 10^3
    //   diverged     D > 10^6 max(D_first, tolerance), not finite, or no iterations left
    if (std::isnan(defect.motion) || std::isnan(defect.rows)) return Verdict::failed;
    const bool is_still = correction_ <= tolerance_;
    const bool is_closed = defect.motion <= closed_ && defect.rows <= closed_;
    // The rounding floor: residuals above their bounds have stagnated over two iterations, or over
    // one at a size that must be round-off. Round-off may cycle.
    const auto has_levelled = [this](double now, double last) {
        return now <= closed_ || now >= kHalved * last;
    };
    const bool has_fallen_little =
        has_levelled(defect.motion, last_.motion) && has_levelled(defect.rows, last_.rows);
    const bool is_in_circles = goes_round(defect);
    const bool is_level = (has_fallen_little || is_in_circles) &&
                          (is_still || correction_ >= kHalved * last_correction_);
    // One iteration without progress may be chance: a small residual is accepted after one, up to
    // kFloorDefect after two in a row.
    const double most = was_level_ ? kFloorDefect : kNearlyClosed;
    // In a short step terms are h^2 times accelerations; the round-off of positions is larger than
    // that.
    const bool is_rounding = was_level_ && defect.positions <= kPositionRoundings;
    const bool is_at_floor = is_level && defect.motion <= most &&
                             (defect.rows <= most || is_rounding) &&
                             correction_ <= kFloorCorrections * tolerance_;
    was_level_ = is_level;
    is_far_from_closed_ = defect.rows > kFarFromClosed;
    // A correction whose remaining error is round-off needs no second one to confirm that.
    const bool is_done = is_still || is_whole_;
    if ((is_done && is_closed) || is_at_floor) return Verdict::converged;
    if (k == max_iterations_ || correction_ > kDiverged * std::max(first_correction_, tolerance_))
        return Verdict::failed;
    worst_ = std::max(defect.motion, defect.rows);
    // Contraction theta = |D_k| / |D_k-1|, and the same of residuals where two of them are known.
    const double shrinks = correction_ / last_correction_;
    rates_ = std::isfinite(last_.motion) ? Rates{shrinks,
                                                 defect.motion / last_.motion,
                                                 worst_ / std::max(last_.motion, last_.rows)}
                                         : Rates{shrinks, shrinks, 1.0};
    last_ = defect;
    return Verdict::go_on;
}

/// Whether the larger residual has not been halved for some iterations, and has returned to its
/// least value.
bool Convergence::goes_round(const ScaledResidual& defect) {
    const double worst = std::max(defect.motion, defect.rows);
    if (worst < kHalved * least_) {
        least_ = worst;
        not_halved_ = 0;
        return false;
    }
    return ++not_halved_ >= kRoundsAlike && worst <= kAlike * least_;
}

/// With the contraction theta, k more iterations are needed until theta^k times the error is within
/// the tolerance; a new matrix costs a factorisation and about two iterations. Corrections may
/// stagnate where stresses converge first; then the contraction of residuals counts.
///
/// Source: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, section IV.8, (8.11).
bool Convergence::wants_fresh_matrix(const SolverCost& cost) const {
    // Positions have converged; the error of stresses may be round-off.
    const bool is_still = correction_ <= tolerance_;
    if (is_still && (worst_ <= closed_ || rates_.worst >= kLevel)) return false;
    const double theta = is_still ? rates_.worst : std::min(rates_.correction, rates_.defect);
    // No contraction: the iteration with the old matrix does not converge.
    if (theta >= 1.0) return true;
    // theta^k D = tolerance for k iterations, or theta^k r = closed once positions have converged.
    const double to_gain = is_still ? closed_ / worst_ : tolerance_ / correction_;
    const double to_come = std::log(to_gain) / std::log(theta);
    return to_come * cost.iterate > cost.factorise + 2.0 * cost.iterate;
}

/// D_k-1 <- D_k <- correction. With a looser tolerance than the default D <= tolerance alone
/// decides.
void Convergence::note(double correction, bool is_whole) {
    last_correction_ = correction_;
    correction_ = correction;
    is_whole_ = is_whole && slack(tolerance_) == 0.0;
    if (!std::isfinite(first_correction_)) first_correction_ = correction;
}

}  // namespace ancora
