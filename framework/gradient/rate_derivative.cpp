// SPDX-License-Identifier: BSD-3-Clause
// The transposed solve of a projection of velocities.
#include "rate_derivative.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "difference_moves.hpp"

namespace ancora {
namespace {

constexpr double kMeets = 1e-9;  // velocities may differ from (1), relative

}  // namespace

RateDerivative::RateDerivative(KernelSystem& system)
    : system_(system),
      data_(system.step_data()),
      n_(data_.parts.n),
      rows_(system.impulse().rows()),
      extent_(data_.state.extent) {
    const RowSet& rows = data_.parts.rows;
    A_.setZero(rows.B.size());
    pi_t_.setZero(data_.parts.m);
    std::vector<SparseDifferences::Object> objects;
    for (const int k : rows_) {
        const std::span<const int> columns = rows.columns(k);
        objects.push_back({{columns.begin(), columns.end()}, {k}});
    }
    differences_.emplace(n_, data_.parts.m, objects);
    if (rows_.empty()) return;
    // As VelocityImpulse has it
    SystemPattern pattern;
    pattern.num_coordinates = n_;
    double sum = 0.0;
    int count = 0;
    for (const MassEntry& entry : data_.parts.mass.entries())
        pattern.mass.emplace_back(entry.i, entry.j);
    for (int i = 0; i < n_; ++i) {
        if (!data_.parts.mass.is_massless(i)) {
            sum += data_.parts.mass.diagonal(i);
            ++count;
            continue;
        }
        const auto known = std::ranges::find(pattern.mass, std::pair(i, i));
        lent_to_.push_back(static_cast<int>(known - pattern.mass.begin()));
        if (known == pattern.mass.end()) pattern.mass.emplace_back(i, i);
    }
    if (count > 0) lent_ = VelocityImpulse::kLentMass * sum / count;
    mass_.assign(pattern.mass.size(), 0.0);
    for (const BodyPart& part : data_.parts.model.bodies)
        pattern.first_of_body.push_back(part.first);
    pattern.row_start.push_back(0);
    for (const int k : rows_) {
        for (const int e : rows.entries(k)) pattern.column.push_back(rows.column_of(e));
        pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
    }
    jacobian_.assign(pattern.column.size(), 0.0);
    places_of_mass_ = pattern.mass;
    solver_ = std::make_unique<ConstrainedSolver>(std::move(pattern));
}

void RateDerivative::evaluate_rates(KernelSystem& system,
                                    const Eigen::VectorXd& q,
                                    Eigen::VectorXd& A,
                                    Eigen::VectorXd& pi_t) const {
    system.parts().rows.evaluate_rates(system.impulse().blocks(),
                                       q.data(),
                                       end_.v.data(),
                                       t_,
                                       A.data(),
                                       pi_t.data(),
                                       SignalSet::Moment::end);
}

void RateDerivative::take(const StepState& end, const Eigen::VectorXd& v) {
    end_ = end;
    t_ = VelocityImpulse::behind(end.t);
    end_.put(system_);
    const RowSet& rows = data_.parts.rows;
    evaluate_rates(system_, end_.q, A_, pi_t_);
    const std::vector<MassEntry>& mass = data_.parts.mass.entries();
    const std::span<const double> values = data_.parts.mass.values();
    for (std::size_t e = 0; e < mass.size(); ++e)
        mass_[e] = values.empty() ? mass[e].value : values[e];
    for (const int entry : lent_to_) mass_[entry] = lent_;
    list_.clear();
    for (std::size_t e = 0; e < mass_.size(); ++e) {
        const auto [i, j] = places_of_mass_[e];
        list_.emplace_back(i, j, mass_[e]);
        if (i != j) list_.emplace_back(j, i, mass_[e]);
    }
    M_.fill(n_, n_, list_);
    list_.clear();
    std::size_t at = 0;
    for (std::size_t c = 0; c < rows_.size(); ++c)
        for (const int e : rows.entries(rows_[c])) {
            jacobian_[at++] = A_[e];
            list_.emplace_back(static_cast<int>(c), rows.column_of(e), A_[e]);
        }
    J_.fill(static_cast<int>(rows_.size()), n_, list_);
    if (has_chosen_ && meet(end, v, RankUse::keep)) return;
    has_chosen_ = true;
    if (!meet(end, v, RankUse::choose))
        throw AdjointObstacle{fmt::format(
            "t = {:.6g} s: velocities change by more than what prescribed rates do", end.t)};
}

/// (1) as it was; whether it was.
bool RateDerivative::meet(const StepState& end, const Eigen::VectorXd& v, RankUse use) {
    if (solver_->factorise(mass_, jacobian_, true, use) != SolverStatus::good) return false;
    Eigen::VectorXd rates = *J_ * v;
    for (std::size_t c = 0; c < rows_.size(); ++c)
        rates[static_cast<Eigen::Index>(c)] += pi_t_[rows_[c]];
    if (!solve(Eigen::VectorXd::Zero(n_), -rates)) return false;
    dv_ = solve_.x;
    mu_ = solve_.lambda;
    v1_ = v + dv_;  // before velocities without mass are reset
    double off = 0.0, size = 0.0;
    for (int i = 0; i < n_; ++i) {
        if (data_.parts.mass.is_massless(i)) continue;
        off = std::max(off, std::abs(v1_[i] - end.v[i]));
        size = std::max({size, std::abs(v[i]), std::abs(end.v[i])});
    }
    return off <= kMeets * size;
}

/// M x = f + A^T lambda, A x = r, with x to rounding.
bool RateDerivative::solve(const Eigen::VectorXd& f, const Eigen::VectorXd& r) {
    return solve_.solve(*solver_, n_, r.size(), [&](Eigen::VectorXd& of_f, Eigen::VectorXd& of_r) {
        of_f = f + (*J_).transpose() * solve_.lambda - *M_ * solve_.x;
        of_r = r - *J_ * solve_.x;
    });
}

/// mu_c (A w)_c - n_c (A v1 + pi_t)_c
void RateDerivative::evaluate_terms(const RowSet& rows,
                                    const Eigen::VectorXd& A,
                                    const Eigen::VectorXd& pi_t,
                                    Eigen::VectorXd& out) const {
    for (std::size_t c = 0; c < rows_.size(); ++c) {
        const int k = rows_[c];
        const auto at = static_cast<Eigen::Index>(c);
        out[k] = mu_[at] * rows.multiply(A.data(), k, w_.data()) -
                 nu_[at] * (rows.multiply(A.data(), k, v1_.data()) + pi_t[k]);
    }
}

void RateDerivative::pull_back(Costate& of) {
    if (!solve(of.v, Eigen::VectorXd::Zero(static_cast<Eigen::Index>(rows_.size()))))
        throw AdjointObstacle{fmt::format("t = {:.6g} s: prescribed rates cannot be met", end_.t)};
    w_ = solve_.x;
    nu_ = -solve_.lambda;
    of.v.noalias() = *M_ * w_;
    q_ = end_.q;
    Eigen::VectorXd A = A_, pi_t = pi_t_;
    differences_->differentiate(
        [&](Eigen::VectorXd& out) {
            evaluate_rates(system_, q_, A, pi_t);
            evaluate_terms(data_.parts.rows, A, pi_t, out);
        },
        q_,
        [&](int i) {
            return move_of_place(end_.q[i], extent_);
        },
        [&](int, int j, double value) {
            of.q[j] += value;
        });
}

void RateDerivative::evaluate(KernelSystem& neighbour,
                              Eigen::VectorXd& of_coordinates,
                              Eigen::VectorXd& of_rows) const {
    const Assembly& parts = neighbour.parts();
    // A neighbour's rows may see coordinates that ours see with a weight of zero.
    Eigen::VectorXd A = Eigen::VectorXd::Zero(parts.rows.B.size()), pi_t = pi_t_;
    end_.put(neighbour);
    evaluate_rates(neighbour, end_.q, A, pi_t);
    of_coordinates.resize(n_);
    parts.mass.multiply(dv_.data(), of_coordinates.data());
    of_coordinates = -of_coordinates.cwiseProduct(w_);
    of_rows.setZero(parts.m);
    evaluate_terms(parts.rows, A, pi_t, of_rows);
}

}  // namespace ancora
