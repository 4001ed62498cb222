// SPDX-License-Identifier: BSD-3-Clause
// The derivative of a step's equations, and what it makes of derivatives by a state.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SparseCore>

#include "kernel_system.hpp"
#include "law_derivative.hpp"
#include "massless_derivative.hpp"
#include "object_differences.hpp"
#include "part_differences.hpp"
#include "recorded_run.hpp"
#include "sparse_differences.hpp"
#include "step_solve.hpp"

namespace ancora {

/// Derivatives of an objective by the state at an instant.
struct Costate {
    Eigen::VectorXd q, v, pi;
    double t = 0.0;  ///< by the instant itself, where that is found as the root of an event
};

/// A function of a step's unknowns and begin that adds to an objective: its derivatives, and its
/// value over a trial that a system has just evaluated.
struct StepFunction {
    Eigen::VectorXd dq, q, s;
    std::function<double(KernelSystem&, const StepTrial&)> value{};
};

/// Why the adjoint of a run is not to be had, in words.
struct AdjointObstacle {
    std::string why;
    bool is_jump = false;  ///< of a force or law: steps of fixed length have no derivative there
};

inline double largest_entry(const Eigen::VectorXd& x) {
    return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0.0;
}

/// That the scalars of attachments are made of, ascending.
std::vector<int> coordinates_of(const AttachmentMap& map);

/// That a row and its Jacobian may depend on, ascending: those of its entries, or where it looks at
/// velocities all of its object, since psi(u, u') need not have an entry for each u.
std::vector<int> coordinates_of_row(Assembly& parts, const BlockPart& part, int row);

/// A step of the discrete formulation has the unknowns dq and s and begins from (q0, v0, pi0):
///
///   r_motion = (2 / h^2) M (dq - h v0) + B^T s - F = 0
///   r_rows   = I + theta pi0 + extra - gamma s = 0,     I = B dq + tau                   (1)
///   q1 = q0 + dq,   v1 = 2 dq / h - v0,   pi1 = pi0 + I
///
/// (theory (29), (12)); a row with a law s*(pi0, I) has r_rows = gamma (s* - s) instead. With the
/// derivatives L = (L_q, L_v, L_pi) of an objective by (q1, v1, pi1), those by (q0, v0, pi0) are,
/// after one solve for (m, n),
///
///   K^T (m, n) = (L_q + 2/h L_v + I_dq^T L_pi, 0),   K = d(r_motion, r_rows) / d(dq, s)  (2)
///   L_q  <- L_q + I_q^T L_pi - (dr / dq0)^T (m, n)
///   L_v  <- -L_v + (2/h) M m
///   L_pi <- L_pi - (dr / dpi0)^T (m, n)
///
/// and that by a parameter p gains -(m, n) . dr/dp + L_pi . dI/dp.
///
/// I is the increment of pi(q, t), so that I_dq = A(q1) and I_q = A(q1) - A(q0) for positions; B =
/// A(q_mid) of at most quadratic rows, so that their B^T s changes by G/2 and G. What remains, rows
/// of other kinds and forces, is differentiated by differences, object by object.
///
/// Rows of parts, as dry friction's, are equations r_part(dq, q0, s) = 0 behind these, with
/// stresses of their own behind s, and no pi.
class StepDerivative {
public:
    /// @param system  is put to the states of steps, and of no other use
    explicit StepDerivative(KernelSystem& system);

    /// Why derivatives of this model's steps are not to be had; empty: they are.
    static std::string obstacle(KernelSystem& system);
    /// The same as far as it is not a matter of steps, but of what the model is made of.
    static std::string obstacle_of_objects(KernelSystem& system);

    /// Looks at a step for what stays the same at the others, before take().
    void look(const AcceptedStep& step);
    /// Takes the derivatives at a step.
    /// @throws AdjointObstacle where a law has a corner
    void take(const AcceptedStep& step);
    /// What residuals change by, where the unknowns and what a step begins from change so, and of
    /// each the largest of the terms that it is the sum of. Rows of parts come behind the others.
    struct Change {
        Eigen::VectorXd motion, rows;
        Eigen::VectorXd motion_terms, rows_terms;
    };
    /// @param a  change of mean accelerations
    Change change_by(const Eigen::VectorXd& dq,
                     const Eigen::VectorXd& dq0,
                     const Eigen::VectorXd& a,
                     const Eigen::VectorXd& ds,
                     const Eigen::VectorXd& dpi) const;

    MasslessDerivative& massless() { return massless_; }
    /// What pi of rows on positions change with positions by x at a state: A x, zero of others.
    Eigen::VectorXd strain_change(const StepState& at, const Eigen::VectorXd& x);
    /// Solves are those of push(), not of pull_back().
    void go_forwards() { solve_.go_forwards(); }
    /// Changes of (q0, v0, pi0), which become those of (q1, v1, pi1), by a parameter by which the
    /// residuals and I change so:
    ///
    ///   K (d dq, ds) = -dr,   dr = dr/d(q0, v0, pi0) . change + dr/dp                     (3)
    ///
    /// @returns false if K has no inverse
    bool push(Costate& change,
              const Eigen::VectorXd& motion,
              const Eigen::VectorXd& rows,
              const Eigen::VectorXd& increments);
    /// (2) of the step taken last: L becomes that of its begin; `motion` and `rows` are (m, n).
    /// @param besides  what the objective has of the step itself
    /// @returns false if K has no inverse
    bool pull_back(Costate& of,
                   Eigen::VectorXd& motion,
                   Eigen::VectorXd& rows,
                   const StepFunction* besides = nullptr);

    /// Derivatives of an objective by the time at which the step taken last begins, and by its
    /// length, with what is given at its end and what pull_back() has found.
    struct Shift {
        double by_begin = 0.0, by_length = 0.0;
    };
    Shift shift(const AcceptedStep& step,
                const Costate& of,
                const Eigen::VectorXd& motion,
                const Eigen::VectorXd& rows,
                const StepFunction* besides = nullptr);

    /// Largest residuals of the step taken last: what its iteration has left.
    double motion_left() const { return motion_left_; }
    double rows_left() const { return rows_left_; }
    /// I of that step.
    const Eigen::VectorXd& increments() const { return increments_; }

private:
    void find_objects();
    void differentiate_rows(const AcceptedStep& step);
    void differentiate_forces(const AcceptedStep& step);
    void assemble(const AcceptedStep& step);
    void evaluate(const AcceptedStep& step);
    using Sparse = Eigen::SparseMatrix<double>;

    KernelSystem& system_;
    SystemData data_;
    PartDifferences of_parts_;
    LawDerivative of_laws_;
    MasslessDerivative massless_;
    StepSolve solve_;
    int n_, m_, all_;  // coordinates, rows of the model, and with those of parts
    double extent_;
    std::vector<char> is_general_;   // of each block: its rows by differences
    std::vector<char> is_velocity_;  // of each row: I by differences as well
    std::optional<RowDifferences> of_rows_;
    std::optional<ForceDifferences> of_forces_;
    std::vector<int> other_forces_;
    std::optional<SparseDifferences> of_other_forces_;

    Eigen::VectorXd q_, dq_, mid_, r_motion_, r_rows_, A0_, A1_, B_, pi_t_, s_, v_, increments_;
    std::vector<double> plugin_;
    Triplets by_dq_, by_q_;      // of r_motion, but for M
    Triplets rows_dq_, rows_q_;  // of I
    FilledMatrix M_, C_q_, I_dq_, I_q_, E_, P_, part_q_;
    Triplets list_, mass_;
    Eigen::VectorXd x_, b_;
    double h_ = 0.0, scale_ = 1.0;
    double motion_left_ = 0.0, rows_left_ = 0.0;
};

}  // namespace ancora
