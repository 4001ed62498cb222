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

/// Exchanges rows and columns so that the entry of largest modulus among those of [from, end) is at
/// (from, from), and eliminates its column. @returns the pivot, with a sign for each exchange; what
/// is not above `least` stays
double SmallSolver::eliminate(int from, int end, double least) {
    const auto left_of = [this, from, end](int i) {
        return Eigen::Map<const Eigen::VectorXd>(&LU_[i * n_ + from], end - from);
    };
    const auto behind = [this, from](int i) {
        return Eigen::Map<Eigen::VectorXd>(&LU_[i * n_ + from] + 1, n_ - from - 1);
    };
    // Of equal entries the first.
    int row = from, column = from;
    double most = 0.0;
    for (int i = from; i < end; ++i) {
        const double in_row = left_of(i).cwiseAbs().maxCoeff();
        if (in_row > most) row = i, most = in_row;
    }
    while (column + 1 < end && std::abs(at(LU_, row, column)) != most) ++column;
    double pivot = at(LU_, row, column);
    if (!(std::abs(pivot) > least)) return 0.0;
    if (row != from) {
        for (int j = 0; j < n_; ++j) std::swap(at(LU_, row, j), at(LU_, from, j));
        std::swap(row_place_[row], row_place_[from]);
        pivot = -pivot;
    }
    if (column != from) {
        for (int i = 0; i < n_; ++i) std::swap(at(LU_, i, column), at(LU_, i, from));
        std::swap(column_place_[column], column_place_[from]);
        pivot = -pivot;
    }
    for (int i = from + 1; i < n_; ++i) {
        const double factor = at(LU_, i, from) / at(LU_, from, from);
        at(LU_, i, from) = factor;
        if (factor == 0.0) continue;
        behind(i) -= factor * behind(from);
    }
    return pivot;
}

/// The sign of the determinant that is left of the other rows when shared ones are eliminated,
/// those that depend on others taken as given: what these share is a choice, and det W, which is
/// zero with them, has the sign of a rounding error.
int SmallSolver::sign_of_others(double largest) {
    LU_ = W_;
    int num_shared = 0;
    for (int k = 0; k < n_; ++k)
        if (weight_[k] > 0.0) row_place_[num_shared++] = k;
    for (int k = 0, next = num_shared; k < n_; ++k)
        if (!(weight_[k] > 0.0)) row_place_[next++] = k;
    for (int i = 0; i < n_; ++i)
        for (int j = 0; j < n_; ++j) at(LU_, i, j) = at(W_, row_place_[i], row_place_[j]);
    column_place_ = row_place_;
    int first = 0;
    while (first < num_shared && eliminate(first, num_shared, share_ * largest) != 0.0) ++first;
    // Rows and columns of those that depend on others go.
    for (int i = num_shared; i < n_; ++i)
        for (int j = first; j < num_shared; ++j) at(LU_, i, j) = at(LU_, j, i) = 0.0;
    for (int i = first; i < num_shared; ++i)
        for (int j = first; j < num_shared; ++j) at(LU_, i, j) = i == j ? 1.0 : 0.0;
    int sign = 1;
    for (int k = first; k < n_; ++k) {
        const double pivot = eliminate(k, n_, 0.0);
        if (pivot == 0.0) return 0;
        if (pivot < 0.0) sign = -sign;
    }
    return sign;
}

/// L U with complete pivoting of W and the regularisation.
int SmallSolver::factorise() {
    // LU = W + diag(share weight_k max |W_kk|), the maximum over shared rows. The other rows are
    // not regularised: a slip law is regular but for Painleve's paradox, which must not be hidden.
    double largest = 0.0;
    for (int k = 0; k < n_; ++k)
        if (weight_[k] > 0.0) largest = std::max(largest, std::abs(at(W_, k, k)));
    const int sign = largest > 0.0 ? sign_of_others(largest) : 1;
    LU_ = W_;
    for (int k = 0; k < n_; ++k) at(LU_, k, k) += share_ * weight_[k] * largest;
    std::iota(row_place_.begin(), row_place_.end(), 0);
    column_place_ = row_place_;
    // P W Q = L U, |L_ij| <= 1, pivots in falling size: the first that is rounding ends the
    // elimination and gives the rank (Golub & Van Loan, Matrix Computations, complete pivoting).
    // det W = det P det Q prod(pivots): each interchange and each negative pivot turns the sign.
    int of_all = 1;
    for (rank_ = 0; rank_ < n_; ++rank_) {
        const double pivot =
            eliminate(rank_, n_, rank_ > 0 ? kOpen * std::abs(at(LU_, 0, 0)) : 0.0);
        if (pivot == 0.0) break;
        if (pivot < 0.0) of_all = -of_all;
    }
    if (rank_ < n_) return 0;
    return largest > 0.0 ? sign : of_all;
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
