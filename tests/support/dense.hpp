// SPDX-License-Identifier: BSD-3-Clause
// Dense decompositions to compare with: Eigen's, compiled once for all tests.
#pragma once

#include <Eigen/Core>

namespace ancora::testing::by_eigen {

/// x with A x = b for a square A, by full pivoting; b may have several columns.
Eigen::MatrixXd solved(const Eigen::MatrixXd& A, const Eigen::MatrixXd& b);
/// The least-norm x among those of least |A x - b|. Pivots below `threshold` of the largest are
/// none; 0 stands for Eigen's own.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& A,
                              const Eigen::VectorXd& b,
                              double threshold = 0.0);
Eigen::MatrixXd pseudo_inverse(const Eigen::MatrixXd& A);
/// By column pivoting, with the threshold of least_squares().
Eigen::Index rank_of(const Eigen::MatrixXd& A, double threshold = 0.0);
/// Columns that span the null space, with the threshold of least_squares().
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A, double threshold = 0.0);
/// Orthonormal columns, as many as A has, that span what its columns do.
Eigen::MatrixXd orthonormal_columns(const Eigen::MatrixXd& A);

/// A = U diag(values) V^T with the largest value first.
struct SingularValues {
    Eigen::MatrixXd U, V;
    Eigen::VectorXd values;
};
SingularValues singular_values(const Eigen::MatrixXd& A);

/// A symmetric A = vectors diag(values) vectors^T with the least value first; of A only what is
/// below the diagonal is read.
struct SymmetricEigen {
    Eigen::VectorXd values;
    Eigen::MatrixXd vectors;

    explicit SymmetricEigen(const Eigen::MatrixXd& A);
    /// sum of f(value) vector vector^T
    template <class Function>
    Eigen::MatrixXd apply(Function&& f) const {
        Eigen::VectorXd image = values;
        for (double& value : image) value = f(value);
        return vectors * image.asDiagonal() * vectors.transpose();
    }
};
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A);
/// Of K x = value M x for a positive definite M.
Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M);
/// Of the symmetric matrix with these on its diagonal and beside it.
Eigen::VectorXd tridiagonal_eigenvalues(const Eigen::VectorXd& diagonal,
                                        const Eigen::VectorXd& beside);
/// Of any square matrix, in no order.
Eigen::VectorXcd eigenvalues(const Eigen::MatrixXd& A);
/// The square root of a symmetric positive semidefinite A.
Eigen::MatrixXd square_root(const Eigen::MatrixXd& A);
/// The nearest symmetric positive semidefinite matrix.
Eigen::MatrixXd positive_part(const Eigen::MatrixXd& A);

}  // namespace ancora::testing::by_eigen
