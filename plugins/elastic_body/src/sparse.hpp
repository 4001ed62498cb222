// SPDX-License-Identifier: BSD-3-Clause
// Sparse symmetric matrices, their Cholesky factor, and products of tall matrices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/numbers/math.hpp"
#include "fronts.hpp"

namespace ancora::elastic {

/// A symmetric matrix by the columns of its lower triangle.
class SparseSymmetric {
public:
    SparseSymmetric() = default;
    /// @param visit calls what it is given with (i, j, value) of each entry, in any order, i >= j;
    /// those in one place add up. It is called twice: lists of entries would be larger than all
    /// else.
    template <class Visit>
    SparseSymmetric(std::int32_t size, const Visit& visit) {
        start_.assign(static_cast<std::size_t>(size) + 1, 0);
        visit([&](std::int32_t, std::int32_t j, double) {
            ++start_[static_cast<std::size_t>(j) + 1];
        });
        for (std::size_t j = 0; j < static_cast<std::size_t>(size); ++j) start_[j + 1] += start_[j];
        row_.resize(start_.back());
        value_.resize(start_.back());
        std::vector<std::size_t> next(start_.begin(), start_.end() - 1);
        visit([&](std::int32_t i, std::int32_t j, double value) {
            const std::size_t place = next[static_cast<std::size_t>(j)]++;
            row_[place] = i;
            value_[place] = value;
        });
        sort_columns();
    }

    std::int32_t size() const { return static_cast<std::int32_t>(start_.size()) - 1; }
    /// A X; with absolute values of A where `absolute`.
    Eigen::MatrixXd times(const Eigen::MatrixXd& X, bool absolute = false) const;

    /// Calls f(i, j, value) for each entry, i >= j, by columns.
    template <class F>
    void for_each(F f) const {
        for (std::int32_t j = 0; j < size(); ++j)
            for (std::size_t k = start_[static_cast<std::size_t>(j)];
                 k < start_[static_cast<std::size_t>(j) + 1];
                 ++k)
                f(row_[k], j, value_[k]);
    }

private:
    void sort_columns();

    std::vector<std::size_t> start_{0};
    std::vector<std::int32_t> row_;
    std::vector<double> value_;
    // Few columns and their products, each row of them together: of times().
    static constexpr Eigen::Index kTogether = 4;
    mutable Eigen::Matrix<double, kTogether, Eigen::Dynamic> x_, y_;
};

/// A B and A^T B of matrices with many rows and few columns.
using Columns = Eigen::Ref<const Eigen::MatrixXd>;
Eigen::MatrixXd product(const Columns& A, const Columns& B);
void subtract_product(const Columns& A, const Columns& B, Eigen::MatrixXd& C);  ///< C -= A B
Eigen::MatrixXd transposed_product(const Columns& A, const Columns& B);

/// L L^T of a positive definite matrix whose unknowns lie in space, by nested dissection along
/// coordinates and dense fronts.
///
/// Sources: A. George, Nested dissection of a regular finite element mesh, SIAM J. Numer. Anal. 10
/// (1973); I. S. Duff, J. K. Reid, The multifrontal solution of indefinite sparse symmetric linear
/// equations, ACM Trans. Math. Softw. 9 (1983).
class SparseCholesky {
public:
    /// @param group     of each unknown: the node that it belongs to
    /// @param position  of each group
    /// @throws std::domain_error if A is not positive definite
    SparseCholesky(const SparseSymmetric& A,
                   const std::vector<std::int32_t>& group,
                   const std::vector<Vec3>& position);

    /// Replaces each column of X by A^-1 X.
    void solve(Eigen::MatrixXd& X) const;

private:
    /// Unknowns that are eliminated together, in the order of elimination.
    struct Front {
        std::int32_t begin = 0, end = 0;     ///< unknowns
        std::vector<std::int32_t> boundary;  ///< later unknowns that they act on, ascending
        std::size_t first = 0;               ///< of L: (own + boundary) x own, by columns
    };
    class Dissection;
    void factorise(const SparseSymmetric& A, const std::vector<std::int32_t>& parent);

    std::vector<std::int32_t> place_;  ///< of each unknown in the order of elimination
    std::vector<Front> fronts_;        ///< children before parents
    fronts::Numbers L_;
};

}  // namespace ancora::elastic
