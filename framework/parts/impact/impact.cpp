// SPDX-License-Identifier: BSD-3-Clause
// Impacts and closings at an instant.
#include "impact.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compensated_sum.hpp"
#include "complementarity.hpp"

namespace ancora {
namespace {

// A flight shorter than this part of a step is none (theory, section 8.2.3).
constexpr double kShortFlight = 1e-3;
// In units of what touches: an event that leaves more is none.
constexpr double kMet = 1e3;
// Latches that are this close to their limits when one comes to its own, relative, break with it.
constexpr double kTogether = 1e-9;

Eigen::Index at(std::size_t i) {
    return static_cast<Eigen::Index>(i);
}

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
      records_(records),
      friction_(parts, rows),
      pressed_(parts, state, accelerations, rows, friction_) {
    for (Eigen::VectorXd* x : {&v_met_, &v_reflected_, &v_next_}) x->setZero(parts.n);
    for (Eigen::VectorXd* x : {&reflected_s_, &s_, &caught_s_, &missed_s_}) x->setZero(parts.m);
    applied_.setZero(6 * at(parts.model.forces.size()));
}

void Impact::set_latched(const std::vector<char>& is_latched) {
    if (is_latched == rows_.latched()) return;
    rows_.set_latched(is_latched);
    pressed_.make_free_face();
}

/// (7) for all latches that touch and do not part: the velocities met and reflected become those
/// behind it, and their rows conditions.
/// @param crossings of a step over all events: those that have borne it have met
/// @returns whether there was an impulse
bool Impact::catch_latches(int event, Approach approach, std::span<const Crossing> crossings) {
    caught_.clear();
    caught_s_.setZero();
    missed_s_.setZero();
    std::vector<char> latched = rows_.latched(), closed = rows_.closed();
    const double reach = reach_of(event);
    bool is_met = false;
    for (int i = 0; i < rows_.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        if (!rows_.is_latch(i) || rows_.is_latched(i) || rows_.is_absent(i)) continue;
        const double rate = rows_.rate(i, v_met_.data());
        const double rounding = rows_.at_rest(i, v_met_.data());
        const bool has_borne = !crossings.empty() && crossings[at].impulse > 0.0;
        if (!has_borne && (rows_.gap(i) > reach || rate > rounding)) continue;
        if (approach == Approach::none && rate < -rounding) continue;
        caught_.push_back({i, false, 0.0, rate});
        caught_.back().is_met = std::abs(rate) > rounding;
        is_met = is_met || caught_.back().is_met;
        latched[at] = closed[at] = 1;
        records_.record({state_.t, rows_.row(i), ImpactRecords::What::closed, 0.0, 0.0});
    }
    if (caught_.empty()) return false;
    if (is_met) take_missed();
    set_latched(latched);
    rows_.close(closed);
    accelerations_.rebuild();
    if (!is_met) return false;

    pressed_.free().assemble(state_.q.data(), v_met_.data(), state_.t, state_.plugin);
    const std::vector<int>& conditions = pressed_.free().constraint_rows();
    Eigen::VectorXd missed = Eigen::VectorXd::Zero(at(conditions.size()));
    Eigen::VectorXd mu(missed.size()), change(parts_.n);
    for (const Touch& touch : caught_) {
        const auto found = std::ranges::find(conditions, rows_.row(touch.row));
        missed[found - conditions.begin()] = -touch.before;
    }
    if (!pressed_.free().solver().solve({}, view(missed), span_of(change), span_of(mu)))
        throw Error(ErrorKind::numerical,
                    fmt::format("t = {:.9g} s: {} catches, and the equations of that impact cannot "
                                "be solved; what it holds has no mass",
                                state_.t,
                                parts_.rows.row_name(rows_.row(caught_.front().row))),
                    parts_.rows.place_of_row(rows_.row(caught_.front().row)));
    v_met_ += change;
    v_reflected_ += change;
    for (Eigen::Index c = 0; c < mu.size(); ++c)
        caught_s_[conditions[static_cast<std::size_t>(c)]] = -mu[c];
    rows_.look(state_.q.data(), v_met_.data(), state_.t);
    for (const Touch& touch : caught_) refuse_driven(touch);
    return true;
}

/// A latch whose rate other conditions prescribe does not stop it.
void Impact::refuse_driven(const Touch& touch) const {
    constexpr double kStopped = 1e-6;
    const double rate = rows_.rate(touch.row, v_met_.data());
    if (std::abs(rate) <= kStopped * std::abs(touch.before)) return;
    throw Error(ErrorKind::numerical,
                fmt::format("t = {:.9g} s: {} catches what other constraints move on at a rate of "
                            "{:.6g}: a motion that is prescribed ends there, or passes while that "
                            "is open",
                            state_.t,
                            parts_.rows.row_name(rows_.row(touch.row)),
                            std::abs(rate)),
                parts_.rows.place_of_row(rows_.row(touch.row)));
}

/// What they have done joins the other rows', for record().
void Impact::add_caught() {
    s_ += caught_s_;
    for (Touch touch : caught_) {
        touch.total = std::abs(s_[rows_.row(touch.row)]);
        touching_.push_back(touch);
    }
    caught_s_.setZero();
}

/// Latches whose margin is not above this.
bool Impact::break_latches(double margin) {
    if (!pressed_.has_limits()) return false;
    pressed_.evaluate(state_.q.data(), v_met_.data(), state_.t, pressure_);
    std::vector<int> broken;
    for (int i = 0; i < rows_.count(); ++i)
        if (rows_.is_latched(i) && pressure_[i] <= margin) broken.push_back(i);
    for (const int i : broken) rows_.break_latch(i);
    let_go(broken, ImpactRecords::What::broken);
    return !broken.empty();
}

void Impact::let_go(const std::vector<int>& rows, ImpactRecords::What what) {
    if (rows.empty()) return;
    std::vector<char> latched = rows_.latched(), closed = rows_.closed();
    for (const int i : rows) {
        latched[static_cast<std::size_t>(i)] = closed[static_cast<std::size_t>(i)] = 0;
        state_.s[rows_.row(i)] = 0.0;
        records_.record({state_.t, rows_.row(i), what, 0.0, 0.0});
    }
    set_latched(latched);
    rows_.close(closed);
    accelerations_.rebuild();
    rows_.update_latches();
}

/// Behind a change at rest: one that breaks leaves its load to others.
void Impact::break_overloaded() {
    look();
    while (break_latches(0.0)) settle_touching();
}

/// Of rows that touch those stay closed that are pressed now.
void Impact::settle_touching() {
    const std::vector<char> before = rows_.closed();
    look();
    find_touching();
    std::vector<char> candidates(before.size(), 0);
    take(candidates, v_met_, false);
    pressed_.settle(candidates, v_met_);
    record_changes(before);
}

bool Impact::open_latches() {
    look();
    std::vector<int> opened;
    for (int i = 0; i < rows_.count(); ++i)
        if (rows_.is_latched(i) && rows_.is_commanded_open(i)) opened.push_back(i);
    if (opened.empty()) return false;
    let_go(opened, ImpactRecords::What::released);
    settle_touching();
    break_overloaded();
    return true;
}

bool Impact::pass(int event, double h) {
    has_struck_ = false;
    look();
    const std::vector<char> before = rows_.closed();
    if (rows_.is_latched(event)) {
        pressed_.evaluate(state_.q.data(), v_met_.data(), state_.t, pressure_);
        break_latches(std::max(pressure_[event], 0.0) + kTogether);
        look();
    }
    const bool has_caught = catch_latches(event);
    find_touching(event);
    std::vector<char> candidates(before.size(), 0);
    if (has_caught || is_approaching()) {
        strike(h);
        // What a row that lets go has missed of its rate would stay with the others for good.
        if (lets_go() && !reflected_s_.isZero(0.0)) {
            take_missed();
            find_touching(event);
            strike(h);
        }
        for (Touch& touch : touching_) touch.total = touch.impulse;
        take(candidates, v_next_, true);
        pressed_.settle(candidates, v_met_ + X_ * impulse_);
        has_struck_ = true;
        // All impulses as stresses: of conditions by (3) and by the responses, and of these rows.
        s_ = reflected_s_;
        collect(pressed_.free(), mu_);
        add_caught();
        record(pressed_.free(), true);
        s_ += missed_s_;
    } else {
        take(candidates, v_met_, false);
        const bool leaves = !rows_.is_latch(event) && rows_.is_closed(event);
        std::vector<char> leaving;
        if (leaves) leaving = pressed_.leaving_with(event, v_met_);
        pressed_.settle(candidates, v_met_, leaving);
        // One that presses here and no more behind, as where a curvature jumps, leaves all the
        // same; what rubs too does not, or stick and slip might go to and fro.
        if (leaves && before == rows_.closed() && friction_.num_rows(event) == 0) {
            candidates[static_cast<std::size_t>(event)] = 0;
            pressed_.settle(candidates, v_met_, leaving);
        }
        stop_missed();
    }
    record_changes(before);
    break_overloaded();
    return has_struck_ || before != rows_.closed();
}

void Impact::record_changes(const std::vector<char>& before) {
    const std::vector<char>& after = rows_.closed();
    for (int i = 0; i < rows_.count(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        // Latches say it themselves.
        if (before[at] == after[at] || rows_.is_latch(i)) continue;
        const auto what =
            after[at] != 0 ? ImpactRecords::What::closed : ImpactRecords::What::released;
        records_.record({state_.t, rows_.row(i), what, 0.0, 0.0});
    }
}

void Impact::find_bearing(const double* q,
                          const double* v,
                          double t,
                          double h,
                          const std::vector<int>& rows,
                          const Eigen::VectorXd& gaps,
                          const Eigen::VectorXd& P,
                          std::vector<char>& bearing) {
    touching_.clear();
    for (const int i : rows) touching_.push_back({i, false, 0.0});
    tangents_.clear();
    collision_.cones.clear();
    pressed_.free().assemble(q, v, t, state_.plugin);
    respond(pressed_.free());
    collision_.W *= 0.5 * h;
    Eigen::VectorXd r;
    // A basic solution: rows of the step are to be independent.
    solve_complementarity(collision_.W, gaps - collision_.W * P, r);
    bearing = rows_.latched();
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (r[at(i)] > 0.0) bearing[static_cast<std::size_t>(rows[i])] = 1;
}

void Impact::finish_crossing(const std::vector<Crossing>& crossings, double h, double longest) {
    const std::vector<char> before = rows_.closed();
    std::vector<char> candidates(before.size(), 0);
    rows_.close(rows_.latched());
    accelerations_.rebuild();
    look();
    catch_latches(-1, Approach::any, crossings);
    touching_.clear();
    double work = 0.0;
    for (Touch& touch : caught_) {
        const Crossing& crossing = crossings[static_cast<std::size_t>(touch.row)];
        touch.work = -crossing.impulse * crossing.gap / h;
        work += touch.work;
    }
    for (int i = 0; i < rows_.count(); ++i) {
        if (rows_.is_latch(i)) continue;
        const Crossing& crossing = crossings[static_cast<std::size_t>(i)];
        if (!(crossing.impulse > 0.0) && rows_.gap(i) > rows_.touching()) continue;
        touching_.push_back({i, false, rows_.restitution(i), rows_.rate(i, v_met_.data())});
        Touch& touch = touching_.back();
        touch.work = -crossing.impulse * crossing.gap / h;
        touch.is_met = crossing.rate < -rows_.at_rest(i, v_met_.data());
        work += touch.work;
    }
    // The step has recorded it as that of gaps that are closed.
    accounting_.ledger.record_projection(-work);
    accounting_.ledger.record_impact(work);
    pressed_.free().assemble(state_.q.data(), v_reflected_.data(), state_.t, state_.plugin);
    list_tangents();
    for (FrictionCone& cone : collision_.cones) {
        const int row = touching_[static_cast<std::size_t>(cone.normal)].row;
        const Crossing& crossing = crossings[static_cast<std::size_t>(row)];
        if (crossing.rubs) cone.rubbed = crossing.impulse;
    }
    respond(pressed_.free());
    Eigen::VectorXd P = Eigen::VectorXd::Zero(num_normal()), began = P;
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        const Crossing& crossing = crossings[static_cast<std::size_t>(touching_[i].row)];
        P[at(i)] = crossing.impulse;
        began[at(i)] = crossing.rate;
    }
    take_impulses(solve_sum(collision_, P, began, work));
    stop_short_flights(longest);
    for (std::size_t i = 0; i < touching_.size(); ++i)
        touching_[i].total = P[at(i)] + touching_[i].impulse;
    take(candidates, v_next_, true);
    pressed_.settle(candidates, v_met_ + X_ * impulse_);
    has_struck_ = true;
    s_ = reflected_s_;
    collect(pressed_.free(), mu_);
    add_caught();
    record(pressed_.free(), true);
    s_ += missed_s_;
    record_changes(before);
    break_overloaded();
}

void Impact::look() {
    meet_conditions();
    rows_.look(state_.q.data(), v_met_.data(), state_.t);
}

bool Impact::close_pressed() {
    look();
    const std::vector<char> before = rows_.closed();
    // What approaches has an event of its own.
    catch_latches(-1, Approach::none);
    find_touching();
    std::vector<char> candidates(before.size(), 0);
    take(candidates, v_met_, false);
    pressed_.settle(candidates, v_met_);
    break_overloaded();
    return rows_.closed() != before;
}

void Impact::refuse_overlap() const {
    int worst = -1;
    for (int i = 0; i < rows_.count(); ++i)
        if (!rows_.is_absent(i) && rows_.gap(i) < -rows_.touching() &&
            (worst < 0 || rows_.gap(i) < rows_.gap(worst)))
            worst = i;
    if (worst < 0) return;
    const int k = rows_.row(worst);
    throw Error(
        ErrorKind::numerical,
        fmt::format("inconsistent start: {} is {:.6g} below zero: what may not overlap "
                    "does, or a stop is passed; move it apart by that, or let a joint start "
                    "within its limits",
                    parts_.rows.row_name(k),
                    -rows_.gap(worst)),
        parts_.rows.place_of_row(k));
}

/// @param event a row that has met: what is left of its gap is what its root is known to, and rows
///        within that touch with it
double Impact::reach_of(int event) const {
    if (event < 0 || rows_.is_absent(event) || rows_.gap(event) >= kMet * rows_.touching())
        return rows_.touching();
    return std::max(rows_.touching(), rows_.gap(event));
}

void Impact::find_touching(int event) {
    touching_.clear();
    const double reach = reach_of(event);
    for (int i = 0; i < rows_.count(); ++i) {
        if (rows_.is_latch(i) || rows_.acts_on_nothing(i)) continue;
        const bool is_closed = rows_.is_closed(i);
        if (is_closed ? i == event && rows_.has_left(i) : rows_.gap(i) > reach) continue;
        touching_.push_back({i, is_closed, rows_.restitution(i)});
        // A closed row has a rate where a latch has caught.
        const bool is_moving = !is_closed || !caught_s_.isZero(0.0);
        touching_.back().before = is_moving ? rows_.rate(i, v_met_.data()) : 0.0;
    }
}

bool Impact::is_approaching() const {
    return std::ranges::any_of(touching_, [this](const Touch& touch) {
        return !touch.was_closed && touch.before < -rows_.at_rest(touch.row, v_met_.data());
    });
}

void Impact::meet_conditions() {
    reflected_s_.setZero();
    v_reflected_ = v_met_ = state_.v;
    if (parts_.model.traits.face == Face::continuous) return;  // meets them
    ContinuousFace& face = accelerations_.face();
    if (face.constraint_rows().empty()) return;
    face.assemble(state_.q.data(), state_.v.data(), state_.t, state_.plugin);
    const std::vector<int>& conditions = face.constraint_rows();
    Eigen::VectorXd missed = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(conditions.size()));
    for (Eigen::Index c = 0; c < missed.size(); ++c) {
        const int k = conditions[static_cast<std::size_t>(c)];
        if (parts_.laws.has_rate(k)) missed[c] = -face.rate(k);
    }
    if (missed.isZero(0.0)) return;
    // M dv = A^T mu, A dv = -(A v + phi_t), and twice that turns round what is missed.
    Eigen::VectorXd mu(missed.size()), change(parts_.n);
    if (!face.solver().solve({}, view(missed), span_of(change), span_of(mu))) return;
    v_met_ += change;
    v_reflected_ += 2.0 * change;
    for (Eigen::Index c = 0; c < mu.size(); ++c)
        reflected_s_[conditions[static_cast<std::size_t>(c)]] = -2.0 * mu[c];
}

/// W = C M^-1 C^T of touching rows through the conditions of a face, and what it is made of.
void Impact::respond(ContinuousFace& face) {
    const Eigen::Index normal = at(touching_.size());
    const Eigen::Index count = normal + at(tangents_.size());
    const auto conditions = static_cast<Eigen::Index>(face.constraint_rows().size());
    X_.resize(parts_.n, count);
    mu_.resize(conditions, count);
    collision_.W.resize(count, count);
    collision_.q.resize(count);
    collision_.is_in_turn = parts_.model.has_impacts_in_turn;
    collision_.contacts.clear();
    for (const Touch& touch : touching_)
        collision_.contacts.push_back(
            {touch.e, rows_.impact_law(touch.row), rows_.at_rest(touch.row, v_met_.data())});
    Eigen::VectorXd push(parts_.n), x(parts_.n), mu(conditions);
    const double* const C = face.instant().A.data();
    const auto row_of = [&](Eigen::Index i) {
        return rows_.row(touching_[static_cast<std::size_t>(i)].row);
    };
    const auto tangent = [&](Eigen::Index i) {
        return tangents_[static_cast<std::size_t>(i - normal)];
    };
    for (Eigen::Index i = 0; i < count; ++i) {
        push.setZero();
        if (i < normal)
            parts_.rows.add_transposed(C, row_of(i), 1.0, push.data());
        else
            friction_.add(tangent(i).row, tangent(i).place, 1.0, push.data());
        face.respond(view(push), span_of(x), span_of(mu));
        X_.col(i) = x;
        mu_.col(i) = mu;
        for (Eigen::Index j = 0; j < count; ++j)
            collision_.W(j, i) =
                j < normal ? parts_.rows.multiply(C, row_of(j), x.data())
                           : friction_.multiply(tangent(j).row, tangent(j).place, x.data());
        collision_.q[i] = i < normal
                              ? touching_[static_cast<std::size_t>(i)].before
                              : friction_.rate(tangent(i).row, tangent(i).place, v_met_.data());
    }
    collision_.W = (0.5 * (collision_.W + collision_.W.transpose())).eval();
    for (Eigen::Index i = 0; i < count; ++i) {
        const double alone = i < normal ? pressed_.mobility(C, row_of(i))
                                        : friction_.mobility(tangent(i).row, tangent(i).place);
        if (collision_.W(i, i) > PressedRows::kHeld * alone) continue;
        collision_.W.row(i).setZero();
        collision_.W.col(i).setZero();
    }
}

/// The rows along which touching contacts slide, and their cones, by how they slide before.
void Impact::list_tangents() {
    tangents_.clear();
    collision_.cones.clear();
    friction_.evaluate(state_.q.data(), v_met_.data(), state_.t);
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        const int row = touching_[i].row;
        const int count = friction_.num_rows(row);
        if (count == 0) continue;
        FrictionCone cone{
            static_cast<int>(i), static_cast<int>(touching_.size() + tangents_.size()), count, 0.0};
        double square = 0.0;
        for (int k = 0; k < count; ++k) {
            const double rate = friction_.rate(row, k, v_met_.data());
            square += rate * rate;
            tangents_.push_back({row, k, i});
        }
        const double speed = std::sqrt(square);
        cone.mu = friction_.coefficient(row, speed, speed > rows_.at_rest(row, v_met_.data()));
        if (cone.mu > 0.0)
            collision_.cones.push_back(cone);
        else
            tangents_.resize(tangents_.size() - static_cast<std::size_t>(count));
    }
}

/// (1) and (2) of the rows that touch.
void Impact::strike(double h) {
    pressed_.free().assemble(state_.q.data(), v_reflected_.data(), state_.t, state_.plugin);
    list_tangents();
    respond(pressed_.free());
    leave_out_unreached();
    take_impulses(solve_collision(collision_));
    stop_short_flights(h);
}

/// What no row that approaches is connected with has no part in the impact, and no roundings.
void Impact::leave_out_unreached() {
    std::vector<char> touches(rows_.closed().size(), 0);
    for (const Touch& touch : touching_) touches[static_cast<std::size_t>(touch.row)] = 1;
    DisjointSets islands = rows_.islands(touches);
    std::vector<char> reached(static_cast<std::size_t>(parts_.n), 0);
    for (const Touch& touch : touching_) {
        const bool approaches =
            touch.before < -rows_.at_rest(touch.row, v_met_.data()) || !caught_s_.isZero(0.0);
        const int root = rows_.island(islands, touch.row);
        if (approaches && root >= 0) reached[static_cast<std::size_t>(root)] = 1;
    }
    const auto is_reached = [&](std::size_t touch) {
        const int root = rows_.island(islands, touching_[touch].row);
        return root >= 0 && reached[static_cast<std::size_t>(root)] != 0;
    };
    for (Eigen::Index i = 0; i < collision_.W.rows(); ++i) {
        const auto touch = i < num_normal()
                               ? static_cast<std::size_t>(i)
                               : tangents_[static_cast<std::size_t>(i - num_normal())].touch;
        if (is_reached(touch)) continue;
        collision_.W.row(i).setZero();
        collision_.W.col(i).setZero();
        collision_.q[i] = 0.0;
        if (i < num_normal()) touching_[touch].before = 0.0;
    }
}

/// Whether a closed row opens by the impulses.
bool Impact::lets_go() const {
    return std::ranges::any_of(touching_, [this](const Touch& touch) {
        return touch.was_closed && touch.after > rows_.at_rest(touch.row, v_next_.data());
    });
}

void Impact::take_impulses(const CollisionImpulses& found) {
    impulse_ = found.p;
    if (found.was_lowered) records_.record_lowered();
    if (found.are_several) records_.record_several();
    const Eigen::VectorXd after = collision_.q + collision_.W * impulse_;
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        touching_[i].impulse = impulse_[at(i)];
        touching_[i].after = after[at(i)];
    }
    v_next_ = v_reflected_ + X_ * impulse_;
}

/// Marks the touching rows that neither approach nor part at velocities v, behind an impact or
/// without one.
void Impact::take(std::vector<char>& candidates, const Eigen::VectorXd& v, bool is_behind) const {
    for (const Touch& touch : touching_) {
        const double rate = is_behind ? touch.after : touch.before;
        double rounding = rows_.at_rest(touch.row, v.data());
        if (is_behind) rounding += UnilateralRows::kAtRest * std::abs(touch.before);
        candidates[static_cast<std::size_t>(touch.row)] = std::abs(rate) <= rounding ? 1 : 0;
    }
}

/// A row that would come back within no time does not part: what bears it over half of that time,
/// P, is there to stop it. With the rates u behind the impact,
///
///   0 <= P + p  _|_  u + W p >= 0                                                        (5)
///
/// and P of a row that parts nevertheless is taken as zero, so that the energy falls by p . W p
/// / 2.
void Impact::stop_short_flights(double h) {
    std::vector<char> all(rows_.closed().size(), 0), pressed = all;
    for (const Touch& touch : touching_) all[static_cast<std::size_t>(touch.row)] = 1;
    if (!pressed_.find(all, v_next_, {}, pressed)) return;
    const Eigen::Index count = num_normal();
    Eigen::VectorXd P(count), r;
    for (std::size_t i = 0; i < touching_.size(); ++i)
        P[at(i)] = 0.5 * kShortFlight * h * pressed_.reaction(touching_[i].row);
    const Eigen::MatrixXd W = collision_.W.topLeftCorner(count, count);
    const Eigen::VectorXd u = (collision_.q + collision_.W * impulse_).head(count);
    for (bool parts = true; parts;) {
        if (P.isZero(0.0)) return;
        solve_complementarity(W, u - W * P, r);
        parts = false;
        for (Eigen::Index i = 0; i < P.size(); ++i) {
            if (!(P[i] > 0.0) || r[i] > 0.0) continue;
            P[i] = 0.0;
            parts = true;
        }
    }
    impulse_.head(count) += r - P;
    const Eigen::VectorXd after = collision_.q + collision_.W * impulse_;
    for (std::size_t i = 0; i < touching_.size(); ++i) {
        touching_[i].impulse = impulse_[at(i)];
        touching_[i].after = r[at(i)] > 0.0 ? 0.0 : after[at(i)];
    }
    v_next_ = v_reflected_ + X_ * impulse_;
}

/// An event without an impact, or one where a latch catches: what steps have left of the rates of
/// conditions is of the order h^2. It is taken away as by a projection, so that rows neither part
/// nor meet by it, or would do so again at once.
void Impact::stop_missed() {
    if (!take_missed()) return;
    applied_.setZero();
    s_ = missed_s_;
    has_struck_ = true;
}

bool Impact::take_missed() {
    missed_s_.setZero();
    if (reflected_s_.isZero(0.0)) return false;
    touching_.clear();
    tangents_.clear();
    v_next_ = v_met_;
    s_ = 0.5 * reflected_s_;
    record(accelerations_.face(), false);
    std::swap(missed_s_, s_);
    v_reflected_ = v_met_;
    reflected_s_.setZero();
    return true;
}

/// Adds the impulses of touching rows, and those of conditions by the responses to them, to s_.
void Impact::collect(ContinuousFace& face, const Eigen::MatrixXd& mu) {
    const std::vector<int>& conditions = face.constraint_rows();
    for (const Touch& touch : touching_) s_[rows_.row(touch.row)] -= touch.impulse;
    for (Eigen::Index i = 0; i < impulse_.size(); ++i)
        for (std::size_t c = 0; c < conditions.size(); ++c)
            s_[conditions[c]] -= impulse_[i] * mu(at(c), i);
    applied_.setZero();
    for (std::size_t j = 0; j < tangents_.size(); ++j)
        friction_.add_applied(
            tangents_[j].row, tangents_[j].place, impulse_[num_normal() + at(j)], applied_);
}

/// Takes the new velocities, and records what the impulses in s_ do.
void Impact::record(const ContinuousFace& face, bool is_impact) {
    Ledger& ledger = accounting_.ledger;
    const RowSet::StateValues& instant = face.instant();
    const Eigen::VectorXd mean = 0.5 * (state_.v + v_next_);
    // Rows that were only kept from parting belong to the impact of the row that was struck most.
    double others = 0.0;
    const auto strongest = std::ranges::max_element(touching_, {}, &Touch::total);
    const auto is_event = [](const Touch& touch) {
        return touch.is_met && touch.total > 0.0;
    };
    const auto work_of = [&](const Touch& touch) {
        double work = -s_[rows_.row(touch.row)] * rows_.rate(touch.row, mean.data());
        for (std::size_t j = 0; j < tangents_.size(); ++j)
            if (&touch == &touching_[tangents_[j].touch])
                work += impulse_[num_normal() + at(j)] *
                        friction_.rate(tangents_[j].row, tangents_[j].place, mean.data());
        return work;
    };
    for (std::size_t j = 0; j < tangents_.size(); ++j)
        ledger.record_external(-impulse_[num_normal() + at(j)] *
                               friction_.drift(tangents_[j].row, tangents_[j].place));
    for (const Touch& touch : touching_) {
        ledger.record_impact(work_of(touch));
        ledger.record_external(s_[rows_.row(touch.row)] * rows_.explicit_rate(touch.row));
        if (!is_event(touch)) others += work_of(touch) + touch.work;
    }
    for (const Touch& touch : touching_) {
        const bool is_strongest = &touch == &*strongest;
        if (!is_event(touch) && !(is_strongest && others != 0.0)) continue;
        double work = is_strongest ? others : 0.0;
        if (is_event(touch)) work += work_of(touch) + touch.work;
        const double impulse = std::max(touch.total, 0.0);
        const int k = rows_.row(touch.row);
        records_.record({state_.t, k, ImpactRecords::What::impact, impulse, -work});
    }
    for (int k = 0; k < parts_.m; ++k) {
        if (s_[k] == 0.0 || (is_impact && parts_.rows.is_unilateral(k))) continue;
        // What moves a support does work, as in a step; of conditions that are met that is all.
        const double along = parts_.rows.multiply(instant.A.data(), k, mean.data());
        if (!is_impact) ledger.record_projection(-s_[k] * (along + instant.pi_t[k]));
        if (instant.pi_t[k] == 0.0) continue;
        ledger.record_external(is_impact ? -s_[k] * along : s_[k] * instant.pi_t[k]);
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
        for (std::size_t j = 0; j < tangents_.size(); ++j)
            if (friction_.is_external(tangents_[j].row))
                friction_.add(tangents_[j].row,
                              tangents_[j].place,
                              impulse_[num_normal() + at(j)],
                              ground.data());
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

}  // namespace ancora
