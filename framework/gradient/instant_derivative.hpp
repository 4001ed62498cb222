// SPDX-License-Identifier: BSD-3-Clause
// Derivatives of what is solved for at an instant: accelerations, and corrections of a state.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "constrained_solver.hpp"
#include "continuous_face.hpp"
#include "kernel_system.hpp"
#include "sparse_differences.hpp"

namespace ancora {

/// The equations of the continuous formulation of systems of one model, and of which rows and
/// forces derivatives are exact. Those of the others are differences, columns that share no row
/// together.
class InstantEquations {
public:
    /// @param system  is put to states, and of no other use
    explicit InstantEquations(KernelSystem& system);

    /// Why derivatives are not to be had; empty: they are.
    static std::string obstacle(KernelSystem& system);

    KernelSystem& system() { return system_; }
    /// Of a neighbouring system of the same rows too.
    ContinuousFace& face(KernelSystem& of);

    /// Rows linear or quadratic in q, with curvature H_k that is constant: exact.
    bool is_exact(int row) const { return is_exact_[row] != 0; }
    bool is_condition(int row) const { return is_condition_[row] != 0; }
    bool has_others() const { return !of_rows_->empty(); }
    bool has_forces() const { return !of_forces_->empty(); }
    /// Of rows that are not exact: inputs and outputs are coordinates and rows.
    SparseDifferences& of_rows() { return *of_rows_; }
    /// Of forces: coordinates and coordinates.
    SparseDifferences& of_forces() { return *of_forces_; }
    /// y += sum_k s_k H_k x at q
    void add_curvature(const Eigen::VectorXd& q,
                       double t,
                       const Eigen::VectorXd& s,
                       const Eigen::VectorXd& x,
                       double factor,
                       Eigen::VectorXd& y);
    double distance(double value, double least) const;
    /// Stresses of all rows that are no conditions.
    void stresses(const RowSet::StateValues& at, const Eigen::VectorXd& v, Eigen::VectorXd& s);
    /// of_pi_k += sum_j x_j ds_j/dpi_k and of_rate_k += x_k ds_k/dpi'_k of exact rows.
    /// @throws AdjointObstacle where a law has a corner
    void add_slopes(const RowSet::StateValues& at,
                    const Eigen::VectorXd& v,
                    const Eigen::VectorXd& x,
                    Eigen::VectorXd& of_pi,
                    Eigen::VectorXd& of_rate);

private:
    KernelSystem& system_;
    SystemData data_;
    std::vector<char> is_exact_, is_condition_;
    std::optional<SparseDifferences> of_rows_, of_forces_;
    std::map<KernelSystem*, std::unique_ptr<ContinuousFace>> faces_;
    Eigen::VectorXd tangent_;
    std::vector<double> pi_, near_, far_, below_;
};

/// At an instant, with all conditions of a model,
///
///   M x = f + A^T lambda,   A x = r                                                      (1)
///
/// for the accelerations of (q, v, t), or the least changes in the norm of M that bring q onto
/// phi = 0 to first order, or v onto A v + phi_t = 0:
///
///   accelerations   f = F(q, v, t),   r = b - beta (2 (A v + phi_t) + beta phi)
///   positions       f = 0,            r = -phi
///   velocities      f = 0,            r = -(A v + phi_t)
///
/// With the derivatives L of an objective by x,
///
///   M w - A^T mu = L,   A w = 0,   n = -mu                                               (2)
///
/// those by q, v and parameters are those of
///
///   w . (f + A^T lambda - M x) - n . (A x - r),   w, n, lambda and x held                (3)
///
/// Source: the adjoint of the Udwadia-Kalaba equation, as the matrix of (1) is symmetric.
class InstantDerivative {
public:
    enum class Of { accelerations, positions, velocities };

    InstantDerivative(InstantEquations& equations, Of what);

    /// Chooses independent conditions at a state, for solves from here on.
    void choose(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t);
    bool has_choice() const { return has_choice_; }
    void forget_choice() { has_choice_ = false; }
    /// Whether there are conditions.
    bool has_rows() const { return !rows_.empty(); }
    /// @returns false if there is no solution
    bool solve(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t);
    const Eigen::VectorXd& x() const { return x_; }

    /// What (2) gives.
    struct Pulled {
        Eigen::VectorXd w, n;
    };
    /// Adds the derivatives of (3) by q and v.
    /// @returns false if (2) has no solution
    bool pull_back(const Eigen::VectorXd& L,
                   Pulled& pulled,
                   Eigen::VectorXd& of_q,
                   Eigen::VectorXd& of_v);
    /// What a system with another value of a parameter leaves of (1), M x - f - A^T lambda and
    /// A x - r; of rows with a law their stress, which enters (3) as -(A_k w) s_k. (The entry of n
    /// is A_k w.)
    void evaluate(KernelSystem& neighbour, Eigen::VectorXd& motion, Eigen::VectorXd& rows);

private:
    bool counts(int row) const;
    const RowSet::StateValues& evaluate_rows(KernelSystem& system, double t);
    double left_of_row(const RowSet& rows,
                       const RowSet::StateValues& at,
                       double baumgarte,
                       int k) const;
    bool factorise(RankUse use);
    void add_exact(const Pulled& by, Eigen::VectorXd& of_q, Eigen::VectorXd& of_v);
    void add_differences(const Pulled& by, Eigen::VectorXd& of_q, Eigen::VectorXd& of_v);

    InstantEquations& equations_;
    KernelSystem& system_;
    SystemData data_;
    Of what_;
    int n_, m_;
    double extent_, t_ = 0.0;
    bool has_choice_ = false;
    std::vector<int> rows_, row_start_, entries_;  // conditions that have a row of the solver
    std::unique_ptr<ConstrainedSolver> solver_;
    std::vector<double> jacobian_;
    RowSet::StateValues at_, moved_;
    Eigen::VectorXd q_, v_, x_, f_, r_, lambda_;
    Eigen::VectorXd mu_, stress_, s_, of_pi_, of_rate_, Aw_, terms_;
    Eigen::VectorXd s_here_;  // of rows with a law
};

}  // namespace ancora
