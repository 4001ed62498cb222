// SPDX-License-Identifier: BSD-3-Clause
// Solves with the derivative of a step's equations, or its transpose, to rounding.
#pragma once

#include <limits>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "kernel_system.hpp"
#include "krylov.hpp"
#include "object_differences.hpp"
#include "recorded_run.hpp"
#include "sparse_lu.hpp"

namespace ancora {

/// Of a sum of residuals, relative to the sizes of its terms.
inline constexpr double kRoundingOfSum = 64.0 * std::numeric_limits<double>::epsilon();

/// A sparse matrix that is filled again and again by entries at the same places.
class FilledMatrix {
public:
    using Sparse = Eigen::SparseMatrix<double>;
    const Sparse& fill(int rows, int columns, const Triplets& list);
    const Sparse& operator*() const { return matrix_; }

private:
    Sparse matrix_;
    std::vector<std::pair<int, int>> at_;
    std::vector<int> place_;
};

/// K^T x = b, where K is the derivative of a step's equations by (dq, s), with the equations of
/// motion times a scale and s in units of one over that.
///
/// Factors are those of the symmetric matrix of the step's iteration, which is about K^T where rows
/// have linear laws; else, or where that does not serve, of K^T itself. They serve from step to
/// step as long as they lead to rounding and cost less than new ones.
class StepSolve {
public:
    /// @param system  is put to the begin of steps
    explicit StepSolve(KernelSystem& system);

    /// Solves are those with K.
    void go_forwards() { is_transposed_ = false; }
    /// Puts the system to the begin of a step.
    void begin(const AcceptedStep& step);
    /// @param step  must outlive its solves
    /// @param list  the entries of K^T
    void take(const AcceptedStep& step, const Triplets& list, double scale);
    /// @returns false if K has no inverse
    bool solve(const Eigen::VectorXd& b, Eigen::VectorXd& x);

private:
    enum class Factors { none, symmetric, exact };
    bool factorise();
    void weigh_factors();
    bool precondition(const Eigen::VectorXd& b, Eigen::VectorXd& x);
    void multiply(const Eigen::VectorXd& x, Eigen::VectorXd& to) const;
    bool solve_by(const Eigen::VectorXd& b, Eigen::VectorXd& x);
    bool is_rounding(const Eigen::VectorXd& b, const Eigen::VectorXd& x);

    using Sparse = Eigen::SparseMatrix<double>;

    KernelSystem& system_;
    SystemData data_;
    int n_, m_;
    FilledMatrix KT_;
    Eigen::VectorXd motion_, rows_, left_, more_, scaled_;
    Krylov krylov_;
    SparseLu lu_;
    const AcceptedStep* step_ = nullptr;  // taken last
    std::vector<int> closed_;             // in it
    Factors factors_ = Factors::none;
    double factors_length_ = 0.0;  // of the step that they are of
    // Products of the step taken last, of the last one that had new factors, and those that old
    // ones have cost since.
    double products_ = 0.0, products_when_fresh_ = 0.0, wasted_ = 0.0;
    bool is_transposed_ = true;
    bool is_fresh_ = false;  // of the step taken last
    double scale_ = 1.0;
};

}  // namespace ancora
