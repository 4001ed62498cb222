// SPDX-License-Identifier: BSD-3-Clause
// What changes at an instant: signals act, constraints open, velocities and forces jump.
#pragma once

#include <functional>
#include <span>

#include <Eigen/Core>

#include "accounts.hpp"
#include "ancora/sdk/step_equations.hpp"
#include "step_parts.hpp"
#include "step_rows.hpp"
#include "velocity_impulse.hpp"

namespace ancora {

/// Changes of the accepted state, of its rows and of forces that take no time, and the events that
/// bring them.
///
/// One change may bring others at the same instant: a signal that acts may open a constraint, whose
/// opening moves a signal. They follow each other until nothing is due.
class Discontinuities {
public:
    /// What has changed, and what of the data kept from step to step is then invalid: each with
    /// those before it.
    enum class Change {
        state,   ///< q, v, s or own values: values at the start of a step
        course,  ///< velocities or rows, and the motion goes on: the matrix, and how old it may be
        motion   ///< it is another motion: everything
    };
    /// The steps of the system, as seen from here.
    class Steps {
    public:
        virtual void invalidate(Change change) = 0;
        /// Velocities have jumped, within a course or for a new one.
        virtual void follow_velocities() = 0;
        virtual void begin_course() = 0;
        /// Constraint rows of the model are others than before.
        virtual void follow_rows() = 0;

    protected:
        ~Steps() = default;
    };

    Discontinuities(
        const SystemData& of, StepRows& rows, StepParts& extra, Accounts& accounts, Steps& steps);

    /// One for each event of a part, one for all rows that may break, and the crossings of signals.
    int num_events() const;
    /// Event functions at the end of a trial, evaluated before. [step]
    void evaluate_events(const StepTrial& trial, std::span<double> g);
    /// The same at a state of the continuous formulation. [step]
    /// @param own continuous states of objects
    /// @param q of contacts, those of x but for what a method's error leaves
    void evaluate_events(double t,
                         std::span<const double> x,
                         const double* own,
                         const double* q,
                         std::span<double> g);
    /// See System::pass_event().
    void pass_event(int event);

    /// Signals whose time has come act, at the present state.
    void act();
    /// To be called at the present state where a given function of time is not smooth: prescribed
    /// velocities become those just after `at`; forces may jump there.
    /// @throws Error (numerical) where positions are prescribed that jump
    void pass_break_point(double at);
    /// Signals whose crossing functions are not positive at the present state act.
    void pass_due_crossings();
    /// To be called where signals or inputs have changed: forces may be others from here on.
    void after_signals();
    /// An accepted state, at which crossing functions are looked at.
    void look_at_crossings(bool has_passed);

    /// Behind an impact, or with other rows of the model: what is known of steps before does not
    /// hold.
    void begin_new_course(const StepPart::Passage& passage);
    /// Extrapolations from the last step are invalid under other forces.
    void note_jump();
    /// Modes of parts that continue from the present state.
    void resolve_modes();

    /// The impulse that brings velocities to those prescribed, at instants and behind steps.
    VelocityImpulse impulse;

private:
    int first_crossing() const;
    void pass_crossing(int crossing);
    void refuse_endless_switching(int crossing);
    void jump_with_own_values();
    void open_constraints();
    void meet_prescribed_rates(double t);

    Assembly& parts_;
    MotionState& state_;
    Trial& trial_;
    StepRows& rows_;
    StepParts& extra_;
    Accounts& accounts_;
    Steps& steps_;
    /// Crossings of signals since a time, to tell a switch that never rests.
    struct Switching {
        double since = 0.0;
        int count = 0;
    };
    Switching switching_;
    Eigen::VectorXd pi_before_, pi_next_;
};

}  // namespace ancora
