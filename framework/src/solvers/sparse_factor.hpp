// SPDX-License-Identifier: BSD-3-Clause
// L D L^T of a sparse island's matrix.
#pragma once

#include <Eigen/SparseCholesky>

#include "sparse_island.hpp"

namespace ancora {

/// Eigen's L D L^T with access to its parts: our order needs no copy of the matrix, and its solve()
/// allocates.
class SparseIsland::Factor : public Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>,
                                                          Eigen::Upper,
                                                          Eigen::NaturalOrdering<int>> {
public:
    void analyse(const Eigen::SparseMatrix<double>& upper) {
        analyzePattern_preordered(upper, true);
    }
    bool factorise(const Eigen::SparseMatrix<double>& upper) {
        factorize_preordered<true>(upper);
        return m_info == Eigen::Success && m_diag.allFinite();
    }
    const Eigen::SparseMatrix<double>& L() const { return m_matrix; }
    const Eigen::VectorXd& D() const { return m_diag; }
};

}  // namespace ancora
