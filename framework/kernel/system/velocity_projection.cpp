// SPDX-License-Identifier: BSD-3-Clause
// The impulses before and after a step.
#include "velocity_projection.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

namespace ancora {
namespace {

// a and b stay near 1; far from that e0 and e1 are rounding.
constexpr double kMostUnlike = 16.0;
// Turns of the linear iteration that takes both ends into account; each gains a factor of order h.
constexpr int kTurns = 2;
// Number of evaluations of a step's end until its Jacobian is factorised again.
constexpr int kLooksPerFactor = 6;
// Of velocities, where they are all that moves; rounding that iterations do not remove is allowed
// for in full, see ProjectionMultipliers.
constexpr double kOfReactions = 1e-3;
constexpr double kUnknown = -1.0;  // of an energy: the end has not been looked at
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

std::span<double> room(Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
}

/// Whether the law of row k is slack on one side: its stress has a slope discontinuity or a jump
/// there. Of rows with a law together each strain by itself is looked at, and all of them.
bool goes_slack(const RowLaws& laws, int k) {
    constexpr double kStrain = 1.0;
    const ItemLaws& together = laws.together();
    const auto has_stress = [&](double strain, std::size_t first, std::size_t count) {
        if (!together.holds(k)) return laws[k].law->stress(laws[k], strain, 0.0) != 0.0;
        const ItemLaws::Item& item = together.item_of(k);
        std::array<double, ItemLaw::kMostRows> pi{}, s{};
        const auto n = static_cast<std::size_t>(item.num_rows);
        std::fill_n(pi.begin() + first, count, strain);
        item.law->potential(item.index, std::span(pi).first(n), std::span(s).first(n), {});
        return std::ranges::any_of(s, [](double x) {
            return x != 0.0;
        });
    };
    const auto differs = [&](std::size_t first, std::size_t count) {
        return has_stress(-kStrain, first, count) != has_stress(kStrain, first, count);
    };
    try {
        const auto n =
            static_cast<std::size_t>(together.holds(k) ? together.item_of(k).num_rows : 1);
        bool is_slack = differs(0, n);
        for (std::size_t row = 0; row < n; ++row) is_slack |= differs(row, 1);
        return is_slack;
    } catch (const std::exception&) {
        return false;  // a law that ends before, as an attraction at the centre, does not let go
    }
}

const ObjectRef& owner_of(const Assembly& parts, int row) {
    const auto& owners = parts.rows.owners;
    return *std::ranges::find_if(owners, [row](const RowOwner& owner) {
                return row >= owner.first_row && row < owner.first_row + owner.num_rows;
            })->object;
}

[[noreturn]] void refuse_object(const std::string& label,
                                const Place& place,
                                std::string_view why,
                                std::string_view advice) {
    throw Error(ErrorKind::manifest, fmt::format("{}: {}; {}", label, why, advice), place);
}

[[noreturn]] void refuse(const ObjectRef& object, std::string_view why, std::string_view advice) {
    refuse_object(object.label, object.place, why, advice);
}

}  // namespace

VelocityProjection::VelocityProjection(Assembly& parts,
                                       MotionState& state,
                                       const StepParts& extra,
                                       std::function<void()> save,
                                       std::function<void()> restore,
                                       std::function<void(std::span<double>)> evaluate_events)
    : parts_(parts),
      state_(state),
      extra_(extra),
      save_(std::move(save)),
      restore_(std::move(restore)),
      evaluate_events_(std::move(evaluate_events)) {
    const RowSet& rows = parts.rows;
    SystemPattern pattern;
    pattern.num_coordinates = parts.n;
    for (const MassEntry& entry : parts.mass.entries()) pattern.mass.emplace_back(entry.i, entry.j);
    for (const BodyPart& part : parts.model.bodies) pattern.first_of_body.push_back(part.first);
    SystemPattern with_lent = pattern;
    std::vector<double> M(parts.mass.values().begin(), parts.mass.values().end());
    for (int i = 0; i < parts.n; ++i) {
        if (!parts.mass.is_massless(i)) continue;
        // Nothing acts on it: any mass serves.
        massless_.push_back(i);
        const auto known = std::ranges::find(with_lent.mass, std::pair(i, i));
        if (known == with_lent.mass.end()) {
            with_lent.mass.emplace_back(i, i);
            M.push_back(1.0);
        } else {
            M[static_cast<std::size_t>(known - with_lent.mass.begin())] = 1.0;
        }
    }
    mass_ = std::make_unique<ConstrainedSolver>(std::move(with_lent));
    row_start_.push_back(0);
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        bool has_any = false;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            // Unilateral rows are conditions while they are closed.
            if (!parts.laws.has_rate(k) && !rows.is_unilateral(k)) continue;
            has_any = true;
            row_.push_back(k);
            for (const int e : rows.entries(k)) {
                entry_.push_back(e);
                column_.push_back(rows.column_of(e));
            }
            row_start_.push_back(static_cast<int>(entry_.size()));
            const int constraint = rows.owners[part.owner].constraint;
            is_tied_to_ground_.push_back(
                constraint >= 0 && parts.model.constraints[constraint].is_tied_to_ground ? 1 : 0);
        }
        if (has_any) blocks_.push_back(static_cast<int>(b));
    }
    pattern.row_start = row_start_;
    pattern.column = column_;
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
    const auto m = static_cast<Eigen::Index>(row_.size());
    for (End* end : {&start_, &end_}) {
        end->A.assign(entry_.size(), 0.0);
        end->pi_t.setZero(m);
        end->mu.setZero(m);
        end->force.setZero(parts.n);
        if (!massless_.empty())
            end->massless =
                std::make_unique<Massless>(parts.mass, parts.rows, parts.space, parts.n);
        end->velocity.setZero(parts.n);
    }
    A_.setZero(rows.B.size());
    pi_t_.setZero(parts.m);
    for (Eigen::VectorXd* x : {&mu_, &start_rate_, &rate_, &left_, &lambda_, &delta_, &pushed_})
        x->setZero(m);
    for (Eigen::VectorXd* x : {&v0_, &v0_low_, &q1_, &v1_, &v1_now_, &x_, &force_})
        x->setZero(parts.n);
    if (!massless_.empty()) mu_of_rows_.assign(parts.m, 0.0);
    if (!row_.empty()) mass_->factorise(M, {}, true);
}

void VelocityProjection::require(bool goes_back) const {
    const char* const advice = "take order = 2 without velocity_projection for this model";
    // (62) needs smooth laws; compositions of an order above 2 also go backwards in time, which a
    // law that lets go does not allow.
    const Model& model = parts_.model;
    extra_.for_each([advice](const StepPart& part) {
        const StepPart::Unsmooth found = part.unsmooth();
        if (found.object != nullptr) refuse(*found.object, found.why, advice);
    });
    for (const BodyPart& part : model.bodies)
        if (part.mass_kind == MassKind::of_time)
            refuse(part.object,
                   "its mass changes with time, and velocities are projected in the norm of one "
                   "mass",
                   advice);
    for (const int k : parts_.laws.breakable())
        refuse(owner_of(parts_, k), "it may break, which is no smooth law", advice);
    if (parts_.signals.num_crossings() > 0) {
        const SignalPart& part = parts_.signals.part_of_crossing(0);
        refuse_object(
            part.label, part.place, "it switches at events, which is no smooth law", advice);
    }
    if (!goes_back) return;
    for (const int k : parts_.laws.nonlinear())
        if (goes_slack(parts_.laws, k))
            refuse(owner_of(parts_, k),
                   "it may go slack, and steps of an order above 2 go backwards in time as well, "
                   "which that does not allow",
                   "take order = 2");
    if (std::isfinite(parts_.signals.next_time()))
        throw Error(ErrorKind::manifest,
                    "an object of the model acts at sampling times, and steps of an order above 2 "
                    "go backwards in time as well, which that does not allow; take order = 2",
                    model.integrator_object.place);
}

/// @returns false where constraints do not determine what has no mass
bool VelocityProjection::evaluate(const double* q, const double* v, double t, End& end) {
    parts_.rows.evaluate_rates(blocks_, q, v, t, A_.data(), pi_t_.data());
    // A and pi_t of the conditions at one end of the step.
    for (std::size_t e = 0; e < entry_.size(); ++e) end.A[e] = A_[entry_[e]];
    for (std::size_t c = 0; c < row_.size(); ++c) {
        if (!parts_.laws.has_rate(row_[c])) {  // an open row
            std::fill(end.A.begin() + row_start_[c], end.A.begin() + row_start_[c + 1], 0.0);
            end.pi_t[static_cast<Eigen::Index>(c)] = 0.0;
            continue;
        }
        end.pi_t[static_cast<Eigen::Index>(c)] = pi_t_[row_[c]];
        if (!std::isfinite(pi_t_[row_[c]])) parts_.rows.refuse_row(row_[c], t);
    }
    if (end.massless == nullptr) return true;
    end.A_of_rows = A_;
    return end.massless->hold(A_) < 0;
}

/// What of mu acts on coordinates without mass is taken from it.
void VelocityProjection::spare_massless(const End& end, Eigen::VectorXd& mu) {
    if (end.massless == nullptr) return;
    for (std::size_t c = 0; c < row_.size(); ++c)
        mu_of_rows_[static_cast<std::size_t>(row_[c])] = mu[static_cast<Eigen::Index>(c)];
    end.massless->spare(end.A_of_rows, mu_of_rows_.data());
    for (std::size_t c = 0; c < row_.size(); ++c)
        mu[static_cast<Eigen::Index>(c)] = mu_of_rows_[static_cast<std::size_t>(row_[c])];
}

void VelocityProjection::refuse_massless(int coordinate) const {
    const BodyPart& part = *std::ranges::find_if(parts_.model.bodies, [&](const BodyPart& body) {
        return coordinate >= body.first && coordinate < body.first + body.count;
    });
    refuse(part.object,
           fmt::format("{} has no inertia, and no constraints determine it, so that projected "
                       "velocities leave it open",
                       coordinate_name(part, coordinate - part.first)),
           "give it mass, or take order = 2 without velocity_projection for this model");
}

/// force = A^T mu, n entries.
void VelocityProjection::transposed(const End& end,
                                    const Eigen::VectorXd& mu,
                                    Eigen::VectorXd& force) const {
    force.setZero();
    for (std::size_t c = 0; c < row_.size(); ++c)
        for (auto e = static_cast<std::size_t>(row_start_[c]);
             e < static_cast<std::size_t>(row_start_[c + 1]);
             ++e)
            force[column_[e]] += end.A[e] * mu[static_cast<Eigen::Index>(c)];
}

/// A^T mu and its effects.
void VelocityProjection::push(End& end) {
    // f = A^T mu, w = M^-1 f, e = f . w = mu^T A M^-1 A^T mu (theory (63))
    end.mu = mu_;
    spare_massless(end, end.mu);
    transposed(end, end.mu, end.force);
    mass_->solve(view(end.force), {}, room(end.velocity), {});
    for (const int i : massless_) end.velocity[i] = 0.0;  // rounding
    end.energy = end.force.dot(end.velocity);
}

double VelocityProjection::rate(const End& end, std::size_t c, const double* v) const {
    double sum = end.pi_t[static_cast<Eigen::Index>(c)];
    for (auto e = static_cast<std::size_t>(row_start_[c]);
         e < static_cast<std::size_t>(row_start_[c + 1]);
         ++e)
        sum += end.A[e] * v[column_[e]];
    return sum;
}

void VelocityProjection::begin() {
    if (is_under_way_) abandon();
    // mu = 0 and a = b = 1: v_0^+ = v_0; the rank is chosen at the accepted state and kept (theory,
    // section 6).
    v0_ = state_.v;
    v0_low_ = state_.v_low;
    const bool is_held =
        evaluate(state_.q.data(), state_.v.data(), VelocityImpulse::behind(state_.t), start_);
    if (!has_looked_at_massless_ && !massless_.empty()) {
        has_looked_at_massless_ = true;
        for (End* end : {&start_, &end_})
            if (const int i = end->massless->held_by_stiffness(start_.A_of_rows); i >= 0)
                refuse_massless(i);
        start_.massless->hold(start_.A_of_rows);
    } else if (!is_held) {
        refuse_massless(start_.massless->hold(start_.A_of_rows));
    }
    for (std::size_t c = 0; c < row_.size(); ++c)
        start_rate_[static_cast<Eigen::Index>(c)] = rate(start_, c, state_.v.data());
    // Rows that were clearly independent at the end of the last step need no selection.
    if (!was_clear_) solver_->factorise(parts_.mass.values(), start_.A, true, RankUse::choose);
    looks_ = 0;
    end_.energy = kUnknown;
    mu_.setZero();
    start_.velocity.setZero();
    start_.force.setZero();
    start_.mu.setZero();
    start_.factor = end_.factor = 1.0;
    is_under_way_ = true;
}

void VelocityProjection::start_from(std::span<const double> mu, std::span<double> change) {
    // v_0^+ = v_0 + a M^-1 A_0^T mu, and by how much it changes against the last mu.
    x_ = start_.factor * start_.velocity;
    std::ranges::copy(mu, mu_.begin());
    // b follows from the a that is used: energy is conserved for any a.
    push(start_);
    const bool has_end = end_.energy != kUnknown;
    if (has_end) push(end_);
    // a = (e_1 / e_0)^(1/4); 1 where the end is not known yet or energies are round-off.
    const double unlike = end_.energy / start_.energy;
    start_.factor =
        has_end && unlike < kMostUnlike && unlike > 1.0 / kMostUnlike && start_.energy > 0.0
            ? std::sqrt(std::sqrt(unlike))
            : 1.0;
    state_.v = v0_;
    state_.v_low = v0_low_;
    for (int i = 0; i < parts_.n; ++i) {
        const double kick = start_.factor * start_.velocity[i];
        add_compensated(state_.v[i], state_.v_low[i], kick);
        change[i] = kick - x_[i];
    }
}

double VelocityProjection::look_at_end(const StepTrial& trial, std::span<double> correction) {
    const double h = trial.h;
    // q_1 = q_0 + h (v_0^+ + h/2 a), v_1^- = v_0^+ + h a
    for (int i = 0; i < parts_.n; ++i) {
        const double a = trial.a[i];
        q1_[i] = state_.q[i] + (state_.q_low[i] + h * (state_.v[i] + 0.5 * h * a));
        v1_[i] = state_.v[i] + (state_.v_low[i] + h * a);
    }
    if (!evaluate(q1_.data(), v1_.data(), VelocityImpulse::before(trial.t0 + h), end_))
        return std::numeric_limits<double>::quiet_NaN();
    push(end_);
    // b = a (e_0 / e_1)^(1/2): then a^2 e_0 = b^2 e_1 for the a in use, and energy is kept in every
    // iterate.
    const double unlike = start_.energy / end_.energy;
    end_.factor = unlike < kMostUnlike && unlike > 1.0 / kMostUnlike && end_.energy > 0.0
                      ? start_.factor * std::sqrt(unlike)
                      : 1.0;
    // v_1 = v_1^- - b M^-1 A_1^T mu and its residual, r = A_1 v_1 + phi_t.
    v1_now_ = v1_ - end_.factor * end_.velocity;
    for (std::size_t c = 0; c < row_.size(); ++c)
        rate_[static_cast<Eigen::Index>(c)] = rate(end_, c, v1_now_.data());
    // Between evaluations A1 changes by less than the terms neglected.
    if (looks_++ % kLooksPerFactor == 0) {
        solver_->factorise(parts_.mass.values(), end_.A, false, RankUse::keep);
        was_clear_ = solver_->is_clear() && solver_->num_dropped(0) == 0;
    }

    // d rate / d mu = -A1 M^-1 (A1 + A0)^T but for terms of order h^2, since a step turns a normal
    // velocity round.
    delta_.setZero();
    left_ = rate_;
    double asked = 0.0;
    // With J = A_1 M^-1 (A_1 + A_0)^T and W = A_1 M^-1 A_1^T, J = 2 W + O(h): J delta = r by
    //   delta <- delta + W^-1 (r - J delta) / 2
    for (int turn = 0; turn < kTurns; ++turn) {
        solver_->solve({}, view(left_), room(x_), room(lambda_), Refinement::none);
        for (const int i : massless_) x_[i] = 0.0;  // its velocity is no state
        if (turn == 0) asked = parts_.space.displacement(x_.data());
        delta_ += 0.5 * lambda_;
        if (turn + 1 == kTurns) break;
        force_.setZero();
        for (const End* end : {&end_, &start_}) {
            pushed_ = delta_;
            spare_massless(*end, pushed_);
            transposed(*end, pushed_, x_);
            force_ += x_;
        }
        mass_->solve(view(force_), {}, room(x_), {});
        for (const int i : massless_) x_[i] = 0.0;
        for (std::size_t c = 0; c < row_.size(); ++c) {
            const auto i = static_cast<Eigen::Index>(c);
            left_[i] = rate_[i] - (rate(end_, c, x_.data()) - end_.pi_t[i]);
        }
    }
    std::ranges::copy(delta_, correction.begin());
    // |M^-1 A_1^T W^-1 r|, the change of velocity that is asked for, over u times the largest
    // speed. Rounding of reactions, h u M^-1 |A|^T |s|, counts as well: beside it the speed of a
    // mechanism that comes to rest, or that all of its stops hold, is nothing.
    x_.setZero();
    for (std::size_t c = 0; c < row_.size(); ++c) {
        const double s = std::abs(trial.s[static_cast<std::size_t>(row_[c])]);
        for (auto e = static_cast<std::size_t>(row_start_[c]);
             e < static_cast<std::size_t>(row_start_[c + 1]);
             ++e)
            x_[column_[e]] += std::abs(end_.A[e]) * s;
    }
    x_ = x_.cwiseProduct(parts_.inverse_mass);
    const double speed =
        std::max({parts_.space.displacement(v1_now_.data()),
                  parts_.space.displacement(v0_.data()),
                  std::abs(h) * parts_.space.displacement(trial.a.data()),
                  kOfReactions * std::abs(h) * parts_.space.displacement(x_.data())});
    return speed > 0.0 ? asked / (kEpsilon * speed) : 0.0;
}

/// v_0 without its projection: the state is the accepted one again.
void VelocityProjection::abandon() {
    was_clear_ = false;
    if (!is_under_way_) return;
    state_.v = v0_;
    state_.v_low = v0_low_;
    is_under_way_ = false;
}

/// v_1 = v_1^- - b M^-1 A_1^T mu, compensated.
void VelocityProjection::finish(Eigen::VectorXd& v, Eigen::VectorXd& v_low) {
    for (int i = 0; i < parts_.n; ++i)
        add_compensated(v[i], v_low[i], -end_.factor * end_.velocity[i]);
    is_under_way_ = false;
}

/// A^T mu of the rows that reach the ground.
void VelocityProjection::add_ground_force(const End& end,
                                          double factor,
                                          Eigen::VectorXd& force) const {
    for (std::size_t c = 0; c < row_.size(); ++c) {
        if (is_tied_to_ground_[c] == 0) continue;
        const double mu = factor * end.mu[static_cast<Eigen::Index>(c)];
        for (auto e = static_cast<std::size_t>(row_start_[c]);
             e < static_cast<std::size_t>(row_start_[c + 1]);
             ++e)
            force[column_[e]] += end.A[e] * mu;
    }
}

void VelocityProjection::record(Ledger& ledger,
                                const Eigen::VectorXd& q0,
                                const Eigen::VectorXd& q1) {
    if (row_.empty()) return;
    const double a = start_.factor, b = end_.factor;
    // Work on moving supports; and on the residual of a start within its tolerance.
    //   dT = a mu^T A_0 v_0 + a^2 e_0 / 2 - b mu^T A_1 v_1 - b^2 e_1 / 2,
    // where the squares cancel. With A_1 v_1 = -phi_t,1 and A_0 v_0 = rate_0 - phi_t,0 there remain
    // the work of supports, b mu^T phi_t,1 - a mu^T phi_t,0, and a mu^T rate_0.
    const double prescribed = b * end_.mu.dot(end_.pi_t) - a * start_.mu.dot(start_.pi_t);
    if (prescribed != 0.0) ledger.record_external(prescribed);
    ledger.record_projection(a * start_.mu.dot(start_rate_));
    if (!parts_.has_gravity && !parts_.has_external) return;
    // Impulses of the ground: a A_0^T mu at q_0 and -b A_1^T mu at q_1.
    force_.setZero();
    add_ground_force(start_, a, force_);
    ledger.record_impulse(parts_.space.momenta(q0.data(), force_.data()), 1.0);
    force_.setZero();
    add_ground_force(end_, -b, force_);
    ledger.record_impulse(parts_.space.momenta(q1.data(), force_.data()), 1.0);
}

/// Strain per stress of an elastic row at the state; infinite where there is no such thing.
double VelocityProjection::compliance_of(int k) const {
    const RowLaw& law = parts_.laws[k];
    constexpr double kNone = std::numeric_limits<double>::infinity();
    if (law.kind != RowKind::elastic || law.law != nullptr) return kNone;
    const ItemLaws& together = parts_.laws.together();
    if (!together.holds(k)) return law.compliance;
    // The diagonal of W'' of a law that rows have together
    const ItemLaws::Item& item = together.item_of(k);
    const auto n = static_cast<std::size_t>(item.num_rows);
    std::array<double, ItemLaw::kMostRows * ItemLaw::kMostRows> D{};
    together.stiffness(item, state_.pi.data(), std::span(D).first(n * n));
    const double slope = D[static_cast<std::size_t>(k - item.first_row) * (n + 1)];
    return slope > 0.0 ? 1.0 / slope : kNone;
}

void VelocityProjection::find_stiffest() {
    std::vector<int> all(parts_.rows.blocks.size());
    for (std::size_t b = 0; b < all.size(); ++b) all[b] = static_cast<int>(b);
    parts_.rows.evaluate_rates(
        all, state_.q.data(), state_.v.data(), state_.t, A_.data(), pi_t_.data());
    for (int k = 0; k < parts_.m; ++k) {
        const double compliance = compliance_of(k);
        if (!std::isfinite(compliance)) continue;
        // w_k = (A_k M^-1 A_k^T / c_k)^1/2 of the row alone, by the diagonal of M. With h w >> 1 a
        // composition falls back to order 2 where the row vibrates.
        double flexibility = 0.0;
        parts_.rows.for_entries(k, [&](int e, int i) {
            flexibility += A_[e] * A_[e] * parts_.inverse_mass[i];
        });
        const double frequency = std::sqrt(flexibility / compliance);
        if (frequency > stiff_.frequency) {
            stiff_.frequency = frequency;
            stiff_.row = k;
        }
    }
}

void VelocityProjection::note_length(double h) {
    if (!has_looked_for_stiff_) find_stiffest();
    has_looked_for_stiff_ = true;
    stiff_.h = std::max(stiff_.h, std::abs(h));
}

}  // namespace ancora
