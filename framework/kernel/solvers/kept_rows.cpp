// SPDX-License-Identifier: BSD-3-Clause
// The Schur complement of independent rows.
#include "kept_rows.hpp"

#include <algorithm>

#include "island_limits.hpp"

namespace ancora {
namespace {

// A pivot of S below this part of its diagonal leaves refinement too few digits to gain.
constexpr double kClearPivot = 1e-7;

using RowView = Eigen::Map<Eigen::VectorXd>;

}  // namespace

KeptRows::KeptRows(const IslandPattern& pattern)
    : pattern_(pattern),
      n_(pattern.num_coordinates()),
      m_(pattern.num_rows()),
      B_(static_cast<std::size_t>(n_) * static_cast<std::size_t>(m_)),
      first_(static_cast<std::size_t>(m_)),
      schur_(EnvelopeCholesky::full(m_)),
      work_(Eigen::VectorXd::Zero(m_)) {
    // B is stored by rows, m x n; only its first used_.size() rows are meant, each from first_ on.
    used_.reserve(m_);
}

const EnvelopeCholesky* KeptRows::augment(const std::vector<double>& M,
                                          const std::vector<double>& A,
                                          const std::vector<char>& is_dropped,
                                          const Eigen::VectorXd& usual) {
    const int* start = pattern_.row_start.data();
    const int* column = pattern_.column.data();
    if (!is_augmented_) {
        // The pattern of M + sum_k sigma_k A_k^T A_k: blocks of bodies get full,
        // and nothing beyond them does.
        local_rows_ = pattern_.rows_within_bodies();
        std::vector<std::pair<int, int>> entries = pattern_.mass;
        for (const int k : local_rows_)
            for (int e = start[k]; e < start[k + 1]; ++e)
                for (int d = start[k]; d <= e; ++d)
                    entries.emplace_back(std::max(column[e], column[d]),
                                         std::min(column[e], column[d]));
        augmented_ = EnvelopeCholesky(n_, entries);
        sigma_.assign(local_rows_.size(), 0.0);
        is_augmented_ = true;
    }
    A_ = &A;
    augmented_.clear();
    for (std::size_t k = 0; k < M.size(); ++k)
        augmented_.add(pattern_.mass[k].first, pattern_.mass[k].second, M[k]);
    for (std::size_t l = 0; l < local_rows_.size(); ++l) {
        // sigma_k = m_b / |A_k|^2 with the mean mass m_b of the body,
        // so that both terms are of one size
        const int k = local_rows_[l];
        double square = 0.0;
        for (int e = start[k]; e < start[k + 1]; ++e) {
            const double a = A[e];
            square += a * a;
        }
        const bool counts = is_dropped[k] == 0 && square > 0.0;
        sigma_[l] = counts ? usual[column[start[k]]] / square : 0.0;
        for (int e = start[k]; counts && e < start[k + 1]; ++e)
            for (int d = start[k]; d <= e; ++d)
                augmented_.add(std::max(column[e], column[d]),
                               std::min(column[e], column[d]),
                               sigma_[l] * A[e] * A[d]);
    }
    // Still singular in directions that bodies' own rows do not determine. The caller then takes
    // orthogonal factors.
    const bool is_good =
        augmented_.factorise(usual.data(), kVanishedPivot) && !augmented_.is_singular();
    return is_good ? &augmented_ : nullptr;
}

bool KeptRows::factorise(const EnvelopeCholesky& L,
                         const std::vector<double>& A,
                         const std::vector<char>& is_dropped,
                         Eigen::VectorXd& length) {
    L_ = &L;
    used_.clear();
    schur_.clear();
    const int* start = pattern_.row_start.data();
    const int* column = pattern_.column.data();
    // B_k = A_k L^-T / sqrt(D_k), rows of unit length, zero before first_
    for (int k = 0; k < m_; ++k) {
        if (is_dropped[k] == 0) {
            const int at = static_cast<int>(used_.size());
            double* values = row(at);
            std::fill(values, values + n_, 0.0);
            int first = n_;
            for (int e = start[k]; e < start[k + 1]; ++e) {
                values[column[e]] = A[e];
                first = std::min(first, column[e]);
            }
            L.solve_lower(values, first);
            RowView scaled(values + first, n_ - first);
            length[k] = scaled.norm();
            // Zero rows, as rates in the projection of positions, have none.
            if (length[k] > 0.0) {
                scaled /= length[k];
                first_[at] = first;
                used_.push_back(k);
            }
        }
    }
    const int count = static_cast<int>(used_.size());
    // S_ij = B_i . B_j, S_ii = 1. Behind the rows in use S is the unit matrix.
    for (int i = 0; i < m_; ++i) {
        schur_.add(i, i, 1.0);
        for (int j = 0; i < count && j < i; ++j) {
            const int from = std::max(first_[i], first_[j]);
            schur_.add(
                i, j, RowView(row(i) + from, n_ - from).dot(RowView(row(j) + from, n_ - from)));
        }
    }
    // A pivot of S is the square of the sine of the angle between a row
    // and the span of those before it.
    return schur_.factorise(work_.data(), 0.0) && schur_.smallest_pivot() > kClearPivot;
}

void KeptRows::solve(const Eigen::VectorXd& f,
                     const Eigen::VectorXd& r,
                     const Eigen::VectorXd& length,
                     Eigen::VectorXd& x,
                     Eigen::VectorXd& lambda) {
    // y = L^-1 f', f' = f + sum_k sigma_k r_k A_k^T
    x = f;
    if (L_ == &augmented_)
        for (std::size_t l = 0; l < local_rows_.size(); ++l) {
            const int k = local_rows_[l];
            for (int e = pattern_.row_start[k];
                 e < pattern_.row_start[static_cast<std::size_t>(k) + 1];
                 ++e)
                x[pattern_.column[e]] += sigma_[l] * r[k] * (*A_)[e];
        }
    L_->solve_lower(x.data());
    const int count = static_cast<int>(used_.size());
    // S mu = D^-1/2 r - B y, mu = D^1/2 lambda
    for (int c = 0; c < count; ++c) {
        const int from = first_[c];
        const int k = used_[c];
        work_[c] = r[k] / length[k] - RowView(row(c) + from, n_ - from).dot(x.tail(n_ - from));
    }
    work_.tail(m_ - count).setZero();
    schur_.solve_lower(work_.data());
    schur_.solve_upper(work_.data());
    // x = L^-T (y + B^T mu), lambda = D^-1/2 mu
    lambda.setZero();
    for (int c = 0; c < count; ++c) {
        const int from = first_[c];
        const int k = used_[c];
        x.tail(n_ - from) += work_[c] * RowView(row(c) + from, n_ - from);
        lambda[k] = work_[c] / length[k];
    }
    L_->solve_upper(x.data());
}

}  // namespace ancora
