// SPDX-License-Identifier: BSD-3-Clause
// Eigen's dense decompositions, instantiated once.
#include "dense.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>

namespace ancora {

struct SymmetricEigen::Solver {
    Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen;
};

SymmetricEigen::SymmetricEigen() : solver_(std::make_unique<Solver>()) {}

SymmetricEigen::SymmetricEigen(const Eigen::MatrixXd& A) : SymmetricEigen() {
    compute(A);
}

SymmetricEigen::~SymmetricEigen() = default;
SymmetricEigen::SymmetricEigen(SymmetricEigen&&) noexcept = default;
SymmetricEigen& SymmetricEigen::operator=(SymmetricEigen&&) noexcept = default;

void SymmetricEigen::compute(const Eigen::MatrixXd& A) {
    // Householder's tridiagonal form and implicit Q R steps
    // (Golub, Van Loan, Matrix Computations, 4th ed., section 8.3).
    solver_->eigen.compute(A);
}

void SymmetricEigen::compute_tridiagonal(const Eigen::VectorXd& diagonal,
                                         const Eigen::VectorXd& beside) {
    // Q R steps alone, as for the projected matrix of Lanczos' method.
    solver_->eigen.computeFromTridiagonal(diagonal, beside);
}

const Eigen::VectorXd& SymmetricEigen::values() const {
    return solver_->eigen.eigenvalues();
}

const Eigen::MatrixXd& SymmetricEigen::vectors() const {
    return solver_->eigen.eigenvectors();
}

Eigen::VectorXd symmetric_eigenvalues(const Eigen::MatrixXd& A) {
    return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(A, Eigen::EigenvaluesOnly).eigenvalues();
}

PencilEigen symmetric_pencil(const Eigen::MatrixXd& K, const Eigen::MatrixXd& M) {
    // With M = L L^T: L^-1 K L^-T y = w^2 y, x = L^-T y, so that x^T M x = y^T y = 1.
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, M);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

ComplexEigen eigen_of(const Eigen::MatrixXd& A) {
    // Hessenberg form, then Francis' steps to the real Schur form
    // (Golub, Van Loan, sections 7.4, 7.5).
    const Eigen::EigenSolver<Eigen::MatrixXd> eigen(A);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

Eigen::VectorXcd eigenvalues_of(const Eigen::MatrixXd& A) {
    return Eigen::EigenSolver<Eigen::MatrixXd>(A, false).eigenvalues();
}

ComplexSchurForm complex_schur(const Eigen::MatrixXd& A) {
    const Eigen::ComplexSchur<Eigen::MatrixXd> schur(A);
    return {schur.matrixT(), schur.matrixU()};
}

struct RankRevealingQr::Solver {
    explicit Solver(const Eigen::MatrixXd& A) : qr(A) {}
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr;
};

RankRevealingQr::RankRevealingQr(const Eigen::MatrixXd& A) : solver_(std::make_unique<Solver>(A)) {}

RankRevealingQr::~RankRevealingQr() = default;
RankRevealingQr::RankRevealingQr(RankRevealingQr&&) noexcept = default;
RankRevealingQr& RankRevealingQr::operator=(RankRevealingQr&&) noexcept = default;

Eigen::VectorXd RankRevealingQr::pivots() const {
    // |R_kk| is the largest norm of what the columns from k on have left, so pivots do not rise.
    return solver_->qr.matrixQR().diagonal().cwiseAbs();
}

std::span<const int> RankRevealingQr::order() const {
    const Eigen::VectorXi& order = solver_->qr.colsPermutation().indices();
    return {order.data(), static_cast<std::size_t>(order.size())};
}

Eigen::Index RankRevealingQr::rank(double threshold) const {
    solver_->qr.setThreshold(threshold);
    return solver_->qr.rank();
}

Eigen::MatrixXd RankRevealingQr::columns_of_Q(Eigen::Index first, Eigen::Index count) const {
    // Q times unit vectors, by reflections: Q itself is never formed, and takes n^2 numbers.
    const Eigen::Index rows = solver_->qr.rows();
    Eigen::MatrixXd units = Eigen::MatrixXd::Zero(rows, count);
    for (Eigen::Index k = 0; k < count; ++k) units(first + k, k) = 1.0;
    return solver_->qr.householderQ() * units;
}

Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& A) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
    // Q1 of the thin factorisation A = Q1 R
    return qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.cols());
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    // X = R^-1 Q^T B, with the condition number of A and not that of A^T A
    return Eigen::HouseholderQR<Eigen::MatrixXd>(A).solve(B);
}

Eigen::VectorXd least_norm_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b) {
    return A.completeOrthogonalDecomposition().solve(b);
}

}  // namespace ancora
