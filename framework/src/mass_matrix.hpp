// SPDX-License-Identifier: BSD-3-Clause
// The constant mass matrix of a model.
#pragma once

#include <vector>

#include <Eigen/Core>

#include "model.hpp"
#include "step_matrix.hpp"

namespace ancora {

/// M, symmetric positive semidefinite, n x n: a diagonal if it is one, else compressed rows.
class MassMatrix {
public:
    explicit MassMatrix(const Model& model);

    /// y = M x
    void multiply(const double* x, double* y) const;
    int size() const { return n_; }
    double diagonal(int i) const { return diagonal_[i]; }
    bool is_massless(int i) const { return !(diagonal_[i] > 0.0); }
    /// Lower triangle, one entry per pair.
    const std::vector<MassEntry>& entries() const { return entries_; }

private:
    int n_;
    std::vector<MassEntry> entries_;
    Eigen::VectorXd diagonal_;
    bool is_diagonal_ = true;
    std::vector<int> row_start_;
    std::vector<int> column_;
    std::vector<double> value_;
};

}  // namespace ancora
