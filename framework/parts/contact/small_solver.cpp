// SPDX-License-Identifier: BSD-3-Clause
// Elimination with complete pivoting.
#include "small_solver.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <Eigen/Core>

namespace ancora {
namespace {

// A pivot below this, relative to the first, is an undetermined direction of the contacts.
constexpr double kOpen = 1e-14;
// Each takes the effect of the regularisation out of the independent directions by its size.
constexpr int kPasses = 5;

}  // namespace

void SmallSolver::resize(int n) {
    n_ = n;
    const auto size = static_cast<std::size_t>(n);
    W_.assign(size * size, 0.0);
    LU_ = W_;
    r_.assign(size, 0.0);
    x_ = rest_ = work_ = r_;
    weight_.assign(size, 0.0);
    row_place_.assign(size, 0);
    column_place_ = row_place_;
}

void SmallSolver::clear() {
    std::fill(W_.begin(), W_.end(), 0.0);
    std::fill(r_.begin(), r_.end(), 0.0);
    std::fill(weight_.begin(), weight_.end(), 0.0);
}

/// L U with complete pivoting of W and the regularisation; the sign of its determinant.
int SmallSolver::factorise() {
    // LU = W + diag(share weight_k max |W_kk|), the maximum over shared rows. The other rows are
    // not regularised: a slip law is regular but for Painleve's paradox, which must not be hidden.
    double largest = 0.0;
    for (int k = 0; k < n_; ++k)
        if (weight_[k] > 0.0) largest = std::max(largest, std::abs(at(W_, k, k)));
    LU_ = W_;
    for (int k = 0; k < n_; ++k) at(LU_, k, k) += share_ * weight_[k] * largest;
    std::iota(row_place_.begin(), row_place_.end(), 0);
    column_place_ = row_place_;
    int sign = 1;
    // What is left of row i: from the pivot's column on, and behind that column.
    const auto left_of = [this](int i) {
        return Eigen::Map<const Eigen::VectorXd>(&LU_[i * n_ + rank_], n_ - rank_);
    };
    const auto behind = [this](int i) {
        return Eigen::Map<Eigen::VectorXd>(&LU_[i * n_ + rank_] + 1, n_ - rank_ - 1);
    };
    // P W Q = L U, |L_ij| <= 1, pivots in falling size: the first that is rounding ends the
    // elimination and gives the rank (Golub & Van Loan, Matrix Computations, complete pivoting).
    for (rank_ = 0; rank_ < n_; ++rank_) {
        // Of equal entries the first.
        int row = rank_, column = rank_;
        double most = 0.0;
        for (int i = rank_; i < n_; ++i) {
            const double in_row = left_of(i).cwiseAbs().maxCoeff();
            if (in_row > most) row = i, most = in_row;
        }
        while (column + 1 < n_ && std::abs(at(LU_, row, column)) != most) ++column;
        const double pivot = at(LU_, row, column);
        if (!(std::abs(pivot) > kOpen * std::abs(at(LU_, 0, 0)))) break;
        // det W = det P det Q prod(pivots): each interchange and each negative pivot turns the
        // sign.
        if (pivot < 0.0) sign = -sign;
        if (row != rank_) {
            for (int j = 0; j < n_; ++j) std::swap(at(LU_, row, j), at(LU_, rank_, j));
            std::swap(row_place_[row], row_place_[rank_]);
            sign = -sign;
        }
        if (column != rank_) {
            for (int i = 0; i < n_; ++i) std::swap(at(LU_, i, column), at(LU_, i, rank_));
            std::swap(column_place_[column], column_place_[rank_]);
            sign = -sign;
        }
        for (int i = rank_ + 1; i < n_; ++i) {
            const double factor = at(LU_, i, rank_) / at(LU_, rank_, rank_);
            at(LU_, i, rank_) = factor;
            if (factor == 0.0) continue;
            behind(i) -= factor * behind(rank_);
        }
    }
    return rank_ == n_ ? sign : 0;
}

/// x += (L U)^-1 rest
void SmallSolver::add_solution() {
    work_.resize(n_);
    // L y = P rest
    for (int i = 0; i < n_; ++i) {
        double sum = rest_[row_place_[i]];
        for (int j = 0; j < std::min(i, rank_); ++j) sum -= at(LU_, i, j) * work_[j];
        work_[i] = sum;
    }
    // U z = y over the leading rank_ columns; unknowns of the others get nothing, a basic solution.
    for (int i = rank_ - 1; i >= 0; --i) {
        double sum = work_[i];
        for (int j = i + 1; j < rank_; ++j) sum -= at(LU_, i, j) * work_[j];
        work_[i] = sum / at(LU_, i, i);
    }
    for (int i = 0; i < rank_; ++i) x_[column_place_[i]] += work_[i];
}

void SmallSolver::solve() {
    std::fill(x_.begin(), x_.end(), 0.0);
    const bool is_regularised = std::ranges::any_of(weight_, [](double w) {
        return w > 0.0;
    });
    // Iterated Tikhonov regularisation, x <- x + (W + e D)^-1 (r - W x) with D = diag(weight): in
    // each independent direction of eigenvalue l, D = I, a pass leaves e / (l + e) of the error.
    // From x = 0 the iterates stay orthogonal to the null space of W in the product of D, so that
    // their limit has least x^T D x.
    for (int pass = 0; pass < (is_regularised ? kPasses : 1); ++pass) {
        for (int i = 0; i < n_; ++i) {
            double sum = r_[i];
            for (int j = 0; j < n_; ++j) sum -= at(W_, i, j) * x_[j];
            rest_[i] = sum;
        }
        add_solution();
    }
}

}  // namespace ancora
