// SPDX-License-Identifier: BSD-3-Clause
// The volume that constraint rows span: one number that falls to zero where they become dependent.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "mass_matrix.hpp"
#include "row_set.hpp"

namespace ancora {

/// Square root of the determinant of the Gram matrix of constraint rows at unit length, in the
/// metric of the mass matrix' diagonal, by an L D L^T whose pattern is found once (T. Davis, ACM
/// Trans. Math. Softw. 31 (2005) 587). Far cheaper than the pivots of rank_analysis.hpp, and smooth
/// where those exchange their order.
class RowVolume {
public:
    /// [assembly] Takes the constraint rows that are not dropped.
    /// @param A values of the Jacobian; rows that are zero there do not count
    void lay_out(const RowSet& rows,
                 const Eigen::VectorXd& A,
                 const MassMatrix& mass,
                 const std::vector<int>& dropped);
    /// Its logarithm, minus infinity where rows depend on each other to rounding. [step]
    double logarithm(const Eigen::VectorXd& A);

private:
    /// One product that an entry of the Gram matrix is a sum of.
    struct Product {
        int a, b;       // entries of the two rows
        double weight;  // of their coordinate, 1 / mass
    };
    void find_pattern(int size);

    // Upper triangle of the permuted Gram matrix by columns; the last of each is the diagonal.
    std::vector<int> first_, row_, first_product_;
    std::vector<Product> products_;
    std::vector<double> value_, length_;
    // L by columns.
    std::vector<int> parent_, start_, count_, index_, flag_, pattern_;
    std::vector<double> L_, D_, work_;
};

}  // namespace ancora
