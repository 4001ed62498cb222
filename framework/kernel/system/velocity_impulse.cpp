// SPDX-License-Identifier: BSD-3-Clause
// The least change of velocities onto prescribed rates, and its entries in the ledger.
#include "velocity_impulse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "ancora/sdk/numbers/disjoint_sets.hpp"
#include "compensated_sum.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

constexpr double kRoundoff = std::numeric_limits<double>::epsilon();
// Rates are met to so many units of rounding of their own terms.
constexpr double kMet = 4.0;
// Residual of a rate, in these units: the relative error of a force over the step.
constexpr double kLeft = 100.0;
// Contraction up to which factors of an earlier state are reused.
constexpr double kFalls = 1e-2;
constexpr int kMostSolves = 12;
// Rates change by less within a rounding of time unless they jump.
constexpr double kJump = 1e-9;
// Formulas round the place of their jump.
constexpr double kSide = 16.0 * kRoundoff;

std::span<double> span_of(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

VelocityImpulse::VelocityImpulse(Assembly& parts, const MotionState& state)
    : parts_(parts), state_(state) {
    find_rows();
    if (row_.empty()) return;
    const auto m = static_cast<Eigen::Index>(row_.size());
    for (Eigen::VectorXd* x : {&rate_, &lambda_}) x->setZero(m);
    for (Eigen::VectorXd* x : {&dv_, &v_before_, &v_mean_, &push_, &force_}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&pi_t_, &pi_t_before_, &s_}) x->setZero(parts.m);
    A_.setZero(parts.rows.B.size());
    A_of_conditions_.assign(entry_.size(), 0.0);
    A_of_choice_ = A_of_factor_ = A_of_conditions_;
}

/// A gauge row fixes a coordinate without inertia: it takes no impulse.
bool VelocityImpulse::is_condition(int k) const {
    return parts_.laws.has_rate(k) && parts_.laws[k].kind != RowKind::gauge;
}

/// The conditions on velocities of all islands in which one depends on time.
void VelocityImpulse::find_rows() {
    const RowSet& rows = parts_.rows;
    // Connected components by entries of M and of conditions; driven is one with a row over time.
    // Elsewhere the step's own A v = O(h^2) stays: taking it out would change the energy.
    DisjointSets islands(static_cast<std::size_t>(parts_.n));
    for (const MassEntry& entry : parts_.mass.entries()) islands.join(entry.i, entry.j);
    const auto first_column = [&rows](int k) {
        const auto columns = rows.columns(k);
        return columns.empty() ? -1 : columns.front();
    };
    for (int k = 0; k < parts_.m; ++k) {
        if (!is_condition(k)) continue;
        for (const int e : rows.entries(k)) islands.join(first_column(k), rows.column_of(e));
    }
    std::vector<char> is_driven(static_cast<std::size_t>(parts_.n), 0);
    for (const BlockPart& part : rows.blocks)
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (part.block->depends_on_time && is_condition(k) && first_column(k) >= 0)
                is_driven[islands.root(first_column(k))] = 1;
    row_start_.push_back(0);
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        const std::size_t before = row_.size();
        const int constraint = rows.owners[part.owner].constraint;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            const int column = first_column(k);
            if (!is_condition(k) || column < 0 || is_driven[islands.root(column)] == 0) continue;
            row_.push_back(k);
            for (const int e : rows.entries(k)) {
                entry_.push_back(e);
                column_.push_back(rows.column_of(e));
            }
            row_start_.push_back(static_cast<int>(entry_.size()));
            is_timed_.push_back(part.block->depends_on_time ? 1 : 0);
            is_tied_to_ground_.push_back(
                constraint >= 0 && parts_.model.constraints[constraint].is_tied_to_ground ? 1 : 0);
            has_velocity_rows_ |= parts_.laws[k].kind != RowKind::constraint;
        }
        if (row_.size() > before) blocks_.push_back(static_cast<int>(b));
    }
}

/// t + 16 u |t|, and before: t - 16 u |t|: the sides of a jump at t, beyond the rounding of
/// formulas that have t in them.
double VelocityImpulse::behind(double t) {
    return t + kSide * std::abs(t);
}
double VelocityImpulse::before(double t) {
    return t - kSide * std::abs(t);
}

bool VelocityImpulse::jumps_at(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t) {
    if (!is_wanted()) return false;
    // pi_t(t-) against pi_t(t+) at the same q and v; three roundings before t, since t may be
    // behind already.
    const double early = before(before(before(t)));
    evaluate(q.data(), v.data(), early, SignalSet::Moment::now);
    pi_t_before_ = pi_t_;
    evaluate(q.data(), v.data(), t, SignalSet::Moment::now);
    for (const int k : row_) {
        const double size = std::max(std::abs(pi_t_[k]), std::abs(pi_t_before_[k]));
        if (std::abs(pi_t_[k] - pi_t_before_[k]) > kJump * size) return true;
    }
    return false;
}

void VelocityImpulse::evaluate(const double* q, const double* v, double t, SignalSet::Moment own) {
    parts_.rows.evaluate_rates(blocks_, q, v, t, A_.data(), pi_t_.data(), own);
    for (std::size_t e = 0; e < entry_.size(); ++e) A_of_conditions_[e] = A_[entry_[e]];
    for (std::size_t c = 0; c < row_.size(); ++c) {
        if (parts_.laws.has_rate(row_[c])) continue;  // else it has been released
        pi_t_[row_[c]] = 0.0;
        std::fill(A_of_conditions_.begin() + row_start_[c],
                  A_of_conditions_.begin() + row_start_[c + 1],
                  0.0);
    }
}

/// A_c v + pi_t
double VelocityImpulse::rate(std::size_t c, const double* v) const {
    double sum = pi_t_[row_[c]];
    for (int e = row_start_[c]; e < row_start_[c + 1]; ++e) {
        const auto i = static_cast<std::size_t>(e);
        sum += A_of_conditions_[i] * v[column_[i]];
    }
    return sum;
}

/// Writes the residuals of the rates to rate_.
/// @returns the largest, in units of the rounding-error bound of a row at the model's speed
double VelocityImpulse::measure(const double* v) {
    double speed = 0.0;
    for (const int i : column_) speed = std::max(speed, std::abs(v[i]));
    double worst = 0.0;
    for (std::size_t c = 0; c < row_.size(); ++c) {
        double entry = 0.0;
        for (int e = row_start_[c]; e < row_start_[c + 1]; ++e)
            entry = std::max(entry, std::abs(A_of_conditions_[e]));
        // 4 u (|pi_t| + max|A_ci| max|v|), the rounding-error bound of the rate.
        const double size = std::abs(pi_t_[row_[c]]) + entry * speed;
        const double left = rate(c, v);
        if (!std::isfinite(left)) parts_.rows.refuse_row(row_[c], state_.t);
        rate_[static_cast<Eigen::Index>(c)] = -left;
        if (left != 0.0) worst = std::max(worst, std::abs(left) / (kMet * kRoundoff * size));
    }
    return worst;
}

/// M, regularised where it is zero: rows alone then determine the velocities there.
void VelocityImpulse::make_solvers() {
    SystemPattern pattern;
    pattern.num_coordinates = parts_.n;
    double sum = 0.0;
    int count = 0;
    for (const MassEntry& entry : parts_.mass.entries())
        pattern.mass.emplace_back(entry.i, entry.j);
    for (int i = 0; i < parts_.n; ++i) {
        if (parts_.mass.is_massless(i)) continue;
        sum += parts_.mass.diagonal(i);
        ++count;
    }
    // A billionth of the mean mass: M is regular, and the impulse on massless coordinates is what
    // rows determine.
    lent_mass_ = count > 0 ? kLentMass * sum / count : 1.0;
    for (int i = 0; i < parts_.n; ++i) {
        if (!parts_.mass.is_massless(i)) continue;
        massless_.push_back(i);
        const auto known = std::ranges::find(pattern.mass, std::pair(i, i));
        lent_to_.push_back(static_cast<int>(known - pattern.mass.begin()));
        if (known == pattern.mass.end()) pattern.mass.emplace_back(i, i);
    }
    M_.assign(pattern.mass.size(), 0.0);
    for (const BodyPart& part : parts_.model.bodies) pattern.first_of_body.push_back(part.first);
    mass_ = std::make_unique<ConstrainedSolver>(pattern);
    pattern.row_start = row_start_;
    pattern.column = column_;
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
}

/// @returns false if a value is not finite, or M is no mass
bool VelocityImpulse::factorise(RankUse use) {
    const bool is_first = solver_ == nullptr;
    if (is_first) make_solvers();
    const bool is_mass_new = is_first || !parts_.mass.is_constant();
    if (is_mass_new) {
        std::ranges::copy(parts_.mass.values(), M_.begin());
        for (const int entry : lent_to_) M_[entry] = lent_mass_;
        mass_->factorise(M_, {}, true);
    }
    // The independent rows are those at A_of_choice_, chosen without regard to choices before;
    // later factors keep them, and a saved run repeats both.
    if (use == RankUse::choose) {
        A_of_choice_ = A_of_factor_;
        solver_->forget_choices();
        changed_choices_.assign(static_cast<std::size_t>(solver_->num_islands()), 0);
    } else if (is_of_choice_) {
        solver_->mark_changed_factors(changed_choices_);
    }
    is_of_choice_ = use == RankUse::choose;
    is_reusable_ = true;
    is_factorised_ = solver_->factorise(M_, A_of_factor_, is_mass_new, use) == SolverStatus::good;
    return is_factorised_;
}

/// dv_ = M^-1 A^T lambda_ with the present A, and its entries in the ledger.
void VelocityImpulse::push(const Eigen::VectorXd& v) {
    // s = -mu, A^T mu on all coordinates, and the part of it from the ground.
    push_.setZero();
    for (std::size_t c = 0; c < row_.size(); ++c) {
        const double mu = lambda_[static_cast<Eigen::Index>(c)];
        if (mu == 0.0) continue;
        s_[row_[c]] -= mu;
        for (int e = row_start_[c]; e < row_start_[c + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            push_[column_[i]] += A_of_conditions_[i] * mu;
            if (is_tied_to_ground_[c] != 0) force_[column_[i]] += A_of_conditions_[i] * mu;
        }
    }
    mass_->solve(view(push_), {}, span_of(dv_), {});
    // dT = mu^T A (v^- + v^+) / 2 of each row, an identity for (v^+ - v^-) = M^-1 A^T mu.
    v_mean_ = v + 0.5 * dv_;
    for (std::size_t c = 0; c < row_.size(); ++c) {
        const double mu = lambda_[static_cast<Eigen::Index>(c)];
        if (mu == 0.0) continue;
        const double work = mu * (rate(c, v_mean_.data()) - pi_t_[row_[c]]);
        (is_timed_[c] != 0 ? work_external_ : work_projection_) += work;
    }
    // Momenta of auxiliary masses are not in the model.
    for (const int i : massless_) {
        const double taken = lent_mass_ * dv_[i];
        work_projection_ -= taken * v_mean_[i];
        force_[i] -= taken;
    }
}

bool VelocityImpulse::meet(const Eigen::VectorXd& q,
                           double t,
                           SignalSet::Moment own,
                           Eigen::VectorXd& v,
                           Eigen::VectorXd& v_low) {
    work_external_ = work_projection_ = 0.0;
    s_.setZero();
    if (parts_.mass.is_timed()) parts_.update_mass(q.data(), v.data(), t);
    // r = -(A v + pi_t); nothing is done within kLeft of its rounding-error bounds.
    evaluate(q.data(), v.data(), t, own);
    double worst = measure(v.data());
    if (worst <= kLeft) return false;
    force_.setZero();
    v_before_ = v;
    bool is_stale = is_factorised_ && is_reusable_ && !parts_.mass.is_timed();
    // The independent rows are those of a state before, as long as others are met by them.
    RankUse use = is_factorised_ ? RankUse::keep : RankUse::choose;
    for (int k = 0; k < kMostSolves && worst > kLeft; ++k) {
        // One turn of a simplified Newton iteration, A_f the Jacobian of the factors at hand:
        //   A_f M^-1 A_f^T mu = r,    v <- v + M^-1 A^T mu    with the present A.
        // With A_f = A one turn suffices for rates that are linear in v.
        const bool is_fresh = !is_stale;
        if (is_fresh) {
            A_of_factor_ = A_of_conditions_;
            if (!factorise(use)) return k > 0;
        }
        const bool is_solved = solver_->solve({}, view(rate_), span_of(dv_), span_of(lambda_));
        // Others than A_of_factor_ tells are not for the next time.
        is_reusable_ = !solver_->has_changed_factors();
        if (!is_solved) return k > 0;
        push(v);
        for (Eigen::Index i = 0; i < dv_.size(); ++i)
            if (dv_[i] != 0.0) add_compensated(v[i], v_low[i], dv_[i]);
        if (has_velocity_rows_) evaluate(q.data(), v.data(), t, own);
        const double before = std::exchange(worst, measure(v.data()));
        // Old factors are reused while an iteration contracts to less than a hundredth.
        const bool falls = worst <= kFalls * before;
        is_stale = falls && !parts_.mass.is_timed();
        if (falls || !is_fresh || has_velocity_rows_) continue;
        // With factors of this state a residual above round-off can only come from dropped rows.
        if (use == RankUse::choose) break;
        use = RankUse::choose;
    }
    return true;
}

/// Solves go on with the factors of a state that is read.
template <class Archive>
void VelocityImpulse::transfer(Archive& archive) {
    archive(is_factorised_);
    if (!is_factorised_) return;
    for (std::vector<double>* A : {&A_of_choice_, &A_of_factor_}) {
        archive.fixed(*A);
        archive.require_finite(*A, "a Jacobian");
    }
    if constexpr (!Archive::kReads)
        if (is_of_choice_) solver_->mark_changed_factors(changed_choices_);
    bool is_of_choice = is_of_choice_, is_reusable = is_reusable_;
    archive(is_of_choice);
    archive(is_reusable);
    archive(changed_choices_);
    if constexpr (Archive::kReads) {
        archive.require(is_wanted(), "prescribed motion where there is none");
        const std::vector<double> last = A_of_factor_;
        const std::vector<char> changed = changed_choices_;
        A_of_factor_ = A_of_choice_;
        factorise(RankUse::choose);
        solver_->change_choices(changed);
        if (!is_of_choice) {
            A_of_factor_ = last;
            factorise(RankUse::keep);
        }
        changed_choices_ = changed;
        is_reusable_ = is_reusable;
    }
}
template void VelocityImpulse::transfer(ArchiveWriter&);
template void VelocityImpulse::transfer(ArchiveReader&);

void VelocityImpulse::record(Ledger& ledger,
                             EffortWorks& efforts,
                             const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v) {
    // Over all turns: works by v_mean, the impulse of the ground with its moment at q.
    v_mean_ = 0.5 * (v_before_ + v);
    ledger.record_external(work_external_);
    ledger.record_projection(work_projection_);
    efforts.record_impulse(s_, A_, v_mean_.data());
    if (parts_.has_gravity || parts_.has_external)
        ledger.record_impulse(parts_.space.momenta(q.data(), force_.data()), 1.0);
}

}  // namespace ancora
