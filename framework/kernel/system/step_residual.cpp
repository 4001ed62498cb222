// SPDX-License-Identifier: BSD-3-Clause
// The equations of a step.
#include "step_residual.hpp"

#include <algorithm>

#include <Eigen/LU>

#include "lanes.hpp"

namespace ancora {
namespace {

/// (1) of one row.
class RowEquation {
public:
    RowEquation(const Assembly& parts, const MotionState& state, Trial& trial)
        : tau_(parts.rows.tau.data()),
          theta_(parts.laws.theta().data()),
          pi_(state.pi.data()),
          extra_(parts.laws.extra().data()),
          gamma_(parts.laws.gamma().data()),
          Bdq_(trial.Bdq.data()) {}
    /// r_rows of row k, with B dq of it.
    double operator()(int k, double increment, double s) const {
        Bdq_[k] = increment;
        return increment + tau_[k] + theta_[k] * pi_[k] + extra_[k] - gamma_[k] * s;
    }

private:
    const double *tau_, *theta_, *pi_, *extra_, *gamma_;
    double* Bdq_;
};

}  // namespace

StepResidual::StepResidual(const SystemData& of, StepRows& rows, const StepParts& extra)
    : parts_(of.parts),
      state_(of.state),
      trial_(of.trial),
      independent_(rows.independent),
      nonlinear_(rows.nonlinear),
      extra_(extra) {
    // Only parts that rub ask for (2): elsewhere B = A(q_mid) of velocity rows is exact enough.
    if (!extra.empty()) find_carrying_rows();
}

void StepResidual::find_carrying_rows() {
    const RowSet& rows = parts_.rows;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        // Rates of measures and friction on them are both taken at the middle of the chord.
        const int c = rows.owners[part.owner].constraint;
        const ConstraintPart* const constraint = c >= 0 ? &parts_.model.constraints[c] : nullptr;
        if (constraint != nullptr &&
            (constraint->joint != nullptr || constraint->reaction == ReactionKind::effort))
            continue;
        const std::size_t before = carrying_.size();
        // Rows psi(q, v, t) = 0 of islands in which a part acts, as the rolling of a ball.
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (parts_.laws[k].kind == RowKind::velocity_constraint && !rows.columns(k).empty() &&
                extra_.acts_on(rows.columns(k).front()))
                carrying_.push_back(k);
        if (carrying_.size() > before) blocks_.push_back(static_cast<int>(b));
    }
    if (carrying_.empty()) return;
    // Three directions and a point are a body's axes and its place.
    for (const BodyPart& body : parts_.model.bodies) {
        std::vector<std::array<int, 3>> directions;
        bool is_made_of_vectors = true;
        for (const Space::Vector& vector : parts_.space.vectors()) {
            const bool is_own = std::ranges::any_of(vector.at, [&body](int i) {
                return i >= body.first && i < body.first + body.count;
            });
            if (!is_own || vector.translates) continue;
            is_made_of_vectors &= vector.is_whole();
            directions.push_back(vector.at);
        }
        if (is_made_of_vectors && directions.size() == 3 && extra_.acts_on(body.first))
            axes_.push_back({directions[0], directions[1], directions[2]});
    }
    if (axes_.empty()) carrying_.clear();
    q_.setZero(parts_.n);
    A_.setZero(rows.B.size());
    pi_t_.setZero(parts_.m);
}

void StepResidual::evaluate(const StepTrial& trial,
                            std::span<double> r_motion,
                            std::span<double> r_rows) {
    const Stopwatch watch(parts_.meter.is_sampling(), parts_.meter.spent.assemble);
    // The order: theta, gamma and extra of this h; M of the step; dq and q_mid; B and tau at them;
    // M a; F, which may depend on reactions B^T s, hence after B; then the sums, and what parts add
    // to them.
    parts_.laws.prepare(trial.h);
    parts_.hold_mass(trial.t0, trial.h);
    move_by(trial);
    evaluate_rows(trial);
    parts_.mass.multiply(trial.a.data(), trial_.Ma.data());
    evaluate_forces(trial);
    balance(trial.s.data(), r_motion.data(), r_rows.data());
    if (!nonlinear_.empty()) nonlinear_.follow(trial.s.data(), trial.h, r_rows.data());
    extra_.for_each([&](StepPart& part) {
        part.evaluate(trial, r_motion, r_rows);
    });
    trial_.r_motion = r_motion;
    trial_.r_rows = r_rows;
    trial_.h = trial.h;
    trial_.s = trial.s.data();
}

/// dq = h v0 + h^2/2 a
void StepResidual::move_by(const StepTrial& trial) {
    const double h = trial.h;
    const double half = 0.5 * h * h;
    const double* const a = trial.a.data();
    const double* const v = state_.v.data();
    const double* const v_low = state_.v_low.data();
    const double* const q = state_.q.data();
    const double* const q_low = state_.q_low.data();
    double* const dq = trial_.dq.data();
    double* const mid = trial_.mid.data();
    // The low words of the compensated q and v take part: without them dq of a slow motion would
    // lose the digits that q has saved. Small terms are added first.
    parts_.workers.split(parts_.n, [=](int begin, int end) {
        ANCORA_APART
        for (int i = begin; i < end; ++i) {
            const double moved = h * v[i] + (h * v_low[i] + half * a[i]);
            dq[i] = moved;
            mid[i] = q[i] + (q_low[i] + 0.5 * moved);
        }
    });
}

/// B and tau
void StepResidual::evaluate_rows(const StepTrial& trial) {
    std::copy(state_.plugin.begin(), state_.plugin.end(), trial_.plugin.begin());
    // q_1 and v_1 of the trial, at which objects are asked for what rows read of them.
    if (parts_.signals.are_read_by_rows()) {
        for (int i = 0; i < parts_.n; ++i) {
            trial_.q_next[i] = state_.q[i] + trial_.dq[i];
            trial_.v_next[i] = state_.v[i] + trial.h * trial.a[i];
        }
        parts_.signals.evaluate_step_for_rows(state_.q.data(),
                                              trial_.dq.data(),
                                              trial_.q_next.data(),
                                              trial_.v_next.data(),
                                              trial.t0,
                                              trial.h);
    }
    parts_.rows.evaluate_step(state_.q.data(),
                              trial_.dq.data(),
                              trial_.mid.data(),
                              trial.t0,
                              trial.h,
                              state_.plugin,
                              trial_.plugin);
    // tau += a share of what the carried pi lags behind pi(q, t), so that (1) closes it (theory,
    // section 10).
    for (const int k : parts_.timed_rows) parts_.rows.tau[k] += state_.lag[k];
    if (!carrying_.empty()) turn_axes(trial);
}

/// B of carrying rows at (2)
void StepResidual::turn_axes(const StepTrial& trial) {
    // Only axes differ from the middle; points stay there.
    q_ = trial_.mid;
    for (const std::array<std::array<int, 3>, 3>& axes : axes_) {
        Eigen::Matrix3d before, after;
        for (int j = 0; j < 3; ++j)
            for (int c = 0; c < 3; ++c) {
                const int i = axes[j][c];
                before(c, j) = state_.q[i];
                after(c, j) = state_.q[i] + trial_.dq[i];
            }
        // (2), columns are axes. With F_i = R_i U, one strain U and two attitudes, this is the mean
        // attitude times U, longer by 1 / cos(angle / 2) across the axis of the turn, where F_mid
        // is shorter by the cosine.
        const Eigen::Matrix3d reciprocal = (0.5 * (before + after)).transpose().inverse();
        const Eigen::Matrix3d turned =
            0.5 * reciprocal * (before.transpose() * before + after.transpose() * after);
        // A turn by half a revolution has no middle: such a trial is on its way elsewhere.
        if (!turned.allFinite()) continue;
        for (int j = 0; j < 3; ++j)
            for (int c = 0; c < 3; ++c) q_[axes[j][c]] = turned(c, j);
    }
    RowSet& rows = parts_.rows;
    v_ = trial_.dq / trial.h;
    // A and pi_t at these axes, the mean velocity dq / h and the middle of the time:
    //   B = A,    tau = h pi_t    in place of A(q_mid)
    rows.evaluate_rates(blocks_,
                        q_.data(),
                        v_.data(),
                        trial.t0 + 0.5 * trial.h,
                        A_.data(),
                        pi_t_.data(),
                        SignalSet::Moment::middle);
    const std::vector<int>& dropped = rows.dropped();
    for (const int k : carrying_) {
        if (!parts_.laws.is_constraint(k)) continue;  // it has been released
        const auto found = std::ranges::lower_bound(dropped, k);
        if (found != dropped.end() && *found == k) {
            rows.set_dropped_increment(
                static_cast<std::size_t>(found - dropped.begin()),
                rows.multiply(A_.data(), k, trial_.dq.data()) + trial.h * pi_t_[k]);
            continue;
        }
        for (const int e : rows.entries(k)) rows.B[e] = A_[e];
        rows.tau[k] = trial.h * pi_t_[k];
    }
}

/// F, of which some may depend on the reactions in s
void StepResidual::evaluate_forces(const StepTrial& trial) {
    parts_.workers.copy(parts_.gravity_force.data(), parts_.n, trial_.F.data());
    const bool depends_on_reactions = parts_.forces.depends_on_reactions();
    // Reactions and normal forces are those of minimum-norm stresses, where rows are dropped.
    if (depends_on_reactions || !extra_.empty()) independent_.prepare_sharing_of(trial.t0, trial.h);
    if (depends_on_reactions)
        parts_.forces.update_reactions(parts_.rows, independent_.shared(trial.s.data()), true);
    parts_.forces.evaluate_step(state_.q.data(),
                                trial_.dq.data(),
                                trial.t0,
                                trial.h,
                                state_.plugin,
                                trial_.plugin,
                                trial_.F.data());
}

/// (1)
void StepResidual::balance(const double* s, double* r_motion, double* r_rows) {
    if (!parts_.columns.empty()) return balance_side_by_side(s, r_motion, r_rows);
    const RowSet& rows = parts_.rows;
    const double* const B = rows.B.data();
    const double* const dq = trial_.dq.data();
    const double* const Ma = trial_.Ma.data();
    const double* const F = trial_.F.data();
    const RowEquation close(parts_, state_, trial_);
    // r_motion = M a - F + B^T s, r_rows = B dq + tau + theta pi_0 + extra - gamma s, in one pass
    // over B
    for (int i = 0; i < parts_.n; ++i) r_motion[i] = Ma[i] - F[i];
    rows.for_used(0, parts_.m, [&](int k) {
        const double sk = s[k];
        double increment = 0.0;
        rows.for_entries(k, [&](int e, int i) {
            increment += B[e] * dq[i];
            r_motion[i] += B[e] * sk;
        });
        r_rows[k] = close(k, increment, sk);
    });
    rows.for_unused([&](int k) {
        r_rows[k] = close(k, 0.0, s[k]);
    });
}

/// The same by threads: rows along rows, motion along columns.
void StepResidual::balance_side_by_side(const double* s, double* r_motion, double* r_rows) {
    const RowSet& rows = parts_.rows;
    const double* B = rows.B.data();
    const RowEquation close(parts_, state_, trial_);
    parts_.workers.split(parts_.m, [&](int begin, int end) {
        for (int k = begin; k < end; ++k)
            r_rows[k] = close(k, rows.multiply(B, k, trial_.dq.data()), s[k]);
    });
    // Each entry of r_motion is one sum in the order of its column, whatever the number of threads:
    // results repeat to the bit.
    parts_.workers.split(parts_.n, [&](int begin, int end) {
        for (int i = begin; i < end; ++i)
            r_motion[i] = parts_.columns.multiply_onto(trial_.Ma[i] - trial_.F[i], B, i, s);
    });
}

}  // namespace ancora
