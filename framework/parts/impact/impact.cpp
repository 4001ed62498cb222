// SPDX-License-Identifier: BSD-3-Clause
// Impacts and closings at an instant.
#include "impact.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Cholesky>
#include <fmt/format.h>

#include "compensated_sum.hpp"
#include "complementarity.hpp"

namespace ancora {
namespace {

// Rates, accelerations and pressures are zero within this part of the terms that they are sums of.
constexpr double kZero = 1e-12;
constexpr double kReleased = 1e-13;
constexpr double kComesBack = 1e-9;
// A row that others hold to this answers to no impulse.
constexpr double kHeld = 1e-10;
// A flight shorter than this part of a step is none (theory, section 8.2.3).
constexpr double kShortFlight = 1e-3;
constexpr int kMostChanges = 1000;  // of the closed rows at one instant
constexpr int kBisections = 60;     // of the restitution of an impact that would gain

std::span<double> span_of(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

}  // namespace

Impact::Impact(Assembly& parts,
               MotionState& state,
               Accelerations& accelerations,
               EnergyAccounting& accounting,
               UnilateralRows& rows,
               ImpactRecords& records)
    : parts_(parts),
      state_(state),
      accelerations_(accelerations),
      accounting_(accounting),
      rows_(rows),
      records_(records) {
    free_ = std::make_unique<ContinuousFace>(
        parts.model, parts.rows, parts.mass, parts.space, parts.laws, parts.forces, parts.meter);
    for (Eigen::VectorXd* x : {&v_reflected_, &v_next_}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&reflected_s_, &s_}) x->setZero(parts.m);
}

bool Impact::pass(int event, double h) {
    has_struck_ = false;
    rows_.look(state_.q.data(), state_.v.data(), state_.t);
    const std::vector<char> before = rows_.closed();
    find_touching();
    std::vector<char> candidates(before.size(), 0);
    if (is_approaching()) {
        reflect();
        parts_.forces.forget_reactions();
        free_->assemble(state_.q.data(), v_reflected_.data(), state_.t, state_.plugin);
        respond(*free_);
        // Rows that would bounce within no time are struck anew without restitution.
        do {
            strike();
            std::ranges::fill(candidates, 0);
            take(candidates, v_next_);
            settle_closed(candidates, v_next_);
        } while (drop_short_flights(h));
        has_struck_ = true;
        // All impulses as stresses: of conditions by (3) and by the responses, and of these rows.
        s_ = reflected_s_;
        collect(*free_, mu_);
        record(*free_, true);
    } else {
        take(candidates, state_.v);
        settle_closed(candidates, state_.v, rows_.is_closed(event) ? event : -1);
        stop_released(before);
    }
    const std::vector<char>& after = rows_.closed();
    for (int i = 0; i < rows_.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (before[at] == after[at]) continue;
        const auto what =
            after[at] != 0 ? ImpactRecords::What::closed : ImpactRecords::What::released;
        records_.record({state_.t, rows_.row(i), what, 0.0, 0.0});
    }
    return has_struck_ || before != after;
}

bool Impact::close_pressed() {
    rows_.look(state_.q.data(), state_.v.data(), state_.t);
    const std::vector<char> before = rows_.closed();
    find_touching();
    std::vector<char> candidates(before.size(), 0);
    take(candidates, state_.v);
    settle_closed(candidates, state_.v);
    return rows_.closed() != before;
}

void Impact::refuse_overlap() const {
    int worst = -1;
    for (int i = 0; i < rows_.count(); ++i)
        if (rows_.gap(i) < -rows_.touching() && (worst < 0 || rows_.gap(i) < rows_.gap(worst)))
            worst = i;
    if (worst < 0) return;
    const int k = rows_.row(worst);
    throw Error(ErrorKind::numerical,
                fmt::format("inconsistent start: {} is {:.6g} below zero: what may not overlap "
                            "does, or a stop is passed; move it apart by that",
                            parts_.rows.row_name(k),
                            -rows_.gap(worst)),
                parts_.rows.place_of_row(k));
}

void Impact::find_touching() {
    touching_.clear();
    for (int i = 0; i < rows_.count(); ++i) {
        const bool is_closed = rows_.is_closed(i);
        if (!is_closed && rows_.gap(i) > rows_.touching()) continue;
        touching_.push_back({i, is_closed, rows_.restitution(i)});
        touching_.back().before = rows_.rate(i, state_.v.data());
    }
}

bool Impact::is_approaching() const {
    return std::ranges::any_of(touching_, [this](const Touch& touch) {
        return !touch.was_closed && touch.before < -rows_.at_rest(touch.row, state_.v.data());
    });
}

/// The first part of (3): v- with what it misses of conditions turned round.
void Impact::reflect() {
    reflected_s_.setZero();
    v_reflected_ = state_.v;
    if (parts_.model.traits.face == Face::continuous) return;  // meets them
    ContinuousFace& face = accelerations_.face();
    parts_.forces.forget_reactions();
    face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    const std::vector<int>& conditions = face.constraint_rows();
    Eigen::VectorXd missed = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(conditions.size()));
    for (Eigen::Index c = 0; c < missed.size(); ++c) {
        const int k = conditions[static_cast<std::size_t>(c)];
        if (parts_.laws.has_rate(k)) missed[c] = -2.0 * face.rate(k);
    }
    if (missed.size() == 0 || missed.isZero(0.0)) return;
    // M dv = A^T mu, A dv = -2 (A v + phi_t)
    Eigen::VectorXd mu(missed.size()), change(parts_.n);
    if (!face.solver().solve({}, view(missed), span_of(change), span_of(mu))) return;
    v_reflected_ += change;
    for (Eigen::Index c = 0; c < mu.size(); ++c)
        reflected_s_[conditions[static_cast<std::size_t>(c)]] = -mu[c];
}

/// A_k M^-1 A_k^T by the diagonal, without conditions.
double Impact::mobility(const double* A, int k) const {
    double sum = 0.0;
    parts_.rows.for_entries(k, [&](int e, int i) {
        sum += A[e] * A[e] * parts_.inverse_mass[i];
    });
    return sum;
}

/// W = C M^-1 C^T of touching rows through the conditions of a face, and what it is made of.
void Impact::respond(ContinuousFace& face) {
    const auto count = static_cast<Eigen::Index>(touching_.size());
    const auto conditions = static_cast<Eigen::Index>(face.constraint_rows().size());
    X_.resize(parts_.n, count);
    mu_.resize(conditions, count);
    W_.resize(count, count);
    q0_.resize(count);
    Eigen::VectorXd push(parts_.n), x(parts_.n), mu(conditions);
    const double* const C = face.instant().A.data();
    for (Eigen::Index i = 0; i < count; ++i) {
        const Touch& touch = touching_[static_cast<std::size_t>(i)];
        push.setZero();
        parts_.rows.add_transposed(C, rows_.row(touch.row), 1.0, push.data());
        face.respond(view(push), span_of(x), span_of(mu));
        X_.col(i) = x;
        mu_.col(i) = mu;
        for (Eigen::Index j = 0; j < count; ++j)
            W_(j, i) = parts_.rows.multiply(
                C, rows_.row(touching_[static_cast<std::size_t>(j)].row), x.data());
        // Closed rows carry along what they miss, as other conditions do.
        q0_[i] = touch.was_closed ? 0.0 : rows_.rate(touch.row, v_reflected_.data());
    }
    W_ = (0.5 * (W_ + W_.transpose())).eval();
    for (Eigen::Index i = 0; i < count; ++i)
        if (W_(i, i) <=
            kHeld * mobility(C, rows_.row(touching_[static_cast<std::size_t>(i)].row))) {
            W_.row(i).setZero();
            W_.col(i).setZero();
        }
}

/// (1) and (2), with `part` of every e.
void Impact::solve(double part, Eigen::VectorXd& impulse, Eigen::VectorXd& after) const {
    Eigen::VectorXd p, more;
    solve_complementarity(W_, q0_, p);
    const Eigen::VectorXd pressed = q0_ + W_ * p;
    Eigen::VectorXd given(p.size());
    for (Eigen::Index i = 0; i < p.size(); ++i)
        given[i] = part * touching_[static_cast<std::size_t>(i)].e * p[i];
    // p' = e p + r
    solve_complementarity(W_, pressed + W_ * given, more);
    impulse = p + given + more;
    after = q0_ + W_ * impulse;
}

/// (4)
double Impact::change(const Eigen::VectorXd& impulse, const Eigen::VectorXd& after) const {
    return 0.5 * impulse.dot(q0_ + after);
}

void Impact::strike() {
    Eigen::VectorXd impulse, after;
    solve(1.0, impulse, after);
    const double scale = impulse.cwiseAbs().dot(q0_.cwiseAbs());
    if (change(impulse, after) > kZero * scale) {
        // e = 0 never gains: the largest part of all e that does not, by bisection.
        double low = 0.0, high = 1.0;
        for (int k = 0; k < kBisections; ++k) {
            const double mid = 0.5 * (low + high);
            solve(mid, impulse, after);
            (change(impulse, after) > 0.0 ? high : low) = mid;
        }
        solve(low, impulse, after);
        records_.record_lowered();
    }
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        touching_[i].impulse = impulse[static_cast<Eigen::Index>(i)];
        touching_[i].after = after[static_cast<Eigen::Index>(i)];
    }
    v_next_ = v_reflected_ + X_ * impulse;
}

/// Marks the touching rows that neither approach nor part at velocities v.
void Impact::take(std::vector<char>& candidates, const Eigen::VectorXd& v) {
    const bool is_behind = &v == &v_next_;
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        const Touch& touch = touching_[i];
        bool rests = touch.was_closed;
        if (is_behind || !rests) {
            const double rate = is_behind ? touch.after : touch.before;
            double rounding = rows_.at_rest(touch.row, v.data());
            if (is_behind) rounding += UnilateralRows::kAtRest * std::abs(touch.before);
            rests = std::abs(rate) <= rounding;
        }
        candidates[static_cast<std::size_t>(touch.row)] = rests ? 1 : 0;
    }
}

/// How hard row i presses where it is closed, and how its gap is accelerated where it is open, at
/// the instant last solved.
Impact::Pressure Impact::pressure_of(const ContinuousFace& face, int i) const {
    const int k = rows_.row(i);
    const double* const A = face.instant().A.data();
    double along = 0.0, mobility = 0.0, terms = std::abs(face.instant().b[k]);
    parts_.rows.for_entries(k, [&](int e, int column) {
        along += A[e] * face.acceleration()[column];
        mobility += A[e] * A[e] * parts_.inverse_mass[column];
        terms += std::abs(A[e]) *
                 (std::abs(face.acceleration()[column]) + face.free_acceleration(column));
    });
    if (rows_.is_closed(i)) return {-face.stress()[k] * mobility, terms};
    return {along - face.instant().b[k], terms};
}

/// Whether closed rows and other conditions leave row i no motion.
bool Impact::is_held(ContinuousFace& face, int i) const {
    Eigen::VectorXd push = Eigen::VectorXd::Zero(parts_.n), x(parts_.n);
    Eigen::VectorXd mu(static_cast<Eigen::Index>(face.constraint_rows().size()));
    const double* const A = face.instant().A.data();
    const int k = rows_.row(i);
    parts_.rows.add_transposed(A, k, 1.0, push.data());
    face.respond(view(push), span_of(x), span_of(mu));
    return parts_.rows.multiply(A, k, x.data()) <= kHeld * mobility(A, k);
}

/// Of the candidates those are closed that the accelerations at velocities v press, from those that
/// are closed already: one row at a time leaves where it pulls, or enters where it would go in.
/// @param leaving a row that has just ceased to press: it needs more than rounding to come back
void Impact::settle_closed(const std::vector<char>& candidates,
                           const Eigen::VectorXd& v,
                           int leaving) {
    std::vector<char> closed = rows_.closed();
    for (std::size_t i = 0; i < closed.size(); ++i)
        if (candidates[i] == 0 || static_cast<int>(i) == leaving) closed[i] = 0;
    std::vector<char> implied(closed.size(), 0);
    for (int round = 0; round < kMostChanges; ++round) {
        if (closed != rows_.closed()) {
            rows_.close(closed);
            accelerations_.rebuild();
        }
        accelerations_.solve(state_.q.data(), v.data(), state_.t);
        ContinuousFace& face = accelerations_.face();
        int changes = -1;
        double worst = 0.0;
        for (int i = 0; i < rows_.count(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            if (candidates[at] == 0 || implied[at] != 0) continue;
            const Pressure found = pressure_of(face, i);
            const bool is_closed = closed[at] != 0;
            // A row at rest without any acceleration is closed as well.
            double miss = (is_closed ? -1.0 : 1.0) * kZero * found.terms - found.value;
            if (i == leaving && !is_closed) miss -= kComesBack * found.terms;
            if (is_closed ? !(miss > worst) : !(miss >= worst)) continue;
            worst = miss;
            changes = i;
        }
        if (changes < 0) break;
        const auto at = static_cast<std::size_t>(changes);
        // What the closed rows hold already would be a condition twice.
        if (closed[at] == 0 && is_held(face, changes))
            implied[at] = 1;
        else
            closed[at] = closed[at] != 0 ? 0 : 1;
    }
    rows_.set_implied(implied);
    for (int i = 0; i < rows_.count(); ++i) {
        state_.pi[rows_.row(i)] = 0.0;
        if (!rows_.is_closed(i)) state_.s[rows_.row(i)] = 0.0;
    }
}

/// Rows that were struck, part, and come back within no time get no restitution.
bool Impact::drop_short_flights(double h) {
    bool drops = false;
    const ContinuousFace& face = accelerations_.solved_face();
    for (Touch& touch : touching_) {
        if (!(touch.impulse > 0.0) || !(touch.after > 0.0) || touch.e == 0.0) continue;
        // 2 u / |a| < h / 1000
        const double a = pressure_of(face, touch.row).value;
        if (rows_.is_closed(touch.row) || !(2.0 * touch.after < -a * kShortFlight * h)) continue;
        touch.e = 0.0;
        drops = true;
    }
    return drops;
}

/// Rows that let go without an impact: what steps have left of their rates, of the order h^2, is
/// taken away as by a projection, so that they neither part nor meet by it.
void Impact::stop_released(const std::vector<char>& before) {
    std::erase_if(touching_, [&](const Touch& touch) {
        const auto at = static_cast<std::size_t>(touch.row);
        return before[at] == 0 || rows_.closed()[at] != 0 ||
               std::abs(touch.before) <= rows_.at_rest(touch.row, state_.v.data());
    });
    if (touching_.empty()) return;
    ContinuousFace& face = accelerations_.face();  // with the rows that are closed yet
    const auto count = static_cast<Eigen::Index>(touching_.size());
    respond(face);
    Eigen::VectorXd rates(count);
    for (Eigen::Index i = 0; i < count; ++i)
        rates[i] = touching_[static_cast<std::size_t>(i)].before;
    const Eigen::VectorXd impulse = W_.ldlt().solve(-rates);
    if (!impulse.allFinite()) return;
    for (Eigen::Index i = 0; i < count; ++i)
        touching_[static_cast<std::size_t>(i)].impulse = impulse[i];
    v_next_ = state_.v + X_ * impulse;
    s_.setZero();
    collect(face, mu_);
    record(face, false);
    has_struck_ = true;
}

/// Adds the impulses of touching rows, and those of conditions by the responses to them, to s_.
void Impact::collect(ContinuousFace& face, const Eigen::MatrixXd& mu) {
    const std::vector<int>& conditions = face.constraint_rows();
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        s_[rows_.row(touching_[i].row)] -= touching_[i].impulse;
        for (std::size_t c = 0; c < conditions.size(); ++c)
            s_[conditions[c]] -= touching_[i].impulse *
                                 mu(static_cast<Eigen::Index>(c), static_cast<Eigen::Index>(i));
    }
}

/// Takes the new velocities, and records what the impulses in s_ do.
void Impact::record(const ContinuousFace& face, bool is_impact) {
    Ledger& ledger = accounting_.ledger;
    const RowSet::StateValues& instant = face.instant();
    const Eigen::VectorXd mean = 0.5 * (state_.v + v_next_);
    for (const Touch& touch : touching_) {
        const int k = rows_.row(touch.row);
        if (s_[k] == 0.0) continue;
        const double work = -s_[k] * rows_.rate(touch.row, mean.data());
        is_impact ? ledger.record_impact(work) : ledger.record_projection(work);
        ledger.record_external(s_[k] * rows_.explicit_rate(touch.row));
        if (is_impact && touch.impulse > 0.0)
            records_.record({state_.t, k, ImpactRecords::What::impact, -s_[k], -work});
    }
    for (int k = 0; k < parts_.m; ++k) {
        // What moves a support does work, as in a step.
        if (s_[k] == 0.0 || instant.pi_t[k] == 0.0 || parts_.rows.is_unilateral(k)) continue;
        ledger.record_external(-s_[k] * parts_.rows.multiply(instant.A.data(), k, mean.data()));
    }
    accounting_.efforts.record_impulse(s_, instant.A, mean.data());
    if (parts_.has_gravity || parts_.has_external) {
        Eigen::VectorXd ground = Eigen::VectorXd::Zero(parts_.n);
        for (std::size_t c = 0; c < parts_.model.constraints.size(); ++c) {
            if (!parts_.model.constraints[c].is_tied_to_ground) continue;
            const RowOwner& owner = parts_.owner_of_constraint(c);
            for (int k = owner.first_row; k < owner.first_row + owner.num_rows; ++k)
                if (s_[k] != 0.0)
                    parts_.rows.add_transposed(instant.A.data(), k, -s_[k], ground.data());
        }
        ledger.record_impulse(parts_.space.momenta(state_.q.data(), ground.data()), 1.0);
    }
    for (int i = 0; i < parts_.n; ++i)
        if (const double dv = v_next_[i] - state_.v[i]; dv != 0.0)
            add_compensated(state_.v[i], state_.v_low[i], dv);
    // Explicit methods carry no second word.
    if (parts_.model.traits.face == Face::continuous) state_.v_low.setZero();
    state_.held.clear();
    accounting_.close();
}

void Impact::evaluate_pressure(const double* q,
                               const double* v,
                               double t,
                               Eigen::VectorXd& pressure) {
    accelerations_.solve(q, v, t);
    const ContinuousFace& face = accelerations_.solved_face();
    pressure.setZero(rows_.count());
    for (int i = 0; i < rows_.count(); ++i) {
        if (!rows_.is_closed(i)) continue;
        const Pressure found = pressure_of(face, i);
        pressure[i] = found.value + kReleased * found.terms;
    }
}

}  // namespace ancora
