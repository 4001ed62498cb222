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
    struct Entry {
        std::int32_t i, j;
        double value;
    };
    SparseSymmetric() = default;
    /// Entries in any order, i >= j; those in one place add up.
    SparseSymmetric(std::int32_t size, std::vector<Entry> entries);

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
    std::vector<std::size_t> start_{0};
    std::vector<std::int32_t> row_;
    std::vector<double> value_;
};

/// A B and A^T B of matrices with many rows and few columns.
Eigen::MatrixXd product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
Eigen::MatrixXd transposed_product(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

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
        fronts::Numbers L;                   ///< (own + boundary) x own, by columns
    };
    class Dissection;
    void factorise(const SparseSymmetric& A, const std::vector<std::int32_t>& parent);

    std::vector<std::int32_t> place_;  ///< of each unknown in the order of elimination
    std::vector<Front> fronts_;        ///< children before parents
};

}  // namespace ancora::elastic
