// SPDX-License-Identifier: BSD-3-Clause
// Sparse columns that are independent, and others as combinations of them.
#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCholesky>
#include <Eigen/SparseCore>

namespace ancora {

using SparseFactor = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

/// Added to the diagonal of a Gram matrix of unit columns: keeps dependent pivots above rounding.
inline constexpr double kGramShift = 1e-13;

/// C^T C + shift.
Eigen::SparseMatrix<double> shifted_gram(const Eigen::SparseMatrix<double>& columns, double shift);

/// Columns, and their shifted Gram matrix.
struct ColumnBasis {
    /// Takes `columns`.
    void factorise();
    /// Coefficients of x as a combination of them.
    Eigen::VectorXd share(const Eigen::VectorXd& x) const;
    /// Distance of x from their span. Conjugate gradients: where columns are nearly dependent the
    /// shift is of their size, and refinement alone would leave a component of x in their span.
    double distance(Eigen::VectorXd x) const;

    Eigen::SparseMatrix<double> columns;
    SparseFactor factor;
};

/// The columns that are not among `left`.
class ColumnSpan {
public:
    ColumnSpan(const Eigen::SparseMatrix<double>& columns, const std::vector<int>& left);

    /// A column as a combination of the kept ones.
    struct Combination {
        std::vector<int> of;  // places among `kept`
        Eigen::VectorXd share;
        double distance = 0.0;  // of the column from it
    };
    /// A dependency is mostly among rows that connect the same few bodies: it is searched in
    /// growing neighbourhoods of columns, and among all only where these do not contain it. As kept
    /// columns are independent it is unique. So the work for many dependent columns is proportional
    /// to their number, not to that times the model's size.
    Combination combination(const Eigen::SparseMatrix<double>& columns, int column);

    std::vector<int> kept;
    ColumnBasis basis;

private:
    static constexpr int kFirstRings = 2;

    /// Columns kept around one, and the coordinates that they and it touch.
    struct Neighbours {
        std::vector<int> of;
        std::vector<int> coordinates;
    };

    /// Which kept columns touch each coordinate.
    void lay_out_rows();
    Neighbours neighbours(const Eigen::SparseMatrix<double>& columns, int column, int rings);
    /// The columns `near` and `x` with the coordinates that they touch alone.
    void restrict_to(const Neighbours& near,
                     const Eigen::SparseMatrix<double>& columns,
                     int column,
                     ColumnBasis& local,
                     Eigen::VectorXd& x);

    std::vector<std::size_t> first_;  // of each coordinate, in touching_
    std::vector<int> touching_;
    // Workspace of a search.
    std::vector<int> place_;
    std::vector<char> is_near_;
};

}  // namespace ancora
