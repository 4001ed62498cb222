// SPDX-License-Identifier: BSD-3-Clause
// Assembly of the Udwadia-Kalaba equation, its forces, and projection onto the constraints.
#include "continuous_face.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace ancora {
namespace {

// Residual of inconsistent rows at the start, relative to their terms; round-off is far less.
constexpr double kInconsistent = 1e-7;
constexpr int kMostProjections = 12;
// Residuals that remain above this many tolerances are not round-off.
constexpr double kRoundingLeft = 1e4;
// From far the Newton steps are damped (line search): each is halved until the largest residual
// falls.
constexpr int kMostFromFar = 100;
constexpr double kLeastPart = 1e-3;
constexpr double kNever = std::numeric_limits<double>::quiet_NaN();

std::span<const double> view(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}
std::span<double> view(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

bool is_elastic_of_body(const RowSet& rows, const BlockPart& part) {
    return part.is_elastic && !part.block->depends_on_time && rows.owners[part.owner].body >= 0;
}

/// Throws the plugin error of an entry that nobody has looked at.
void attribute_nonfinite(const RowSet& rows, const RowSet::StateValues& at, double t) {
    for (const BlockPart& part : rows.blocks) {
        if (!is_elastic_of_body(rows, part)) continue;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            bool is_finite = std::isfinite(at.pi[k]);
            for (const int e : rows.entries(k)) is_finite &= std::isfinite(at.A[e]);
            if (!is_finite) rows.refuse_row(k, t);
        }
    }
}

}  // namespace

ContinuousFace::ContinuousFace(const Model& model,
                               RowSet& rows,
                               MassMatrix& mass,
                               const Space& space,
                               const RowLaws& laws,
                               ForceSet& forces,
                               CallMeter& meter)
    : model_(model), rows_(rows), mass_(mass), laws_(laws), forces_(forces), meter_(meter) {
    // The pattern of (1): M, and of the row set's Jacobian the constraint rows.
    SystemPattern pattern;
    const int n = model.num_coordinates;
    pattern.num_coordinates = n;
    for (const MassEntry& entry : mass.entries()) pattern.mass.emplace_back(entry.i, entry.j);
    for (const BodyPart& part : model.bodies) pattern.first_of_body.push_back(part.first);
    row_start_.push_back(0);
    for (int k = 0; k < rows.num_rows(); ++k) {
        if (!laws.is_constraint(k)) continue;
        chosen_.push_back(k);
        for (const int e : rows.entries(k)) {
            entry_.push_back(e);
            pattern.column.push_back(rows.column_of(e));
        }
        row_start_.push_back(static_cast<int>(entry_.size()));
        has_mixed_rows_ |= laws_[k].kind != RowKind::constraint;
    }
    pattern.row_start = row_start_;
    // Rows whose power is not the change of an energy: s pi_t of explicit time,
    // eta pi'^2 of viscosity, and forces of conditions on accelerations.
    for (const BlockPart& part : rows.blocks)
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k)
            if (part.block->depends_on_time || laws[k].viscosity != 0.0 ||
                laws[k].kind == RowKind::acceleration_constraint)
                working_rows_.push_back(k);
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
    A_.assign(entry_.size(), 0.0);
    const auto m = static_cast<Eigen::Index>(chosen_.size());
    for (Eigen::VectorXd* x :
         {&field_, &gravity_, &Q_, &C_, &f_, &a_, &correction_, &work_, &zero_})
        x->setZero(n);
    for (Eigen::VectorXd* x : {&b_, &lambda_, &mu_}) x->setZero(m);
    s_.setZero(rows.num_rows());
    rate_.setZero(rows.num_rows());
    // M g: the weight, of positions alone
    space.add_uniform(model.gravity, field_.data());
    has_gravity_ = field_.squaredNorm() > 0.0;
    mass.multiply(field_.data(), gravity_.data());
}

void ContinuousFace::evaluate(const double* q,
                              const double* v,
                              double t,
                              std::span<const double> state) {
    t_ = t;
    // Q = dT/dq - (dM/dt) v + M g - sum of A_k^T s_k + loads,
    // C of force objects (theory, section 2.1)
    Q_.setZero();
    mass_.update(q, v, t, meter_, Q_.data());
    if (has_gravity_) {
        if (!mass_.is_constant()) mass_.multiply(field_.data(), gravity_.data());
        Q_ += gravity_;
    }
    rows_.refresh_own_values(q, v, t);
    rows_.evaluate(q, v, t, instant_, RowSet::Elastic::forces);
    const double* const A = instant_.A.data();
    const double* const pi_of = instant_.pi.data();
    const double* const pi_t = instant_.pi_t.data();
    const double* const b = instant_.b.data();
    double* const Q = Q_.data();
    for (const BlockPart& part : rows_.blocks) {
        const bool may_be_still = is_elastic_of_body(rows_, part);
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            const double pi = pi_of[k];
            // Neither the stress of such a row nor its power depends on its rate.
            if (may_be_still && laws_[k].viscosity == 0.0 && !laws_.is_nonlinear(k) &&
                !laws_.together().holds(k)) {
                s_[k] = laws_.stress(k, pi, 0.0);
                rows_.add_transposed(A, k, -s_[k], Q);
                continue;
            }
            // pi' = A v + pi_t (theory (10))
            const double rate = rows_.multiply_onto(pi_t[k], A, k, v);
            rate_[k] = rate;
            // A finite sum has finite terms; that of finite ones may overflow.
            if (!std::isfinite(pi + rate + b[k]) &&
                !(std::isfinite(pi) && std::isfinite(rate) && std::isfinite(b[k])))
                rows_.refuse_row(k, t);
            // The stress of a constraint is -lambda and not known yet.
            if (laws_.is_constraint(k) || laws_.together().holds(k)) continue;
            // s = pi / c + eta pi' + s_0, Q -= A^T s
            const double s = laws_.stress(k, pi, rate);
            s_[k] = s;
            rows_.add_transposed(A, k, -s, Q);
        }
    }
    for (const ItemLaws::Item& item : laws_.together().items()) {
        // s = W'(pi) + eta pi' of the rows of an item
        laws_.together().stress(item, instant_.pi.data(), s_.data());
        for (int k = item.first_row; k < item.first_row + item.num_rows; ++k) {
            s_[k] += laws_[k].viscosity * rate_[k];
            rows_.add_transposed(instant_.A.data(), k, -s_[k], Q_.data());
        }
    }
    if (!Q_.allFinite()) attribute_nonfinite(rows_, instant_, t);
    forces_.evaluate_loads(q, v, t, Q_.data());
    // From no reactions until update_forces(), so that observing a run does not change it.
    forces_.forget_reactions();
    C_.setZero();
    forces_.evaluate(q, v, t, state, C_.data());
}

void ContinuousFace::take_multipliers(std::span<const double> lambda) {
    std::ranges::copy(lambda, lambda_.begin());
    write_stress(lambda_, s_);
}

void ContinuousFace::assemble(
    const double* q, const double* v, double t, std::span<const double> state, RankUse use) {
    evaluate(q, v, t, state);
    // b - beta (2 pi' + beta pi) of rows pi = 0 and b - beta psi of velocity rows:
    // gaps obey phi'' + 2 beta phi' + beta^2 phi = 0, critically damped (Baumgarte, theory [5]).
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
        const int k = chosen_[c];
        double b = instant_.b[k];
        if (baumgarte_ > 0.0) {
            const RowKind kind = laws_[k].kind;
            if (kind == RowKind::constraint)
                b -= baumgarte_ * (2.0 * rate_[k] + baumgarte_ * instant_.pi[k]);
            else if (is_velocity_kind(kind))
                b -= baumgarte_ * rate_[k];
        }
        b_[static_cast<Eigen::Index>(c)] = b;
    }
    for (std::size_t e = 0; e < entry_.size(); ++e) A_[e] = instant_.A[entry_[e]];
    require(factorise(use, kAll));
    // Fewer rows have fewer dependencies: projections of positions and of rates have choices of
    // their own.
    if (use == RankUse::choose && has_mixed_rows_ && solver_->num_dropped(kAll) > 0) {
        choose_for_projection();
        require(factorise(RankUse::keep, kAll));
    }
}

/// A row that is redundant among all rows may be independent among those of a projection.
void ContinuousFace::choose_for_projection() {
    take_rows(Projected::position);
    factorise(RankUse::choose, kPositions);
    take_rows(Projected::velocity);
    factorise(RankUse::choose, kRates);
    for (std::size_t e = 0; e < entry_.size(); ++e) A_[e] = instant_.A[entry_[e]];
}

void ContinuousFace::update_forces(const double* q,
                                   const double* v,
                                   std::span<const double> state) {
    C_.setZero();
    forces_.evaluate(q, v, t_, state, C_.data());
}

SolverStatus ContinuousFace::factorise(RankUse use, int set) {
    // M is factorised once if it is constant.
    const bool is_mass_new = !has_factorised_ || !mass_.is_constant();
    has_factorised_ = true;
    corrected_at_ = kNever;
    return solver_->factorise(mass_.values(), A_, is_mass_new, use, set);
}

/// Refuses states without a unique acceleration.
void ContinuousFace::require(SolverStatus status) {
    if (status == SolverStatus::good) return;
    if (status == SolverStatus::failed)
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: the mass matrix or the constraint Jacobian cannot "
                                "be factorised: M is not positive semidefinite, or a value is not "
                                "finite",
                                t_));
    refuse_undetermined();
}

void ContinuousFace::refuse_undetermined() {
    const ConstrainedSolver::Undetermined free = solver_->undetermined();
    for (const BodyPart& part : model_.bodies) {
        if (free.coordinate < part.first || free.coordinate >= part.first + part.count) continue;
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: the acceleration is not unique: {} has no mass in a "
                                "direction that no constraint determines, mostly {} (the rank of "
                                "[M; A] is below the number of coordinates); give it mass there, "
                                "tie it, or make what holds it rigid",
                                t_,
                                part.object.label,
                                coordinate_name(part, free.coordinate)),
                    part.object.place);
    }
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: the acceleration is not unique: the rank of [M; A] is "
                            "below the number of coordinates",
                            t_));
}

void ContinuousFace::refuse_failed_solve() const {
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: the accelerations cannot be solved for: refinement of "
                            "the large sparse system does not converge; constraints may "
                            "contradict each other there, see `ancora check`",
                            t_));
}

void ContinuousFace::solve() {
    // Theory (4) is linear in its right-hand side: a of (Q + C, b) is
    // the sum of those of (Q, b) and (C, 0).
    f_ = Q_ + C_;
    if (!solver_->solve(view(f_), view(b_), view(a_), view(lambda_))) refuse_failed_solve();
    write_stress(lambda_, s_);
}

void ContinuousFace::add_response(double c, const double* x, const double* mu) {
    // a += c x, lambda += c mu: still a solution, of the impressed force with c f
    for (Eigen::Index i = 0; i < a_.size(); ++i) a_[i] += c * x[i];
    for (Eigen::Index k = 0; k < lambda_.size(); ++k) lambda_[k] += c * mu[k];
    write_stress(lambda_, s_);
}

void ContinuousFace::respond(std::span<const double> f, std::span<double> x, std::span<double> mu) {
    if (!solver_->solve(f, {}, x, mu)) refuse_failed_solve();
}

void ContinuousFace::write_stress(Eigen::Ref<const Eigen::VectorXd> lambda,
                                  Eigen::VectorXd& s) const {
    // s = -lambda (theory, section 1)
    for (std::size_t c = 0; c < chosen_.size(); ++c)
        s[chosen_[c]] = -lambda[static_cast<Eigen::Index>(c)];
}

/// Another condition in use that asks for the same motion as row k, at the state last assembled; -1
/// if there is none.
int ContinuousFace::parallel_row(int k) const {
    constexpr double kParallel = 1e-9;
    const double* const A = instant_.A.data();
    Eigen::VectorXd row = Eigen::VectorXd::Zero(model_.num_coordinates);
    rows_.add_transposed(A, k, 1.0, row.data());
    for (const int other : chosen_) {
        if (other == k) continue;
        double square = 0.0;
        rows_.for_entries(other, [&](int e, int) {
            square += A[e] * A[e];
        });
        const double along = rows_.multiply(A, other, row.data());
        const double sizes = square * row.squaredNorm();
        if (sizes > 0.0 && along * along >= (1.0 - kParallel) * sizes) return other;
    }
    return -1;
}

void ContinuousFace::refuse_inconsistent() const {
    const ConstrainedSolver::WorstRow worst = solver_->worst_row(view(f_), view(b_), view(a_));
    if (worst.row < 0 || worst.relative <= kInconsistent) return;
    const int k = chosen_[worst.row];
    const int other = parallel_row(k);
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: inconsistent constraints: no acceleration meets {} "
                            "together with {} ({:.2g} of its terms is left); remove one of them or "
                            "make their motions agree",
                            t_,
                            rows_.row_name(k),
                            other < 0 ? std::string("the others")
                                      : rows_.row_name(other) + ", which asks for the same motion",
                            worst.relative),
                rows_.place_of_row(k));
}

ForceSet::Work ContinuousFace::power() const {
    ForceSet::Work out = forces_.work();
    for (const int k : working_rows_) {
        // s pi_t: the drive of a support does work.
        if (instant_.pi_t[k] != 0.0) out.external += s_[k] * instant_.pi_t[k];
        // The force of a condition on accelerations does work on any motion along its row.
        if (laws_[k].kind == RowKind::acceleration_constraint) out.external -= s_[k] * rate_[k];
        out.nonideal -= laws_.dissipated_power(k, instant_.pi[k], rate_[k]);
    }
    // The power of own values: a step records the whole change of the energies, from which the
    // power of the motion is subtracted here, since pi' = A u' + pi_t + (rate of own values,
    // unknown).
    for (const int k : rows_.own_rows) out.external -= s_[k] * rate_[k];
    return out;
}

void ContinuousFace::external_force(Eigen::VectorXd& F) const {
    // F_ext of theory (44): weight, external forces, and -A_k^T s_k
    // of constraints tied to the ground
    F = gravity_;
    forces_.add_external(F.data());
    for (std::size_t c = 0; c < model_.constraints.size(); ++c) {
        if (!model_.constraints[c].is_tied_to_ground) continue;
        const RowOwner& owner = rows_.owners[model_.bodies.size() + c];
        for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
            rows_.add_transposed(instant_.A.data(), k, -s_[k], F.data());
    }
}

void ContinuousFace::split(std::span<const double> C,
                           Eigen::VectorXd& lambda_L,
                           Eigen::VectorXd& lambda_C) {
    lambda_L.resize(lambda_.size());
    lambda_C.resize(lambda_.size());
    // F_L = A^T lambda_L of (Q, b), theory (2); F_C = C + A^T lambda_C of (C, 0), theory (3)
    if (!solver_->solve(view(Q_), view(b_), view(work_), view(lambda_L))) refuse_failed_solve();
    if (!solver_->solve(C, {}, view(work_), view(lambda_C))) refuse_failed_solve();
}

Eigen::VectorXd ContinuousFace::constraint_force(const Eigen::VectorXd& lambda) const {
    Eigen::VectorXd F = Eigen::VectorXd::Zero(model_.num_coordinates);
    for (std::size_t c = 0; c < chosen_.size(); ++c)
        for (int e = row_start_[c]; e < row_start_[c + 1]; ++e)
            F[rows_.column_of(entry_[e])] += A_[e] * lambda[static_cast<Eigen::Index>(c)];
    return F;
}

/// Takes A of the rows of a projection; others vanish.
/// @param with_massless_rates with the rows that fix positions without mass which only rates
///        determine
void ContinuousFace::take_rows(Projected what, bool with_massless_rates) {
    for (std::size_t c = 0; c < chosen_.size(); ++c) {
        const RowKind kind = laws_[chosen_[c]].kind;
        const auto moves_massless = [&] {
            return std::any_of(
                entry_.begin() + row_start_[c], entry_.begin() + row_start_[c + 1], [&](int e) {
                    return mass_.is_massless(rows_.column_of(e));
                });
        };
        // A gauge row fixes a coordinate without inertia, also while positions are projected.
        const bool counts = kind == RowKind::constraint || kind == RowKind::gauge ||
                            (is_velocity_kind(kind) && (what == Projected::velocity ||
                                                        (with_massless_rates && moves_massless())));
        for (int e = row_start_[c]; e < row_start_[c + 1]; ++e) {
            const auto i = static_cast<std::size_t>(e);
            A_[i] = counts ? instant_.A[entry_[i]] : 0.0;
        }
    }
}

ContinuousFace::Projection ContinuousFace::project(
    Projected what, double* q, double* v, double t, double tolerance, bool from_far) {
    // Newton's iteration on theory (9): M dx = A^T mu, A dx = -gap, x += dx, A and the
    // gap anew at each x. dx is the least correction in the norm of M.
    const bool positions = what == Projected::position;
    double* x = positions ? q : v;
    Projection out;
    // The largest residual of positions or rates; written to b_.
    const auto measure = [&] {
        rows_.evaluate(q, v, t, instant_, RowSet::Elastic::forces);
        double worst = 0.0;
        for (std::size_t c = 0; c < chosen_.size(); ++c) {
            const int k = chosen_[c];
            const double gap = positions ? gap_of(k) : rate_of(c, v);
            if (!std::isfinite(gap)) {
                if (from_far && out.has_moved) return std::numeric_limits<double>::infinity();
                rows_.refuse_row(k, t);
            }
            b_[static_cast<Eigen::Index>(c)] = -gap;
            if (std::abs(gap) <= worst) continue;
            worst = std::abs(gap);
            out.row = k;
        }
        return worst;
    };
    // Positions and rates have a choice of their own only where it may differ.
    const int set = !has_mixed_rows_ || solver_->num_dropped(kAll) == 0 ? kAll
                    : positions                                         ? kPositions
                                                                        : kRates;
    RankUse use = from_far ? RankUse::decide : RankUse::keep;
    double worst = measure();
    out.first = worst;
    double last = std::numeric_limits<double>::infinity();
    const int most = from_far ? kMostFromFar : kMostProjections;
    for (int step = 0; step < most && worst > tolerance; ++step) {
        // A residual that no longer falls is round-off, or the dropped rows are no longer
        // redundant: the step has passed through a position in which they were.
        if (!from_far && worst > 0.5 * last) {
            const bool may_be_rounding = worst <= kRoundingLeft * tolerance;
            if (may_be_rounding || use == RankUse::decide || solver_->num_dropped(set) == 0) break;
            use = RankUse::decide;
        }
        last = worst;
        t_ = t;
        // Where positions have hardly been corrected, the rows of velocities have not changed
        // either.
        const bool is_near = !positions && step == 0 && use == RankUse::keep && !has_mixed_rows_ &&
                             corrected_at_ == t && mass_.is_constant();
        // And where what is left of gaps is next to rounding, the rows are still those of the last
        // correction, to as many digits as the next one can have.
        const bool is_last_one = step > 0 && use == RankUse::keep && mass_.is_constant() &&
                                 worst <= kRoundingLeft * tolerance;
        if (!is_near && !is_last_one) {
            // M(q) and A at the present state
            mass_.update(q, v, t, meter_, nullptr);
            take_rows(what);
            // A massless position that only conditions on rates determine:
            // their rows, with zero on the right, keep it where it is.
            if (factorise(use, set) == SolverStatus::undetermined && positions) {
                take_rows(what, true);
                factorise(RankUse::decide, set);
            }
            if (positions && use == RankUse::keep) corrected_at_ = t;
        }
        // f = 0, r = -gap
        if (!solver_->solve({}, view(b_), view(correction_), {})) refuse_failed_solve();
        out.has_moved = true;
        for (Eigen::Index i = 0; i < correction_.size(); ++i) x[i] += correction_[i];
        worst = measure();
        if (!from_far) continue;
        // Line search: the correction is halved until the largest residual falls.
        for (double part = 0.5; !(worst < last) && part > kLeastPart; part *= 0.5) {
            for (Eigen::Index i = 0; i < correction_.size(); ++i) x[i] -= part * correction_[i];
            worst = measure();
        }
        if (!(worst < last)) break;
    }
    out.left = worst;
    return out;
}

double ContinuousFace::gap_of(int k) const {
    return laws_[k].kind == RowKind::constraint ? instant_.pi[k] : 0.0;
}

/// Rate of constraint row c in use at velocities v.
double ContinuousFace::rate_of(std::size_t c, const double* v) const {
    const int k = chosen_[c];
    const RowKind kind = laws_[k].kind;
    if (kind != RowKind::constraint && !is_velocity_kind(kind)) return 0.0;
    // pi' = A v + pi_t, or psi
    double rate = instant_.pi_t[k];
    for (int e = row_start_[c]; e < row_start_[c + 1]; ++e) {
        const auto i = static_cast<std::size_t>(entry_[e]);
        rate += instant_.A[static_cast<Eigen::Index>(i)] * v[rows_.column[i]];
    }
    return rate;
}

}  // namespace ancora
