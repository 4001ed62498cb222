// SPDX-License-Identifier: BSD-3-Clause
// Eigen's sparse LU, instantiated once.
#include "sparse_lu.hpp"

#include <Eigen/SparseLU>

namespace ancora {

struct SparseLu::Solver {
    // Columns by COLAMD (Davis, Gilbert, Larimore, Ng, ACM Trans. Math. Softw. 30 (2004) 353),
    // which reduces a bound of the fill that no choice of rows as pivots exceeds.
    Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>> lu;
};

SparseLu::SparseLu() : solver_(std::make_unique<Solver>()) {}

SparseLu::~SparseLu() = default;

void SparseLu::analyse(const Eigen::SparseMatrix<double>& K) {
    solver_->lu.analyzePattern(K);
}

bool SparseLu::factorise(const Eigen::SparseMatrix<double>& K) {
    solver_->lu.factorize(K);
    return solver_->lu.info() == Eigen::Success;
}

bool SparseLu::compute(const Eigen::SparseMatrix<double>& K) {
    solver_->lu.compute(K);
    return solver_->lu.info() == Eigen::Success;
}

void SparseLu::solve(const Eigen::VectorXd& b, Eigen::VectorXd& x) const {
    x = solver_->lu.solve(b);
}

}  // namespace ancora
