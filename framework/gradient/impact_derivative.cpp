// SPDX-License-Identifier: BSD-3-Clause
// The linear system of an impact, transposed at the rows that it has found to hold.
#include "impact_derivative.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "difference_moves.hpp"

namespace ancora {
namespace {

constexpr double kAsImpact = 1e-9;       // velocities may differ from (1), relative
constexpr double kSameVelocity = 1e-13;  // of velocities, and of the terms of a rate
constexpr double kReach = 1e-9;          // of the model's size

}  // namespace

const char* ImpactDerivative::obstacle(KernelSystem& system) {
    const Assembly& parts = system.parts();
    const std::vector<int>& rows = parts.rows.unilateral();
    if (rows.empty()) return nullptr;
    for (const int k : rows)
        if (parts.rows.laws[k].prestress > 0.0) return "it has latches";
    if (system.projected() != nullptr)
        return "it has contacts or stops, and velocities are projected";
    if (!system.impulse().rows().empty())
        return "it has contacts or stops, and motion is prescribed";
    for (int i = 0; i < parts.n; ++i)
        if (parts.mass.is_massless(i))
            return "it has contacts or stops, and coordinates without mass";
    if (!parts.mass.is_constant()) return "it has contacts or stops, and mass that changes";
    return nullptr;
}

ImpactDerivative::ImpactDerivative(KernelSystem& system)
    : system_(system), data_(system.step_data()), n_(data_.parts.n) {
    const RowSet& rows = data_.parts.rows;
    A_.setZero(rows.B.size());
    pi_t_.setZero(data_.parts.m);
    SystemPattern pattern;
    pattern.num_coordinates = n_;
    const std::vector<MassEntry>& mass = data_.parts.mass.entries();
    const std::span<const double> values = data_.parts.mass.values();
    Triplets list;
    for (std::size_t e = 0; e < mass.size(); ++e) {
        const auto [i, j, given] = mass[e];
        pattern.mass.emplace_back(i, j);
        mass_.push_back(values.empty() ? given : values[e]);
        list.emplace_back(i, j, mass_.back());
        if (i != j) list.emplace_back(j, i, mass_.back());
    }
    M_.fill(n_, n_, list);
    for (const BodyPart& part : data_.parts.model.bodies)
        pattern.first_of_body.push_back(part.first);
    pattern.row_start.push_back(0);
    std::vector<SparseDifferences::Object> objects;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        const std::size_t before = rows_.size();
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!data_.parts.laws.has_rate(k) && !rows.is_unilateral(k)) continue;
            rows_.push_back(k);
            const std::span<const int> columns = rows.columns(k);
            pattern.column.insert(pattern.column.end(), columns.begin(), columns.end());
            pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
            objects.push_back({coordinates_of_row(data_.parts, part, k), {k}});
        }
        if (rows_.size() > before) blocks_.push_back(static_cast<int>(b));
    }
    differences_.emplace(n_, data_.parts.m, objects);
    const auto m = static_cast<Eigen::Index>(rows_.size());
    for (Phase* const phase : {&before_, &behind_}) {
        phase->solver = std::make_unique<ConstrainedSolver>(pattern);
        phase->jacobian.assign(pattern.column.size(), 0.0);
        phase->holds.assign(rows_.size(), 0);
        for (Eigen::VectorXd* x : {&phase->restitution, &phase->multipliers, &phase->of_rates})
            x->setZero(m);
        for (Eigen::VectorXd* x : {&phase->change, &phase->velocity}) x->setZero(n_);
    }
}

void ImpactDerivative::evaluate_rates(KernelSystem& system,
                                      const Eigen::VectorXd& q,
                                      double t,
                                      Eigen::VectorXd& A,
                                      Eigen::VectorXd& pi_t) const {
    system.parts().rows.evaluate_rates(
        blocks_, q.data(), at_.v.data(), t, A.data(), pi_t.data(), SignalSet::Moment::now);
}

double ImpactDerivative::rate(std::size_t c, const Eigen::VectorXd& v) const {
    return data_.parts.rows.multiply_onto(pi_t_[rows_[c]], A_.data(), rows_[c], v.data());
}

double ImpactDerivative::rounding_of_rate(std::size_t c, const Eigen::VectorXd& v) const {
    const RowSet& rows = data_.parts.rows;
    double out = std::abs(pi_t_[rows_[c]]);
    for (const int e : rows.entries(rows_[c])) out += std::abs(A_[e] * v[rows.column_of(e)]);
    return kAsImpact * out;
}

void ImpactDerivative::factorise(Phase& phase) {
    const RowSet& rows = data_.parts.rows;
    std::size_t at = 0;
    for (std::size_t c = 0; c < rows_.size(); ++c)
        for (const int e : rows.entries(rows_[c]))
            phase.jacobian[at++] = phase.holds[c] != 0 ? A_[e] : 0.0;
    phase.solver->factorise(mass_, phase.jacobian, true, RankUse::decide);
}

/// M x = f + A^T lambda, A x = r of the rows that hold, with x to rounding.
bool ImpactDerivative::solve(Phase& phase, const Eigen::VectorXd& f, const Eigen::VectorXd& r) {
    const RowSet& rows = data_.parts.rows;
    const auto m = static_cast<Eigen::Index>(rows_.size());
    return solve_.solve(*phase.solver, n_, m, [&](Eigen::VectorXd& of_f, Eigen::VectorXd& of_r) {
        of_f = f - *M_ * solve_.x;
        of_r = r;
        for (Eigen::Index c = 0; c < m; ++c) {
            const auto at = static_cast<std::size_t>(c);
            if (phase.holds[at] == 0) {
                of_r[c] = solve_.lambda[c] = 0.0;
                continue;
            }
            rows.add_transposed(A_.data(), rows_[at], solve_.lambda[c], of_f.data());
            of_r[c] -= rows.multiply(A_.data(), rows_[at], solve_.x.data());
        }
    });
}

/// w of (1), by the conditions before the event.
void ImpactDerivative::meet_conditions(const Eigen::VectorXd& v) {
    const auto m = static_cast<Eigen::Index>(rows_.size());
    Eigen::VectorXd missed = Eigen::VectorXd::Zero(m);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        before_.holds[c] = data_.parts.laws.has_rate(rows_[c]) ? 1 : 0;
        if (before_.holds[c] != 0) missed[static_cast<Eigen::Index>(c)] = -rate(c, v);
    }
    factorise(before_);
    if (!solve(before_, Eigen::VectorXd::Zero(n_), missed))
        throw AdjointObstacle{fmt::format("t = {:.6g} s: conditions cannot be met there", at_.t)};
    before_.change = solve_.x;
    before_.multipliers = solve_.lambda;
    w_ = v + solve_.x;
}

/// Whether v1 follows from w by (1), with the rows that then part or stay as they do.
bool ImpactDerivative::strike(const Eigen::VectorXd& v1, double turned) {
    const RowSet& rows = data_.parts.rows;
    const Eigen::VectorXd y = v1 - turned * before_.change;
    Eigen::VectorXd r = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows_.size()));
    int num_struck = 0;
    const double reach = kReach * std::min(1.0, data_.state.extent);
    const std::vector<int>& unilateral = rows.unilateral();
    Eigen::VectorXd gaps = Eigen::VectorXd::Zero(data_.parts.m);
    evaluate_gaps(gaps);
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const int k = rows_[c];
        const auto at = static_cast<Eigen::Index>(c);
        behind_.restitution[at] = 0.0;
        behind_.holds[c] = before_.holds[c];
        if (!std::ranges::binary_search(unilateral, k)) {
            r[at] = -rate(c, w_);
            continue;
        }
        const double at_w = rate(c, w_), at_y = rate(c, y);
        const double rounding = rounding_of_rate(c, w_) + rounding_of_rate(c, y);
        const bool is_closed = before_.holds[c] != 0;
        const double e = rows.laws[k].restitution;
        behind_.holds[c] = 0;
        if (!is_closed && !(gaps[k] <= reach)) continue;
        const bool approaches = !is_closed && at_w < -rounding;
        if (std::abs(at_y) <= rounding)
            behind_.holds[c] = 1;
        else if (approaches && std::abs(at_y + e * at_w) <= rounding) {
            behind_.holds[c] = 1;
            behind_.restitution[at] = e;
        }
        if (approaches) ++num_struck;
        r[at] = -(1.0 + behind_.restitution[at]) * at_w;
    }
    if (num_struck > 1)
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: several rows meet at once, in an order that may change", at_.t)};
    factorise(behind_);
    if (!solve(behind_, Eigen::VectorXd::Zero(n_), r)) return false;
    behind_.change = solve_.x;
    behind_.multipliers = solve_.lambda;
    y_ = w_ + solve_.x;
    const double size = std::max(largest_entry(v_), largest_entry(v1));
    return largest_entry(y_ - y) <= kAsImpact * size;
}

bool ImpactDerivative::meets_at(const StepState& state) {
    at_ = state;
    at_.put(system_);
    const RowSet& rows = data_.parts.rows;
    Eigen::VectorXd gaps = Eigen::VectorXd::Zero(data_.parts.m);
    evaluate_gaps(gaps);
    const double reach = kReach * std::min(1.0, data_.state.extent);
    const auto touches = [&](int k) {
        return gaps[k] <= reach && !std::ranges::binary_search(at_.closed, k);
    };
    if (std::ranges::none_of(rows.unilateral(), touches)) return false;
    evaluate_rates(system_, at_.q, at_.t, A_, pi_t_);
    for (std::size_t c = 0; c < rows_.size(); ++c)
        if (rows.is_unilateral(rows_[c]) && touches(rows_[c]) &&
            rate(c, at_.v) < -rounding_of_rate(c, at_.v))
            return true;
    return false;
}

void ImpactDerivative::take(const PassedEvent& event) {
    at_ = event.before;
    at_.put(system_);
    const RowSet& rows = data_.parts.rows;
    if (event.row < 0)
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: several rows meet at once, in an order that may change", at_.t)};
    row_ = event.row;
    block_ = 0;
    while (row_ >= rows.blocks[block_].first_row + rows.blocks[block_].num_rows) ++block_;
    if (std::ranges::binary_search(at_.closed, row_))
        throw AdjointObstacle{fmt::format("t = {:.6g} s: {} lets go", at_.t, rows.row_name(row_))};
    evaluate_rates(system_, at_.q, at_.t, A_, pi_t_);
    v_ = at_.v + at_.v_low;
    const Eigen::VectorXd v1 = event.behind.v + event.behind.v_low;
    gap_.q.setZero(n_);
    gap_.v.setZero(n_);
    gap_.pi.setZero(data_.parts.m);
    rows.add_transposed(A_.data(), row_, 1.0, gap_.q.data());
    const auto gap_at = [&](double t) {
        return gap_of(system_, t);
    };
    gap_.t = slope_by_time(gap_at, at_.t);
    const double size = std::max(largest_entry(v_), largest_entry(v1));
    has_changed_ = largest_entry(v1 - v_) > kSameVelocity * size;
    meet_conditions(v_);
    if (!has_changed_) return;
    for (const double turned : {0.0, 1.0})
        if (strike(v1, turned)) {
            turned_ = turned;
            return;
        }
    throw AdjointObstacle{
        fmt::format("t = {:.6g} s: an impact of {} that is not one of single rows without friction",
                    at_.t,
                    rows.row_name(row_))};
}

double ImpactDerivative::gap_of(KernelSystem& system, double t) const {
    RowSet& rows = system.parts().rows;
    const BlockPart& part = rows.blocks[block_];
    std::vector<double> pi(static_cast<std::size_t>(part.num_rows)), pi_t = pi;
    std::vector<double> A(static_cast<std::size_t>(part.num_values));
    rows.evaluate_course(part, at_.q.data(), t, pi.data(), A.data(), pi_t.data());
    return pi[static_cast<std::size_t>(row_ - part.first_row)];
}

void ImpactDerivative::evaluate_gaps(Eigen::VectorXd& gaps) const {
    RowSet& rows = data_.parts.rows;
    std::vector<double> A, pi_t;
    for (const int b : blocks_) {
        const BlockPart& part = rows.blocks[b];
        if (!rows.is_unilateral(part.first_row)) continue;
        A.resize(static_cast<std::size_t>(part.num_values));
        pi_t.resize(static_cast<std::size_t>(part.num_rows));
        rows.evaluate_course(
            part, at_.q.data(), at_.t, gaps.data() + part.first_row, A.data(), pi_t.data());
    }
}

/// (3) of each row, but for what M is in it.
void ImpactDerivative::add_terms(const RowSet& rows,
                                 const Eigen::VectorXd& A,
                                 const Eigen::VectorXd& pi_t,
                                 Eigen::VectorXd& out) const {
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const int k = rows_[c];
        const auto at = static_cast<Eigen::Index>(c);
        const auto along = [&](const Eigen::VectorXd& x) {
            return rows.multiply(A.data(), k, x.data());
        };
        out[k] = 0.0;
        const double at_w = along(w_) + pi_t[k];
        if (behind_.holds[c] != 0) {
            const double e = behind_.restitution[at] != 0.0 ? rows.laws[k].restitution : 0.0;
            out[k] += behind_.multipliers[at] * along(behind_.velocity) -
                      behind_.of_rates[at] * (along(y_) + pi_t[k] + e * at_w);
        }
        if (before_.holds[c] != 0)
            out[k] +=
                before_.multipliers[at] * along(before_.velocity) - before_.of_rates[at] * at_w;
    }
}

void ImpactDerivative::pull_back(Costate& of) {
    // Rows that close begin with gaps that are zero.
    for (const int k : data_.parts.rows.unilateral()) of.pi[k] = 0.0;
    if (!has_changed_) return;
    at_.put(system_);
    const RowSet& rows = data_.parts.rows;
    const Eigen::VectorXd none = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows_.size()));
    const auto transposed = [&](Phase& phase, const Eigen::VectorXd& by) {
        if (!solve(phase, by, none))
            throw AdjointObstacle{fmt::format("t = {:.6g} s: the impact cannot be solved", at_.t)};
        phase.velocity = solve_.x;
        phase.of_rates = -solve_.lambda;
        return Eigen::VectorXd(*M_ * solve_.x);
    };
    const Eigen::VectorXd turned = turned_ * of.v;
    Eigen::VectorXd by_w = transposed(behind_, of.v) + turned;
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const auto at = static_cast<Eigen::Index>(c);
        rows.add_transposed(
            A_.data(), rows_[c], -behind_.restitution[at] * behind_.of_rates[at], by_w.data());
    }
    of.v = transposed(before_, by_w) - turned;
    q_ = at_.q;
    Eigen::VectorXd A = A_, pi_t = pi_t_, out = Eigen::VectorXd::Zero(data_.parts.m);
    differences_->differentiate(
        [&](Eigen::VectorXd& to) {
            evaluate_rates(system_, q_, at_.t, A, pi_t);
            add_terms(data_.parts.rows, A, pi_t, to);
        },
        q_,
        [&](int i) {
            return move_of_place(at_.q[i], data_.state.extent);
        },
        [&](int, int j, double value) {
            of.q[j] += value;
        });
    const auto sum_at = [&](double t) {
        evaluate_rates(system_, at_.q, t, A, pi_t);
        add_terms(data_.parts.rows, A, pi_t, out);
        double sum = 0.0;
        for (const int k : rows_) sum += out[k];
        return sum;
    };
    of.t += slope_by_time(sum_at, at_.t);
}

void ImpactDerivative::evaluate(KernelSystem& neighbour,
                                Eigen::VectorXd& of_coordinates,
                                Eigen::VectorXd& of_rows) const {
    const Assembly& parts = neighbour.parts();
    of_rows.setZero(parts.m);
    of_coordinates.setZero(n_);
    if (!has_changed_) return;
    // A neighbour's rows may see coordinates that ours see with a weight of zero.
    Eigen::VectorXd A = Eigen::VectorXd::Zero(parts.rows.B.size()), pi_t = pi_t_, Mx(n_);
    at_.put(neighbour);
    evaluate_rates(neighbour, at_.q, at_.t, A, pi_t);
    add_terms(parts.rows, A, pi_t, of_rows);
    for (const Phase* const phase : {&behind_, &before_}) {
        parts.mass.multiply(phase->change.data(), Mx.data());
        of_coordinates -= phase->velocity.cwiseProduct(Mx);
    }
}

void ImpactDerivative::evaluate_gap(KernelSystem& neighbour,
                                    double factor,
                                    Eigen::VectorXd& of_rows) const {
    at_.put(neighbour);
    of_rows.setZero(neighbour.parts().m);
    of_rows[row_] = factor * gap_of(neighbour, at_.t);
}

}  // namespace ancora
