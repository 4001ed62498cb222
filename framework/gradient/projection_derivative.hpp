// SPDX-License-Identifier: BSD-3-Clause
// The derivative of steps whose velocities are projected at both ends.
#pragma once

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <Eigen/Core>

#include "constrained_solver.hpp"
#include "kernel_system.hpp"
#include "krylov.hpp"
#include "recorded_run.hpp"
#include "sparse_differences.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// A projected step (VelocityProjection) is a step from (q0, v0+) to (q1, v1-) and
///
///   v0+ = v0 + a w0,   v1 = v1- - b w1,   w_k = M^-1 A_k^T mu,   A_1 v1 + pi_t = 0
///   a = 1 / b = (e_1 / e_0)^(1/4),   e_k = mu^T A_k w_k                                   (1)
///
/// With x = M^-1 (L_v + A_1^T n) and y = M^-1 L+, where L+ is the derivative by v0+ that the step
/// makes of (L_q + dP/dq1, M x), the multipliers n and the number k are those for which
///
///   -b A_1 x + a A_0 y + 2 k (A_1 w1 / e_1 - A_0 w0 / e_0) = 0,
///   k = (a y . A_0^T mu + b x . A_1^T mu) / 4                                             (2)
///
///   P = sum_c n_c (A_1 v1 + pi_t)_c - b mu_c (A_1 x)_c + a mu_c (A_0 y)_c
///       + 2 k mu_c ((A_1 w1)_c / e_1 - (A_0 w0)_c / e_0)                                  (3)
///
/// with all but A and pi_t held in it. Then L_v = L+, L_q gains dP/dq0, and the derivative by a
/// parameter dP/dp and what M is in (1). A step turns velocities across the constraints round, so
/// that (2) is about -2 A_1 M^-1 A_1^T n = ..., which preconditions its iteration.
class ProjectionDerivative {
public:
    /// @param system  is put to the states of steps, and of no other use
    explicit ProjectionDerivative(KernelSystem& system);

    /// Takes a step, whose end is `next`.
    /// @throws AdjointObstacle where it is not what (1) says
    void take(const AcceptedStep& step, const StepState& next);
    /// L becomes that of its begin, with the derivative of the step between, which has been taken;
    /// `motion` and `rows` are what that gives.
    /// @returns false if the step's matrix has no inverse, or (2) no solution
    bool pull_back(StepDerivative& step,
                   Costate& of,
                   Eigen::VectorXd& motion,
                   Eigen::VectorXd& rows);
    /// The terms of a parameter for the costate pulled back last, as a neighbouring model has them:
    /// one of each coordinate, of M, and of each row, P.
    void evaluate(KernelSystem& neighbour,
                  Eigen::VectorXd& of_coordinates,
                  Eigen::VectorXd& of_rows) const;

private:
    struct End {
        double t = 0.0, factor = 1.0, energy = 0.0;
        Eigen::VectorXd q, v, A, pi_t;        // v: for rows that look at it
        Eigen::VectorXd w, force;             // M^-1 A^T mu, A^T mu
        std::vector<std::pair<int, int>> at;  // of the slopes: entry of A, or row, and coordinate
        std::vector<double> slope;
    };
    void evaluate_rates(KernelSystem& system, End& end) const;
    void differentiate(End& end);
    void add_transposed(const End& end, const Eigen::VectorXd& x, Eigen::VectorXd& to) const;
    double row(const RowSet& rows, const End& end, std::size_t c, const Eigen::VectorXd& x) const;
    Eigen::VectorXd inverse_mass(const Eigen::VectorXd& force);
    bool evaluate(StepDerivative& step, const Costate& of, const Eigen::VectorXd& z);
    void add_slopes(const End& end, Eigen::VectorXd& to) const;
    double coefficient(const End& end, std::size_t c, int coordinate) const;

    KernelSystem& system_;
    SystemData data_;
    int n_;
    double extent_;
    std::vector<int> rows_, blocks_;
    std::vector<int> condition_of_row_, condition_of_entry_;
    std::optional<SparseDifferences> differences_;
    std::unique_ptr<ConstrainedSolver> solver_, mass_;
    std::vector<double> mass_values_, jacobian_;  // M is constant where velocities are projected
    End start_, end_;
    Eigen::VectorXd mu_, v1_;
    std::vector<char> is_kept_;  // rows that have multipliers
    Krylov krylov_;
    // Of the last evaluation
    Costate back_;
    Eigen::VectorXd motion_, step_rows_, x_, y_, n_of_, left_;
    double k_ = 0.0;
    bool has_energies_ = false;
};

}  // namespace ancora
