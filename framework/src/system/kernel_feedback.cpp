// SPDX-License-Identifier: BSD-3-Clause
// Forces that listen to the reactions of constraints, solved together with them in both faces.
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "kernel_system.hpp"

namespace ancora {
namespace {

// Reactions and the forces that listen to them have settled when a round changes them by no more
// than the first, or by no more than the second and by as much as the round before.
constexpr double kHeardRounding = 1e-15;
constexpr double kHeardClosely = 1e-11;
constexpr int kMostHearings = 60;

}  // namespace

/// Discrete face. With R = E s the reactions that forces hear and U = dF/dR, the matrix of an
/// iteration is K - [0 U E; 0 0], of low rank beside the factorised K:
///
///   x = x0 + W y,   (I - E W) y = E x0,   x0 = K^-1 r,   W = K^-1 [U; 0]
///
/// with E taken of the stresses in x.
void KernelSystem::prepare_feedback() {
    const int d = forces_.num_heard();
    const auto n = static_cast<std::size_t>(n_);
    Feedback& f = feedback_;
    if (f.by_reactions.cols() != d) {
        f.by_reactions.setZero(n_, d);
        f.x.setZero(n_, d);
        f.s.setZero(num_rows(), d);
        f.answer.setZero(d, d);
        f.zero.setZero(num_rows());
        f.heard.setZero(d);
        f.y.setZero(d);
    }
    forces_.differentiate_by_reactions(f.by_reactions);
    for (int j = 0; j < d; ++j) {
        solve_with_contacts({f.by_reactions.col(j).data(), n},
                            view(f.zero),
                            {f.x.col(j).data(), n},
                            {f.s.col(j).data(), static_cast<std::size_t>(num_rows())});
        forces_.read_reactions(rows_, shared(f.s.col(j).data()), true, f.heard.data());
        f.answer.col(j) = -f.heard;
        f.answer(j, j) += 1.0;
    }
    f.solver.compute(f.answer);
}

void KernelSystem::solve_linear(std::span<const double> r_motion,
                                std::span<const double> r_rows,
                                std::span<double> ddq,
                                std::span<double> ds) {
    solve_with_contacts(r_motion, r_rows, ddq, ds);
    if (!forces_.listens()) return;
    Feedback& f = feedback_;
    forces_.read_reactions(rows_, shared(ds.data()), true, f.heard.data());
    f.y = f.solver.solve(f.heard);
    if (!f.y.allFinite()) return;  // no answer of this kind; the iteration will say so
    for (Eigen::Index j = 0; j < f.y.size(); ++j) {
        for (int i = 0; i < n_; ++i) ddq[static_cast<std::size_t>(i)] += f.x(i, j) * f.y[j];
        for (int k = 0; k < num_rows(); ++k) ds[static_cast<std::size_t>(k)] += f.s(k, j) * f.y[j];
    }
}

/// r_motion += U E y: what the exact matrix has beside that of apply_exact().
void KernelSystem::apply_feedback(const double* y, double* r_motion) {
    Feedback& f = feedback_;
    forces_.read_reactions(rows_, shared(y), true, f.heard.data());
    for (Eigen::Index j = 0; j < f.heard.size(); ++j)
        for (int i = 0; i < n_; ++i) r_motion[i] += f.by_reactions(i, j) * f.heard[j];
}

void KernelSystem::refuse_feedback(double t) const {
    const ForceSet::Listeners listeners = forces_.listeners();
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: the reactions and the forces that listen to them ({}) "
                            "do not settle: each raises the other by more than it grew itself, so "
                            "that no force, or more than one, fits; lower the force's coefficient "
                            "or lever",
                            t,
                            listeners.names),
                listeners.place);
}

/// Continuous face: accelerations, reactions, contacts, and the forces that listen to reactions,
/// together; the last by repetition with Aitken's rule, from zero, so that looking at a run does
/// not change it.
void KernelSystem::solve_accelerations(const double* q, const double* v, double t, RankUse use) {
    ContinuousFace& face = continuous_face();
    forces_.forget_reactions();
    face.assemble(q, v, t, state0_, use);
    double part = 1.0;
    double last_change = std::numeric_limits<double>::infinity();
    for (int round = 0;; ++round) {
        face.solve();
        // Contacts have no say before there are reactions that the forces could have heard.
        const bool is_silent = round == 0 && forces_.listens();
        if (!contacts_.empty() && !is_silent) solve_contacts(q, v, t);
        if (!forces_.listens()) return;
        const ForceSet::Heard heard = forces_.hear(rows_, face.stress().data(), false);
        const bool is_at_rounding =
            heard.change <= kHeardRounding * heard.size ||
            (heard.change <= kHeardClosely * heard.size && heard.change >= 0.5 * last_change);
        if (is_at_rounding && (contacts_.empty() || !is_silent)) return;
        if (round == kMostHearings || !std::isfinite(heard.change)) refuse_feedback(t);
        part = round == 0 ? 1.0 : forces_.aitken_part(part);
        forces_.go_part_of_the_way(part);
        last_change = heard.change;
        face.update_forces(q, v, state0_);
    }
}

}  // namespace ancora
