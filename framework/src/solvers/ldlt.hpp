// SPDX-License-Identifier: BSD-3-Clause
// L D L^T of a sparse matrix in the order that it has.
#pragma once

#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace ancora {

/// Eigen's L D L^T with access to its parts: our order needs no copy of the matrix, and its solve()
/// allocates. Takes the upper triangle.
class Ldlt : public Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>,
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
    /// Entries of each column of L and the row of the first, known after analyse().
    const Eigen::VectorXi& column_counts() const { return m_nonZerosPerCol; }
    const Eigen::VectorXi& parents() const { return m_parent; }
};

}  // namespace ancora
