// SPDX-License-Identifier: BSD-3-Clause
// The derivative of velocities that are brought to prescribed rates at the end of a step.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "constrained_solver.hpp"
#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "refined_solve.hpp"
#include "sparse_differences.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// Where motion is prescribed over time, the velocities v of a step's end become v1:
///
///   M (v1 - v) - A^T mu = 0,   A v1 + pi_t = 0    at (q1, t1)                             (1)
///
/// (VelocityImpulse). With the derivatives L of an objective by (q1, v1), those by what was there
/// before are
///
///   [ M  A^T ] (w)   (L_v)
///   [ A   0  ] (n) = ( 0 ),    L_v <- M w,    L_q <- L_q + d/dq (mu . A w - n . (A v1 + pi_t))
///
/// and that by a parameter gains d/dp (mu . A w - n . (A v1 + pi_t) - w . M (v1 - v)).
///
/// Rows may depend on each other: then only independent ones have mu and n.
class RateDerivative {
public:
    /// @param system  is put to the states of steps, and of no other use
    explicit RateDerivative(KernelSystem& system);

    bool is_wanted() const { return !rows_.empty(); }
    /// Whether mass is lent to coordinates without any.
    bool lends() const { return !lent_to_.empty(); }
    /// Takes the end of a step, at which velocities were v.
    /// @throws AdjointObstacle where they have not become what (1) says
    void take(const StepState& end, const Eigen::VectorXd& v);
    /// L becomes that before, by velocities without mass too: mass is lent to them, which beside
    /// light bodies is not small.
    void pull_back(Costate& of);
    /// The terms of a parameter for the costate pulled back last, as a neighbouring model has them:
    /// one of each coordinate, -w_i (M (v1 - v))_i, and of each row, the rest.
    void evaluate(KernelSystem& neighbour,
                  Eigen::VectorXd& of_coordinates,
                  Eigen::VectorXd& of_rows) const;

private:
    using Sparse = Eigen::SparseMatrix<double>;
    void evaluate_rates(KernelSystem& system,
                        const Eigen::VectorXd& q,
                        Eigen::VectorXd& A,
                        Eigen::VectorXd& pi_t) const;
    void evaluate_terms(const RowSet& rows,
                        const Eigen::VectorXd& A,
                        const Eigen::VectorXd& pi_t,
                        Eigen::VectorXd& out) const;
    bool meet(const StepState& end, const Eigen::VectorXd& v, RankUse use);
    bool solve(const Eigen::VectorXd& f, const Eigen::VectorXd& r);

    KernelSystem& system_;
    SystemData data_;
    int n_;
    std::vector<int> rows_;
    std::optional<SparseDifferences> differences_;
    StepState end_;
    double t_ = 0.0, extent_, lent_ = 1.0;
    Eigen::VectorXd dv_, v1_, mu_, w_, nu_, q_;
    RefinedSolve solve_;
    Eigen::VectorXd A_, pi_t_;
    std::unique_ptr<ConstrainedSolver> solver_;
    std::vector<double> mass_, jacobian_;
    std::vector<int> lent_to_;
    std::vector<std::pair<int, int>> places_of_mass_;
    FilledMatrix M_, J_;
    Triplets list_;
    bool has_chosen_ = false;
};

}  // namespace ancora
