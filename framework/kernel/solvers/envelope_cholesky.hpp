// SPDX-License-Identifier: BSD-3-Clause
// Cholesky factor of a positive semidefinite matrix within its envelope.
#pragma once

#include <span>
#include <utility>
#include <vector>

namespace ancora {

/// L L^T = M, row by row from the first column that the pattern has in each: the cost adapts to a
/// diagonal, to blocks of bodies and to a full matrix.
///
/// M may be singular. A pivot that vanishes relative to its own diagonal, or a diagonal that
/// vanishes relative to the largest one in its block, is replaced: L L^T = M + sum_i usual_i e_i
/// e_i^T over the coordinates i where that happened, which is positive definite.
class EnvelopeCholesky {
public:
    EnvelopeCholesky() = default;
    /// @param pattern (i, j) with i >= j; the diagonal is always part of it
    EnvelopeCholesky(int size, const std::vector<std::pair<int, int>>& pattern);
    static EnvelopeCholesky full(int size);
    /// Entries that L would have.
    static double count_entries(int size, const std::vector<std::pair<int, int>>& pattern);

    /// Sets M to zero, to be filled by add(); factorise() overwrites it.
    void clear();
    void add(int i, int j, double value) { value_[place(i, j)] += value; }

    /// @param usual what stands for a vanished pivot; entries > 0
    /// @param threshold pivots up to this part of their diagonals have vanished. Without pivoting a
    ///        small one leaves errors of about 1e-16 over its size in those that follow
    /// @returns false if a pivot is not finite or more negative than rounding makes it
    bool factorise(const double* usual, double threshold);

    /// After factorise(): L := diag(weight) L, the factor of diag(weight) M diag(weight).
    void scale(const double* weight);

    bool is_singular() const { return !vanished_.empty(); }
    /// Coordinates whose pivots vanished, ascending.
    const std::vector<int>& vanished() const { return vanished_; }
    /// Smallest pivot relative to its diagonal; 0 if one vanished.
    double smallest_pivot() const { return smallest_pivot_; }

    /// y := L^-1 y, where y is zero before `first`.
    void solve_lower(double* y, int first = 0) const;
    /// y := L^-T y
    void solve_upper(double* y) const;

    /// Entries of L^-1 y that may differ from zero when y is zero outside `support`, ascending.
    std::vector<int> reach(std::span<const int> support) const;
    /// As solve_lower, where only the coordinates `reached` are looked at and written.
    void solve_lower(double* y, const int* reached, int count) const;

    /// Entries of row i of L.
    int width(int i) const { return i + 1 - first_[i]; }

private:
    std::size_t place(int i, int j) const { return static_cast<std::size_t>(start_[i] + j); }

    double rounding_of_pivot(int i, double diagonal);

    int size_ = 0;
    std::vector<int> first_;   // first column of each row
    std::vector<int> last_;    // last row of each column
    std::vector<long> start_;  // where column 0 of each row would stand in value_
    std::vector<double> value_;
    std::vector<double> inverse_;  // of the diagonal of L
    std::vector<int> block_;       // first row of the block that row i belongs to
    std::vector<double> largest_;  // diagonal of each block, at its first row
    std::vector<int> vanished_;
    std::vector<char> has_vanished_;
    double smallest_pivot_ = 1.0;
    std::vector<double> work_;
};

}  // namespace ancora
