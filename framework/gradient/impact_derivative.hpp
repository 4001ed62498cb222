// SPDX-License-Identifier: BSD-3-Clause
// The derivative of impacts, and of the instants at which they come.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <Eigen/Core>

#include "constrained_solver.hpp"
#include "kernel_system.hpp"
#include "recorded_run.hpp"
#include "refined_solve.hpp"
#include "sparse_differences.hpp"
#include "step_derivative.hpp"

namespace ancora {

/// An impact turns velocities v into v1 at one position. What steps have left of the rates of the
/// conditions A is taken away first, the rows C that meet then part or stay, and what was taken
/// away is turned round (Impact):
///
///   M (w - v) = A^T k,          A w + a_t = 0
///   M (y - w) = J^T l,          J y + j_t + e (J w + j_t) = 0,    v1 = y + r (w - v)     (1)
///
/// J are the conditions that hold behind it and rows that meet; e is the restitution of these, zero
/// of all others; r is 1, or 0 where what was left is not turned round. With the derivative L by
/// v1,
///
///   M x + J^T n = L,            J x = 0,      L_w = M x - J^T e n + r L
///   M z + A^T p = L_w,          A z = 0,      L_v <- M z - r L                           (2)
///
/// and positions, time and parameters gain the derivatives of
///
///   l . J x - n . (J y + j_t + e (J w + j_t)) - x . M (y - w)
///   + k . A z - p . (A w + a_t) - z . M (w - v)                                          (3)
///
/// It comes where the gap g of a row is zero, which makes the length of the step before depend on
/// all before it.
class ImpactDerivative {
public:
    /// Why impacts of a model are not to be had; null: they are.
    static const char* obstacle(KernelSystem& system);

    /// @param system  is put to the states of events, and of no other use
    explicit ImpactDerivative(KernelSystem& system);

    /// Whether something is about to meet at a state, to rounding.
    bool meets_at(const StepState& state);
    /// Takes an event.
    /// @throws AdjointObstacle where it is not what (1) says
    void take(const PassedEvent& event);
    /// Whether nothing but the rows of steps has changed.
    bool leaves_velocities() const { return !has_changed_; }
    /// L becomes that before the event taken last.
    void pull_back(Costate& of);
    /// The terms of a parameter for the costate pulled back last, as a neighbouring model has them:
    /// one of each coordinate and each row.
    void evaluate(KernelSystem& neighbour,
                  Eigen::VectorXd& of_coordinates,
                  Eigen::VectorXd& of_rows) const;

    /// The gap that is zero there, by positions and time.
    const Costate& gap() const { return gap_; }
    /// Its value in a neighbouring model, times a factor, in the entry of its row.
    void evaluate_gap(KernelSystem& neighbour, double factor, Eigen::VectorXd& of_rows) const;

private:
    /// Rows that hold in one of the two parts of (1), with what they give.
    struct Phase {
        std::unique_ptr<ConstrainedSolver> solver;
        std::vector<char> holds;              // of each candidate
        Eigen::VectorXd restitution;          // of each
        std::vector<double> jacobian;         // zero in rows that do not hold
        Eigen::VectorXd change, multipliers;  // of velocities
        Eigen::VectorXd velocity, of_rates;   // costates: x and n, z and p
    };
    void evaluate_rates(KernelSystem& system,
                        const Eigen::VectorXd& q,
                        double t,
                        Eigen::VectorXd& A,
                        Eigen::VectorXd& pi_t) const;
    double rate(std::size_t c, const Eigen::VectorXd& v) const;
    double rounding_of_rate(std::size_t c, const Eigen::VectorXd& v) const;
    void factorise(Phase& phase);
    bool solve(Phase& phase, const Eigen::VectorXd& f, const Eigen::VectorXd& r);
    void meet_conditions(const Eigen::VectorXd& v);
    bool strike(const Eigen::VectorXd& v1, double turned);
    void add_terms(const RowSet& rows,
                   const Eigen::VectorXd& A,
                   const Eigen::VectorXd& pi_t,
                   Eigen::VectorXd& out) const;
    double gap_of(KernelSystem& system, double t) const;
    void evaluate_gaps(Eigen::VectorXd& gaps) const;

    KernelSystem& system_;
    SystemData data_;
    int n_;
    std::vector<int> rows_, blocks_;  // candidates
    std::optional<SparseDifferences> differences_;
    std::vector<double> mass_;
    FilledMatrix M_;
    Phase before_, behind_;
    StepState at_;
    int row_ = -1;           // of the event
    std::size_t block_ = 0;  // in which it is
    Eigen::VectorXd A_, pi_t_, v_, w_, y_;
    double turned_ = 0.0;  // r
    bool has_changed_ = false;
    Costate gap_;
    Eigen::VectorXd q_;
    RefinedSolve solve_;
};

}  // namespace ancora
