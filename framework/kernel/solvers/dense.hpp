// SPDX-License-Identifier: BSD-3-Clause
// Decompositions of dense matrices, by Eigen: one object file holds their templates, which take ten
// seconds each to compile.
#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>

namespace ancora {

/// Eigenvalues in rising order and orthonormal eigenvectors of a symmetric n x n matrix, of which
/// the lower triangle is read. Memory is taken when the size changes, and kept.
class SymmetricEigen {
public:
    SymmetricEigen();
    explicit SymmetricEigen(const Eigen::MatrixXd& A);
    ~SymmetricEigen();
    SymmetricEigen(SymmetricEigen&&) noexcept;
    SymmetricEigen& operator=(SymmetricEigen&&) noexcept;

    void compute(const Eigen::MatrixXd& A);
    /// Of a tridiagonal matrix: n entries on the diagonal, n - 1 beside it.
    void compute_tridiagonal(const Eigen::VectorXd& diagonal, const Eigen::VectorXd& beside);

    const Eigen::VectorXd& values() const;   ///< n
    const Eigen::MatrixXd& vectors() const;  ///< n x n, by columns

private:
    struct Solver;
    std::unique_ptr<Solver> solver_;
};

/// Eigenvalues alone, in rising order, of a symmetric matrix.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);

/// K x = w^2 M x with K symmetric and M positive definite, both n x n: squares in rising order, and
/// shapes with X^T M X = 1.
struct PencilEigen {
    Eigen::VectorXd squares;
    Eigen::MatrixXd shapes;
};
PencilEigen symmetric_pencil(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);

/// Eigenvalues and eigenvectors of length 1 of any real n x n matrix.
struct ComplexEigen {
    Eigen::VectorXcd values;
    Eigen::MatrixXcd vectors;
};
ComplexEigen eigen_of(const Eigen::MatrixXd& A);
Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A);

/// A = U T U^H with T triangular.
struct ComplexSchurForm {
    Eigen::MatrixXcd T, U;
};
ComplexSchurForm complex_schur(const Eigen::MatrixXd& A);

/// A P = Q R of an m x n matrix, with column pivoting: next is the column with the largest norm
/// left.
///
/// Source: P. Businger, G. H. Golub, Linear least squares solutions by Householder transformations,
/// Numer. Math. 7 (1965).
class RankRevealingQr {
public:
    explicit RankRevealingQr(const Eigen::MatrixXd& A);
    ~RankRevealingQr();
    RankRevealingQr(RankRevealingQr&&) noexcept;
    RankRevealingQr& operator=(RankRevealingQr&&) noexcept;

    /// min(m, n) absolute entries on the diagonal of R, falling.
    Eigen::VectorXd pivots() const;
    /// Columns of A in the order of the pivots.
    std::span<const int> order() const;
    /// Pivots above `threshold` times the largest.
    Eigen::Index rank(double threshold) const;
    /// Orthonormal columns of Q from `first` on, `count` of them: those up to the rank span what
    /// the columns of A span, the others what is orthogonal to it.
    Eigen::MatrixXd columns_of_Q(Eigen::Index first, Eigen::Index count) const;

private:
    struct Solver;
    std::unique_ptr<Solver> solver_;
};

/// Orthonormal columns that span those of A, which has full column rank.
Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& A);

/// X with the least |A X - B|; A has full column rank.
Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);
/// The shortest of the x with the least |A x - b|; A has any rank.
Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

}  // namespace ancora
