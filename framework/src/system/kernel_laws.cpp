// SPDX-License-Identifier: BSD-3-Clause
// Rows whose law is more than a line through zero: prestress, and going slack or breaking with the
// matrix that follows.
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel_system.hpp"

namespace ancora {
namespace {

// What a slope may have changed since the matrix was made, in parts of what the matrix answers to a
// force along the row: beyond it iterations converge slowly, or not at all.
constexpr double kOutlived = 0.25;
// Rows that are this close to their limits when one reaches its own, relative, break with it.
constexpr double kTogether = 1e-10;
constexpr std::size_t kMostBreaks = 10'000;

}  // namespace

/// Residual of a nonlinear row at a trial, in units of a taut row's.
double KernelSystem::follow_law(int k, double increment, double s, double h) {
    const RowLaws::Secant law = laws_.secant(k, pi_[k], increment, h);
    law_of_trial_[static_cast<std::size_t>(k)] = law;
    return laws_.taut_gamma(k) * (law.stress - s);
}

/// What a nonlinear row's residual is made of beside its increment.
double KernelSystem::terms_of_law(int k, double s) const {
    if (law_of_trial_[static_cast<std::size_t>(k)].is_slack() && s == 0.0) return 0.0;
    return 2.0 * std::abs(pi_[k] + laws_[k].compliance * laws_[k].prestress) +
           laws_.taut_gamma(k) * std::abs(s);
}

/// Gives the matrix the slopes of the last trial.
void KernelSystem::follow_slopes() {
    for (const int k : laws_.nonlinear()) {
        const double slope = law_of_trial_[static_cast<std::size_t>(k)].slope;
        slope_in_matrix_[k] = slope;
        laws_.follow(k, slope);
    }
}

/// Whether the slopes of the last trial differ from those in the matrix by what matters.
bool KernelSystem::has_outlived_matrix() const {
    const double to_mobility = 0.5 * trial_h_ * trial_h_;
    for (const int k : laws_.nonlinear()) {
        const double in_matrix = slope_in_matrix_[k];
        const double change =
            std::abs(law_of_trial_[static_cast<std::size_t>(k)].slope - in_matrix);
        if (change == 0.0) continue;
        double mobility = 0.0;
        const int end = rows_.row_start[static_cast<std::size_t>(k) + 1];
        for (int e = rows_.row_start[static_cast<std::size_t>(k)]; e < end; ++e)
            mobility += rows_.B[e] * rows_.B[e] *
                        inverse_mass_[rows_.column[static_cast<std::size_t>(e)]] * to_mobility;
        if (change * mobility > kOutlived * (1.0 + in_matrix * mobility)) return true;
    }
    return false;
}

/// The residuals of rows as the matrix has them: those of nonlinear rows in units of its gamma.
std::span<const double> KernelSystem::in_units_of_matrix(std::span<const double> r_rows) {
    if (!laws_.has_nonlinear()) return r_rows;
    std::copy(r_rows.begin(), r_rows.end(), matrix_rows_.data());
    for (const int k : laws_.nonlinear()) matrix_rows_[k] *= laws_.gamma()[k] / laws_.taut_gamma(k);
    return view(matrix_rows_);
}

// --- breaking

/// How far the unbroken rows are from their limits, relative; 1 if none is left.
double KernelSystem::margin_to_break(const Eigen::VectorXd& pi) const {
    double least = 1.0;
    for (const int k : laws_.breakable())
        if (!laws_.is_broken(k)) least = std::min(least, laws_.margin(k, pi[k]));
    return least;
}

/// Breaks the row that has come to its limit, and others that have with it. What they stored is
/// lost.
void KernelSystem::break_rows() {
    const double limit = std::max(margin_to_break(pi_), 0.0) + kTogether;
    for (const int k : laws_.breakable()) {
        if (laws_.is_broken(k) || laws_.margin(k, pi_[k]) > limit) continue;
        const double energy = laws_.energy(k, pi_[k]);
        laws_.break_row(k);
        s_[k] = 0.0;
        ledger_.book_nonideal(-energy);
        if (breaks_.size() < kMostBreaks) breaks_.push_back({t_, k, energy});
    }
    close_ledger(false);
}

/// Refuses a start at which a row is beyond its limit.
void KernelSystem::check_limits() const {
    for (const int k : laws_.breakable()) {
        if (laws_.is_broken(k) || instant_.pi[k] <= laws_[k].breaks_at) continue;
        throw Error(ErrorKind::numerical,
                    fmt::format("{} starts at {:.6g}, but breaks at {:.6g}; start it nearer to "
                                "rest, or let it bear more",
                                rows_.row_name(k),
                                instant_.pi[k],
                                laws_[k].breaks_at),
                    rows_.place_of_row(k));
    }
}

}  // namespace ancora
