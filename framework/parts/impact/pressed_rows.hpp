// SPDX-License-Identifier: BSD-3-Clause
// Which of the rows that touch are closed: those that the accelerations press.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <Eigen/Core>

#include "accelerations.hpp"
#include "assembly.hpp"
#include "impact_friction.hpp"
#include "unilateral_rows.hpp"

namespace ancora {

/// A row that touches without approaching is closed, that is a condition like others, where the
/// accelerations of the model press it:
///
///   0 <= reaction  _|_  g'' >= 0                                                         (1)
///
/// by active sets on the solution of all accelerations together.
class PressedRows {
public:
    PressedRows(Assembly& parts,
                MotionState& state,
                Accelerations& accelerations,
                UnilateralRows& rows,
                const ImpactFriction& friction);

    /// The model without any unilateral row that is not latched.
    ContinuousFace& free() { return *free_; }
    /// Rows that are conditions besides unilateral ones, or latched, are others than before.
    void make_free_face();

    /// [step] Of the candidates those are closed that the accelerations at velocities v press. From
    /// find() one row at a time leaves where it pulls, or enters where it would go in, with forces
    /// that depend on reactions: few do, and where that does not end, what pressed stays.
    /// @param leaving marks rows that have just ceased to press; empty: none. Others may do so with
    ///        them: rows then need more than rounding to enter
    void settle(const std::vector<char>& candidates,
                const Eigen::VectorXd& v,
                const std::vector<char>& leaving = {});
    /// [step] Marks a closed row that ceases to press here, and those that cease with it: they have
    /// pressed up to here, and what is left of it is rounding.
    std::vector<char> leaving_with(int row, const Eigen::VectorXd& v);
    /// [step] Marks the candidates that press by (1) of all of them together, with the forces as
    /// they are without reactions. Nonnegative least squares descend, and so cannot cycle.
    /// @param leaving marks rows that let go: they and open ones need more than rounding to press;
    ///        empty: none do
    /// @returns false where there are no accelerations without contacts
    bool find(const std::vector<char>& candidates,
              const Eigen::VectorXd& v,
              const std::vector<char>& leaving,
              std::vector<char>& pressed);
    /// The reaction of a row that find() has found.
    double reaction(int i) const { return press_[i]; }

    /// [step] How much a closed row presses at a state, positive while it does, in units of
    /// acceleration, with what rounding leaves of it; of a latch how far it is from its limit,
    /// relative to that. All reactions, at (q, v, t).
    void evaluate(const double* q, const double* v, double t, Eigen::VectorXd& pressure);
    /// Whether rows are closed that depend on others, since all of them rub.
    bool may_depend() const { return may_depend_; }
    /// Where it is not known.
    void assume_dependence() { may_depend_ = true; }
    /// Whether a latch that has caught may break.
    bool has_limits() const;

    /// A_k M^-1 A_k^T by the diagonal, without conditions.
    double mobility(const double* A, int k) const;
    /// A row that others hold to this answers to no impulse.
    static constexpr double kHeld = 1e-10;

private:
    bool bear_together(const std::vector<char>& closed,
                       const std::vector<char>& implied,
                       const Eigen::VectorXd& v);
    double largest_acceleration(const ContinuousFace& face) const;
    double spread_rounding(const ContinuousFace& face, double most, int k) const;
    struct Pressure {
        double value;  ///< [m/s^2], of closed rows by the mobility of their masses alone
        double terms;  ///< of the accelerations that it is made of
    };
    Pressure pressure_of(const ContinuousFace& face, double most, int i) const;
    bool is_held(ContinuousFace& face, int i) const;
    std::vector<char> held_in_turn(ContinuousFace& face, const std::vector<int>& rows);
    static std::span<double> room(Eigen::VectorXd& x) {
        return {x.data(), static_cast<std::size_t>(x.size())};
    }

    Assembly& parts_;
    MotionState& state_;
    Accelerations& accelerations_;
    UnilateralRows& rows_;
    const ImpactFriction& friction_;
    std::unique_ptr<ContinuousFace> free_;
    Eigen::VectorXd press_;  // of all rows
    bool may_depend_ = false;
};

}  // namespace ancora
