// SPDX-License-Identifier: BSD-3-Clause
// Krylov's iteration with factors of a step nearby.
#include "step_solve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "step_derivative.hpp"

namespace ancora {
namespace {

// Corrections of a solve, each of the residual of the one before, and the part that one leaves.
constexpr int kMostCorrections = 6;
constexpr double kCorrection = 1e-7;
constexpr double kEnough = 1e-14;

}  // namespace

const FilledMatrix::Sparse& FilledMatrix::fill(int rows, int columns, const Triplets& list) {
    const bool is_as_before = matrix_.rows() == rows && matrix_.cols() == columns &&
                              list.size() == at_.size() &&
                              std::ranges::equal(list, at_, [](const auto& entry, const auto& at) {
                                  return entry.row() == at.first && entry.col() == at.second;
                              });
    if (is_as_before) {
        double* const values = matrix_.valuePtr();
        std::fill_n(values, matrix_.nonZeros(), 0.0);
        for (std::size_t e = 0; e < list.size(); ++e) values[place_[e]] += list[e].value();
        return matrix_;
    }
    matrix_.resize(rows, columns);
    matrix_.setFromTriplets(list.begin(), list.end());
    at_.clear();
    place_.clear();
    for (const auto& entry : list) {
        at_.emplace_back(entry.row(), entry.col());
        const int* const inner = matrix_.innerIndexPtr();
        const int* const begin = inner + matrix_.outerIndexPtr()[entry.col()];
        const int* const end = inner + matrix_.outerIndexPtr()[entry.col() + 1];
        place_.push_back(static_cast<int>(std::lower_bound(begin, end, entry.row()) - inner));
    }
    return matrix_;
}

StepSolve::StepSolve(KernelSystem& system)
    : system_(system), data_(system.step_data()), n_(data_.parts.n), m_(data_.parts.m) {
    motion_.setZero(n_);
    rows_.setZero(system.num_rows());
}

void StepSolve::begin(const AcceptedStep& step) {
    weigh_factors();
    // The system forgets its matrix where other rows are closed.
    if (step_ == nullptr || step.before.closed != closed_) factors_ = Factors::none;
    closed_ = step.before.closed;
    step.before.put(system_);
    if (factors_ == Factors::symmetric &&
        !system_.step_equations()->is_factorised_for(factors_length_))
        factors_ = Factors::none;
}

void StepSolve::take(const AcceptedStep& step, const Triplets& list, double scale) {
    const auto size = static_cast<int>(n_ + rows_.size());
    KT_.fill(size, size, list);
    scale_ = scale;
    step_ = &step;
    is_fresh_ = false;
}

/// The symmetric matrix of the step's iteration, which is about K^T where rows have linear laws;
/// else, or where that does not serve, K^T itself.
bool StepSolve::factorise() {
    const bool may_be_symmetric = !data_.parts.laws.has_nonlinear() && rows_.size() == m_ &&
                                  !(is_fresh_ && factors_ == Factors::symmetric);
    is_fresh_ = true;
    if (may_be_symmetric) {
        step_->before.put(system_);
        system_.step_equations()->evaluate(
            {step_->before.t, step_->h, view(step_->a), view(step_->s)},
            {motion_.data(), static_cast<std::size_t>(n_)},
            {rows_.data(), static_cast<std::size_t>(rows_.size())});
        factors_ = Factors::symmetric;
        factors_length_ = step_->h;
        if (system_.step_equations()->factorise(
                {step_->before.t, step_->h, view(step_->a), view(step_->s)}, Tangent::symmetric))
            return true;
    }
    const bool is_good = is_transposed_ ? lu_.compute(*KT_) : lu_.compute((*KT_).transpose());
    factors_ = is_good ? Factors::exact : Factors::none;
    return factors_ == Factors::exact;
}

/// Factors serve from step to step until the products that they cost more than new ones are worth
/// half of a factorisation, as FactorReuse has it.
void StepSolve::weigh_factors() {
    constexpr double kExactCostsMore = 8.0;  // in an order of its own, with pivots
    const double last = std::exchange(products_, 0.0);
    if (factors_ == Factors::none || last == 0.0) return;
    if (is_fresh_) {
        products_when_fresh_ = last;
        wasted_ = 0.0;
        return;
    }
    // An iteration there has two solves and two residuals.
    const SolverCost cost = system_.step_equations()->cost();
    const double worth = cost.factorise * (factors_ == Factors::exact ? kExactCostsMore : 1.0);
    wasted_ += std::max(0.0, last - products_when_fresh_) * 0.5 * cost.iterate;
    if (wasted_ > 0.5 * worth) factors_ = Factors::none;
}

/// x is about K^-T b.
bool StepSolve::precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (factors_ == Factors::exact) {
        lu_.solve(b, x);
        return x.allFinite();
    }
    // In the equations' own units
    const auto n = static_cast<std::size_t>(n_);
    const auto m = static_cast<std::size_t>(m_);
    scaled_ = b;
    scaled_.tail(m_) *= scale_;
    x.resize(n_ + m_);
    system_.step_rows().matrix.solve(
        {scaled_.data(), n}, {scaled_.data() + n_, m}, {x.data(), n}, {x.data() + n_, m});
    x.head(n_) /= scale_;
    return x.allFinite();
}

/// K^-T b to rounding: the factors of an earlier step serve as long as they lead there.
bool StepSolve::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    if (factors_ != Factors::none && solve_by(b, x)) return true;
    for (int tries = 0; tries < 2; ++tries) {
        if (is_fresh_ && factors_ == Factors::exact) return false;
        if (!factorise()) return false;
        if (solve_by(b, x)) return true;
    }
    return false;
}

void StepSolve::multiply(const Eigen::VectorXd& x, Eigen::VectorXd& to) const {
    if (is_transposed_)
        to.noalias() = *KT_ * x;
    else
        to.noalias() = (*KT_).transpose() * x;
}

bool StepSolve::solve_by(const Eigen::VectorXd& b, Eigen::VectorXd& x) {
    x.setZero(b.size());
    left_ = b;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostCorrections; ++k) {
        const double left = krylov_.solve(
            [this](const Eigen::VectorXd& z, Eigen::VectorXd& w) {
                multiply(z, w);
            },
            [this](const Eigen::VectorXd& v, Eigen::VectorXd& z) {
                return precondition(v, z);
            },
            left_,
            kCorrection,
            more_);
        products_ += krylov_.num_products;
        if (!(left >= 0.0) || (left > kCorrection && (!is_fresh_ || k == 0))) return false;
        const double change = largest_entry(more_);
        if (!std::isfinite(change)) return false;
        if (!(change < 0.5 * last)) return is_rounding(b, x);
        x += more_;
        if (left * change <= kEnough * largest_entry(x)) return true;
        last = change;
        multiply(x, left_);
        left_ = b - left_;
    }
    return is_rounding(b, x);
}

/// Whether the residual left_ is rounding of its terms, which says that no factors do better.
bool StepSolve::is_rounding(const Eigen::VectorXd& b, const Eigen::VectorXd& x) {
    if (factors_ == Factors::exact) return true;
    scaled_ = b.cwiseAbs();
    const Sparse& KT = *KT_;
    for (int j = 0; j < KT.outerSize(); ++j)
        for (Sparse::InnerIterator it(KT, j); it; ++it) {
            const auto to = is_transposed_ ? it.row() : it.col();
            const auto from = is_transposed_ ? it.col() : it.row();
            scaled_[to] += std::abs(it.value() * x[from]);
        }
    return (left_.array().abs() <= kRoundingOfSum * scaled_.array()).all();
}

}  // namespace ancora
