// SPDX-License-Identifier: BSD-3-Clause
// The only source of tests that compiles them.
#include "support/dense.hpp"

#include <algorithm>
#include <cmath>

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace ancora::testing::by_eigen {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd solved(const MatrixXd& A, const MatrixXd& b) {
    return Eigen::FullPivLU<MatrixXd>(A).solve(b);
}

VectorXd least_squares(const MatrixXd& A, const VectorXd& b, double threshold) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
    if (threshold > 0.0) decomposition.setThreshold(threshold);
    return decomposition.compute(A).solve(b);
}

MatrixXd pseudo_inverse(const MatrixXd& A) {
    return Eigen::CompleteOrthogonalDecomposition<MatrixXd>(A).pseudoInverse();
}

Index rank_of(const MatrixXd& A, double threshold) {
    Eigen::ColPivHouseholderQR<MatrixXd> decomposition(A);
    if (threshold > 0.0) decomposition.setThreshold(threshold);
    return decomposition.rank();
}

MatrixXd null_space(const MatrixXd& A, double threshold) {
    Eigen::FullPivLU<MatrixXd> decomposition(A);
    if (threshold > 0.0) decomposition.setThreshold(threshold);
    return decomposition.kernel();
}

MatrixXd orthonormal_columns(const MatrixXd& A) {
    return Eigen::HouseholderQR<MatrixXd>(A).householderQ() *
           MatrixXd::Identity(A.rows(), std::min(A.rows(), A.cols()));
}

SingularValues singular_values(const MatrixXd& A) {
    const Eigen::JacobiSVD<MatrixXd> of(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return {of.matrixU(), of.matrixV(), of.singularValues()};
}

SymmetricEigen::SymmetricEigen(const MatrixXd& A) {
    const Eigen::SelfAdjointEigenSolver<MatrixXd> of(A);
    values = of.eigenvalues();
    vectors = of.eigenvectors();
}

VectorXd symmetric_eigenvalues(const MatrixXd& A) {
    return Eigen::SelfAdjointEigenSolver<MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

VectorXd symmetric_eigenvalues(const MatrixXd& K, const MatrixXd& M) {
    return Eigen::GeneralizedSelfAdjointEigenSolver<MatrixXd>(
               K, M, Eigen::EigenvaluesOnly | Eigen::Ax_lBx)
        .eigenvalues();
}

VectorXd tridiagonal_eigenvalues(const VectorXd& diagonal, const VectorXd& beside) {
    Eigen::SelfAdjointEigenSolver<MatrixXd> of;
    of.computeFromTridiagonal(diagonal, beside, Eigen::EigenvaluesOnly);
    return of.eigenvalues();
}

Eigen::VectorXcd eigenvalues(const MatrixXd& A) {
    return Eigen::EigenSolver<MatrixXd>(A, false).eigenvalues();
}

MatrixXd square_root(const MatrixXd& A) {
    return SymmetricEigen(A).apply([](double value) {
        return std::sqrt(std::max(value, 0.0));
    });
}

MatrixXd positive_part(const MatrixXd& A) {
    return SymmetricEigen(A).apply([](double value) {
        return std::max(value, 0.0);
    });
}

}  // namespace ancora::testing::by_eigen
