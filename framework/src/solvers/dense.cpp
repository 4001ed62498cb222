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
    solver_->eigen.compute(A);
}

void SymmetricEigen::compute_tridiagonal(const Eigen::VectorXd& diagonal,
                                         const Eigen::VectorXd& beside) {
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
    const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> eigen(K, M);
    return {eigen.eigenvalues(), eigen.eigenvectors()};
}

ComplexEigen eigen_of(const Eigen::MatrixXd& A) {
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
    const Eigen::Index rows = solver_->qr.rows();
    Eigen::MatrixXd units = Eigen::MatrixXd::Zero(rows, count);
    for (Eigen::Index k = 0; k < count; ++k) units(first + k, k) = 1.0;
    return solver_->qr.householderQ() * units;
}

Eigen::MatrixXd orthonormal_basis(const Eigen::MatrixXd& A) {
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(A);
    return qr.householderQ() * Eigen::MatrixXd::Identity(A.rows(), A.cols());
}

Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B) {
    return Eigen::HouseholderQR<Eigen::MatrixXd>(A).solve(B);
}

}  // namespace ancora
