// SPDX-License-Identifier: BSD-3-Clause
// Accelerations at an instant.
#include "accelerations.hpp"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gauge_rows.hpp"

namespace ancora {
namespace {

// The iteration of reactions and the forces that depend on them has converged when a round changes
// them by no more than the first, or has stalled: by no more than the second and by half as much as
// the round before.
constexpr double kReactionRounding = 1e-15;
constexpr double kReactionStall = 1e-11;
constexpr int kMostReactionRounds = 60;

/// Modes are tentative as long as it lives.
class Tentative {
public:
    explicit Tentative(bool& is_resolving) : is_resolving_(is_resolving) { is_resolving = true; }
    ~Tentative() { is_resolving_ = false; }
    Tentative(const Tentative&) = delete;
    Tentative& operator=(const Tentative&) = delete;

private:
    bool& is_resolving_;
};

}  // namespace

/// Ma_now_: M a at the state last stored [N], n entries.
Accelerations::Accelerations(Assembly& parts,
                             MotionState& state,
                             const StepParts& extra,
                             const EnergyAccounting& accounting)
    : parts_(parts), state_(state), extra_(extra), accounting_(accounting) {
    Ma_now_.setZero(parts.n);
}

ContinuousFace& Accelerations::face() {
    if (!face_) {
        face_ = std::make_unique<ContinuousFace>(parts_.model,
                                                 parts_.rows,
                                                 parts_.mass,
                                                 parts_.space,
                                                 parts_.laws,
                                                 parts_.forces,
                                                 parts_.meter);
        face_->use_workers(&parts_.workers);
        // Right-hand side b - beta (2 dphi/dt + beta phi), beta = 0 unless asked for (theory,
        // section 2.4).
        face_->set_baumgarte(parts_.model.traits.baumgarte);
        // Friction and forces that depend on reactions read lambda; where rows are redundant it is
        // that of least sum of D_k lambda_k^2 (theory (5)), so that it depends on no elimination
        // order.
        face_->want_least(!extra_.empty() || parts_.forces.depends_on_reactions());
    }
    return *face_;
}

void Accelerations::solve(const double* q, const double* v, double t, RankUse use) {
    ContinuousFace& face = this->face();
    // M, Q + C, A and b at (q, v, t), and the factors of theory (4); `use` says whose rank they
    // have.
    face.assemble(q, v, t, state_.plugin, use);
    // Fixed point R = E s(F(R)) of the reactions R that forces F depend on: each round solves
    // theory (4) with the forces of the round before. With r = R_new - R the next iterate is
    // R + w r, w by Aitken's rule for vectors (Irons & Tuck 1969), r_0 and r those of the last two
    // rounds:
    //   w <- -w r_0 . (r - r_0) / |r - r_0|^2
    double part = 1.0;
    double last_change = std::numeric_limits<double>::infinity();
    for (int round = 0;; ++round) {
        face.solve();
        // Parts are not solved before there are reactions that the forces depend on.
        const bool is_silent = round == 0 && parts_.forces.depends_on_reactions();
        if (!is_silent)
            extra_.for_each([&](StepPart& of) {
                of.solve_instant(face, q, v, t, is_resolving_);
            });
        if (!parts_.forces.depends_on_reactions()) return;
        const ForceSet::ReactionChange reactions =
            parts_.forces.update_reactions(parts_.rows, face.stress().data(), false);
        // |r| is rounding of R: at once, or within 10^4 times that where it has ceased to halve.
        const bool is_at_rounding = reactions.change <= kReactionRounding * reactions.size ||
                                    (reactions.change <= kReactionStall * reactions.size &&
                                     reactions.change >= 0.5 * last_change);
        if (is_at_rounding && (extra_.empty() || !is_silent)) return;
        if (round == kMostReactionRounds || !std::isfinite(reactions.change)) refuse_feedback(t);
        part = round == 0 ? 1.0 : parts_.forces.aitken_factor(part);
        parts_.forces.relax(part);
        last_change = reactions.change;
        face.update_forces(q, v, state_.plugin);
    }
}

void Accelerations::solve_and_store(const double* q, const double* v, double t) {
    ContinuousFace& face = this->face();
    solve(q, v, t);
    // s = (s of the model's rows, s of the parts' rows); M a is needed as the scale of what
    // follows.
    state_.s.head(parts_.m) = face.stress();
    extra_.write_stress(state_.s);
    parts_.mass.multiply(face.acceleration().data(), Ma_now_.data());
    check_gauge_rows(parts_,
                     state_.s.data(),
                     face.Q().data(),
                     Ma_now_.data(),
                     accounting_.ledger.energy_scale(),
                     t);
}

void Accelerations::solve_tentatively() {
    const Tentative during(is_resolving_);
    solve_and_store(state_.q.data(), state_.v.data(), state_.t);
}

void Accelerations::solve_tentatively(const double* q, const double* v, double t) {
    const Tentative during(is_resolving_);
    solve(q, v, t);
}

void Accelerations::refuse_feedback(double t) const {
    const ForceSet::ReactionDependents dependents = parts_.forces.reaction_dependents();
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: the reactions and the forces that listen to them ({}) "
                            "do not settle: each raises the other by more than it grew itself, so "
                            "that no force, or more than one, fits; lower the force's coefficient "
                            "or lever",
                            t,
                            dependents.names),
                dependents.place);
}

}  // namespace ancora
