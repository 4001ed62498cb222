// SPDX-License-Identifier: BSD-3-Clause
// Reflections one by one; the matrices are small.
#include "pivoted_qr.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ancora {
namespace {

using MutableEntries = Eigen::Map<Eigen::VectorXd>;
using ConstEntries = Eigen::Map<const Eigen::VectorXd>;

/// v := (I - tau u u^T) v with u = (1, tail).
void reflect(double tau, const double* tail, int tail_size, double* v) {
    // H v = v - tau u (u . v)
    const ConstEntries u(tail, tail_size);
    MutableEntries below(v + 1, tail_size);
    const double share = tau * (v[0] + u.dot(below));
    v[0] -= share;
    below -= share * u;
}

}  // namespace

PivotedQr::PivotedQr(int max_rows, int max_cols)
    : values_(Eigen::VectorXd::Zero(static_cast<long>(max_rows) * max_cols)),
      tau_(Eigen::VectorXd::Zero(std::min(max_rows, max_cols))),
      norm_(Eigen::VectorXd::Zero(max_cols)),
      norm_then_(Eigen::VectorXd::Zero(max_cols)),
      source_(static_cast<std::size_t>(max_cols)) {}

void PivotedQr::resize(int rows, int cols) {
    rows_ = rows;
    cols_ = cols;
}

void PivotedQr::swap_columns(int a, int b) {
    if (a == b) return;
    MutableEntries(column(a), rows_).swap(MutableEntries(column(b), rows_));
    std::swap(norm_[a], norm_[b]);
    std::swap(norm_then_[a], norm_then_[b]);
    std::swap(source_[a], source_[b]);
}

void PivotedQr::factorise(double threshold, bool has_pivoting) {
    reduce(threshold, has_pivoting, [this](int k) {
        // Businger and Golub: the column of which most is left, so that |R_kk| do not rise
        int largest = k;
        for (int j = k + 1; j < cols_; ++j)
            if (norm_[j] > norm_[largest]) largest = j;
        return largest;
    });
}

void PivotedQr::factorise_weighted(double threshold, const double* weight) {
    reduce(threshold, true, [&](int k) {
        // Columns with a remaining norm of at most `least` count as dependent, whatever their
        // weight.
        const double least = k == 0 ? 0.0 : threshold * std::abs(column(0)[0]);
        const auto rank = [&](int j) {
            return norm_[j] > least ? weight[source_[j]] * norm_[j] : 0.0;
        };
        int largest = k;
        for (int j = k + 1; j < cols_; ++j)
            if (rank(j) > rank(largest)) largest = j;
        return largest;
    });
}

/// @param pivot column to be taken next, of those from k on
template <class Pivot>
void PivotedQr::reduce(double threshold, bool has_pivoting, const Pivot& pivot) {
    // Norms are updated by |x'|^2 = |x|^2 - R_kj^2; once the square has fallen to the root
    // of eps of what it was when last computed the difference has lost its digits.
    const double fresh_needed = std::sqrt(std::numeric_limits<double>::epsilon());
    for (int j = 0; j < cols_; ++j) {
        source_[j] = j;
        norm_[j] = norm_then_[j] = ConstEntries(column(j), rows_).norm();
    }
    rank_ = 0;
    dropped_ = 0.0;
    const int most = std::min(rows_, cols_);
    for (int k = 0; k < most; ++k) {
        if (has_pivoting) swap_columns(k, pivot(k));
        // x = (alpha, tail) -> (beta, 0), the tail of the reflection's vector in the tail's place
        double* x = column(k) + k;
        const int tail_size = rows_ - k - 1;
        MutableEntries tail(x + 1, tail_size);
        const double alpha = x[0];
        const double tail_square = tail.squaredNorm();
        const double length = std::sqrt(alpha * alpha + tail_square);
        const double first = k == 0 ? length : std::abs(column(0)[0]);
        if (!(length > threshold * first)) {
            dropped_ = length;
            break;
        }
        // beta = -sign(alpha) |x|, so that alpha - beta does not cancel (Golub, Van Loan, section
        // 5.1); H = I - tau u u^T, u = (1, tail / (alpha - beta)), tau = (beta - alpha) / beta.
        const double beta = alpha > 0.0 ? -length : length;
        tau_[k] = tail_square > 0.0 ? (beta - alpha) / beta : 0.0;
        if (tail_square > 0.0) {
            tail /= alpha - beta;
            x[0] = beta;
        }
        ++rank_;
        // The other columns: H x_j, whose first entry is R_kj.
        for (int j = k + 1; j < cols_; ++j) {
            double* other = column(j) + k;
            if (tail_square > 0.0) reflect(tau_[k], x + 1, tail_size, other);
            if (!has_pivoting || !(norm_[j] > 0.0)) continue;
            // The remaining norm of column j; computed afresh where the update has lost digits
            // (Drmac, Bujanovic, LAPACK working note 176).
            const double part = std::abs(other[0]) / norm_[j];
            const double left = std::max(0.0, (1.0 + part) * (1.0 - part));
            const double ratio = norm_[j] / norm_then_[j];
            if (left * ratio * ratio <= fresh_needed)
                norm_[j] = norm_then_[j] = ConstEntries(other + 1, tail_size).norm();
            else
                norm_[j] *= std::sqrt(left);
        }
    }
}

double PivotedQr::relative_pivot(int k) const {
    if (rank_ == 0) return 0.0;
    const double pivot = k < rank_ ? std::abs(column(k)[k]) : dropped_;
    return pivot / std::abs(column(0)[0]);
}

void PivotedQr::apply_Qt(double* v) const {
    // Q^T = H_r ... H_1
    for (int k = 0; k < rank_; ++k) reflect(tau_[k], column(k) + k + 1, rows_ - k - 1, v + k);
}

void PivotedQr::apply_Q(double* v) const {
    // Q = H_1 ... H_r
    for (int k = rank_ - 1; k >= 0; --k) reflect(tau_[k], column(k) + k + 1, rows_ - k - 1, v + k);
}

void PivotedQr::solve_R(double* v) const {
    // Column by column of R11, from the last: v_j = v_j / R_jj, v_i -= R_ij v_j for i < j.
    for (int j = rank_ - 1; j >= 0; --j) {
        const double* R = column(j);
        v[j] /= R[j];
        MutableEntries(v, j) -= v[j] * ConstEntries(R, j);
    }
}

void PivotedQr::solve_Rt(double* v) const {
    // Row j of R11^T is column j of R11: v_j = (v_j - sum_{i < j} R_ij v_i) / R_jj.
    for (int j = 0; j < rank_; ++j) {
        const double* R = column(j);
        v[j] = (v[j] - ConstEntries(R, j).dot(MutableEntries(v, j))) / R[j];
    }
}

}  // namespace ancora
