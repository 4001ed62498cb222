// SPDX-License-Identifier: BSD-3-Clause
// Factorisation and triangular solves within the envelope.
#include "envelope_cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <Eigen/Core>

namespace ancora {
namespace {

// A diagonal below this part of the largest of its block is no mass; those of one body differ by
// less, those of bodies by any factor.
constexpr double kVanishedDiagonal = 1e-14;
// Rounding makes a vanishing pivot negative by less than this part of its diagonal.
constexpr double kNegativePivot = -1e-6;

using Entries = Eigen::Map<const Eigen::VectorXd>;

double dot(const double* x, const double* y, int count) {
    if (count < 4) {
        double sum = 0.0;
        for (int i = 0; i < count; ++i) sum += x[i] * y[i];
        return sum;
    }
    return Entries(x, count).dot(Entries(y, count));
}

/// First column of each row.
std::vector<int> first_columns(int size, const std::vector<std::pair<int, int>>& pattern) {
    std::vector<int> out(static_cast<std::size_t>(size));
    std::iota(out.begin(), out.end(), 0);
    for (const auto& [i, j] : pattern) {
        int& first = out[i];
        first = std::min(first, j);
    }
    return out;
}

}  // namespace

double EnvelopeCholesky::count_entries(int size, const std::vector<std::pair<int, int>>& pattern) {
    const std::vector<int> first = first_columns(size, pattern);
    double count = 0.0;
    for (int i = 0; i < size; ++i) count += i + 1 - first[i];
    return count;
}

EnvelopeCholesky::EnvelopeCholesky(int size, const std::vector<std::pair<int, int>>& pattern)
    : size_(size), first_(first_columns(size, pattern)) {
    long next = 0;
    for (int i = 0; i < size; ++i) {
        start_.push_back(next - first_[i]);
        next += i + 1 - first_[i];
    }
    // last_[j] is the last row whose envelope has column j, whether or not rows between have it.
    last_.assign(size, 0);
    for (int i = 0; i < size; ++i)
        for (int j = first_[i]; j <= i; ++j) last_[j] = i;
    value_.assign(next, 0.0);
    inverse_.assign(size, 0.0);
    has_vanished_.assign(size, 0);
    largest_.assign(size, 0.0);
    block_.resize(size);
    std::iota(block_.begin(), block_.end(), 0);
    // A row joins all rows from its first column on.
    // From below, block_[i] is the first column of the rows from i to the end of its block,
    // which need not be that of all. Since block_ of a lower number is final when i
    // is reached, one step more leads to the first row of the block.
    for (int i = size - 1, begin = size; i >= 0; --i) {
        begin = std::min(begin, first_[i]);
        block_[i] = begin;
        if (begin == i) begin = size;
    }
    for (int& begin : block_) begin = block_[begin];
    vanished_.reserve(size);
    work_.assign(size, 0.0);
}

EnvelopeCholesky EnvelopeCholesky::full(int size) {
    std::vector<std::pair<int, int>> pattern;
    for (int i = 0; i < size; ++i) pattern.emplace_back(i, 0);
    return {size, pattern};
}

void EnvelopeCholesky::clear() {
    std::fill(value_.begin(), value_.end(), 0.0);
}

bool EnvelopeCholesky::factorise(const double* usual, double threshold) {
    // Row by row, what lies within the envelope stays within it (George, Liu,
    // Computer Solution of Large Sparse Positive Definite Systems, Prentice-Hall, 1981).
    // Operations: the sum of squares of the widths.
    double* value = value_.data();
    const long* start = start_.data();
    const int* first = first_.data();
    double* inverse = inverse_.data();
    char* has_vanished = has_vanished_.data();
    const int* block = block_.data();
    double* largest = largest_.data();
    // The scale of a mass is that of its block, d_max = max M_ii over it.
    std::fill(largest_.begin(), largest_.end(), 0.0);
    for (int i = 0; i < size_; ++i)
        largest[block[i]] = std::max(largest[block[i]], value[start[i] + i]);

    vanished_.clear();
    smallest_pivot_ = 1.0;
    for (int i = 0; i < size_; ++i) {
        double* row = value + start[i];
        // L_ij = (M_ij - sum_k L_ik L_jk) / L_jj; a vanished column has nothing below its pivot
        for (int j = first[i]; j < i; ++j) {
            const int from = std::max(first[i], first[j]);
            const double rest = row[j] - dot(row + from, value + start[j] + from, j - from);
            row[j] = has_vanished[j] != 0 ? 0.0 : rest * inverse[j];
        }
        const double diagonal = row[i];
        // d_i = M_ii - sum_k L_ik^2, the squared distance, in the norm of M,
        // of coordinate i from the span of those before it.
        double pivot = diagonal - dot(row + first[i], row + first[i], i - first[i]);
        // A diagonal may be small relative to the block's by chance, and its pivot round-off.
        const double nothing = kVanishedDiagonal * largest[block[i]];
        if (!std::isfinite(pivot) || diagonal < -nothing) return false;
        if (pivot < kNegativePivot * std::abs(diagonal) - nothing &&
            pivot < -rounding_of_pivot(i, diagonal))
            return false;
        // d_i <= threshold M_ii: coordinate i moves no matter that those before it do not move
        // as well. In a semidefinite M the column below such a pivot is zero, so that nothing
        // is lost by setting it so. A pivot usual_i adds the term usual_i e_i e_i^T.
        has_vanished[i] = pivot <= nothing || pivot <= threshold * diagonal ? 1 : 0;
        if (has_vanished[i] != 0) {
            vanished_.push_back(i);
            pivot = usual[i];
            smallest_pivot_ = 0.0;
        } else {
            smallest_pivot_ = std::min(smallest_pivot_, pivot / diagonal);
        }
        row[i] = std::sqrt(pivot);
        inverse[i] = 1.0 / row[i];
    }
    return true;
}

/// Rounding-error bound of pivot i due to the rows before it: with y = L_ii^-T (L_i0 ... ), the
/// coefficients of row i in these rows, the sum of roundings of M_jk times y_j y_k (N. J. Higham,
/// Accuracy and Stability of Numerical Algorithms, theorem 10.3).
double EnvelopeCholesky::rounding_of_pivot(int i, double diagonal) {
    // y = L_ii^-T (L_i0 ... )^T from the last entry. An entry M_jk, a sum of some n products with n
    // the width of row i, is rounded by (n + 1) eps/2 sqrt(M_jj M_kk), so that with y_i = 1
    // roundings add up to (n + 1) eps/2 (sum_j |y_j| sqrt(M_jj))^2, M_jj = sum_k L_jk^2.
    const int begin = first_[i];
    std::copy_n(value_.data() + place(i, begin), i - begin, work_.data() + begin);
    double sum = std::sqrt(std::abs(diagonal));
    for (int j = i - 1; j >= begin; --j) {
        const auto at = static_cast<std::size_t>(j);
        const double y = work_[at] *= inverse_[at];
        const double* row = value_.data() + place(j, first_[at]);
        double square = 0.0;  // M_jj
        for (int k = first_[at]; k <= j; ++k, ++row) {
            square += *row * *row;
            if (k >= begin && k < j) work_[k] -= *row * y;
        }
        sum += std::abs(y) * std::sqrt(square);
    }
    return 0.5 * std::numeric_limits<double>::epsilon() * (i - begin + 2) * sum * sum;
}

void EnvelopeCholesky::scale(const double* weight) {
    // W M W = (W L) (W L)^T, and W L is lower triangular.
    for (int i = 0; i < size_; ++i) {
        const auto at = static_cast<std::size_t>(i);
        for (int j = first_[at]; j <= i; ++j) value_[place(i, j)] *= weight[i];
        inverse_[at] /= weight[i];
    }
}

void EnvelopeCholesky::solve_lower(double* y, int begin) const {
    // y_i = (y_i - sum_{j < i} L_ij y_j) / L_ii: a dot product along row i of L.
    const long* start = start_.data();
    const int* first = first_.data();
    for (int i = begin; i < size_; ++i) {
        const int from = std::max(begin, first[i]);
        const double rest = y[i] - dot(value_.data() + start[i] + from, y + from, i - from);
        y[i] = rest * inverse_[i];
    }
}

void EnvelopeCholesky::solve_upper(double* y) const {
    // L^T has the rows of L as columns: y_j -= L_ij y_i for j < i, again along a row.
    const long* start = start_.data();
    const int* first = first_.data();
    for (int i = size_ - 1; i >= 0; --i) {
        y[i] *= inverse_[i];
        const double* row = value_.data() + start[i];
        for (int j = first[i]; j < i; ++j) y[j] -= row[j] * y[i];
    }
}

std::vector<int> EnvelopeCholesky::reach(std::span<const int> support) const {
    // Row i depends on the columns of its envelope; last_[j] is the last row that has column j.
    std::vector<int> reached;
    std::vector<int> sorted(support.begin(), support.end());
    std::sort(sorted.begin(), sorted.end());
    std::size_t next = 0;
    int last = -1;
    for (int i = 0; i < size_; ++i) {
        if (i > last) {
            if (next == sorted.size()) break;
            i = sorted[next];
        }
        const bool is_in_support = next < sorted.size() && sorted[next] == i;
        if (is_in_support) ++next;
        // Entry i of L^-1 y depends on y_i and on the entries that row i has columns of.
        // Entries reached before i are in its envelope if the last of them is.
        const bool is_reached = !reached.empty() && first_[i] <= reached.back();
        if (!is_in_support && !is_reached) continue;
        reached.push_back(i);
        last = std::max(last, last_[i]);
    }
    return reached;
}

void EnvelopeCholesky::solve_lower(double* y, const int* reached, int count) const {
    const long* start = start_.data();
    const int* first = first_.data();
    for (int r = 0; r < count; ++r) {
        const int i = reached[r];
        const double* row = value_.data() + start[i];
        double rest = y[i];
        for (int s = r - 1; s >= 0 && reached[s] >= first[i]; --s)
            rest -= row[reached[s]] * y[reached[s]];
        y[i] = rest * inverse_[i];
    }
}

}  // namespace ancora
