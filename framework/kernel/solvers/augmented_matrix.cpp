// SPDX-License-Identifier: BSD-3-Clause
// Scaling, dense and sparse LU.
#include "augmented_matrix.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/LU>
#include <Eigen/SparseCore>

#include "sparse_lu.hpp"
#include "state_archive.hpp"

namespace ancora {
namespace {

// Unknowns up to which dense arithmetic is as fast.
constexpr int kMostDenseUnknowns = 100;
// A pivot below this, of scaled rows and columns, counts as zero; a pivot of round-off makes an
// iteration diverge, which is detected.
constexpr double kNoPivot = 1e-30;
// A coordinate whose diagonal is less than this part of the mean has no scale of its own: without
// mass it depends on stresses.
constexpr double kLeastDiagonal = 1e-8;

/// Row of each entry of a pattern by rows.
std::vector<int> rows_of(std::span<const int> start) {
    std::vector<int> out;
    for (std::size_t i = 0; i + 1 < start.size(); ++i)
        out.insert(out.end(), static_cast<std::size_t>(start[i + 1] - start[i]), int(i));
    return out;
}

}  // namespace

struct AugmentedMatrix::Sparse {
    Eigen::SparseMatrix<double> K;
    SparseLu lu;
    Eigen::VectorXd solution;
};

struct AugmentedMatrix::Dense {
    Eigen::MatrixXd K;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu;
};

AugmentedMatrix::AugmentedMatrix(std::span<const int> S_start,
                                 std::span<const int> S_column,
                                 std::span<const int> A_start,
                                 std::span<const int> A_column)
    : n_(static_cast<int>(S_start.size()) - 1),
      m_(static_cast<int>(A_start.size()) - 1),
      S_row_(rows_of(S_start)),
      S_column_(S_column.begin(), S_column.end()),
      A_row_(rows_of(A_start)),
      A_column_(A_column.begin(), A_column.end()),
      diagonal_(static_cast<std::size_t>(n_), -1) {
    const int size = n_ + m_;
    std::vector<std::pair<int, int>> entries;
    for (std::size_t e = 0; e < S_row_.size(); ++e) {
        entries.emplace_back(S_row_[e], S_column_[e]);
        if (S_row_[e] == S_column_[e]) diagonal_[S_row_[e]] = static_cast<int>(e);
    }
    for (std::size_t e = 0; e < A_row_.size(); ++e)
        entries.emplace_back(n_ + A_row_[e], A_column_[e]);
    for (std::size_t e = 0; e < A_row_.size(); ++e)
        entries.emplace_back(A_column_[e], n_ + A_row_[e]);
    // The lower right block has a diagonal only: 0, and 1 of conditions that are left out, y_k = 0.
    for (int k = n_; k < size; ++k) entries.emplace_back(k, k);
    value_.assign(entries.size(), 0.0);
    scale_.assign(size, 1.0);
    work_.setZero(size);
    if (size <= kMostDenseUnknowns) {
        dense_ = std::make_unique<Dense>();
        dense_->K.setZero(size, size);
        dense_->lu = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
        for (const auto& [i, j] : entries) place_.push_back(j * size + i);
        return;
    }
    sparse_ = std::make_unique<Sparse>();
    // K as Eigen stores it, by columns. place_ finds the entries in it, of either path.
    std::vector<Eigen::Triplet<double>> triplets;
    for (const auto& [i, j] : entries) triplets.emplace_back(i, j, 1.0);
    Eigen::SparseMatrix<double>& K = sparse_->K;
    K.resize(size, size);
    K.setFromTriplets(triplets.begin(), triplets.end());
    K.makeCompressed();
    for (const auto& [i, j] : entries) {
        const int* const begin = K.innerIndexPtr() + K.outerIndexPtr()[j];
        const int* const end = K.innerIndexPtr() + K.outerIndexPtr()[j + 1];
        place_.push_back(static_cast<int>(std::lower_bound(begin, end, i) - K.innerIndexPtr()));
    }
    sparse_->lu.analyse(K);
}

AugmentedMatrix::~AugmentedMatrix() = default;

bool AugmentedMatrix::factorise(std::span<const double> S,
                                std::span<const double> A,
                                std::span<const double> L,
                                const std::vector<char>& is_dropped) {
    const auto n = static_cast<std::size_t>(n_);
    const auto at = [](int i) {
        return static_cast<std::size_t>(i);
    };
    // Coordinates are measured by the diagonal of S, rows by their length then.
    double sum = 0.0;
    int count = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const double size = diagonal_[i] < 0 ? 0.0 : std::abs(S[at(diagonal_[i])]);
        scale_[i] = size;
        if (!(size > 0.0)) continue;
        sum += size;
        ++count;
    }
    const double mean = count > 0 ? sum / count : 1.0;
    // s_i = |S_ii|^-1/2 (of the mean where S_ii is next to nothing) and
    // s_k = (sum_i (A_ki s_i)^2)^-1/2: diag(s) K diag(s) has entries of the
    // size of one in its diagonal and its rows.
    for (std::size_t i = 0; i < n; ++i)
        scale_[i] = 1.0 / std::sqrt(scale_[i] > kLeastDiagonal * mean ? scale_[i] : mean);
    std::fill(scale_.begin() + n_, scale_.end(), 0.0);
    for (std::size_t e = 0; e < A.size(); ++e) {
        const double entry = A[e] * scale_[at(A_column_[e])];
        scale_[n + at(A_row_[e])] += entry * entry;
    }
    for (std::size_t k = n; k < scale_.size(); ++k)
        scale_[k] = scale_[k] > 0.0 ? 1.0 / std::sqrt(scale_[k]) : 1.0;

    // Values in the order of `entries` in the constructor: S, L, -A^T, lower diagonal.
    double* value = value_.data();
    for (std::size_t e = 0; e < S.size(); ++e)
        *value++ = S[e] * scale_[at(S_row_[e])] * scale_[at(S_column_[e])];
    const auto condition = [&](std::size_t e, double entry) {
        const std::size_t k = at(A_row_[e]);
        return is_dropped[k] != 0 ? 0.0 : entry * scale_[n + k] * scale_[at(A_column_[e])];
    };
    for (std::size_t e = 0; e < A.size(); ++e) *value++ = condition(e, L[e]);
    for (std::size_t e = 0; e < A.size(); ++e) *value++ = -condition(e, A[e]);
    for (const char is_out : is_dropped) *value++ = is_out != 0 ? 1.0 : 0.0;
    return factorise_scaled();
}

bool AugmentedMatrix::factorise_scaled() {
    is_factorised_ = false;
    for (const double value : value_)
        if (!std::isfinite(value)) return false;
    if (dense_) {
        double* const K = dense_->K.data();
        std::fill_n(K, dense_->K.size(), 0.0);
        for (std::size_t e = 0; e < place_.size(); ++e) K[place_[e]] += value_[e];
        dense_->lu.compute(dense_->K);
        // Pivots of partial pivoting, absolute since the matrix is scaled to one.
        const auto pivots = dense_->lu.matrixLU().diagonal();
        is_factorised_ = pivots.size() == 0 || pivots.cwiseAbs().minCoeff() > kNoPivot;
        return is_factorised_;
    }
    double* const K = sparse_->K.valuePtr();
    std::fill_n(K, sparse_->K.nonZeros(), 0.0);
    for (std::size_t e = 0; e < place_.size(); ++e) K[place_[e]] += value_[e];
    is_factorised_ = sparse_->lu.factorise(sparse_->K);
    return is_factorised_;
}

void AugmentedMatrix::solve(std::span<const double> r,
                            std::span<const double> g,
                            std::span<double> x,
                            std::span<double> y) {
    const auto n = static_cast<std::size_t>(n_);
    // diag(s) K diag(s) z = diag(s) (r, g), (x, y) = diag(s) z
    for (std::size_t i = 0; i < n; ++i) work_[static_cast<Eigen::Index>(i)] = scale_[i] * r[i];
    const double* const is_out = value_.data() + value_.size() - static_cast<std::size_t>(m_);
    for (std::size_t k = 0; k < g.size(); ++k)
        work_[static_cast<Eigen::Index>(n + k)] = is_out[k] != 0.0 ? 0.0 : scale_[n + k] * g[k];
    if (dense_) {
        // P K = L U, z = U^-1 L^-1 P w, in place
        work_ = dense_->lu.permutationP() * work_;
        dense_->lu.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(work_);
        dense_->lu.matrixLU().triangularView<Eigen::Upper>().solveInPlace(work_);
    } else {
        sparse_->lu.solve(work_, sparse_->solution);
        work_.swap(sparse_->solution);
    }
    for (std::size_t i = 0; i < n; ++i) x[i] = scale_[i] * work_[static_cast<Eigen::Index>(i)];
    for (std::size_t k = 0; k < y.size(); ++k)
        y[k] = scale_[n + k] * work_[static_cast<Eigen::Index>(n + k)];
}

template <class Archive>
void AugmentedMatrix::transfer(Archive& archive) {
    bool is_factorised = is_factorised_;
    archive(is_factorised);
    is_factorised_ = is_factorised;
    if (!is_factorised) return;
    // Values and not factors are stored: the same values have the same factors, to the last bit.
    archive.fixed(value_);
    archive.fixed(scale_);
    archive.require_finite(value_, "an entry of a matrix");
    archive.require_finite(scale_, "a scale of a matrix");
    if constexpr (Archive::kReads) archive.require(factorise_scaled(), "a matrix");
}
template void AugmentedMatrix::transfer(ArchiveWriter&);
template void AugmentedMatrix::transfer(ArchiveReader&);

}  // namespace ancora
