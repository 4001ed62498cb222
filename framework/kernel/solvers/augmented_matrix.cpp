// SPDX-License-Identifier: BSD-3-Clause
// Scaling, dense LU, sparse L D L^T and LU.
#include "augmented_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/LU>
#include <Eigen/SparseCore>

#include "elimination_order.hpp"
#include "elimination_tree.hpp"
#include "sparse_ldlt.hpp"
#include "sparse_lu.hpp"
#include "state_archive.hpp"
#include "symmetric_pattern.hpp"

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
// Entries of scaled rows and columns that mirror each other to so many roundings are one number.
constexpr double kMirrored = 64.0 * std::numeric_limits<double>::epsilon();
// A condition follows its coordinates in L D L^T. Pivots of these down to here leave it its digits;
// without conditions a positive definite matrix needs no such bound.
constexpr double kLeastPivot = 1e-4;

/// Row of each entry of a pattern by rows.
std::vector<int> rows_of(std::span<const int> start) {
    std::vector<int> out;
    for (std::size_t i = 0; i + 1 < start.size(); ++i)
        out.insert(out.end(), static_cast<std::size_t>(start[i + 1] - start[i]), int(i));
    return out;
}

}  // namespace

/// Unknowns in their order of elimination. Where the matrix is symmetric, but for the signs of its
/// lower rows, and S is positive definite, L D L^T takes a tenth of the time of LU.
struct AugmentedMatrix::Sparse {
    std::vector<int> new_of_old;
    std::vector<int> mirror;  // of each entry of S the entry across the diagonal, or -1
    Eigen::SparseMatrix<double> upper;
    std::vector<int> upper_place;  // of all entries, -1 of those that are not in it
    SparseLdlt ldlt;
    bool is_symmetric = false;
    Eigen::SparseMatrix<double> K;  // laid out when it is first needed, as place_ is
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
    for (std::size_t e = 0; e < S_row_.size(); ++e)
        if (S_row_[e] == S_column_[e]) diagonal_[S_row_[e]] = static_cast<int>(e);
    value_.assign(S_row_.size() + 2 * A_row_.size() + static_cast<std::size_t>(m_), 0.0);
    scale_.assign(size, 1.0);
    work_.setZero(size);
    if (size > kMostDenseUnknowns) {
        lay_out_sparse();
        return;
    }
    dense_ = std::make_unique<Dense>();
    dense_->K.setZero(size, size);
    dense_->lu = Eigen::PartialPivLU<Eigen::MatrixXd>(size);
    for_each_entry([&](int i, int j) {
        place_.push_back(j * size + i);
    });
}

/// visit(row, column) of each of value_.
template <class Visit>
void AugmentedMatrix::for_each_entry(const Visit& visit) const {
    for (std::size_t e = 0; e < S_row_.size(); ++e) visit(S_row_[e], S_column_[e]);
    for (std::size_t e = 0; e < A_row_.size(); ++e) visit(n_ + A_row_[e], A_column_[e]);
    for (std::size_t e = 0; e < A_row_.size(); ++e) visit(A_column_[e], n_ + A_row_[e]);
    // The lower right block has a diagonal only: 0, and 1 of conditions that are left out, y_k = 0.
    for (int k = n_; k < n_ + m_; ++k) visit(k, k);
}

void AugmentedMatrix::lay_out_sparse() {
    sparse_ = std::make_unique<Sparse>();
    Sparse& of = *sparse_;
    IslandPattern pattern;
    for (int i = 0; i < n_; ++i) pattern.coordinates.push_back(i);
    for (int k = 0; k < m_; ++k) pattern.rows.push_back(k);
    pattern.first_of_body = {0};
    pattern.column = A_column_;
    pattern.row_start.assign(static_cast<std::size_t>(m_) + 1, 0);
    for (const int k : A_row_) ++pattern.row_start[static_cast<std::size_t>(k) + 1];
    std::partial_sum(pattern.row_start.begin(), pattern.row_start.end(), pattern.row_start.begin());
    std::vector<int> S_begin(static_cast<std::size_t>(n_) + 1, 0);
    for (const int i : S_row_) ++S_begin[static_cast<std::size_t>(i) + 1];
    std::partial_sum(S_begin.begin(), S_begin.end(), S_begin.begin());
    for (std::size_t e = 0; e < S_row_.size(); ++e) {
        const int i = S_row_[e], j = S_column_[e];
        pattern.mass.emplace_back(std::max(i, j), std::min(i, j));
        const auto begin = S_column_.begin() + S_begin[j];
        const auto end = S_column_.begin() + S_begin[static_cast<std::size_t>(j) + 1];
        const auto found = std::lower_bound(begin, end, i);
        const bool has_mirror = found != end && *found == i;
        of.mirror.push_back(has_mirror ? static_cast<int>(found - S_column_.begin()) : -1);
    }
    of.new_of_old = elimination_order(pattern, pattern.mass);
    const auto lay_out = [&] {
        of.upper = symmetric_pattern(n_ + m_, [&](const auto& add) {
            for (int i = 0; i < n_; ++i) add(of.new_of_old[i], of.new_of_old[i]);
            for_each_entry([&](int i, int j) {
                add(of.new_of_old[i], of.new_of_old[j]);
            });
        });
    };
    lay_out();
    if (EliminationTree(of.upper).put_in_postorder(of.new_of_old)) lay_out();
    std::size_t entry = 0;
    for_each_entry([&](int i, int j) {
        const bool is_below = entry >= S_row_.size() && entry < S_row_.size() + A_row_.size();
        ++entry;
        const int row = of.new_of_old[i], column = of.new_of_old[j];
        // A once, from its transpose.
        if (is_below || (i < n_ && j < n_ && row > column)) return of.upper_place.push_back(-1);
        of.upper_place.push_back(place_in(of.upper, std::min(row, column), std::max(row, column)));
    });
    of.ldlt.analyse(of.upper);
}

int AugmentedMatrix::place_in(const Eigen::SparseMatrix<double>& K, int i, int j) {
    const int* const begin = K.innerIndexPtr() + K.outerIndexPtr()[j];
    const int* const end = K.innerIndexPtr() + K.outerIndexPtr()[j + 1];
    return static_cast<int>(std::lower_bound(begin, end, i) - K.innerIndexPtr());
}

/// The whole of K, both triangles.
void AugmentedMatrix::lay_out_lu() {
    Sparse& of = *sparse_;
    std::vector<Eigen::Triplet<double>> triplets;
    for_each_entry([&](int i, int j) {
        triplets.emplace_back(of.new_of_old[i], of.new_of_old[j], 1.0);
    });
    of.K.resize(n_ + m_, n_ + m_);
    of.K.setFromTriplets(triplets.begin(), triplets.end());
    of.K.makeCompressed();
    for_each_entry([&](int i, int j) {
        place_.push_back(place_in(of.K, of.new_of_old[i], of.new_of_old[j]));
    });
    of.lu.analyse_in_order(of.K);
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
    sparse_->is_symmetric = is_symmetric() && factorise_symmetric();
    if (sparse_->is_symmetric) return is_factorised_ = true;
    if (sparse_->K.size() == 0) lay_out_lu();
    double* const K = sparse_->K.valuePtr();
    std::fill_n(K, sparse_->K.nonZeros(), 0.0);
    for (std::size_t e = 0; e < place_.size(); ++e) K[place_[e]] += value_[e];
    is_factorised_ = sparse_->lu.factorise(sparse_->K);
    return is_factorised_;
}

bool AugmentedMatrix::is_symmetric() const {
    const double* const S = value_.data();
    const double* const L = S + S_row_.size();
    const double* const minus_A = L + A_row_.size();
    for (std::size_t e = 0; e < A_row_.size(); ++e)
        if (L[e] != -minus_A[e]) return false;
    for (std::size_t e = 0; e < S_row_.size(); ++e) {
        const int other = sparse_->mirror[e];
        if (!(std::abs(S[e] - (other < 0 ? 0.0 : S[other])) <= kMirrored)) return false;
    }
    return true;
}

/// [S -A^T; -A 0]. @returns false if S is not positive definite
bool AugmentedMatrix::factorise_symmetric() {
    Sparse& of = *sparse_;
    double* const K = of.upper.valuePtr();
    std::fill_n(K, of.upper.nonZeros(), 0.0);
    const std::size_t first_diagonal = value_.size() - static_cast<std::size_t>(m_);
    for (std::size_t e = 0; e < value_.size(); ++e)
        if (const int place = of.upper_place[e]; place >= 0)
            K[place] += e < first_diagonal ? value_[e] : -value_[e];
    if (!of.ldlt.factorise(of.upper)) return false;
    // Of a positive definite S as many pivots are positive as there are coordinates, in any order.
    const Eigen::VectorXd& pivots = of.ldlt.pivots();
    double least = 1.0;
    for (int i = 0; i < n_; ++i) least = std::min(least, pivots[of.new_of_old[i]]);
    for (int k = n_; k < n_ + m_; ++k)
        if (!(pivots[of.new_of_old[k]] < 0.0)) return false;
    return least > 0.0 && (m_ == 0 || least >= kLeastPivot);
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
        Sparse& of = *sparse_;
        of.solution.resize(work_.size());
        for (Eigen::Index i = 0; i < work_.size(); ++i) of.solution[of.new_of_old[i]] = work_[i];
        if (of.is_symmetric) {
            for (int k = n_; k < n_ + m_; ++k) of.solution[of.new_of_old[k]] *= -1.0;
            of.ldlt.solve(of.solution.data());
        } else {
            of.lu.solve(of.solution, of.solution);
        }
        for (Eigen::Index i = 0; i < work_.size(); ++i) work_[i] = of.solution[of.new_of_old[i]];
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
