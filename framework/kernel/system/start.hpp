// SPDX-License-Identifier: BSD-3-Clause
// The start of a motion: takes a state, checks it, and reports its errors.
#pragma once

#include <span>
#include <string>

#include "accelerations.hpp"
#include "assembly.hpp"
#include "breaking.hpp"
#include "continuous_motion.hpp"
#include "massless.hpp"

namespace ancora {

/// Makes the state of a motion that begins at (q, v, t).
class Start {
public:
    Start(const SystemData& of,
          StepRows& rows,
          const Accounts& accounts,
          Accelerations& accelerations,
          ContinuousMotion& motion)
        : parts_(of.parts),
          state_(of.state),
          massless_(rows.massless),
          accelerations_(accelerations),
          motion_(motion),
          breaking_(accounts.breaking) {}

    /// Strains follow from q, velocities without mass from the others, states of plugins from the
    /// plugins.
    /// @throws Error (numerical) if constraints are violated beyond round-off or inconsistent, or a
    ///         coordinate is undetermined; the state is then invalid
    void begin(std::span<const double> q, std::span<const double> v, double t);
    /// Computes velocities of coordinates that conditions on rates tie to those of the bodies:
    /// changes v to these.
    void complete_own(std::span<const double> q, std::span<double> v, double t);
    /// Violations of rows, in value and in rate.
    struct InitialViolations {
        Eigen::VectorXd gap, rate;
    };
    /// At the present state.
    InitialViolations initial_violations();
    /// The same from the present state with the plugins' present states: for other parameters.
    /// Violations up to `before` are allowed, since steps leave residuals of rates.
    void begin_here(const InitialViolations& before);
    /// Constraint rows are others than before at the present state: finds which rows determine the
    /// coordinates without mass, and the velocities of these if they are wanted.
    /// @throws Error (numerical) where nothing determines one
    void follow_rows(bool with_velocities);
    /// The present state has been reported to the program, which may set it again: its present
    /// violations are then allowed, which for rates in the discrete formulation are of second order
    /// in the step.
    void note_reported();
    /// begin() for a state that a program sets, which may be one that this or another simulation of
    /// the model has reported.
    /// @param h length of steps whose ends meet rates to second order; 0: states meet them
    void begin_from_program(std::span<const double> q,
                            std::span<const double> v,
                            double t,
                            double h);

private:
    void settle();
    void take(std::span<const double> q, std::span<const double> v, double t);
    void check_vanishing() const;
    void determine_massless();
    struct Worst {
        int row = -1;
        double part = 0.0;  // relative to the allowed violation
        bool is_rate = false;
    };
    Worst find_worst();
    void check();
    Eigen::VectorXd rates_left_by_steps();
    std::string advice(int row) const;
    void refuse_contradiction();
    void refuse_prescribed(int row) const;
    bool closes_beside(const std::vector<int>& open);
    void release_gauge_rows();
    void check_massless();
    void start_plugins();

    Assembly& parts_;
    MotionState& state_;
    Massless& massless_;
    Accelerations& accelerations_;
    ContinuousMotion& motion_;
    const Breaking& breaking_;
    double rate_of(int row) const;
    bool is_start() const { return !goes_on_; }

    RowSet::StateValues instant_;
    InitialViolations allowed_;   // besides round-off; empty: none
    InitialViolations reported_;  // largest of the reported states; or empty
    bool goes_on_ = false;        // from a state of other parameters
    double given_speed_ = 0.0;    // before projection
    // Of begin_from_program(), while it lasts.
    double h_ = 0.0;
    bool is_given_ = false;
};

}  // namespace ancora
