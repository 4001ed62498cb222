// SPDX-License-Identifier: BSD-3-Clause
// The conditions that velocities are brought to, and the solve with their matrix.
#include "velocity_correction.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "difference_moves.hpp"

namespace ancora {
namespace {

constexpr double kAsCorrection = 1e-9;  // velocities may differ from (1), relative
constexpr double kLeftOfRates = 1e-12;  // and what iterations leave of them, of extent / h
constexpr int kSolvesOfCorrection = 2;  // of a solve

}  // namespace

VelocityCorrection::VelocityCorrection(KernelSystem& system)
    : system_(system),
      data_(system.step_data()),
      n_(data_.parts.n),
      m_(data_.parts.m),
      all_(system.num_rows()) {
    const RowSet& rows = data_.parts.rows;
    std::vector<SparseDifferences::Object> of_rates, of_places;
    for (std::size_t b = 0; b < rows.blocks.size(); ++b) {
        const BlockPart& part = rows.blocks[b];
        bool has_rate = false;
        for (int k = part.first_row; k < part.first_row + part.num_rows; ++k) {
            if (!data_.parts.laws.has_rate(k) && !rows.is_unilateral(k)) continue;
            has_rate = true;
            const std::span<const int> columns = rows.columns(k);
            of_rates.push_back({{columns.begin(), columns.end()}, {k}});
            of_places.push_back({coordinates_of_row(data_.parts, part, k), {k}});
        }
        if (has_rate) blocks_.push_back(static_cast<int>(b));
    }
    system.step_parts().for_each([&](const StepPart& part) {
        for (const StepPart::Reach& reach : part.reaches()) {
            of_rates.push_back({reach.acted_on, reach.own});
            of_places.push_back({reach.acted_on, reach.own});
        }
    });
    entries_.emplace(n_, all_, of_rates);
    of_places_.emplace(n_, all_, of_places);
    holds_.assign(static_cast<std::size_t>(all_), 0);
}

/// J v + j_t of rows with rates, and of what sticks.
void VelocityCorrection::evaluate_rates(KernelSystem& system,
                                        const Eigen::VectorXd& q,
                                        double t,
                                        const Eigen::VectorXd& v,
                                        Eigen::VectorXd& rates) const {
    RowSet& rows = system.parts().rows;
    rates.setZero(all_);
    Eigen::VectorXd A = Eigen::VectorXd::Zero(rows.B.size()), pi_t = Eigen::VectorXd::Zero(m_);
    rows.evaluate_rates(
        blocks_, q.data(), v.data(), t, A.data(), pi_t.data(), SignalSet::Moment::now);
    for (int k = 0; k < m_; ++k)
        if (holds_[static_cast<std::size_t>(k)] != 0)
            rates[k] = rows.multiply_onto(pi_t[k], A.data(), k, v.data());
    system.step_parts().for_each([&](StepPart& part) {
        part.evaluate_rates(
            q.data(),
            v.data(),
            t,
            {rates.data() + part.first_row(), static_cast<std::size_t>(part.num_rows())});
    });
    for (int k = m_; k < all_; ++k)
        if (holds_[static_cast<std::size_t>(k)] == 0) rates[k] = 0.0;
}

/// [M J^T; J 0] (x, y) = (f, r)
bool VelocityCorrection::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& r) {
    Eigen::VectorXd b(n_ + all_), left, more;
    b << f, r;
    left = b;
    solution_.setZero(n_ + all_);
    for (int turn = 0; turn <= kSolvesOfCorrection; ++turn) {
        lu_.solve(left, more);
        if (!more.allFinite()) return false;
        solution_ += more;
        left = b - *KKT_ * solution_;
    }
    return true;
}

/// Whether v1 follows from v by (1).
bool VelocityCorrection::meets(const Eigen::VectorXd& v,
                               const Eigen::VectorXd& v1,
                               double h,
                               bool with_modes) {
    const RowLaws& laws = data_.parts.laws;
    std::vector<char> sticks(static_cast<std::size_t>(all_), 0);
    for (int k = 0; k < m_; ++k) holds_[static_cast<std::size_t>(k)] = laws.has_rate(k) ? 1 : 0;
    for (int k = m_; k < all_; ++k) holds_[static_cast<std::size_t>(k)] = with_modes ? 1 : 0;
    Triplets list;
    Assembly& parts = data_.parts;
    const std::vector<MassEntry>& mass = parts.mass.entries();
    for (const MassEntry& entry : mass) {
        list.emplace_back(entry.i, entry.j, entry.value);
        if (entry.i != entry.j) list.emplace_back(entry.j, entry.i, entry.value);
    }
    M_.fill(n_, n_, list);
    // Rates are linear in velocities.
    Eigen::VectorXd trial = v;
    entries_->differentiate(
        [&](Eigen::VectorXd& out) {
            evaluate_rates(system_, at_.q, at_.t, trial, out);
        },
        trial,
        [](int) {
            return 1.0;
        },
        [&](int k, int i, double value) {
            if (value != 0.0) sticks[static_cast<std::size_t>(k)] = 1;
            list.emplace_back(n_ + k, i, value);
            list.emplace_back(i, n_ + k, value);
        });
    for (int k = 0; k < all_; ++k) {
        char& holds = holds_[static_cast<std::size_t>(k)];
        if (sticks[static_cast<std::size_t>(k)] == 0) holds = 0;
        // What does not hold has no impulse.
        list.emplace_back(n_ + k, n_ + k, holds != 0 ? 0.0 : 1.0);
    }
    KKT_.fill(n_ + all_, n_ + all_, list);
    if (!lu_.compute(*KKT_)) return false;
    Eigen::VectorXd missed;
    evaluate_rates(system_, at_.q, at_.t, v, missed);
    if (!solve(Eigen::VectorXd::Zero(n_), -missed)) return false;
    change_ = solution_.head(n_);
    l_ = -solution_.tail(all_);
    y_ = v + change_;
    return largest_entry(y_ - v1) <= kAsCorrection * std::max(largest_entry(v), largest_entry(v1)) +
                                         kLeftOfRates * data_.state.extent / h;
}

void VelocityCorrection::take(const StepState& before,
                              const StepState& behind,
                              double h,
                              int stopped) {
    const Assembly& parts = data_.parts;
    if (!parts.mass.is_constant())
        throw AdjointObstacle{"it has dry friction, and mass that changes"};
    for (int i = 0; i < n_; ++i)
        if (parts.mass.is_massless(i))
            throw AdjointObstacle{"it has dry friction, and coordinates without mass"};
    at_ = behind;
    if (stopped >= 0) at_.let_stick(system_, stopped);
    at_.put(system_);
    const Eigen::VectorXd v = before.v + before.v_low, v1 = behind.v + behind.v_low;
    for (const bool with_modes : {true, false})
        if (meets(v, v1, h, with_modes)) return;
    throw AdjointObstacle{fmt::format(
        "t = {:.6g} s: velocities change by more than what friction's modes ask for", at_.t)};
}

/// (3) of each row, but for what M is in it.
void VelocityCorrection::evaluate_terms(KernelSystem& system,
                                        const Eigen::VectorXd& q,
                                        double t,
                                        Eigen::VectorXd& out) const {
    Eigen::VectorXd at_zero, at_y;
    evaluate_rates(system, q, t, x_, out);
    evaluate_rates(system, q, t, Eigen::VectorXd::Zero(n_), at_zero);
    evaluate_rates(system, q, t, y_, at_y);
    out = l_.cwiseProduct(out - at_zero) - n_of_.cwiseProduct(at_y);
}

void VelocityCorrection::pull_back(Costate& of) {
    at_.put(system_);
    if (!solve(of.v, Eigen::VectorXd::Zero(all_)))
        throw AdjointObstacle{fmt::format("t = {:.6g} s: friction's modes cannot be met", at_.t)};
    x_ = solution_.head(n_);
    n_of_ = solution_.tail(all_);
    of.v.noalias() = *M_ * x_;
    Eigen::VectorXd q = at_.q, out;
    of_places_->differentiate(
        [&](Eigen::VectorXd& to) {
            evaluate_terms(system_, q, at_.t, to);
        },
        q,
        [&](int i) {
            return move_of_place(at_.q[i], data_.state.extent);
        },
        [&](int, int j, double value) {
            of.q[j] += value;
        });
    const auto sum_at = [&](double t) {
        evaluate_terms(system_, at_.q, t, out);
        return out.sum();
    };
    of.t += slope_by_time(sum_at, at_.t);
}

void VelocityCorrection::evaluate(KernelSystem& neighbour,
                                  Eigen::VectorXd& of_coordinates,
                                  Eigen::VectorXd& of_rows) const {
    at_.put(neighbour);
    of_coordinates.resize(n_);
    neighbour.parts().mass.multiply(change_.data(), of_coordinates.data());
    of_coordinates = -of_coordinates.cwiseProduct(x_);
    evaluate_terms(neighbour, at_.q, at_.t, of_rows);
}

}  // namespace ancora
