// SPDX-License-Identifier: BSD-3-Clause
// The saddle-point (KKT) matrix of a constrained system whose leading block may be unsymmetric.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

namespace ancora {

/// The matrix
///
///   [ S  -A^T ] [x]   [r]
///   [ L    0  ] [y] = [g]                                                                (1)
///
/// S of size n in one sparse pattern, A and L, m x n, in another. Rows and columns are scaled to
/// the size of one; dropped conditions have y = 0. Small systems are dense. Large ones are
/// factorised as L D L^T where they are symmetric and S is positive definite, and else as L U.
class AugmentedMatrix {
public:
    /// Patterns by rows, of S and of A.
    AugmentedMatrix(std::span<const int> S_start,
                    std::span<const int> S_column,
                    std::span<const int> A_start,
                    std::span<const int> A_column);
    ~AugmentedMatrix();

    /// Values in the order of the patterns. From the second call on the dense path does not
    /// allocate, the sparse one within Eigen.
    /// @param is_dropped per condition
    /// @returns false if the matrix is singular
    bool factorise(std::span<const double> S,
                   std::span<const double> A,
                   std::span<const double> L,
                   const std::vector<char>& is_dropped);
    bool is_factorised() const { return is_factorised_; }
    void forget() { is_factorised_ = false; }
    void solve(std::span<const double> r,
               std::span<const double> g,
               std::span<double> x,
               std::span<double> y);

    /// Writes or reads the matrix, which is factorised anew, to the same bits; see
    /// state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    struct Sparse;
    struct Dense;
    bool factorise_scaled();
    template <class Visit>
    void for_each_entry(const Visit& visit) const;
    void lay_out_sparse();
    void lay_out_lu();
    static int place_in(const Eigen::SparseMatrix<double>& K, int i, int j);
    bool is_symmetric() const;
    bool factorise_symmetric();

    int n_, m_;
    std::vector<int> S_row_, S_column_, A_row_, A_column_;  // of each entry
    std::vector<int> diagonal_;                             // entry of S, -1 where it has none
    std::vector<int> place_;  // of entries of S, of L, of -A^T and of the lower diagonal
    std::vector<double> value_;
    std::vector<double> scale_;
    Eigen::VectorXd work_;
    std::unique_ptr<Sparse> sparse_;
    std::unique_ptr<Dense> dense_;
    bool is_factorised_ = false;
};

}  // namespace ancora
