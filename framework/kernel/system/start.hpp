// SPDX-License-Identifier: BSD-3-Clause
// The start of a motion: a state taken, checked, and what is wrong with it said.
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

    /// Strains from q, velocities without mass from the others, the plugins' state from themselves.
    /// @throws Error (numerical) if constraints are violated beyond rounding or contradict each
    ///         other, or nothing determines a coordinate; the state is then of no use
    void begin(std::span<const double> q, std::span<const double> v, double t);
    /// Velocities of what constraints bring along follow from those of the bodies, where conditions
    /// on rates hold the one to the other: changes v to that.
    void complete_own(std::span<const double> q, std::span<double> v, double t);
    /// How far rows are from being met, in value and in rate.
    struct InitialViolations {
        Eigen::VectorXd gap, rate;
    };
    /// At the present state.
    InitialViolations initial_violations();
    /// The same of the present state, from which plugins' states go on: for other parameters, with
    /// which rows may gape like before, as by what steps leave of their rates.
    void begin_here(const InitialViolations& before);
    /// The program has seen the present state, and may give it back: rows may gape then as they do
    /// now, which for rates of the discrete face is second order of the step.
    void note_reported();
    /// begin() for a state that a program gives, which may be one that this or another simulation
    /// of the model has reported.
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
        double part = 0.0;  // of what is allowed
        bool is_rate = false;
    };
    Worst find_worst();
    void check();
    Eigen::VectorXd rates_left_by_steps();
    std::string advice(int row) const;
    void refuse_contradiction();
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

    RowSet::RowValues instant_;
    InitialViolations allowed_;   // besides rounding; empty: nothing
    InitialViolations reported_;  // largest of the states that the program has seen; or empty
    bool goes_on_ = false;        // from a state of other parameters
    double given_speed_ = 0.0;    // before projection
    // Of begin_from_program(), while it lasts.
    double h_ = 0.0;
    bool is_given_ = false;
};

}  // namespace ancora
