// SPDX-License-Identifier: BSD-3-Clause
// Eigen's sparse LU, instantiated once.
#include "sparse_lu.hpp"

#include <Eigen/SparseLU>

namespace ancora {

namespace {

// A pivot off the diagonal costs fill in an order that was made for the diagonal: it is taken where
// that one is less than this part of it.
constexpr double kDiagonalPart = 0.1;

}  // namespace

struct SparseLu::Solver {
    using Matrix = Eigen::SparseMatrix<double>;
    // Columns by COLAMD (Davis, Gilbert, Larimore, Ng, ACM Trans. Math. Softw. 30 (2004) 353),
    // which reduces a bound of the fill that no choice of rows as pivots exceeds.
    Eigen::SparseLU<Matrix, Eigen::COLAMDOrdering<int>> by_columns;
    Eigen::SparseLU<Matrix, Eigen::NaturalOrdering<int>> in_order;
    bool is_in_order = false;
};

SparseLu::SparseLu() : solver_(std::make_unique<Solver>()) {}

SparseLu::~SparseLu() = default;

void SparseLu::analyse_in_order(const Eigen::SparseMatrix<double>& K) {
    solver_->is_in_order = true;
    solver_->in_order.setPivotThreshold(kDiagonalPart);
    solver_->in_order.analyzePattern(K);
}

bool SparseLu::factorise(const Eigen::SparseMatrix<double>& K) {
    solver_->in_order.factorize(K);
    return solver_->in_order.info() == Eigen::Success;
}

bool SparseLu::compute(const Eigen::SparseMatrix<double>& K) {
    solver_->is_in_order = false;
    solver_->by_columns.compute(K);
    return solver_->by_columns.info() == Eigen::Success;
}

void SparseLu::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const {
    if (solver_->is_in_order)
        x = solver_->in_order.solve(b);
    else
        x = solver_->by_columns.solve(b);
}

}  // namespace ancora
