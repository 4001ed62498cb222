// SPDX-License-Identifier: BSD-3-Clause
// Parts of a system besides the rows and forces of plugins.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "ancora/sdk/step_equations.hpp"
#include "ancora/sdk/system.hpp"
#include "assembly.hpp"
#include "mode_events.hpp"
#include "step_operator.hpp"

namespace ancora {

class Accelerations;
class ArchiveReader;
class ArchiveWriter;
class EnergyAccounting;
class ContinuousFace;
class ImpactRecords;
class ConstraintSelection;

/// Of each coordinate, as ResidualScaling takes them: sizes of q and dq, and the sum of the terms
/// of its equation of motion.
struct TrialSizes {
    Eigen::VectorXd q, dq, terms;
};

/// Collects the residuals of a part's rows, each with the sum of the moduli of its terms.
struct PartResidual {
    TrialSizes& sizes;
    double slack;  ///< tolerance besides round-off [m]
    ScaledResidual& out;
    int& worst_row;

    void judge(int row, double left, double terms);
};

/// The data of the system for a part. All of it outlives the part, and is made after it: a
/// constructor may read `parts` and the start in `trial` (q_next, v_next), and keep references to
/// the others.
struct PartContext {
    Assembly& parts;
    MotionState& state;
    Trial& trial;
    ConstraintSelection& independent;
    StepOperator& inner;  ///< of the rows before the part's own
    int first_row;        ///< of the part's rows, behind those of the model and of parts before
    Accelerations& accelerations;
    EnergyAccounting& energy;
    ModeEvents& events;
    ImpactRecords& impacts;
};

/// A part of a system that adds rows of its own to its equations, with stresses behind those of the
/// model's rows, and whose laws change at events: dry friction is one. The kernel knows parts by
/// this class alone; libraries register a maker (StepPartMaker).
///
/// `s` are stresses of the part's own rows: of a trial, or those of stress() at an instant.
class StepPart : public StepOperator {
public:
    virtual ~StepPart() = default;
    StepPart(const StepPart&) = delete;
    StepPart& operator=(const StepPart&) = delete;

    int first_row() const { return first_row_; }
    virtual int num_rows() const = 0;
    /// Whether it acts on a coordinate.
    virtual bool acts_on(int coordinate) const = 0;

    // --- A trial of a step: residuals, their derivative, their rounding.

    /// [step] Adds its forces to r_motion and writes its entries of r_rows.
    virtual void evaluate(const StepTrial& trial,
                          std::span<double> r_motion,
                          std::span<double> r_rows) = 0;
    /// The matrix of the operator below has changed.
    virtual void forget_matrix() = 0;
    /// [step] (r_motion, r_rows) -= its part of the residual's derivative times (x, y).
    virtual void subtract_tangent(const double* x,
                                  const double* y,
                                  double* r_motion,
                                  double* r_rows) = 0;
    /// [step] Adds the moduli of its forces to the terms of motion, and scales the residuals of its
    /// rows.
    virtual void measure(const StepTrial& trial, PartResidual& defect) = 0;
    /// [step] Updates the active set: replaces modes that began with the step and are not
    /// admissible over the trial.
    /// @returns whether there were any; the trial is then to be made anew
    virtual bool settle(const StepTrial& trial) = 0;
    /// Whether some modes were found to be so in the trial that settle() saw last. One without is
    /// no solution, and a shorter one is.
    virtual bool is_admissible() const { return true; }
    /// Whether stresses are not unique: several rows that may share one load.
    virtual bool may_share() const = 0;
    /// Sets its entries of s that are such to zero; s of all rows.
    virtual void clear_shared_stress(std::span<double> s) const = 0;

    // --- Acceptance of a step, in this order.

    /// [step] Marks coordinates that it holds at rest (MotionState::held); their dq becomes zero.
    virtual void hold(const StepTrial& trial) = 0;
    /// [step] Values of its rows are those of the trial from here on, not of its end.
    virtual void return_to_step(const StepTrial& trial) = 0;
    /// [step] Records its works, and updates its own state.
    virtual void record(const StepTrial& trial, const TrialSizes& sizes) = 0;
    /// [step] The step has been committed.
    virtual void accept_step(double h) = 0;

    // --- Accelerations at a state.

    /// [step] Computes its forces at the state that the face was last solved for; adds their effect
    /// there.
    /// @param is_tentative modes are tentative
    virtual void solve_instant(
        ContinuousFace& face, const double* q, const double* v, double t, bool is_tentative) = 0;
    /// As last solved at a state.
    virtual const Eigen::VectorXd& stress() const = 0;
    /// [step] Marks coordinates that it holds at rest; their accelerations become zero.
    virtual void hold_accelerations(const double* v, double* a, const ContinuousFace& face) = 0;
    /// [step] A state has been accepted.
    virtual void accept_state() = 0;
    /// See System::max_smooth_step().
    virtual double max_smooth_step(double h) const = 0;

    // --- Its forces, in a step or at a state, whichever was evaluated last.

    struct Work {
        double nonideal = 0.0;
        double external = 0.0;
    };
    /// [step] Works over dq, or powers at velocities dq.
    virtual Work work(const double* s, const double* dq) const = 0;
    /// [step] Adds its forces on the model, or those of them that come from outside, to F.
    virtual void add_forces(const double* s, double* F) const = 0;
    virtual void add_external(const double* s, double* F) const = 0;
    /// Adds `factor` times the force and torque of its force objects, three entries each.
    virtual void add_applied(const double* s,
                             double factor,
                             std::span<double> forces,
                             std::span<double> torques) const = 0;
    /// Names of its force objects that act on measures, and their works over dq.
    virtual std::vector<std::string> efforts() const = 0;
    virtual double effort_work(int effort, const double* s, const double* dq) const = 0;

    // --- Modes and events.

    /// Modes at the start of a motion.
    virtual void start() = 0;
    /// Modes of the same motion where velocities have jumped.
    virtual void restart() { start(); }
    /// Constraint rows of the model are others than before.
    virtual void forget_rows() {}
    virtual int num_events() const = 0;
    /// [step] Positive as long as modes are admissible, at the end of a trial or at a state.
    virtual void evaluate_events(const StepTrial& trial, std::span<double> g) = 0;
    virtual void evaluate_events(double t,
                                 const double* q,
                                 const double* v,
                                 std::span<double> g) = 0;
    /// [step] A course begins at the accepted state, of which only its ends count.
    virtual void begin_course() {}
    /// [step] The same at the accepted state, which is the end of such a course.
    virtual void evaluate_course(std::span<double> g) { std::ranges::fill(g, 1.0); }
    /// What an event has brought besides modes.
    struct Passage {
        bool is_new_course = false;  ///< velocities have jumped, or rows of the model are others
        const Eigen::VectorXd* impulse = nullptr;  ///< as stresses -s of all rows, if there was any
        bool may_depend = false;  ///< rows of the model are others, and may depend on each other
        /// Impulses of force objects: forces, then torques, three entries each; null without.
        const Eigen::VectorXd* applied = nullptr;
    };
    /// [step] An event of its own has come at the present state.
    virtual Passage pass(int event) = 0;
    /// Events follow each other without end.
    virtual bool is_overrun() const { return false; }
    /// [step] Takes what is left of the step as a whole, without events within.
    /// @returns a new course if it does
    virtual Passage go_over() { return {}; }
    /// [step] No solution of the trial has been found: leaves out what a step can do without.
    /// @returns whether there was anything
    virtual bool take_less() { return false; }
    /// [step] The step has been committed and recorded: what it has left to do at its end.
    virtual Passage finish_step() { return {}; }
    /// [step] Discrete states of objects may have changed.
    virtual Passage follow_signals() { return {}; }
    /// Forces may jump here, by any event: modes are to be rechecked.
    virtual void recheck() = 0;
    /// Forces may change here: nothing is to be extrapolated from before.
    virtual void note_jump() = 0;
    /// Selects the modes that continue from the present state, by its accelerations.
    virtual void resolve() = 0;

    // --- For derivatives of a run.

    /// Own rows, with all that they and their forces may depend on.
    struct Reach {
        std::vector<int> own;          ///< among the rows of the system
        std::vector<int> acted_on;     ///< coordinates that their forces act on, ascending
        std::vector<int> coordinates;  ///< that they depend on, ascending
        std::vector<int> rows;         ///< of the model, on whose stresses they depend
    };
    virtual std::vector<Reach> reaches() const { return {}; }
    /// [step] From here on evaluate() takes laws for linear, as they are at the trial evaluated
    /// last; or no more.
    virtual void hold_laws(bool on) { static_cast<void>(on); }
    /// Why its equations have no derivative in the modes as they are; null: they have one.
    virtual const char* corner() const { return nullptr; }
    /// What the equations of a step depend on besides the state of the model: as many numbers for
    /// each of its events, the first of which is the mode.
    virtual void read_modes(std::vector<double>& to) const { static_cast<void>(to); }
    /// Takes as many from the begin as it would write.
    virtual void write_modes(std::span<const double>& from) { static_cast<void>(from); }
    /// What ends a mode, whatever trials were before: a number of the end of a step that comes to
    /// zero; or a mean over the step, of which the value at its end is extrapolated from the mean
    /// of the step before, of this length.
    struct ModeEnd {
        double value = 1.0;
        bool is_mean = false;
        double last = 0.0, last_length = 0.0;  ///< zero: the mean itself

        double at_end(double h) const {
            return last_length > 0.0 ? value + (value - last) * h / (h + last_length) : value;
        }
    };
    /// [step] Of the trial evaluated last, or of one that differs by its end alone.
    virtual ModeEnd mode_end(const StepTrial& trial, int event) {
        static_cast<void>(trial);
        static_cast<void>(event);
        return {};
    }
    /// [step] What modes ask to be zero at an instant, linear in v: a number for each own row,
    /// zero where they ask nothing.
    virtual void evaluate_rates(const double* q,
                                const double* v,
                                double t,
                                std::span<double> rates) {
        static_cast<void>(q);
        static_cast<void>(v);
        static_cast<void>(t);
        std::ranges::fill(rates, 0.0);
    }

    // --- Messages.

    /// @throws Error (numerical) where its rows of the last solve have no single solution
    virtual void refuse_unsolvable(double t) const = 0;
    /// The text of an error for its row k when that has not converged.
    struct OpenRow {
        std::string name;
        const char* cause = nullptr;
    };
    virtual OpenRow describe_row(int k) const = 0;
    /// An object that steps with projected velocities cannot be taken with, and why.
    struct Unsmooth {
        const ObjectRef* object = nullptr;
        const char* why = nullptr;
    };
    virtual Unsmooth unsmooth() const = 0;
    /// Labels of objects without any effect, since constraints fix the bodies that they act on; and
    /// of those whose force is not unique at the state that the face was last assembled for.
    virtual std::vector<std::string> locked() const = 0;
    virtual std::vector<std::string> ambiguous(ContinuousFace& face) const = 0;

    // --- State.

    /// Its state within a motion, for an evaluation at another instant.
    virtual void save(std::vector<std::byte>& to) const = 0;
    virtual void restore(std::span<const std::byte> from) = 0;
    /// All that the rest of a run depends on, see state_archive.hpp.
    virtual void transfer(ArchiveWriter& archive) = 0;
    virtual void transfer(ArchiveReader& archive) = 0;
    /// After the whole system was read.
    virtual void follow_restored() = 0;

protected:
    explicit StepPart(int first_row) : first_row_(first_row) {}

private:
    int first_row_;
};

/// Makes a part for a model, or nothing where the model has no need of it.
using StepPartMaker = std::unique_ptr<StepPart> (*)(const PartContext& context);

}  // namespace ancora
