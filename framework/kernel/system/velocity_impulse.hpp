// SPDX-License-Identifier: BSD-3-Clause
// The impulse that brings velocities to those prescribed at an instant.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "assembly.hpp"
#include "constrained_solver.hpp"
#include "effort_works.hpp"
#include "ledger.hpp"
#include "reactions.hpp"

namespace ancora {

/// The energy-momentum step of length zero, without contacts:
///
///   M (v+ - v-) = A^T mu,   A v+ + pi_t(t+) = 0                                          (1)
///
///   v-, v+  velocities before and after, n
///   A, pi_t Jacobian and explicit rate of the constraint rows at (q, t+)
///   mu      impulses of the rows [N s or N m s], zero on those that are redundant
///
/// (1) is the least change of v in the norm of M. Where a prescribed rate jumps it is an impact;
/// elsewhere it is of second order in the step, and removes the residual of A v + pi_t after a
/// step, whose sign would alternate from step to step. The energy changes by exactly mu^T A (v- +
/// v+) / 2: the part of rows over time is external work, the rest that of a projection.
///
/// Only islands of coordinates with a row over time take part: others keep their energy to
/// round-off.
class VelocityImpulse {
public:
    /// What is lent to coordinates without mass, of the mean mass.
    static constexpr double kLentMass = 1e-9;

    /// [assembly] `parts` and `state` must outlive it.
    VelocityImpulse(Assembly& parts, const MotionState& state);

    /// False where nothing is prescribed over time.
    bool is_wanted() const { return !row_.empty(); }

    /// Rows whose rates it meets, and the blocks that they are in.
    const std::vector<int>& rows() const { return row_; }
    const std::vector<int>& blocks() const { return blocks_; }

    /// The least time after t that is beyond a jump there, round-off included.
    static double behind(double t);
    static double before(double t);

    /// Solves (1) for v with its compensation of round-off. [step]
    /// @returns whether velocities have changed
    /// @throws Error (plugin) where a row's rate is not finite
    /// @param own  the moment of the own values that rows read
    bool meet(const Eigen::VectorXd& q,
              double t,
              SignalSet::Moment own,
              Eigen::VectorXd& v,
              Eigen::VectorXd& v_low);
    /// Records work and impulse of the last change, which led to (q, v). [step]
    void record(Ledger& ledger,
                EffortWorks& efforts,
                const Eigen::VectorXd& q,
                const Eigen::VectorXd& v);
    /// Whether a prescribed rate differs from that just before t.
    bool jumps_at(const Eigen::VectorXd& q, const Eigen::VectorXd& v, double t);
    /// -mu of all rows of the model.
    const Eigen::VectorXd& stress() const { return s_; }

    /// The accepted state has changed otherwise than by a step.
    void forget() { is_factorised_ = false; }

    /// Writes or reads it, see state_archive.hpp.
    template <class Archive>
    void transfer(Archive& archive);

private:
    bool is_condition(int k) const;
    void find_rows();
    void evaluate(const double* q, const double* v, double t, SignalSet::Moment own);
    double rate(std::size_t c, const double* v) const;
    double measure(const double* v);
    void make_solvers();
    bool factorise(RankUse use);
    void push(const Eigen::VectorXd& v);

    Assembly& parts_;
    const MotionState& state_;
    std::vector<int> row_;        // in the row set, of each condition
    std::vector<int> row_start_;  // pattern of the conditions
    std::vector<int> entry_;      // their entries in the row set's Jacobian
    std::vector<int> column_;
    std::vector<int> blocks_;
    std::vector<char> is_timed_;           // per condition
    std::vector<char> is_tied_to_ground_;  // likewise
    bool has_velocity_rows_ = false;       // whose Jacobian may depend on v
    std::unique_ptr<ConstrainedSolver> solver_, mass_;
    std::vector<double> M_;                // values of their pattern
    std::vector<int> massless_, lent_to_;  // coordinates without mass, and their entries there
    double lent_mass_ = 0.0;
    bool is_factorised_ = false;

    Eigen::VectorXd A_, pi_t_, pi_t_before_;  // of all rows
    std::vector<double> A_of_conditions_, A_of_factor_, A_of_choice_;
    bool is_of_choice_ = false;          // the factors are those with which rows were chosen
    std::vector<char> changed_choices_;  // by solves with these, of each island
    bool is_reusable_ = false;           // the factors are those of A_of_factor_ still
    Eigen::VectorXd rate_, lambda_, dv_, v_before_, v_mean_, s_, push_, force_;
    double work_external_ = 0.0, work_projection_ = 0.0;
};

}  // namespace ancora
