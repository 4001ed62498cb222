// SPDX-License-Identifier: BSD-3-Clause
// The matrices of a model at a state: M, A and b of the Udwadia-Kalaba equation.
#pragma once

#include <string>
#include <vector>

namespace ancora {

/// A matrix by compressed rows: entries row_start[i] to row_start[i + 1] are those of row i, their
/// columns ascending.
struct SparseMatrix {
    int rows = 0;
    int columns = 0;
    std::vector<int> row_start{0};
    std::vector<int> column;
    std::vector<double> value;
};

/// M q'' = Q + F_L + F_C, A q'' = b; the forces are those of Dynamics.
struct Equation {
    SparseMatrix M;  ///< n x n, both triangles
    SparseMatrix A;  ///< m x n: rows of constraints and of exactly rigid bodies
    std::vector<double> b;
    std::vector<std::string> owners;  ///< of each row of A: the body's or constraint's name
};

}  // namespace ancora
